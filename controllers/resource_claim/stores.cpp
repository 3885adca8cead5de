#include "controllers/resource_claim/stores.hpp"

#include "controllers/common/pod_claims.hpp"

namespace dcm::resource_claim {

void index_pod_by_claim(const api::Pod& pod, const Emit<api::NamespacedName>& emit) {
  if (common::is_done(pod)) return;
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

void index_pod_by_template(const api::Pod& pod, const Emit<api::NamespacedName>& emit) {
  if (!common::is_done(pod)) index_by_template(pod, emit);
}

void index_claim_by_user(const api::ResourceClaim& claim, const Emit<api::Uid>& emit) {
  if (common::has_claim_user_as_controller(claim)) emit(claim.controller->uid);
  for (const api::ConsumerReference& consumer : claim.reserved_for) {
    if (consumer.is_pod() || consumer.is_pod_group()) emit(consumer.uid);
  }
}

api::ObjectPtr<api::PodGroup> GroupStores::group_of(const api::Pod& pod) const {
  const auto key = common::group_of(pod);
  return key ? groups.get(*key) : nullptr;
}

PodPtr Stores::owner_pod_of(const api::ResourceClaim& claim) const {
  if (!common::has_pod_as_controller(claim)) return nullptr;
  PodPtr pod = pods.get({claim.meta.key.namespace_, claim.controller->name});
  return pod != nullptr && common::is_owned_by(claim, *pod) ? pod : nullptr;
}

namespace {

// The namespace counts too: the creator of a claim can give any UID as its owner's, even one
// elsewhere.
void add_owned(KnownClaims& known, const Stores& stores, const api::ClaimUser& owner) {
  stores.claims_by_user.for_each(owner.meta.uid, [&](const ClaimPtr& claim) {
    if (!common::has_claim_user_as_controller(*claim)) return;
    if (!common::is_owned_by(*claim, owner)) return;
    known.owned.add(claim);
    known.claims.emplace(claim->meta.key.name, claim);
  });
}

void add_named(KnownClaims& known, const Stores& stores, const api::InternedString& namespace_,
               const std::vector<std::string_view>& names) {
  for (const std::string_view name : names) {
    ClaimPtr claim = stores.claims.get({namespace_, std::string(name)});
    if (claim != nullptr) known.claims.emplace(name, std::move(claim));
  }
}

void add_claims(KnownClaims& known, const Stores& stores, const api::ClaimUser& user,
                const std::vector<std::string_view>& names) {
  const api::InternedString& namespace_ = user.meta.key.namespace_;
  add_named(known, stores, namespace_, names);
  for (const api::PodClaim& pod_claim : user.claims) {
    if (pod_claim.template_name.empty()) continue;
    const std::string& name = pod_claim.template_name.str();
    TemplatePtr found = stores.templates.get({namespace_, name});
    if (found != nullptr) known.templates.emplace(name, std::move(found));
  }
  add_owned(known, stores, user);
}

void add_group(PodSnapshot& snapshot, const Stores& stores) {
  if (!stores.groups) return;
  snapshot.group = stores.groups->group_of(*snapshot.pod);
  if (snapshot.group == nullptr) return;
  const api::PodGroup& group = *snapshot.group;
  add_named(snapshot, stores, group.meta.key.namespace_, common::names_of_claims(group));
}

// Adds the cached object of that name.
template <class Reader>
void add_consumer(ClaimSnapshot& snapshot, ConsumerName name, const Reader& reader) {
  if (snapshot.cached.contains(name)) return;
  const auto found = reader.get({snapshot.claim->meta.key.namespace_, name.name});
  if (found != nullptr) snapshot.cached.emplace(std::move(name), consumer_of(*found));
}

}  // namespace

PodSnapshot make_pod_snapshot(const Stores& stores, PodPtr pod) {
  PodSnapshot snapshot;
  add_claims(snapshot, stores, *pod, common::names_of_claims(*pod));
  snapshot.pod = std::move(pod);
  add_group(snapshot, stores);
  return snapshot;
}

GroupSnapshot make_group_snapshot(const Stores& stores, GroupPtr group) {
  GroupSnapshot snapshot;
  add_claims(snapshot, stores, *group, common::names_of_claims(*group));
  snapshot.group = std::move(group);
  return snapshot;
}

ClaimSnapshot make_claim_snapshot(const Stores& stores, const UidMemory& deleted,
                                  const common::FeatureGates& gates, ClaimPtr claim) {
  ClaimSnapshot snapshot;
  snapshot.claim = std::move(claim);
  snapshot.group_claims = common::group_claims(gates);
  using Kind = ConsumerName::Kind;
  for (const api::ConsumerReference& consumer : snapshot.claim->reserved_for) {
    const bool is_group = consumer.is_pod_group() && stores.groups;
    if (!consumer.is_pod() && !is_group) continue;
    if (deleted.contains(consumer.uid)) snapshot.deleted.insert(consumer.uid);
    if (is_group) {
      add_consumer(snapshot, {Kind::group, consumer.name}, stores.groups->groups);
    } else {
      add_consumer(snapshot, {Kind::pod, consumer.name}, stores.pods);
    }
  }
  if (common::has_pod_as_controller(*snapshot.claim)) {
    const api::ControllerRef& owner = *snapshot.claim->controller;
    if (deleted.contains(owner.uid)) snapshot.deleted.insert(owner.uid);
    add_consumer(snapshot, {Kind::pod, owner.name}, stores.pods);
  }
  return snapshot;
}

}  // namespace dcm::resource_claim
