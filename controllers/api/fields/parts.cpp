#include "controllers/api/fields/parts.hpp"

#include <algorithm>
#include <array>

namespace dcm::api {
namespace {

struct PhaseName {
  std::string_view name;
  PodPhase phase;
};
constexpr std::array<PhaseName, 5> kPhaseNames = {{
    {"", PodPhase::pending},  // not written yet
    {"Pending", PodPhase::pending},
    {"Running", PodPhase::running},
    {"Succeeded", PodPhase::succeeded},
    {"Failed", PodPhase::failed},
}};

}  // namespace

void from_word(std::string_view word, PodPhase& out) {
  const auto* found = std::ranges::find(kPhaseNames, word, &PhaseName::name);
  out = found == kPhaseNames.end() ? PodPhase::unknown : found->phase;
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

void from_word(std::string_view word, ConditionStatus& out) {
  if (word == "True") {
    out = ConditionStatus::is_true;
  } else {
    out = word == "False" ? ConditionStatus::is_false : ConditionStatus::unknown;
  }
}

}  // namespace dcm::api
