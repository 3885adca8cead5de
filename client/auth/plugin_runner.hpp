// Runs a credential plugin: the interface between credentials and system processes.
#pragma once

#include <memory>
#include <string>

#include "client/auth/exec_plugin.hpp"
#include "runtime/deadline.hpp"
#include "runtime/task.hpp"

namespace dcm::client {

class PluginRunner {
 public:
  virtual ~PluginRunner() = default;
  // Returns the standard output of `plugin`, which receives `exec_info`. Errors: configuration
  // (missing, or non-zero exit status), deadline_exceeded; the message names the plugin, and never
  // shows its output.
  virtual runtime::Task<runtime::Result<std::string>> run(const ExecPlugin& plugin,
                                                          std::string exec_info,
                                                          runtime::Deadline deadline) = 0;
};

// Runs plugins as system processes. `time` must outlive the runner.
std::unique_ptr<PluginRunner> make_plugin_runner(runtime::Executor executor,
                                                 runtime::TimeSource& time);

}  // namespace dcm::client
