#include "playground/cluster/evictions.hpp"

namespace dcm::playground {

void Evictions::observe_pod(const api::ObjectPtr<Pod>& before, const api::ObjectPtr<Pod>& after,
                            runtime::WallTime now) {
  const Pod& pod = after ? *after : *before;
  if (pod.meta.key.namespace_ != namespace_) return;
  const bool is_going = !after || after->meta.is_being_deleted;
  if (is_going && pod.disruption_target == api::DisruptionTarget::by_device_taint) {
    all_.try_emplace(pod.meta.key.name.str(), now);
  }
}

}  // namespace dcm::playground
