// Looks up objects by name, and the pods that a claim is reserved for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "client/api/decoder.hpp"
#include "controllers/api/pod.hpp"
#include "controllers/api/resource_claim.hpp"
#include "controllers/common/pod_claims.hpp"

namespace dcm::device_taint_eviction {

using PodPtr = api::ObjectPtr<api::Pod>;
using ClaimPtr = api::ObjectPtr<api::ResourceClaim>;

// Look-ups in the caches. Null if there is no object of that name.
class Lookup {
 public:
  virtual ~Lookup() = default;
  virtual PodPtr find_pod(const api::NamespacedName& key) const = 0;
  virtual ClaimPtr find_claim(const api::NamespacedName& key) const = 0;
  // Whether pods use the claims of their groups, and which pods are in a group.
  virtual common::GroupClaims group_claims() const { return common::GroupClaims::refused; }
  virtual std::vector<PodPtr> pods_of_group(const api::NamespacedName& /*group*/) const {
    return {};
  }
};

// Calls `visit(const PodPtr&)` for each pod that status.reservedFor names, directly or by its group
// (KEP-5729). Entries whose pod is missing or has another UID are skipped. The visitor checks
// whether a pod of a group uses the claim. Returns the number of pods looked at.
template <class Visit>
std::size_t for_each_consumer(const api::ResourceClaim& claim, const Lookup& lookup, Visit visit) {
  std::size_t looked = claim.reserved_for.size();
  for (const api::ConsumerReference& consumer : claim.reserved_for) {
    const api::NamespacedName key{claim.meta.key.namespace_, consumer.name};
    if (consumer.is_pod_group() && lookup.group_claims() == common::GroupClaims::shared) {
      const std::vector<PodPtr> members = lookup.pods_of_group(key);
      looked += members.size();
      std::ranges::for_each(members, visit);
    }
    if (!consumer.is_pod()) continue;
    const PodPtr pod = lookup.find_pod(key);
    if (pod && pod->meta.uid == consumer.uid) visit(pod);
  }
  return looked;
}

}  // namespace dcm::device_taint_eviction
