// From a name to the object, and from a claim to the pods that it is reserved for.
#pragma once

#include "client/api/decoder.hpp"
#include "client/api/pod.hpp"
#include "client/api/resource_claim.hpp"

namespace dcm::device_taint_eviction {

using PodPtr = api::ObjectPtr<api::Pod>;
using ClaimPtr = api::ObjectPtr<api::ResourceClaim>;

// What the caches know. Null: nothing of that name.
class Lookup {
 public:
  virtual ~Lookup() = default;
  virtual PodPtr find_pod(const api::NamespacedName& key) const = 0;
  virtual ClaimPtr find_claim(const api::NamespacedName& key) const = 0;
};

// Calls `visit(const PodPtr&)` for each pod that status.reservedFor names. An entry whose pod is
// not there, or is there under another UID, does not keep the others from being visited. A
// reservation for a pod group (KEP-5729) leads to nobody, as pod groups are not supported yet.
template <class Visit>
void for_each_consumer(const api::ResourceClaim& claim, const Lookup& lookup, Visit visit) {
  for (const api::ConsumerReference& consumer : claim.reserved_for) {
    if (!consumer.is_pod()) continue;
    const PodPtr pod = lookup.find_pod({claim.meta.key.namespace_, consumer.name});
    if (pod && pod->meta.uid == consumer.uid) visit(pod);
  }
}

}  // namespace dcm::device_taint_eviction
