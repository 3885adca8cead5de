// Runs a credential plugin: the seam between who needs credentials and the system's processes.
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
  // The standard output of `plugin`, which is told `exec_info`. Errors: configuration (it is not
  // there, or ended with another status than 0), deadline_exceeded; the message says which plugin,
  // and nothing of what it wrote.
  virtual runtime::Task<runtime::Result<std::string>> run(const ExecPlugin& plugin,
                                                          std::string exec_info,
                                                          runtime::Deadline deadline) = 0;
};

// With processes of the system. `time` must outlive it.
std::unique_ptr<PluginRunner> make_plugin_runner(runtime::Executor executor,
                                                 runtime::TimeSource& time);

}  // namespace dcm::client
