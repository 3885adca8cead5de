#include "cmd/dra-controller-manager/options/settings.hpp"

#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cmd/dra-controller-manager/options/controllers.hpp"

namespace dcm::manager {
namespace {

using device_taint_eviction::EvictionMode;
using http::TlsVersion;
using ForeignClaims = resource_claim::ForeignClaims::Policy;
using runtime::LogFormat;

Settings request_settings(Options& options) {
  return {
      number_setting({"kube-api-qps", "clientConnection.qps", "NUMBER",
                      "Requests per second to the API server; 0 is no limit."},
                     options.kube_api_qps, kAnyNumber),
      number_setting({"kube-api-burst", "clientConnection.burst", "NUMBER",
                      "Requests that may exceed the rate in a burst."},
                     options.kube_api_burst, kPositive),
      number_setting({"max-inflight-requests", "clientConnection.maxInflightRequests", "NUMBER",
                      "Requests in flight at the same time."},
                     options.max_inflight_requests, kPositive),
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
                     options.concurrent_resource_claim_syncs, kPositive),
      choice_setting<ForeignClaims>(
          {"foreign-claims", "resourceClaimController.foreignClaims", "MODE",
           "If another manager makes claims for pods too: give-way makes a pod's claims only if "
           "they are missing after 30 s, go-on makes them at once."},
          options.foreign_claims,
          {{"give-way", ForeignClaims::give_way}, {"go-on", ForeignClaims::go_on}}),
      number_setting({"concurrent-device-taint-eviction-syncs",
                      "deviceTaintEvictionController.concurrentSyncs", "NUMBER",
                      "Pods to evict at the same time."},
                     options.concurrent_device_taint_eviction_syncs, kPositive),
      number_setting({"device-taint-eviction-rate", "deviceTaintEvictionController.evictionRate",
                      "NUMBER", "Maximum number of pods to evict per second; 0 is no limit."},
                     options.eviction_rate, kNotNegative),
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
                        "as a disagreement."},
                       draft.dry_run_timeout),
  };
}

// The names and defaults are those of every Kubernetes component.
Settings leader_election_settings(Draft& draft) {
  leader_election::Timing& timing = draft.leader_election.timing;
  return {
      switch_setting({"leader-elect", "leaderElection.leaderElect", "",
                      "Work only while holding the lease, so that one of several instances works "
                      "and the others stand by."},
                     draft.leader_elect),
      duration_setting({"leader-elect-lease-duration", "leaderElection.leaseDuration", "DURATION",
                        "How long standbys wait after the leader's last renewal."},
                       timing.lease_duration),
      duration_setting(
          {"leader-elect-renew-deadline", "leaderElection.renewDeadline", "DURATION",
           "How long the leader works without a successful renewal; less than the lease duration."},
          timing.renew_deadline),
      duration_setting({"leader-elect-retry-period", "leaderElection.retryPeriod", "DURATION",
                        "Time between two renewals, and between attempts to take the lease."},
                       timing.retry_period),
      text_setting({"leader-elect-resource-lock", "leaderElection.resourceLock", "KIND",
                    "Kind of object that is used as a lock; only leases."},
                   draft.resource_lock),
      name_setting({"leader-elect-resource-name", "leaderElection.resourceName", "NAME",
                    "Name of the lease."},
                   draft.leader_election.lease.name),
      name_setting({"leader-elect-resource-namespace", "leaderElection.resourceNamespace", "NAME",
                    "Namespace of the lease."},
                   draft.lease_namespace),
  };
}

Settings serving_settings(Options& options) {
  constexpr Bounds kPort = {0, std::numeric_limits<std::uint16_t>::max(), "a port from 0 to 65535"};
  CertificateSources& certificates = options.serving_certificates;
  return {
      number_setting({"secure-port", "serving.securePort", "PORT",
                      "HTTPS port for health, metrics and debugging; 0 turns it off."},
                     options.secure_port, kPort),
      text_setting({"bind-address", "serving.bindAddress", "ADDRESS",
                    "IP address that --secure-port listens on."},
                   options.bind_address),
      text_setting({"tls-cert-file", "serving.tlsCertFile", "FILE",
                    "PEM certificate of the HTTPS port, with its intermediate certificates. "
                    "Without it: self-signed."},
                   certificates.certificate_file),
      text_setting({"tls-private-key-file", "serving.tlsPrivateKeyFile", "FILE",
                    "PEM key that belongs to --tls-cert-file."},
                   certificates.key_file),
      choice_setting<TlsVersion>(
          {"tls-min-version", "serving.tlsMinVersion", "VERSION",
           "Lowest version of TLS on the HTTPS port: VersionTLS12 or VersionTLS13."},
          options.serving_tls.min_version,
          {{"VersionTLS12", TlsVersion::v1_2}, {"VersionTLS13", TlsVersion::v1_3}}),
      list_setting({"tls-cipher-suites", "serving.tlsCipherSuites", "LIST",
                    "Cipher suites of the HTTPS port, separated by commas. Without it: all that "
                    "are secure. Those of TLS 1.3 are always on; if only they are named, TLS 1.2 "
                    "is off."},
                   options.serving_tls.cipher_suites),
      text_setting({"client-ca-file", "serving.clientCAFile", "FILE",
                    "PEM CAs of accepted client certificates. Without it: those in ConfigMap "
                    "kube-system/extension-apiserver-authentication."},
                   certificates.client_ca_file),
      list_setting(
          {"authorization-always-allow-paths", "serving.authorizationAlwaysAllowPaths", "LIST",
           "Paths of the HTTPS port that need no authentication, separated by commas; /path/* is "
           "everything below /path."},
          options.always_allow_paths),
      text_setting({"metrics-bind-address", "serving.metricsBindAddress", "ADDRESS",
                    "host:port for /metrics, /healthz, /livez and /readyz over plain HTTP; not "
                    "served by default."},
                   options.metrics_bind_address),
      list_setting({"metrics-accept-hosts", "serving.metricsAcceptHosts", "LIST",
                    "Host names that --metrics-bind-address answers to, beside localhost and IP "
                    "addresses, separated by commas; *.DOMAIN is every name below one. A web page "
                    "of another host cannot read the metrics through a browser."},
                   options.metrics_accept_hosts),
  };
}

