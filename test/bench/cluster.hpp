// A control plane for one measurement, and a manager on it: ours or the reference.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "test/support/kube.hpp"
#include "test/support/process.hpp"

namespace dcm::bench {

using support::Kube;
namespace json = boost::json;

enum class Who { ours, reference };
const char* name(Who who);

// A real etcd and kube-apiserver, gone when it is destroyed.
class Cluster {
 public:
  Cluster();
  ~Cluster();
  const std::string& kubeconfig() const { return kubeconfig_; }

 private:
  std::string name_;
  std::string kubeconfig_;
};

// What a process has used so far.
struct Usage {
  double cpu_seconds = 0;
  double peak_memory_mb = 0;
};

// A running manager; ours without limits of its own, the reference with its limits raised.
class RunningManager {
 public:
  RunningManager(Who who, const Cluster& cluster);
  Usage usage() const;
  // Create requests for claims, from its metrics.
  double claim_creates();
  // SIGTERM, and waits for the end.
  void stop();

 private:
  std::string metrics();

  Who who_;
  std::string output_;
  std::string port_;
  std::unique_ptr<support::Process> process_;
};

// Whether this machine has a kube-controller-manager to compare with.
bool has_reference();

// Seconds of real time that `work` takes.
double seconds(const std::function<void()>& work);

// A template `gpus` in `default`, and pods that name it: "<prefix>0", "<prefix>1", …
void create_template(Kube& kube);
void create_pods(Kube& kube, const std::string& prefix, int count, const std::string& node = {});
// How many claims there are: one short request.
std::size_t count_claims(Kube& kube);
// How many pods name a claim in their status: lists them all.
std::size_t count_served_pods(Kube& kube);

}  // namespace dcm::bench
