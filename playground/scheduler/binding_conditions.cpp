#include "playground/scheduler/binding_conditions.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dcm::playground {
namespace {

using Kind = BindingState::Kind;
using Conditions = std::vector<DeviceCondition>;

const Conditions& conditions_of(const Claim& claim, const api::DeviceId& device) {
  static const Conditions kNone;
  const auto found = std::ranges::find(claim.device_statuses, device, &DeviceStatus::id);
  return found == claim.device_statuses.end() ? kNone : found->conditions;
}

// Null if missing, or not True.
const DeviceCondition* find_true(const Conditions& conditions, const InternedString& type) {
  const auto found = std::ranges::find_if(conditions, [&](const DeviceCondition& condition) {
    return condition.is_true && condition.type == type;
  });
  return found == conditions.end() ? nullptr : &*found;
}

BindingState state_of_unready(const Claim& claim, runtime::WallTime now,
                              runtime::WallTime waiting_since) {
  const runtime::WallTime begin =
      std::min(claim.allocation->time.value_or(waiting_since), waiting_since);
  const runtime::WallTime deadline = begin + allocation::kBindingTimeout;
  if (now < deadline) return {Kind::waiting, {}, deadline};
  return {Kind::failed, "device binding timeout: claim=" + claim.meta.key.name.str()};
}

}  // namespace

// Like kube-scheduler, this stops at the first device that is not ready.
BindingState binding_state_of(const Claim& claim, runtime::WallTime now,
                              runtime::WallTime waiting_since) {
  for (const allocation::DeviceResult& result : claim.allocation->devices) {
    if (result.binding_conditions.empty()) continue;
    const Conditions& conditions = conditions_of(claim, result.id);
    for (const InternedString& type : result.binding_failure_conditions) {
      if (const auto* const failure = find_true(conditions, type)) {
        return {Kind::failed,
                fmt::format("device binding failed: claim={}, reason={}, message=\"{}\"",
                            claim.meta.key.name, failure->reason, failure->message)};
      }
    }
    const bool is_ready = std::ranges::all_of(result.binding_conditions, [&](const auto& type) {
      return find_true(conditions, type) != nullptr;
    });
    if (!is_ready) return state_of_unready(claim, now, waiting_since);
  }
  return {};
}

}  // namespace dcm::playground
