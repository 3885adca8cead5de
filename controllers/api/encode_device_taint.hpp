// Objects to JSON: the bodies of the writes that eviction because of device taints sends. The rest
// stands in encode.hpp, with the rules that hold for all.
#pragma once

#include <cstdint>
#include <string>

#include "client/api/meta.hpp"
#include "client/api/resource.hpp"
#include "controllers/api/device_taint_rule.hpp"
#include "runtime/time.hpp"

namespace dcm::api {

// The time of a condition moves only when its status does.
enum class TransitionTime : std::uint8_t { now, unchanged };
// The condition DisruptionTarget: strategic merge on the pod's `/status`. Other conditions stay.
// Without observedGeneration: the API server keeps the one that the condition had, even against a
// null (preserveOldObservedGeneration in its pod strategy).
std::string encode_disruption_target(const Uid& pod, runtime::WallTime now,
                                     TransitionTime transition);

// policy/v1 Eviction, with the UID as precondition: create on the pod's `/eviction`.
std::string encode_eviction(const NamespacedName& pod, const Uid& uid);

// The condition EvictionInProgress: server-side apply on the rule's `/status`.
std::string encode_rule_condition(const Resource& rules, const ObjectMeta& rule,
                                  const EvictionCondition& condition);

}  // namespace dcm::api
