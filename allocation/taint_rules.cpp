#include "allocation/taint_rules.hpp"

namespace dcm::allocation {
namespace {

std::optional<InternedString> if_set(const InternedString& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

std::optional<TaintRule> taint_rule(const api::DeviceTaintRule& rule) {
  // An unknown part of the selector would narrow it: taint nothing rather than too much.
  if (!rule.selector || !rule.unknown_selector_field.empty()) return std::nullopt;
  const Taint taint{rule.taint.key, rule.taint.value, rule.taint.effect};
  if (!prevents_allocation(taint.effect)) return std::nullopt;
  return TaintRule{.name = rule.meta.key.name.str(),
                   .driver = if_set(rule.selector->driver),
                   .pool = if_set(rule.selector->pool),
                   .device = if_set(rule.selector->device),
                   .taint = taint};
}

}  // namespace dcm::allocation
