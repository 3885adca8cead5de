// The rows of the table that programs of Kubernetes have in common, under their usual names.
#pragma once

#include <optional>
#include <string>

#include "client/config/config.hpp"
#include "manager/leader_election.hpp"
#include "manager/options/effective.hpp"
#include "manager/options/setting.hpp"
#include "manager/serving/ports.hpp"
#include "runtime/log.hpp"

namespace dcm::manager {

// What their arguments refer to must outlive all rows.

// Which API server, for every command that talks to one.
Settings cluster_settings(client::ConfigOverrides& cluster);

// Leader election as the flags have it.
struct ElectionFlags {
  bool leader_elect = true;
  std::string resource_lock = "leases";
  std::string lease_namespace = {};
  LeaderElectionOptions election = {};
};
Settings election_settings(ElectionFlags& flags);
// Once every row was applied: `election` becomes what they ask for, nullopt for none. Returns what
// does not go together.
std::optional<Conflict> settle_election(const ElectionFlags& flags,
                                        std::optional<LeaderElectionOptions>& election);

Settings serving_settings(ServingOptions& options);
std::optional<Conflict> settle_serving(const ServingOptions& options);

// The highest verbosity of the log that --v and /debug/flags/v take.
inline constexpr int kVerbosityMax = 10;
Settings log_settings(int& verbosity, runtime::LogFormat& format);

}  // namespace dcm::manager
