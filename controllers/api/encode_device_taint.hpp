// JSON bodies of the writes of device taint eviction. The rules for all writes are in
// encode_claim.hpp.
#pragma once

#include <cstdint>
#include <string>

#include "client/api/meta.hpp"
#include "client/api/resource.hpp"
#include "controllers/api/device_taint_rule.hpp"
#include "runtime/time.hpp"

namespace dcm::api {

// A condition's time changes only with its status.
enum class TransitionTime : std::uint8_t { now, unchanged };
// The condition DisruptionTarget: strategic merge on the pod's `/status`. Other conditions stay.
// observedGeneration is left out: the API server keeps the previous one, even if a null is sent
// (preserveOldObservedGeneration in its pod strategy).
std::string encode_disruption_target(const Uid& pod, runtime::WallTime now,
                                     TransitionTime transition);

// policy/v1 Eviction, with the UID as precondition: create on the pod's `/eviction`.
std::string encode_eviction(const NamespacedName& pod, const Uid& uid);

// The condition EvictionInProgress: server-side apply on the rule's `/status`.
std::string encode_rule_condition(const Resource& rules, const ObjectMeta& rule,
                                  const Condition& condition);

}  // namespace dcm::api
