#include "cmd/dra-controller-manager/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cmd/dra-controller-manager/duration.hpp"
#include "cmd/dra-controller-manager/feature_gates.hpp"
#include "runtime/version.hpp"

namespace dcm::manager {
namespace {

using device_taint_eviction::EvictionMode;
using runtime::InternedString;
using runtime::LogFormat;

// A controller by its names on the command line, as in kube-controller-manager.
struct ControllerName {
  std::string_view name;
  std::string_view alias;  // an old one; empty: none
  bool Options::* runs;
};

constexpr std::array kControllers = {
    ControllerName{"resourceclaim-controller", "resource-claim-controller",
                   &Options::runs_resource_claim_controller},
    ControllerName{"device-taint-eviction-controller", "",
                   &Options::runs_device_taint_eviction_controller},
};

std::string known_controllers() {
  std::array<std::string_view, kControllers.size()> names;
  std::ranges::transform(kControllers, names.begin(), &ControllerName::name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// The value of --controllers: "*" is every controller, "-name" turns one off; without "*", what is
// named is all there is. Returns why it cannot be used.
std::string select_controllers(const std::vector<std::string>& names, Options& options) {
  const bool all = std::ranges::find(names, "*") != names.end();
  for (const ControllerName& controller : kControllers) options.*(controller.runs) = all;
  for (const std::string& name : names) {
    if (name == "*") continue;
    const bool is_minus = name.starts_with('-');
    const std::string bare = name.substr(is_minus ? 1 : 0);
    const auto found = std::ranges::find_if(kControllers, [&](const ControllerName& known) {
      return bare == known.name || (!known.alias.empty() && bare == known.alias);
    });
    if (found == kControllers.end()) {
      return fmt::format("--controllers: \"{}\" is none of the known controllers (*, {})", name,
                         known_controllers());
    }
    options.*(found->runs) = !is_minus;
  }
  const bool any = std::ranges::any_of(
      kControllers, [&](const ControllerName& known) { return options.*(known.runs); });
  return any ? "" : "--controllers: nothing is left to run";
}

// Everything that CLI11 fills in before it is checked.
struct Raw {
  std::vector<std::string> controllers = {"*"};
  std::vector<std::string> feature_gates;
  bool leader_elect = true;
  std::string resource_lock = "leases";
  std::string lease_namespace;
  LeaderElectionOptions leader_election;
};

// Accepts what `accepts` does, of the numbers of type T; refuses the rest in our words.
template <class T, class Accepts>
CLI::Validator number(const char* expected, Accepts accepts) {
  const auto check = [expected, accepts](const std::string& text) -> std::string {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number = error == std::errc() && end == text.data() + text.size();
    if (is_number && accepts(value)) return {};
    return fmt::format("expected {}, got \"{}\"", expected, text);
  };
  return CLI::Validator(check, "");
}

CLI::Validator positive() {
  return number<int>("a whole number above 0", [](int value) { return value > 0; });
}

CLI::Validator not_negative() {
  return number<double>("a number of at least 0",
                        [](double value) { return value >= 0 && std::isfinite(value); });
}

CLI::Validator a_duration() {
  const auto check = [](const std::string& text) -> std::string {
    const auto duration = parse_duration(text);
    if (duration && *duration > runtime::Duration::zero()) return {};
    return fmt::format("expected a duration above 0 like 15s or 1m30s, got \"{}\"", text);
  };
  return CLI::Validator(check, "");
}

CLI::Validator verbosity() {
  return number<int>("a whole number from 0 to 10",
                     [](int value) { return value >= 0 && value <= 10; });
}

CLI::Validator port() {
  return number<int>("a port from 0 to 65535",
                     [](int value) { return value >= 0 && value <= 65535; });
}

// A flag that is one of two words, for the values that they stand for.
template <class T>
struct Word {
  std::string text;
  T value;
};
template <class T>
CLI::Option* add_choice(CLI::App& app, const char* name, T& target, const Word<T>& usual,
                        const Word<T>& other, const char* description) {
  const auto check = [usual, other](const std::string& text) -> std::string {
    if (text == usual.text || text == other.text) return {};
    return fmt::format("expected {} or {}, got \"{}\"", usual.text, other.text, text);
  };
  const auto take = [&target, usual, other](const std::string& text) {
    target = text == usual.text ? usual.value : other.value;
  };
  return app.add_option_function<std::string>(name, take, description)
      ->check(CLI::Validator(check, ""))
      ->default_str(usual.text);
}

void add_cluster_flags(CLI::App& app, Options& options) {
  const char* group = "Cluster";
  app.add_option("--kubeconfig", options.cluster.kubeconfig,
                 "Kubeconfig file. Without it: $KUBECONFIG, the service account of the pod, "
                 "~/.kube/config.")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--context", options.cluster.context, "Context of the kubeconfig to use.")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--server", options.cluster.server,
                 "URL of the API server; overrides the kubeconfig.")
      ->type_name("URL")
      ->group(group);
  app.add_option("--kube-api-qps", options.kube_api_qps,
                 "Requests per second to the API server; 0 is no limit.")
      ->type_name("NUMBER")
      ->capture_default_str()
      ->check(not_negative())
      ->group(group);
  app.add_option("--kube-api-burst", options.kube_api_burst, "Requests at once above the rate.")
      ->type_name("NUMBER")
      ->capture_default_str()
      ->check(positive())
      ->group(group);
  app.add_option("--max-inflight-requests", options.max_inflight_requests,
                 "Requests that may wait for their answers at the same time.")
      ->type_name("NUMBER")
      ->capture_default_str()
      ->check(positive())
      ->group(group);
}

void add_controller_flags(CLI::App& app, Options& options, Raw& raw) {
  const char* group = "Controllers";
  app.add_option("--controllers", raw.controllers,
                 fmt::format("Controllers to run, separated by commas: * is all, NAME is one, "
                             "-NAME turns one off (default: *). Known: {}.",
                             known_controllers()))
      ->delimiter(',')
      ->type_name("LIST")
      ->group(group);
  app.add_option("--feature-gates", raw.feature_gates,
                 "NAME=true or NAME=false, separated by commas.")
      ->delimiter(',')
      ->type_name("LIST")
      ->group(group);
  app.add_option("--concurrent-resourceclaim-syncs", options.concurrent_resource_claim_syncs,
                 "Pods and claims that are worked on at the same time.")
      ->type_name("NUMBER")
      ->capture_default_str()
      ->check(positive())
      ->group(group);
  app.add_option("--concurrent-device-taint-eviction-syncs",
                 options.concurrent_device_taint_eviction_syncs,
                 "Pods that are evicted at the same time.")
      ->type_name("NUMBER")
      ->capture_default_str()
      ->check(positive())
      ->group(group);
  app.add_option("--device-taint-eviction-rate", options.eviction_rate,
                 "Pods that are evicted per second at most; 0 is no limit.")
      ->type_name("NUMBER")
      ->capture_default_str()
      ->check(not_negative())
      ->group(group);
  add_choice(app, "--device-taint-eviction-mode", options.eviction_mode,
             {"delete", EvictionMode::remove}, {"evict", EvictionMode::evict},
             "delete, or evict: through the Eviction API, which honours PodDisruptionBudgets.")
      ->type_name("MODE")
      ->group(group);
}

// The names and defaults are those of every Kubernetes component.
void add_leader_election_flags(CLI::App& app, Raw& raw) {
  const char* group = "Leader election";
  leader_election::Timing& timing = raw.leader_election.timing;
  raw.lease_namespace = raw.leader_election.lease.namespace_.str();
  app.add_flag("--leader-elect", raw.leader_elect,
               "Work only while holding the lease, so that of several instances one does the work "
               "and the others stand by.")
      ->default_str("true")
      ->group(group);
  const auto duration = [&](const char* flag, runtime::Duration& value, const char* help) {
    app.add_option_function<std::string>(
           flag, [&value](const std::string& text) { value = parse_duration(text).value(); }, help)
        ->type_name("DURATION")
        ->default_str(format_duration(value))
        ->check(a_duration())
        ->group(group);
  };
  duration("--leader-elect-lease-duration", timing.lease_duration,
           "How long the others wait after the last sign of life of the leader.");
  duration("--leader-elect-renew-deadline", timing.renew_deadline,
           "How long the leader goes on without a renewal that succeeds; less than the lease "
           "duration.");
  duration("--leader-elect-retry-period", timing.retry_period,
           "Time between two renewals, and between attempts to take the lease.");
  app.add_option("--leader-elect-resource-lock", raw.resource_lock,
                 "Kind of object that is used as a lock; only leases.")
      ->type_name("KIND")
      ->capture_default_str()
      ->group(group);
  app.add_option("--leader-elect-resource-name", raw.leader_election.lease.name,
                 "Name of the lease.")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
  app.add_option("--leader-elect-resource-namespace", raw.lease_namespace,
                 "Namespace of the lease.")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
}

// Returns why the flags cannot be used; empty: they can.
std::string apply_leader_election(const Raw& raw, Options& options) {
  options.leader_election.reset();
  if (!raw.leader_elect) return {};
  LeaderElectionOptions election = raw.leader_election;
  election.lease.namespace_ = InternedString(raw.lease_namespace);
  if (raw.resource_lock != "leases") {
    return fmt::format("--leader-elect-resource-lock: expected leases, got \"{}\"",
                       raw.resource_lock);
  }
  if (election.lease.name.empty()) return "--leader-elect-resource-name: must not be empty";
  if (raw.lease_namespace.empty()) return "--leader-elect-resource-namespace: must not be empty";
  if (const std::string why = leader_election::why_invalid(election.timing); !why.empty()) {
    return "--leader-elect-lease-duration, -renew-deadline, -retry-period: " + why;
  }
  options.leader_election = std::move(election);
  return {};
}

void add_serving_flags(CLI::App& app, Options& options) {
  const char* group = "Serving";
  app.add_option("--secure-port", options.secure_port,
                 "HTTPS port for health, metrics and debugging; 0: not served.")
      ->type_name("PORT")
      ->capture_default_str()
      ->check(port())
      ->group(group);
  app.add_option("--bind-address", options.bind_address, "IP address that --secure-port is on.")
      ->type_name("ADDRESS")
      ->capture_default_str()
      ->group(group);
  CLI::Option* const certificate =
      app.add_option("--tls-cert-file", options.serving_certificates.certificate_file,
                     "PEM certificate of the HTTPS port, with those between it and its CA. "
                     "Without it: a self-signed one.")
          ->type_name("FILE")
          ->group(group);
  CLI::Option* const key =
      app.add_option("--tls-private-key-file", options.serving_certificates.key_file,
                     "PEM key that belongs to --tls-cert-file.")
          ->type_name("FILE")
          ->needs(certificate)
          ->group(group);
  certificate->needs(key);
  app.add_option("--client-ca-file", options.serving_certificates.client_ca_file,
                 "PEM CAs of the client certificates that are accepted. Without it: those of "
                 "ConfigMap kube-system/extension-apiserver-authentication.")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--authorization-always-allow-paths", options.always_allow_paths,
                 "Paths of the HTTPS port that anybody may see, separated by commas; /path/* is "
                 "everything below /path.")
      ->delimiter(',')
      ->type_name("LIST")
      ->capture_default_str()
      ->group(group);
  app.add_option("--metrics-bind-address", options.metrics_bind_address,
                 "host:port for /metrics, /healthz, /livez and /readyz over plain HTTP; not served "
                 "by default.")
      ->type_name("ADDRESS")
      ->group(group);
}

void add_process_flags(CLI::App& app, Options& options) {
  const char* group = "Process";
  app.add_option("-v,--v", options.verbosity,
                 "Verbosity of the log, 0 to 10: 2 each write, 4 each decision, 6 each request.")
      ->type_name("NUMBER")
      ->capture_default_str()
      ->check(verbosity())
      ->group(group);
  add_choice(app, "--logging-format", options.logging_format, {"text", LogFormat::text},
             {"json", LogFormat::json}, "text or json.")
      ->type_name("FORMAT")
      ->group(group);
}

// For CLI11, which reads from the back and takes "-v=2" for the value "=2".
std::vector<std::string> for_cli11(const std::vector<std::string>& arguments) {
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  for (std::string& argument : reversed) {
    if (argument.starts_with("-v=")) argument.insert(0, "-");
  }
  return reversed;
}

std::vector<Flag> flags_of(const CLI::App& app) {
  std::vector<Flag> flags;
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_single_name();
    if (name == "help" || name == "version") continue;
    const bool is_given = option->count() > 0;
    flags.push_back({name, is_given ? fmt::format("{}", fmt::join(option->results(), ","))
                                    : option->get_default_str()});
  }
  return flags;
}

Exit bad_flags(const std::string& why) {
  return {2, fmt::format("dra-controller-manager: {}", why)};
}

}  // namespace

