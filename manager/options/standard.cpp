#include "manager/options/standard.hpp"

#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "client/config/kubeconfig_context.hpp"
#include "runtime/http/open_port.hpp"
#include "runtime/http/tcp.hpp"

namespace dcm::manager {
namespace {

using namespace options;
using namespace std::chrono_literals;
using http::TlsVersion;
using runtime::LogFormat;

// Below this, a client could not fill its caches, and nothing would say why. As in client-go, a
// negative number is no limit.
constexpr Bounds kRequestRate = {std::numeric_limits<double>::lowest(),
                                 std::numeric_limits<double>::max(),
                                 "a number of at least 0.1, or 0 for no limit", 0.1};
// More often would only burden the API server.
constexpr runtime::Duration kLeasePeriodMin = 100ms;

std::string why_no_bind_address(const std::string& address) {
  if (address.empty()) return {};
  const http::Endpoint endpoint{http::Security::tls, address, 0};
  const bool is_good = http::why_no_address(endpoint.authority()).empty();
  return is_good ? "" : refuse_value("an IP address", address);
}

std::string why_no_server(const std::string& url) {
  if (url.empty()) return {};
  const auto parsed = client::parse_server(url);
  if (!parsed) return parsed.error().message;
  // Settings are shown, on /flagz for example.
  return parsed->user ? "it holds a user name or password; put these into a kubeconfig" : "";
}

// As Go names them. TLS 1.2 has others, but none of them has forward secrecy and authenticated
// encryption.
std::optional<Conflict> settle_cipher_suites(const http::TlsPolicy& policy) {
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
      checked(
          text_setting({"server", "clientConnection.server", "URL",
                        "URL of the API server; overrides the kubeconfig. --master is the same.", 0,
                        "master"},
                       cluster.server),
          why_no_server),
  };
}

Settings rate_settings(double& qps, int& burst) {
  return {
      number_setting(
          {"kube-api-qps", "clientConnection.qps", "NUMBER",
           "Requests per second to the API server, at least 0.1; 0 means no limit, as is "
           "any number below 0."},
          qps, kRequestRate),
      number_setting({"kube-api-burst", "clientConnection.burst", "NUMBER",
                      "Requests that may exceed the rate in a burst."},
                     burst, kPositive),
  };
}

// The names and defaults are those of every Kubernetes component.
Settings election_settings(ElectionFlags& flags) {
  leader_election::Timing& timing = flags.election.timing;
  return {
      switch_setting({"leader-elect", "leaderElection.leaderElect", "",
                      "Work only while holding the lease, so that one of several instances works "
                      "and the others stand by."},
                     flags.leader_elect),
      duration_setting({"leader-elect-lease-duration", "leaderElection.leaseDuration", "DURATION",
                        "How long standbys wait after the leader's last renewal."},
                       timing.lease_duration, kLeasePeriodMin),
      duration_setting(
          {"leader-elect-renew-deadline", "leaderElection.renewDeadline", "DURATION",
           "How long the leader works without a successful renewal; less than the lease duration."},
          timing.renew_deadline, kLeasePeriodMin),
      duration_setting({"leader-elect-retry-period", "leaderElection.retryPeriod", "DURATION",
                        "Time between two renewals, and between attempts to take the lease; at "
                        "least 100ms."},
                       timing.retry_period, kLeasePeriodMin),
      text_setting({"leader-elect-resource-lock", "leaderElection.resourceLock", "KIND",
                    "Kind of object that is used as a lock; only leases."},
                   flags.resource_lock),
      checked(text_setting({"leader-elect-resource-name", "leaderElection.resourceName", "NAME",
                            "Name of the lease."},
                           flags.lease_name),
              why_no_dns_subdomain),
      checked(text_setting({"leader-elect-resource-namespace", "leaderElection.resourceNamespace",
                            "NAME", "Namespace of the lease."},
                           flags.lease_namespace),
              why_no_dns_label),
  };
}

std::optional<Conflict> settle_election(const ElectionFlags& flags,
                                        std::optional<LeaderElectionOptions>& election) {
  election.reset();
  if (!flags.leader_elect) return std::nullopt;
  if (flags.resource_lock != "leases") {
    return Conflict{"leader-elect-resource-lock",
                    fmt::format("expected leases, got \"{}\"", flags.resource_lock)};
  }
  if (std::string why = leader_election::why_invalid(flags.election.timing); !why.empty()) {
    return Conflict{"leader-elect-lease-duration",
                    "with its renew deadline and retry period: " + std::move(why)};
  }
  election = flags.election;
  election->lease = {flags.lease_namespace, flags.lease_name};
  return std::nullopt;
}

std::string why_no_plain_address(const std::string& address) {
  const std::string why = address.empty() ? "" : http::why_no_address(address);
  return why.empty() ? "" : fmt::format("\"{}\" is not an address to listen on: {}", address, why);
}

std::string why_no_accepted_host(const std::string& host) {
  if (host.empty() || http::is_accepted_host(host)) return {};
  return refuse_value("host names, or *.DOMAIN for every name below one", host);
}

Settings serving_settings(ServingOptions& options) {
  CertificateSources& certificates = options.serving_certificates;
  return {
      number_setting({"secure-port", "serving.securePort", "PORT",
                      "HTTPS port for health, metrics and debugging; 0 turns it off."},
                     options.secure_port, kPort),
      checked(
          text_setting(
              {"bind-address", "serving.bindAddress", "ADDRESS",
               "IP address that --secure-port listens on; 0.0.0.0 is every address, also of IPv6."},
              options.bind_address),
          why_no_bind_address),
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
      checked(list_setting({"authorization-always-allow-paths",
                            "serving.authorizationAlwaysAllowPaths", "LIST",
                            "Paths of the HTTPS port that need no authentication, separated by "
                            "commas; a * at the end stands for any rest: /path/* is everything "
                            "below /path."},
                           options.always_allow_paths),
              why_no_open_path),
      checked(text_setting({"metrics-bind-address", "serving.metricsBindAddress", "ADDRESS",
                            "host:port for /metrics, /healthz, /livez and /readyz over plain HTTP. "
                            "Empty: not served."},
                           options.metrics_bind_address),
              why_no_plain_address),
      checked(list_setting({"metrics-accept-hosts", "serving.metricsAcceptHosts", "LIST",
                            "Host names that --metrics-bind-address answers to besides localhost "
                            "and IP addresses, separated by commas; *.DOMAIN is every name below "
                            "one. A web page of another host cannot read the metrics through a "
                            "browser."},
                           options.metrics_accept_hosts),
              why_no_accepted_host),
  };
}

std::optional<Conflict> settle_serving(const ServingOptions& options) {
  if (auto conflict = settle_certificates(options.serving_certificates)) return conflict;
  return settle_cipher_suites(options.serving_tls);
}

Setting verbosity_setting(int& verbosity) {
  constexpr Bounds kVerbosity = {0, kVerbosityMax, "a whole number from 0 to 10"};
  return number_setting({"v", "logging.verbosity", "NUMBER",
                         "Verbosity of the log, 0 to 10: 2 each write, 4 each decision, 6 each "
                         "request.",
                         'v'},
                        verbosity, kVerbosity);
}

Settings log_settings(int& verbosity, LogFormat& format) {
  return {
      verbosity_setting(verbosity),
      choice_setting<LogFormat>({"logging-format", "logging.format", "FORMAT", "text or json."},
                                format, {{"text", LogFormat::text}, {"json", LogFormat::json}}),
  };
}

}  // namespace dcm::manager
