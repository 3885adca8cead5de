// main() of a program of controllers: from its options to its exit status.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/config/config.hpp"
#include "client/manager/connection.hpp"
#include "client/manager/controller_manager.hpp"

namespace dcm::manager {

struct ProgramOptions {
  // In lower case with dashes: it names the program in logs, in `managedFields` and, with
  // underscores, in the metrics that are its own.
  std::string name;
  std::string version = "0.0.0";
  // By default, where kubectl would look, or the service account of a pod.
  client::ConfigOverrides cluster = {};
  ConnectionOptions connection = {};     // its user_agent is made of the name, if it is empty
  LeaderElectionOptions lease = {};      // with an empty name: the program's, in "default"
  std::string address = "0.0.0.0:8080";  // of /healthz, /livez, /readyz and /metrics; empty: none
  std::vector<std::string> accept_hosts = {};  // names that the port answers to (http::OpenPort)
  int verbosity = 0;
};

// Runs until SIGTERM or SIGINT; a second signal ends the process at once. `add_controllers` is
// called once, before the start.
//
// Returns the exit status: 0 asked to stop, 1 the lease is lost, 2 a configuration that cannot be
// used (one line on standard error says which), 3 a part has failed.
int run_program(const ProgramOptions& options,
                const std::function<void(ControllerManager&)>& add_controllers);

}  // namespace dcm::manager
