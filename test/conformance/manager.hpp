// A manager as a process, seen from outside: ours, or kube-controller-manager with the controllers
// that we replace.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "test/support/process.hpp"

namespace dcm::conformance {

class Manager {
 public:
  // Its log is `log_file`. `flags` are for ours; the reference gets only --controllers (by default
  // its resource claim controller) and --feature-gates of them. `kubeconfig` holds one context.
  Manager(std::string log_file, const std::string& kubeconfig, std::vector<std::string> flags,
          const std::map<std::string, std::string>& environment = {});

  // Waits until it has read the existing objects and works.
  bool is_ready_soon();
  // SIGTERM, and its exit status; 128 + 9 if it had to be killed after 30 s.
  int stop();
  void terminate() { process_.signal(15); }
  // SIGSTOP and SIGCONT.
  void pause();
  void resume();
  // SIGKILL: no chance to finish anything.
  void kill();
  std::optional<int> exit_status() { return process_.exit_status(); }
  // Waits for its end.
  int await_end();

  // Only for ours: the text of a path of its status port, "" if there is no answer, and the value
  // of a series, given exactly as printed before the value; 0 if missing.
  std::string status_page(const std::string& path);
  double metric(const std::string& series);
  // Only for ours: whether it is not ready, and names this reason on /readyz, which shows only the
  // error's type, or in the log.
  bool is_unready(const std::string& reason);
  // Only for ours: its peak memory in bytes, as counted by the kernel.
  double peak_memory() const;
  std::string log() const;

 private:
  std::string log_file_;
  std::string status_address_;  // from the log, once available
  std::string ready_;           // what the reference logs when it works
  support::Process process_;
};

}  // namespace dcm::conformance
