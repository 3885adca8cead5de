// main() of a program of controllers: from its command line to its exit status.
#pragma once

#include <functional>
#include <string>

#include "manager/connection.hpp"
#include "manager/controller_manager.hpp"
#include "manager/options/standard.hpp"

namespace dcm::manager {

// The program's description and the defaults of its flags.
struct ProgramOptions {
  // In lower case with dashes: a DNS label that begins with a letter, or run_program() returns 2.
  // The program has this name in logs, in `managedFields` and, with underscores, in its own
  // metrics.
  std::string name;
  std::string version = "0.0.0";
  std::string summary = {};  // one sentence, for --help
  // Rows for --help and the command line, in addition to the standard ones.
  options::Settings flags = {};
  // By default, kubectl's locations, or the pod's service account.
  client::ConfigOverrides cluster = {};
  ConnectionOptions connection = {};  // its user_agent is derived from the name if empty
  // By default the lease has the program's name, in the namespace of the pod or kubeconfig.
  ElectionFlags election = {};
  // Health and metrics as plain HTTP. With a `secure_port`, as HTTPS for callers that the API
  // server authenticates and authorizes.
  ServingOptions serving = {.metrics_bind_address = "0.0.0.0:8080"};
  runtime::Duration drain_timeout = std::chrono::seconds(20);  // as in LifecycleOptions
};

// Runs until SIGTERM or SIGINT; a second signal ends the process at once. `add_controllers` is
// called once, before the start and after the flags were parsed into their targets.
//
// The exit status is 0 after a signal, 1 after a lost lease or a second signal, 2 for an invalid
// configuration, 3 if a part or `add_controllers` has failed. 2 and an exception of
// `add_controllers` are explained in one line on standard error, and the status is returned. A
// program that has run ends without returning, so nothing that the caller holds is destroyed.
int run_program(int argc, const char* const* argv, ProgramOptions options,
                const std::function<void(ControllerManager&)>& add_controllers);

}  // namespace dcm::manager
