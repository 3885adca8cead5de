// Look-ups in the stores.
#pragma once

#include <optional>
#include <vector>

#include "controllers/device_taint_eviction/state/lookup.hpp"
#include "informers/store.hpp"

namespace dcm::device_taint_eviction {

// Pods by the group that they are in; declared only if groups share claims.
using PodsByGroup = informers::Index<api::Pod, api::NamespacedName>;
// `pods` is an informer or a bare store.
template <class Pods>
std::optional<PodsByGroup> declare_pods_by_group(Pods& pods, const common::FeatureGates& gates) {
  if (common::group_claims(gates) == common::GroupClaims::refused) return std::nullopt;
  return pods.template add_index<api::NamespacedName>(
      [](const api::Pod& pod, const informers::Emit<api::NamespacedName>& emit) {
        if (const auto group = common::group_of(pod)) emit(*group);
      });
}

// Readers of the stores; must not outlive them.
class StoreLookup final : public Lookup {
 public:
  StoreLookup(informers::StoreReader<api::Pod> pods,
              informers::StoreReader<api::ResourceClaim> claims,
              std::optional<PodsByGroup> pods_by_group = std::nullopt)
      : pods_(pods), claims_(claims), pods_by_group_(pods_by_group) {}

  PodPtr find_pod(const api::NamespacedName& key) const override { return pods_.get(key); }
  ClaimPtr find_claim(const api::NamespacedName& key) const override { return claims_.get(key); }
  common::GroupClaims group_claims() const override {
    return pods_by_group_ ? common::GroupClaims::shared : common::GroupClaims::refused;
  }
  std::vector<PodPtr> pods_of_group(const api::NamespacedName& group) const override {
    return pods_by_group_ ? pods_by_group_->get(group) : std::vector<PodPtr>();
  }

 private:
  informers::StoreReader<api::Pod> pods_;
  informers::StoreReader<api::ResourceClaim> claims_;
  std::optional<PodsByGroup> pods_by_group_;
};

}  // namespace dcm::device_taint_eviction
