// main() of a program of controllers: from its command line to its exit status.
#pragma once

#include <functional>
#include <string>

#include "manager/connection.hpp"
#include "manager/controller_manager.hpp"
#include "manager/options/standard.hpp"

namespace dcm::manager {

// What the program is, and the defaults of its flags.
struct ProgramOptions {
  // In lower case with dashes: it names the program in logs, in `managedFields` and, with
  // underscores, in the metrics that are its own.
  std::string name;
  std::string version = "0.0.0";
  std::string summary = {};  // one sentence, for --help
  // Rows for --help and the command line, beside those that all programs have.
  Settings flags = {};
  client::ConfigOverrides cluster = {};  // by default, where kubectl would look, or the pod's own
  ConnectionOptions connection = {};     // its user_agent is made of the name, if it is empty
  // By default the lease has the program's name, in the namespace of the pod or kubeconfig.
  ElectionFlags election = {};
  // Health and metrics as plain HTTP. With a `secure_port` as HTTPS, for callers whom the API
  // server knows and lets read them.
  ServingOptions serving = {.metrics_bind_address = "0.0.0.0:8080"};
  runtime::Duration drain_timeout = std::chrono::seconds(20);  // of LifecycleOptions
};

// Runs until SIGTERM or SIGINT; a second signal ends the process at once. `add_controllers` is
// called once, before the start and after the flags were read: what the rows refer to is set then.
//
// Returns the exit status: 0 asked to stop, 1 the lease is lost, 2 a configuration that cannot be
// used (one line on standard error says which), 3 a part has failed.
int run_program(int argc, const char* const* argv, ProgramOptions options,
                const std::function<void(ControllerManager&)>& add_controllers);

}  // namespace dcm::manager
