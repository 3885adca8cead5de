#include "controllers/api/fields/parts.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace dcm::api {
namespace {

// In the order of PodPhase.
constexpr std::array<std::string_view, 5> kPhases = {"Pending", "Running", "Succeeded", "Failed",
                                                     "Unknown"};
// In the order of TaintEffect.
constexpr std::array<std::string_view, 4> kEffects = {"None", "NoSchedule", "NoExecute",
                                                      "(an effect of a newer API)"};

}  // namespace

std::string_view to_word(PodPhase phase) {
  return kPhases[std::to_underlying(phase)];
}

void from_word(std::string_view word, PodPhase& out) {
  // A pod that has no phase yet is pending.
  const auto* found = std::ranges::find(kPhases, word.empty() ? kPhases.front() : word);
  out = found == kPhases.end() ? PodPhase::unknown : static_cast<PodPhase>(found - kPhases.begin());
}

std::string_view to_word(TaintEffect effect) {
  return kEffects[std::to_underlying(effect)];
}

void from_word(std::string_view word, TaintEffect& out) {
  const auto* found = std::ranges::find(kEffects, word.empty() ? kEffects.front() : word);
  out = found == kEffects.end() ? TaintEffect::other
                                : static_cast<TaintEffect>(found - kEffects.begin());
}

}  // namespace dcm::api
