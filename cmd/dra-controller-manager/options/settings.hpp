// The one table of what can be set: flag, key in the configuration file, default, help and what is
// accepted. Command line, file, --help, manual page, /flagz and /configz all come from it.
#pragma once

#include <optional>
#include <string>

#include "client/config/config.hpp"
#include "cmd/dra-controller-manager/options.hpp"
#include "cmd/dra-controller-manager/options/effective.hpp"
#include "cmd/dra-controller-manager/options/setting.hpp"

namespace dcm::manager {

// The result of the rows: options, and values that become options once all are known.
struct Draft {
  Options options;
  std::string config_file;
  Strings controllers = {"*"};
  Switches feature_gates;
  bool dry_run = false;
  runtime::Duration dry_run_timeout = std::chrono::seconds(30);
  bool leader_elect = true;
  std::string resource_lock = "leases";
  std::string lease_namespace = "kube-system";
  LeaderElectionOptions leader_election = default_election();
};

// The table of the manager itself. `draft` must outlive it.
Settings make_settings(Draft& draft);

// Which API server, for every command that talks to one. `cluster` must outlive them.
Settings cluster_settings(client::ConfigOverrides& cluster);

// Completes `draft.options` once every row was applied. Returns what does not go together.
std::optional<Conflict> settle(Draft& draft);

}  // namespace dcm::manager
