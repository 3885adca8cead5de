// What this run of the cases is about: which server, which manager, where results go.
#pragma once

#include <string>

#include "test/support/access.hpp"

namespace dcm::conformance {

enum class ServerKind { memory, real };
enum class ManagerKind { ours, reference };

struct Run {
  ServerKind server = ServerKind::memory;
  ManagerKind manager = ManagerKind::ours;
  std::string version = {};         // of the real server; empty: the newest
  support::Access admin = {};       // all rights
  support::Access restricted = {};  // those of manifests/base/rbac.yaml, where the server has any
  std::string server_log = {};      // file
  std::string reference = {};       // path of kube-controller-manager

  // The flags of ./dev conformance that make this run again.
  std::string flags() const;
};

// Set by main() before the cases run.
Run& run();

// A folder for the logs and objects of one case, made empty.
std::string fresh_case_dir(const std::string& suite, const std::string& name);

}  // namespace dcm::conformance
