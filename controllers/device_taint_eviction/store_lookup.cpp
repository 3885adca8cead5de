#include "controllers/device_taint_eviction/store_lookup.hpp"

namespace dcm::device_taint_eviction {

void index_pod_by_group(const api::Pod& pod, const informers::Emit<api::NamespacedName>& emit) {
  if (const auto group = common::group_of(pod)) emit(*group);
}

}  // namespace dcm::device_taint_eviction