Settings process_settings(Draft& draft) {
  constexpr Bounds kVerbosity = {0, kVerbosityMax, "a whole number from 0 to 10"};
  Options& options = draft.options;
  return {
      text_setting({"config", "", "FILE", "Configuration file in YAML; flags take precedence."},
                   draft.config_file),
      number_setting({"v", "logging.verbosity", "NUMBER",
                      "Verbosity of the log, 0 to 10: 2 each write, 4 each decision, 6 each "
                      "request.",
                      'v'},
                     options.verbosity, kVerbosity),
      choice_setting<LogFormat>({"logging-format", "logging.format", "FORMAT", "text or json."},
                                options.logging_format,
                                {{"text", LogFormat::text}, {"json", LogFormat::json}}),
  };
}

// Returns why leader election cannot be done as it was asked for. A dry run takes no lease, but
// refuses whatever would end a start without it.
std::optional<Conflict> settle_leader_election(Draft& draft) {
  draft.options.leader_election.reset();
  if (!draft.leader_elect) return std::nullopt;
  if (draft.resource_lock != "leases") {
    return Conflict{"leader-elect-resource-lock",
                    fmt::format("expected leases, got \"{}\"", draft.resource_lock)};
  }
  LeaderElectionOptions election = draft.leader_election;
  election.lease.namespace_ = runtime::InternedString(draft.lease_namespace);
  if (std::string why = leader_election::why_invalid(election.timing); !why.empty()) {
    return Conflict{"leader-elect-lease-duration",
                    "with its renew deadline and retry period: " + std::move(why)};
  }
  if (!draft.dry_run) draft.options.leader_election = std::move(election);
  return std::nullopt;
}

// As Go names them. TLS 1.2 has others, but none of them has forward secrecy and authenticates what
// it encrypts.
std::optional<Conflict> settle_cipher_suites(http::TlsPolicy& policy) {
  for (const std::string& suite : policy.cipher_suites) {
    if (http::is_cipher_suite(suite)) continue;
    return Conflict{"tls-cipher-suites",
                    fmt::format("expected some of {}, got \"{}\"",
                                fmt::join(http::cipher_suites(), ", "), suite)};
  }
  return std::nullopt;
}

std::optional<Conflict> settle_certificates(const CertificateSources& sources) {
  if (sources.certificate_file.empty() == sources.key_file.empty()) return std::nullopt;
  if (sources.key_file.empty()) {
    return Conflict{"tls-cert-file", "needs --tls-private-key-file as well"};
  }
  return Conflict{"tls-private-key-file", "needs --tls-cert-file as well"};
}

}  // namespace

Settings cluster_settings(client::ConfigOverrides& cluster) {
  return {
      text_setting({"kubeconfig", "clientConnection.kubeconfig", "FILE",
                    "Kubeconfig file. Without it: $KUBECONFIG, the service account of the pod, "
                    "~/.kube/config."},
                   cluster.kubeconfig),
      text_setting(
          {"context", "clientConnection.context", "NAME", "Context of the kubeconfig to use."},
          cluster.context),
      text_setting(
          {"server", "clientConnection.server", "URL",
           "URL of the API server; overrides the kubeconfig. --master is the same.", 0, "master"},
          cluster.server),
  };
}

Settings make_settings(Draft& draft) {
  Settings table;
  add_group(table, "Cluster", cluster_settings(draft.options.cluster));
  add_group(table, "Cluster", request_settings(draft.options));
  add_group(table, "Controller", controller_settings(draft));
  add_group(table, "Dry run", dry_run_settings(draft));
  add_group(table, "Leader election", leader_election_settings(draft));
  add_group(table, "Serving", serving_settings(draft.options));
  add_group(table, "Process", process_settings(draft));
  return table;
}

std::optional<Conflict> settle(Draft& draft) {
  Options& options = draft.options;
  if (draft.dry_run) options.dry_run_timeout = draft.dry_run_timeout;
  if (auto conflict = select_controllers(draft.controllers, options)) return conflict;
  if (auto conflict = settle_feature_gates(draft.feature_gates, options)) return conflict;
  if (auto conflict = settle_certificates(options.serving_certificates)) return conflict;
  if (auto conflict = settle_cipher_suites(options.serving_tls)) return conflict;
  return settle_leader_election(draft);
}

}  // namespace dcm::manager
