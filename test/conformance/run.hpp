// The parameters of this run: which server, which manager, and the result folder.
#pragma once

#include <string>
#include <vector>

#include "test/support/access.hpp"

namespace dcm::conformance {

class ApiServer;
enum class ServerKind { memory, real };
enum class ManagerKind { ours, reference };

struct Run {
  ServerKind server = ServerKind::memory;
  ManagerKind manager = ManagerKind::ours;
  std::string version = {};  // of the real server; empty: the newest
  std::string format = {};   // json: our manager requests nothing else; empty: default
  std::string http = {};     // 1.1: our manager speaks nothing newer; empty: default
  // Further flags of the real server.
  std::vector<std::string> server_flags = {};
  support::Access admin = {};       // all rights
  support::Access restricted = {};  // those of manifests/base/rbac.yaml, if the server has any
  std::string server_log = {};      // file
  ApiServer* api_server = nullptr;
  std::string reference = {};  // path of kube-controller-manager

  // The command that repeats one case of this run.
  std::string command_for(const std::string& name) const;
};

// Set by main() before the cases run.
Run& run();

// A folder for the logs and objects of one case, initially empty.
std::string fresh_case_dir(const std::string& suite, const std::string& name);

}  // namespace dcm::conformance
