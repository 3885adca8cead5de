#include "controllers/device_taint_eviction/rules/decide_eviction.hpp"

namespace dcm::device_taint_eviction {

EvictionStep decide_eviction(const EvictionSnapshot& snapshot) {
  const api::Pod* pod = snapshot.pod.get();
  if (pod == nullptr || pod->meta.uid != snapshot.uid || !common::is_active(*pod)) {
    return EvictionStep::nothing;
  }
  if (!snapshot.due) return EvictionStep::nothing;
  if (*snapshot.due > snapshot.now) return EvictionStep::wait;
  // Until a pod may be evicted, it must not get the condition DisruptionTarget.
  if (snapshot.mode == EvictionMode::evict) return EvictionStep::evict;
  if (snapshot.mark == EvictionSnapshot::Mark::written) return EvictionStep::remove;
  switch (pod->disruption_target) {
    case api::DisruptionTarget::none:
      return EvictionStep::mark;
    case api::DisruptionTarget::other:
      return EvictionStep::mark_too;
    case api::DisruptionTarget::by_device_taint:
      break;
  }
  return EvictionStep::remove;
}

}  // namespace dcm::device_taint_eviction
