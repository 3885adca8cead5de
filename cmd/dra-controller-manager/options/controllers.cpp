#include "cmd/dra-controller-manager/options/controllers.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cmd/dra-controller-manager/feature_gates.hpp"

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
    if (found == kControllers.end()) {
      return Conflict{"controllers", fmt::format("\"{}\" is none of the known controllers (*, {})",
                                                 name, known_controllers())};
    }
    options.*(found->runs) = !is_minus;
  }
  const bool any = std::ranges::any_of(
      kControllers, [&](const ControllerName& known) { return options.*(known.runs); });
  if (!any) return Conflict{"controllers", "nothing is left to run"};
  return std::nullopt;
}

std::optional<Conflict> settle_feature_gates(const Switches& gates, Options& options) {
  if (const auto set = set_feature_gates(gates, options.features); !set) {
    return Conflict{"feature-gates", set.error().message};
  }
  if (!options.features.dra_device_taints) options.runs_device_taint_eviction_controller = false;
  return std::nullopt;
}

}  // namespace dcm::manager
