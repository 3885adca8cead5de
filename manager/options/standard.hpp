// Rows shared by Kubernetes programs, under their usual names.
#pragma once

#include <optional>
#include <string>

#include "client/config/config.hpp"
#include "manager/leader_election.hpp"
#include "manager/serving/ports.hpp"
#include "options/effective.hpp"
#include "options/setting.hpp"
#include "runtime/log.hpp"

namespace dcm::manager {

// The objects behind the arguments of these functions must outlive all rows.

// Which API server to use, for every command that talks to one.
options::Settings cluster_settings(client::ConfigOverrides& cluster);

// How fast that server is asked: requests per second (0: no limit), and in a burst.
options::Settings rate_settings(double& qps, int& burst);

// Leader election as set by flags.
struct ElectionFlags {
  bool leader_elect = true;
  std::string resource_lock = "leases";
  std::string lease_namespace = {};
  std::string lease_name = {};
  LeaderElectionOptions election = {};
};
options::Settings election_settings(ElectionFlags& flags);
// Call this after every row was applied. Sets `election` accordingly, nullopt if off. Returns
// conflicting settings.
std::optional<options::Conflict> settle_election(const ElectionFlags& flags,
                                                 std::optional<LeaderElectionOptions>& election);

inline constexpr options::Bounds kPort = {0, 65535, "a port from 0 to 65535"};
// Why a text cannot be the address of a plain HTTP port, or a host name that such a port answers to
// (http::OpenPort); empty if it can, or if it is empty.
std::string why_no_plain_address(const std::string& address);
std::string why_no_accepted_host(const std::string& host);
options::Settings serving_settings(ServingOptions& options);
std::optional<options::Conflict> settle_serving(const ServingOptions& options);

// The highest log verbosity that --v and /debug/flags/v accept.
inline constexpr int kVerbosityMax = 10;
options::Setting verbosity_setting(int& verbosity);
options::Settings log_settings(int& verbosity, runtime::LogFormat& format);

}  // namespace dcm::manager