std::expected<Options, Exit> parse_options(const std::vector<std::string>& arguments) {
  Options options;
  Raw raw;
  CLI::App app("Serves the ResourceClaims of pods, and evicts pods from devices that are tainted.",
               "dra-controller-manager");
  app.set_version_flag("--version", std::string(runtime::kVersionLine));
  add_cluster_flags(app, options);
  add_controller_flags(app, options, raw);
  add_leader_election_flags(app, raw);
  add_serving_flags(app, options);
  add_process_flags(app, options);
  try {
    app.parse(for_cli11(arguments));
  } catch (const CLI::CallForHelp&) {
    return std::unexpected(Exit{0, app.help()});
  } catch (const CLI::CallForVersion& version) {
    return std::unexpected(Exit{0, std::string(version.what()) + "\n"});
  } catch (const CLI::ParseError& error) {
    return std::unexpected(bad_flags(error.what()));
  }
  options.flags = flags_of(app);
  if (const std::string why = select_controllers(raw.controllers, options); !why.empty()) {
    return std::unexpected(bad_flags(why));
  }
  for (const std::string& setting : raw.feature_gates) {
    if (auto applied = apply_feature_gates(setting, options.features); !applied) {
      return std::unexpected(bad_flags("--feature-gates: " + applied.error().message));
    }
  }
  if (!options.features.dra_device_taints) options.runs_device_taint_eviction_controller = false;
  if (const std::string why = apply_leader_election(raw, options); !why.empty()) {
    return std::unexpected(bad_flags(why));
  }
  return options;
}

}  // namespace dcm::manager
