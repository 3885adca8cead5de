#include "cmd/dra-controller-manager/options/controllers.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cmd/dra-controller-manager/feature_gates.hpp"
#include "cmd/dra-controller-manager/options/kubernetes.hpp"

namespace dcm::manager {
namespace {

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

std::optional<Conflict> conflict_if_none(const Options& options) {
  const bool any = std::ranges::any_of(
      kControllers, [&](const ControllerName& known) { return options.*(known.runs); });
  return any ? std::nullopt : std::optional(Conflict{"controllers", "nothing is left to run"});
}

Conflict refuse_unknown(const std::string& name, const std::string& bare) {
  const std::string meant = kubernetes::closest_controller(bare);
  return {"controllers",
          fmt::format("\"{}\" is none of the known controllers (*, {}){}", name,
                      known_controllers(), meant.empty() ? "" : "; did you mean " + meant + "?")};
}

}  // namespace

std::string known_controllers() {
  std::array<std::string_view, kControllers.size()> names;
  std::ranges::transform(kControllers, names.begin(), &ControllerName::name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::optional<Conflict> select_controllers(const Strings& names, Options& options) {
  const bool all = std::ranges::find(names, "*") != names.end();
  for (const ControllerName& controller : kControllers) options.*(controller.runs) = all;
  for (const std::string& name : names) {
    if (name == "*") continue;
    const bool is_minus = name.starts_with('-');
    const std::string bare = name.substr(is_minus ? 1 : 0);
    const auto found = std::ranges::find_if(kControllers, [&](const ControllerName& known) {
      return bare == known.name || (!known.alias.empty() && bare == known.alias);
    });
    if (found != kControllers.end()) {
      options.*(found->runs) = !is_minus;
    } else if (!kubernetes::is_controller(bare)) {
      return refuse_unknown(name, bare);
    } else if (!is_minus) {
      options.without_effect.push_back(bare);
    }
  }
  return conflict_if_none(options);
}

std::optional<Conflict> settle_feature_gates(const Switches& gates, Options& options) {
  const auto without_effect = set_feature_gates(gates, options.features);
  if (!without_effect) return Conflict{"feature-gates", without_effect.error().message};
  options.without_effect.insert(options.without_effect.end(), without_effect->begin(),
                                without_effect->end());
  if (!options.features.dra_device_taints) options.runs_device_taint_eviction_controller = false;
  return conflict_if_none(options);
}

}  // namespace dcm::manager
