#include "cmd/dra-controller-manager/options.hpp"

#include <map>
#include <sstream>

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

void add_cluster_flags(CLI::App& app, Options& options) {
  auto* group = app.add_option_group("Cluster");
  group->add_option("--kubeconfig", options.cluster.kubeconfig,
                    "Kubeconfig file. Without it: $KUBECONFIG, the service account of the pod, "
                    "~/.kube/config.");
  group->add_option("--context", options.cluster.context, "Context of the kubeconfig to use.");
  group->add_option("--server", options.cluster.server,
                    "URL of the API server; overrides the kubeconfig.");
  group
      ->add_option("--kube-api-qps", options.kube_api_qps,
                   "Requests per second to the API server; 0 is no limit.")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  group->add_option("--kube-api-burst", options.kube_api_burst, "Requests at once above the rate.")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  group
      ->add_option("--max-inflight-requests", options.max_inflight_requests,
                   "Requests that may wait for their answers at the same time.")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
}

void add_controller_flags(CLI::App& app, Options& options, Raw& raw) {
  auto* group = app.add_option_group("Controllers");
  group
      ->add_option("--controllers", raw.controllers,
                   fmt::format("Controllers to run: * for all, NAME for one, -NAME for all but "
                               "one. Known: {}.",
                               kClaimController))
      ->delimiter(',')
      ->capture_default_str();
  group->add_option("--feature-gates", raw.feature_gates, "NAME=true|false, separated by commas.")
      ->delimiter(',');
  group
      ->add_option("--concurrent-resourceclaim-syncs", options.concurrent_resource_claim_syncs,
                   "Pods and claims that are worked on at the same time.")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  group
      ->add_flag("--leader-elect,!--no-leader-elect", raw.leader_elect,
                 "Work only while holding the lease. Must be false: leader election is not part "
                 "of this version.")
      ->capture_default_str();
}

void add_process_flags(CLI::App& app, Options& options) {
  auto* group = app.add_option_group("Process");
  group->add_option("--metrics-bind-address", options.metrics_bind_address,
                    "host:port for /metrics, /healthz, /livez and /readyz over plain HTTP; not "
                    "served by default.");
  group
      ->add_option("-v,--v", options.verbosity,
                   "Verbosity of the log: 2 each write, 4 each decision, 6 each request.")
      ->capture_default_str()
      ->check(CLI::Range(0, 10));
  group->add_option("--logging-format", options.logging_format, "text or json.")
      ->transform(CLI::CheckedTransformer(std::map<std::string, runtime::LogFormat>{
          {"text", runtime::LogFormat::text}, {"json", runtime::LogFormat::json}}))
      ->default_str("text");
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
