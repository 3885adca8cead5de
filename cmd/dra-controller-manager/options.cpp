#include "cmd/dra-controller-manager/options.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cmd/dra-controller-manager/feature_gates.hpp"
#include "runtime/version.hpp"

namespace dcm::manager {
namespace {

constexpr const char* kClaimController = "resourceclaim-controller";
// An old alias in kube-controller-manager.
constexpr const char* kClaimControllerAlias = "resource-claim-controller";

// The value of --controllers: "*" is every controller, "-name" turns one off; what is named alone
// is all there is, as in kube-controller-manager. Returns why it cannot be used.
std::string select_controllers(const std::vector<std::string>& names, Options& options) {
  bool all = false;
  bool on = false;
  bool off = false;
  for (const std::string& name : names) {
    const bool is_minus = name.starts_with('-');
    const std::string bare = name.substr(is_minus ? 1 : 0);
    if (name == "*") {
      all = true;
    } else if (bare == kClaimController || bare == kClaimControllerAlias) {
      (is_minus ? off : on) = true;
    } else {
      return fmt::format("--controllers: \"{}\" is none of the known controllers (*, {})", name,
                         kClaimController);
    }
  }
  options.runs_resource_claim_controller = !off && (on || all);
  if (!options.runs_resource_claim_controller) return "--controllers: nothing is left to run";
  return {};
}

// Everything that CLI11 fills in before it is checked.
struct Raw {
  std::vector<std::string> controllers = {"*"};
  std::vector<std::string> feature_gates;
  bool leader_elect = true;
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

CLI::Validator verbosity() {
  return number<int>("a whole number from 0 to 10",
                     [](int value) { return value >= 0 && value <= 10; });
}

CLI::Validator log_format() {
  const auto check = [](std::string& text) -> std::string {
    if (text != "text" && text != "json") {
      return fmt::format("expected text or json, got \"{}\"", text);
    }
    text = fmt::format("{}", static_cast<int>(text == "text" ? runtime::LogFormat::text
                                                             : runtime::LogFormat::json));
    return {};
  };
  return CLI::Validator(check, "");
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
                             kClaimController))
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
  app.add_flag("--leader-elect", raw.leader_elect,
               "Work only while holding the lease. Must be false: leader election is not part of "
               "this version.")
      ->group(group);
}

void add_process_flags(CLI::App& app, Options& options) {
  const char* group = "Process";
  app.add_option("--metrics-bind-address", options.metrics_bind_address,
                 "host:port for /metrics, /healthz, /livez and /readyz over plain HTTP; not served "
                 "by default.")
      ->type_name("ADDRESS")
      ->group(group);
  app.add_option("-v,--v", options.verbosity,
                 "Verbosity of the log, 0 to 10: 2 each write, 4 each decision, 6 each request.")
      ->type_name("NUMBER")
      ->capture_default_str()
      ->check(verbosity())
      ->group(group);
  app.add_option("--logging-format", options.logging_format, "text or json.")
      ->type_name("FORMAT")
      ->transform(log_format())
      ->default_str("text")
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

Exit bad_flags(const std::string& why) {
  return {2, fmt::format("dra-controller-manager: {}", why)};
}

}  // namespace

std::expected<Options, Exit> parse_options(const std::vector<std::string>& arguments) {
  Options options;
  Raw raw;
  CLI::App app("Makes, reserves, releases and deletes the ResourceClaims of pods.",
               "dra-controller-manager");
  app.set_version_flag("--version", std::string(runtime::kVersionLine));
  add_cluster_flags(app, options);
  add_controller_flags(app, options, raw);
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
  if (const std::string why = select_controllers(raw.controllers, options); !why.empty()) {
    return std::unexpected(bad_flags(why));
  }
  for (const std::string& setting : raw.feature_gates) {
    if (auto applied = apply_feature_gates(setting, options.features); !applied) {
      return std::unexpected(bad_flags("--feature-gates: " + applied.error().message));
    }
  }
  if (raw.leader_elect) {
    return std::unexpected(bad_flags(
        "--leader-elect: leader election is not part of this version; run one instance, with "
        "--leader-elect=false"));
  }
  return options;
}

}  // namespace dcm::manager
