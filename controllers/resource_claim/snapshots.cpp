#include "controllers/resource_claim/snapshots.hpp"

#include "controllers/common/pod_claims.hpp"

namespace dcm::resource_claim {
namespace {

void add_pod(ClaimSnapshot& snapshot, const Stores& stores, const UidMemory& deleted_pods,
             const std::string& name, const api::Uid& uid) {
  if (deleted_pods.contains(uid)) snapshot.deleted.insert(uid);
  if (snapshot.pods.contains(name)) return;
  if (PodPtr pod = stores.pods.get({snapshot.claim->meta.key.namespace_, name})) {
    snapshot.pods.emplace(name, std::move(pod));
  }
}

}  // namespace

PodSnapshot make_pod_snapshot(const Stores& stores, PodPtr pod,
                              PodSnapshot::EarlierCreates earlier_creates) {
  PodSnapshot snapshot;
  const api::InternedString& namespace_ = pod->meta.key.namespace_;
  for (const std::string_view name : common::names_of_claims(*pod)) {
    ClaimPtr claim = stores.claims.get({namespace_, std::string(name)});
    if (claim != nullptr) snapshot.claims.emplace(name, std::move(claim));
  }
  for (const api::PodClaim& pod_claim : pod->claims) {
    if (pod_claim.template_name.empty()) continue;
    TemplatePtr found = stores.templates.get({namespace_, pod_claim.template_name});
    if (found != nullptr) snapshot.templates.emplace(pod_claim.template_name, std::move(found));
  }
  stores.claims_by_owner.for_each(pod->meta.uid, [&](const ClaimPtr& claim) {
    snapshot.owned.push_back(claim);
    snapshot.claims.emplace(claim->meta.key.name, claim);
  });
  snapshot.earlier_creates = earlier_creates;
  snapshot.pod = std::move(pod);
  return snapshot;
}

ClaimSnapshot make_claim_snapshot(const Stores& stores, const UidMemory& deleted_pods,
                                  ClaimPtr claim) {
  ClaimSnapshot snapshot;
  snapshot.claim = std::move(claim);
  for (const api::ConsumerReference& consumer : snapshot.claim->reserved_for) {
    if (consumer.is_pod()) add_pod(snapshot, stores, deleted_pods, consumer.name, consumer.uid);
  }
  if (common::has_pod_as_controller(*snapshot.claim)) {
    const api::ControllerRef& owner = *snapshot.claim->controller;
    add_pod(snapshot, stores, deleted_pods, owner.name, owner.uid);
  }
  return snapshot;
}

}  // namespace dcm::resource_claim
