// A control plane for one measurement, and a manager on it: ours, an older build, or the reference.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "test/bench/report.hpp"
#include "test/support/process.hpp"

namespace dcm::bench {

// The resources that a process has used so far.
struct Usage {
  double cpu_seconds = 0;
  double peak_memory_mb = 0;
  double wakeups = 0;  // how often its threads waited and were woken
};

// A real etcd and kube-apiserver, gone when it is destroyed.
class Cluster {
 public:
  // With an audit log in that file, complete when the cluster is gone; empty: without one.
  explicit Cluster(const std::string& audit_file = {});
  ~Cluster();
  const std::string& kubeconfig() const { return kubeconfig_; }
  // CPU of kube-apiserver alone, so far.
  double cpu_seconds() const;

 private:
  std::string name_;
  std::string kubeconfig_;
};

// A running manager with one of its controllers; ours without limits of its own, the reference with
// its limits raised.
class RunningManager {
 public:
  RunningManager(Who who, const Cluster& cluster, const std::string& controller);
  Usage usage() const;
  // Bytes that its open TCP connections have received and sent, in MB.
  double traffic_mb() const;
  // The sum of all series of a metric; 0 while it cannot be asked.
  double metric(const std::string& name);
  // Until it can be asked for its metrics, and has used hardly any CPU for a second.
  void wait_until_idle();
  // SIGTERM, and waits for the end.
  void stop();

 private:
  Who who_;
  std::string output_;
  std::string port_;
  std::unique_ptr<support::Process> process_;
};

// Whom to measure: the reference only where it is wanted and there.
std::vector<Who> everybody();

}  // namespace dcm::bench
