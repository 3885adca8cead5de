#include "cmd/dra-controller-manager/options/kubernetes.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "cmd/dra-controller-manager/options/setting.hpp"

namespace dcm::manager::kubernetes {
namespace {

#include "cmd/dra-controller-manager/options/kubernetes_names.inc"

// The lists are sorted.
bool is_in(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::binary_search(names, name);
}

std::string closest_of(std::span<const std::string_view> names, std::string_view wrong) {
  return closest(wrong, Strings(names.begin(), names.end()));
}

}  // namespace

std::optional<FlagType> flag_type(std::string_view name) {
  std::string dashed(name);
  std::ranges::replace(dashed, '_', '-');
  if (is_in(kFlagsWithValue, dashed)) return FlagType::with_value;
  if (is_in(kSwitches, dashed)) return FlagType::switched;
  return std::nullopt;
}

bool is_controller(std::string_view name) {
  return is_in(kControllers, name);
}

bool is_feature_gate(std::string_view name) {
  return is_in(kGates, name);
}

std::string closest_controller(std::string_view wrong) {
  return closest_of(kControllers, wrong);
}

std::string closest_feature_gate(std::string_view wrong) {
  return closest_of(kGates, wrong);
}

}  // namespace dcm::manager::kubernetes
