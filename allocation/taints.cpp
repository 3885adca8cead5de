#include "allocation/taints.hpp"

#include <algorithm>

namespace dcm::allocation {

bool tolerates(const Toleration& toleration, const Taint& taint) {
  if (toleration.effect && *toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  switch (toleration.operator_) {
    case Toleration::Operator::exists:
      return true;
    case Toleration::Operator::equal:
      return toleration.value == taint.value;
    case Toleration::Operator::other:
      break;
  }
  return false;
}

bool tolerates(std::span<const Toleration> tolerations, const Taint& taint) {
  return std::ranges::any_of(tolerations,
                             [&](const Toleration& each) { return tolerates(each, taint); });
}

const Taint* find_untolerated(std::span<const Taint> taints,
                              std::span<const Toleration> tolerations) {
  const auto found = std::ranges::find_if(
      taints, [&](const Taint& taint) { return !tolerates(tolerations, taint); });
  return found == taints.end() ? nullptr : &*found;
}

}  // namespace dcm::allocation
