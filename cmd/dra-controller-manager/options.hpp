// The options of dra-controller-manager, from its command line and its configuration file.
//
// The table of all settings is options/settings.hpp.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "client/api/format.hpp"
#include "client/api/meta.hpp"
#include "client/config/config.hpp"
#include "cmd/dra-controller-manager/namespaces.hpp"
#include "controllers/common/feature_gates.hpp"
#include "controllers/device_taint_eviction/rules/decide_eviction.hpp"
#include "controllers/resource_claim/sync/foreign_claims.hpp"
#include "manager/connection.hpp"
#include "manager/leader_election.hpp"
#include "manager/options/standard.hpp"
#include "manager/serving/ports.hpp"
#include "options/program.hpp"
#include "runtime/log.hpp"
#include "runtime/version.hpp"

namespace dcm::dra_manager {

inline constexpr const char* kProgram = "dra-controller-manager";
// Of the lease, which is named like the program.
inline constexpr const char* kLeaseNamespace = "kube-system";

// "dra-controller-manager 0.1.0"
inline std::string version_line() {
  return std::string(kProgram) + " " + std::string(runtime::kVersion);
}
// "dra-controller-manager 0.1.0 (commit 84658c6…, 2026-11-25T04:06:00Z)"
std::string version_and_commit();

inline LeaderElectionOptions default_election() {
  return {.lease = {kLeaseNamespace, kProgram}, .timing = {}};
}

// A flag with its value, given or default. None of them is secret: secrets are in files.
struct Flag {
  std::string name;  // without the dashes
  std::string value;
};

// A feature gate that no known Kubernetes version has.
struct UnknownGate {
  std::string name;
  std::string nearest;  // the nearest known gate; empty: none is similar
};

// The checked options of the process. Defaults are the program's defaults.
struct Options : ServingOptions {
  Options() {
    secure_port = 10257;
    serving_certificates.program = kProgram;
  }

  client::ConfigOverrides cluster;
  common::FeatureGates features;
  bool runs_resource_claim_controller = true;
  bool runs_device_taint_eviction_controller = true;
  bool runs_pool_status_controller = false;  // enabled by its feature gate
  std::size_t concurrent_resource_claim_syncs = 50;
  std::size_t concurrent_device_taint_eviction_syncs = 8;
  resource_claim::ForeignClaims::Policy foreign_claims =
      resource_claim::ForeignClaims::Policy::give_way;
  device_taint_eviction::EvictionMode eviction_mode = device_taint_eviction::EvictionMode::remove;
  double eviction_rate = 0;  // pods per second; 0: no limit
  std::optional<LeaderElectionOptions> leader_election = default_election();  // nullopt: none
  double kube_api_qps = 200;                                                  // 0 or less: no limit
  int kube_api_burst = 400;
  std::size_t max_inflight_requests = 100;
  bool kube_api_http2 = true;  // if the server speaks it
  // For reads, if the server supports it; and for claims created from a template.
  api::Format kube_api_content_type = api::Format::protobuf;
  runtime::LogFormat logging_format = runtime::LogFormat::text;
  int verbosity = 0;  // at most kVerbosityMax
  // In a dry run, nothing is written: how long the cluster may take to reach each state without us.
  // nullopt: no dry run.
  std::optional<runtime::Duration> dry_run_timeout;
  // Flags, controllers and feature gates that only Kubernetes' own components use.
  std::vector<std::string> without_effect;
  std::vector<UnknownGate> unknown_gates;
  std::vector<Flag> flags;  // all of them, in the order of --help
  // Everything, as a configuration file in JSON (options/config_file.hpp).
  std::string configuration;
};

// Parses `arguments` (without the program's name), and the file that --config names. An error is
// one line that names the flag or the place in the file, what it got and what was expected.
std::expected<Options, Exit> parse_options(const std::vector<std::string>& arguments);

// How the API server is called: rate limits, connections and the program's user agent.
ConnectionOptions connection_options(const Options& options);

}  // namespace dcm::dra_manager
