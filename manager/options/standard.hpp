// Rows shared by programs of Kubernetes, under their usual names.
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

// The objects behind their arguments must outlive all rows.

// Which API server to use, for every command that talks to one.
Settings cluster_settings(client::ConfigOverrides& cluster);

// Leader election as set by flags.
struct ElectionFlags {
  bool leader_elect = true;
  std::string resource_lock = "leases";
  std::string lease_namespace = {};
  LeaderElectionOptions election = {};
};
Settings election_settings(ElectionFlags& flags);
// After every row was applied: sets `election` accordingly, nullopt if off. Returns conflicting
// settings.
std::optional<Conflict> settle_election(const ElectionFlags& flags,
                                        std::optional<LeaderElectionOptions>& election);

Settings serving_settings(ServingOptions& options);
std::optional<Conflict> settle_serving(const ServingOptions& options);

// The highest log verbosity that --v and /debug/flags/v accept.
inline constexpr int kVerbosityMax = 10;
Settings log_settings(int& verbosity, runtime::LogFormat& format);

}  // namespace dcm::manager
