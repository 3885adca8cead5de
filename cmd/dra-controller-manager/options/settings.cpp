#include "cmd/dra-controller-manager/options/settings.hpp"

#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cmd/dra-controller-manager/options/controllers.hpp"

namespace dcm::dra_manager {
namespace {

using device_taint_eviction::EvictionMode;
using ForeignClaims = resource_claim::ForeignClaims::Policy;

// Each costs about a kilobyte: a digit too many must not exhaust the memory.
constexpr Bounds kAtTheSameTime = {1, 10'000, "a whole number from 1 to 10000"};

// A lower rate would practically stop evictions, and nothing would say why.
constexpr Bounds kEvictionRate = {0, std::numeric_limits<double>::max(),
                                  "a number of at least 0.001, or 0 for no limit", 0.001};

Settings request_settings(Options& options) {
  return {
      number_setting({"max-inflight-requests", "clientConnection.maxInflightRequests", "NUMBER",
                      "Requests in flight at the same time."},
                     options.max_inflight_requests, kAtTheSameTime),
      choice_setting<api::Format>(
          {"kube-api-content-type", "clientConnection.contentType", "TYPE",
           "Format of objects: application/vnd.kubernetes.protobuf, with JSON for what the API "
           "server has in no other; or application/json."},
          options.kube_api_content_type,
          {{std::string(api::kProtobuf), api::Format::protobuf},
           {std::string(api::kJson), api::Format::json}}),
      switch_setting(
          {"kube-api-http2", "clientConnection.http2", "",
           "Use HTTP/2 if the API server supports it, so that all requests share a connection."},
          options.kube_api_http2),
  };
}

Settings controller_settings(Draft& draft) {
  Options& options = draft.options;
  return {
      list_setting({"controllers", "controllers", "LIST",
                    fmt::format("Controllers to run, separated by commas: * is all, NAME is one, "
                                "-NAME turns one off. Known: {}.",
                                known_controllers())},
                   draft.controllers),
      switches_setting({"feature-gates", "featureGates", "LIST",
                        "NAME=true or NAME=false, separated by commas. The gates of "
                        "kube-controller-manager that concern its controllers."},
                       draft.feature_gates),
      number_setting({"concurrent-resourceclaim-syncs", "resourceClaimController.concurrentSyncs",
                      "NUMBER", "Pods and claims to sync at the same time."},
                     options.concurrent_resource_claim_syncs, kAtTheSameTime),
      choice_setting<ForeignClaims>(
          {"foreign-claims", "resourceClaimController.foreignClaims", "MODE",
           fmt::format(
               "If another manager makes claims for pods too: give-way makes a pod's claims "
               "only if they are missing after {} s, go-on makes them at once.",
               resource_claim::ForeignClaims::kGiveWay.count())},
          options.foreign_claims,
          {{"give-way", ForeignClaims::give_way}, {"go-on", ForeignClaims::go_on}}),
      number_setting({"concurrent-device-taint-eviction-syncs",
                      "deviceTaintEvictionController.concurrentSyncs", "NUMBER",
                      "Pods to evict at the same time."},
                     options.concurrent_device_taint_eviction_syncs, kAtTheSameTime),
      number_setting(
          {"device-taint-eviction-rate", "deviceTaintEvictionController.evictionRate", "NUMBER",
           "Maximum number of pods to evict per second, at least 0.001; 0 means no limit."},
          options.eviction_rate, kEvictionRate),
      choice_setting<EvictionMode>(
          {"device-taint-eviction-mode", "deviceTaintEvictionController.evictionMode", "MODE",
           "delete, or evict: through the Eviction API, which honours PodDisruptionBudgets."},
          options.eviction_mode,
          {{"delete", EvictionMode::remove}, {"evict", EvictionMode::evict}}),
  };
}

Settings dry_run_settings(Draft& draft) {
  return {
      switch_setting({"dry-run", "dryRun.enabled", "",
                      "Write nothing and take no lease; log and count what would be written, and "
                      "where kube-controller-manager did not make the same change."},
                     draft.dry_run),
      duration_setting({"dry-run-timeout", "dryRun.timeout", "DURATION",
                        "How long kube-controller-manager has for the same change before it counts "
                        "as a disagreement; at least 1s."},
                       draft.dry_run_timeout, std::chrono::seconds(1)),
  };
}

Settings process_settings(Draft& draft) {
  return {
      text_setting({"config", "", "FILE", "Configuration file in YAML; flags take precedence."},
                   draft.config_file),
  };
}

}  // namespace

Settings make_settings(Draft& draft) {
  Settings table;
  add_group(table, "Cluster", cluster_settings(draft.options.cluster));
  add_group(table, "Cluster",
            rate_settings(draft.options.kube_api_qps, draft.options.kube_api_burst));
  add_group(table, "Cluster", request_settings(draft.options));
  add_group(table, "Controller", controller_settings(draft));
  add_group(table, "Dry run", dry_run_settings(draft));
  add_group(table, "Leader election", election_settings(draft.election));
  add_group(table, "Serving", serving_settings(draft.options));
  add_group(table, "Process", process_settings(draft));
  add_group(table, "Process", log_settings(draft.options.verbosity, draft.options.logging_format));
  return table;
}

std::optional<Conflict> settle(Draft& draft) {
  Options& options = draft.options;
  if (draft.dry_run) options.dry_run_timeout = draft.dry_run_timeout;
  if (auto conflict = select_controllers(draft.controllers, options)) return conflict;
  if (auto conflict = settle_feature_gates(draft.feature_gates, options)) return conflict;
  if (auto conflict = settle_serving(options)) return conflict;
  if (auto conflict = settle_election(draft.election, options.leader_election)) return conflict;
  // A dry run takes no lease, but rejects everything that would prevent a start without --dry-run.
  if (draft.dry_run) options.leader_election.reset();
  return std::nullopt;
}

}  // namespace dcm::dra_manager
