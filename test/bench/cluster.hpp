// A control plane for one measurement, and a manager on it: ours, an older build, or the reference.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "test/bench/report.hpp"
#include "test/bench/syscalls.hpp"
#include "test/support/process.hpp"

namespace dcm::bench {

// What a manager has cost since it was started.
struct Usage {
  double cpu_seconds = 0;
  double server_cpu_seconds = 0;  // of kube-apiserver, for all clients
  double ended_watches = 0;       // by kube-apiserver, since it was started
  double peak_memory_mb = 0;
  double wakeups = 0;     // how often its threads waited and were woken
  double traffic_mb = 0;  // bytes received and sent on its open TCP connections
  std::optional<double> syscalls;
};

// A real etcd and kube-apiserver, stopped on destruction.
class Cluster {
 public:
  // With an audit log in that file, complete when the cluster has stopped; empty: without one.
  explicit Cluster(const std::string& audit_file = {});
  ~Cluster();
  const std::string& kubeconfig() const { return kubeconfig_; }
  // The CPU time of kube-apiserver alone, so far.
  double cpu_seconds() const;
  // How many watches kube-apiserver has ended because their readers were too slow for it.
  double ended_watches() const;

 private:
  std::string name_;
  std::string kubeconfig_;
};

// A running manager with one of its controllers; ours without limits of its own, the reference with
// raised limits.
class RunningManager {
 public:
  RunningManager(Who who, const Cluster& cluster, const std::string& controller);
  Usage usage() const;
  // The sum of all series of a metric; 0 while it is not available.
  double metric(const std::string& name);
  // Waits until its metrics are available, and it has used hardly any CPU for a second.
  void wait_until_idle();
  // SIGTERM, and waits for the end.
  void stop();

 private:
  Who who_;
  const Cluster& cluster_;
  double server_cpu_at_start_;
  std::string output_;
  std::string port_;
  std::unique_ptr<support::Process> process_;
  std::unique_ptr<SyscallCounter> syscalls_;
};

// Which managers to measure: the reference only if wanted and available.
std::vector<Who> everybody();

}  // namespace dcm::bench
