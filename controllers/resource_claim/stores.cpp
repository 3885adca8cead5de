#include "controllers/resource_claim/stores.hpp"

#include "controllers/common/pod_claims.hpp"

namespace dcm::resource_claim {

void index_pod_by_claim(const api::Pod& pod, const Emit<api::NamespacedName>& emit) {
  for (const std::string_view name : common::names_of_claims(pod)) {
    emit({pod.meta.key.namespace_, std::string(name)});
  }
}

void index_pod_by_group(const api::Pod& pod, const Emit<api::NamespacedName>& emit) {
  if (const auto group = common::group_of(pod)) emit(*group);
}

void index_group_by_claim(const api::PodGroup& group, const Emit<api::NamespacedName>& emit) {
  for (const std::string_view name : common::names_of_claims(group)) {
    emit({group.meta.key.namespace_, std::string(name)});
  }
}

void index_by_template(const api::ClaimUser& user, const Emit<api::NamespacedName>& emit) {
  for (const api::PodClaim& pod_claim : user.claims) {
    if (pod_claim.template_name.empty()) continue;
    emit({user.meta.key.namespace_, pod_claim.template_name.str()});
  }
}

void index_claim_by_owner(const api::ResourceClaim& claim, const Emit<api::Uid>& emit) {
  if (common::has_claim_user_as_controller(claim)) emit(claim.controller->uid);
}

void index_claim_by_consumer(const api::ResourceClaim& claim, const Emit<api::Uid>& emit) {
  for (const api::ConsumerReference& consumer : claim.reserved_for) {
    if (consumer.is_pod() || consumer.is_pod_group()) emit(consumer.uid);
  }
}

api::ObjectPtr<api::PodGroup> GroupStores::group_of(const api::Pod& pod) const {
  const auto key = common::group_of(pod);
  return key ? groups.get(*key) : nullptr;
}

}  // namespace dcm::resource_claim
