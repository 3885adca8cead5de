#include "controllers/api/fields/parts.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace dcm::api {
namespace {

// In the order of PodPhase.
constexpr std::array<std::string_view, 5> kPhases = {"Pending", "Running", "Succeeded", "Failed",
                                                     "Unknown"};

}  // namespace

std::string_view to_word(PodPhase phase) {
  return kPhases[std::to_underlying(phase)];
}

void from_word(std::string_view word, PodPhase& out) {
  // A pod that has no phase yet is pending.
  const auto* found = std::ranges::find(kPhases, word.empty() ? kPhases.front() : word);
  out = found == kPhases.end() ? PodPhase::unknown : static_cast<PodPhase>(found - kPhases.begin());
}

void from_word(std::string_view word, TaintEffect& out) {
  if (word == "NoExecute") {
    out = TaintEffect::no_execute;
  } else if (word == "NoSchedule") {
    out = TaintEffect::no_schedule;
  } else {
    out = word.empty() || word == "None" ? TaintEffect::none : TaintEffect::other;
  }
}

}  // namespace dcm::api
