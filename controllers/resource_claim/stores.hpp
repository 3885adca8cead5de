// The controller's caches, with the indexes to navigate between them, and snapshots for decisions.
#pragma once

#include <optional>

#include "controllers/api/pod.hpp"
#include "controllers/api/resource_claim.hpp"
#include "controllers/api/resource_claim_template.hpp"
#include "controllers/resource_claim/rules/decide_claim.hpp"
#include "controllers/resource_claim/rules/decide_pod.hpp"
#include "controllers/resource_claim/uid_memory.hpp"
#include "informers/store.hpp"

namespace dcm::resource_claim {

using informers::Emit;

// The keys of each index: functions of the object alone.
void index_pod_by_claim(const api::Pod& pod, const Emit<api::NamespacedName>& emit);
void index_pod_by_group(const api::Pod& pod, const Emit<api::NamespacedName>& emit);
void index_group_by_claim(const api::PodGroup& group, const Emit<api::NamespacedName>& emit);
void index_by_template(const api::ClaimUser& user, const Emit<api::NamespacedName>& emit);
void index_pod_by_template(const api::Pod& pod, const Emit<api::NamespacedName>& emit);
void index_claim_by_user(const api::ResourceClaim& claim, const Emit<api::Uid>& emit);

// The same for pod groups.
struct GroupStores {
  informers::StoreReader<api::PodGroup> groups;

  // Groups by the claims that they refer to: spec and status.
  informers::Index<api::PodGroup, api::NamespacedName> groups_by_claim;
  // Groups by the templates that they name.
  informers::Index<api::PodGroup, api::NamespacedName> groups_by_template;
  // Pods by the group that they are in.
  informers::Index<api::Pod, api::NamespacedName> pods_by_group;

  informers::OwnWrites<api::PodGroup> own_groups;

  // The pod's group. Null: it is in none, or the group does not exist.
  api::ObjectPtr<api::PodGroup> group_of(const api::Pod& pod) const;
};

// Readers, indexes and recorders of own writes; must not outlive their stores.
struct Stores {
  informers::StoreReader<api::Pod> pods;
  informers::StoreReader<api::ResourceClaim> claims;
  informers::StoreReader<api::ResourceClaimTemplate> templates;

  // Pods, unless finished, by the claims that they refer to: spec, status, extended resources.
  // Thousands of finished pods may name one claim that changes all the time.
  informers::Index<api::Pod, api::NamespacedName> pods_by_claim;
  // The same pods by the templates that their pod claims name.
  informers::Index<api::Pod, api::NamespacedName> pods_by_template;
  // Claims by the UIDs of the pod or group that is their controller and of those that they are
  // reserved for. Mostly these are one and the same, so one index costs half of two.
  informers::Index<api::ResourceClaim, api::Uid> claims_by_user;

  informers::OwnWrites<api::Pod> own_pods;
  informers::OwnWrites<api::ResourceClaim> own_claims;

  std::optional<GroupStores> groups = {};  // nullopt: the gate for groups is off

  // The pod that the claim was created for. Null: there is none, or the cache lacks it.
  PodPtr owner_pod_of(const api::ResourceClaim& claim) const;
};

template <class Groups, class Pods>
GroupStores declare_group_stores(Groups& groups, Pods& pods) {
  return {
      .groups = groups.reader(),
      .groups_by_claim = groups.template add_index<api::NamespacedName>(index_group_by_claim),
      .groups_by_template = groups.template add_index<api::NamespacedName>(index_by_template),
      .pods_by_group = pods.template add_index<api::NamespacedName>(index_pod_by_group),
      .own_groups = groups.own_writes(),
  };
}

// Declares the indexes, before the first object. The arguments are informers or bare stores;
// `groups` is null with the gate for groups off.
template <class Pods, class Claims, class Templates, class Groups>
Stores declare_stores(Pods& pods, Claims& claims, Templates& templates, Groups* groups) {
  return {
      .pods = pods.reader(),
      .claims = claims.reader(),
      .templates = templates.reader(),
      .pods_by_claim = pods.template add_index<api::NamespacedName>(index_pod_by_claim),
      .pods_by_template = pods.template add_index<api::NamespacedName>(index_pod_by_template),
      .claims_by_user = claims.template add_index<api::Uid>(index_claim_by_user),
      .own_pods = pods.own_writes(),
      .own_claims = claims.own_writes(),
      .groups =
          groups == nullptr ? std::nullopt : std::optional(declare_group_stores(*groups, pods)),
  };
}
template <class Pods, class Claims, class Templates>
Stores declare_stores(Pods& pods, Claims& claims, Templates& templates) {
  return declare_stores(pods, claims, templates,
                        static_cast<informers::Store<api::PodGroup>*>(nullptr));
}

// ---- what decisions see ------------------------------------------------------------------------

PodSnapshot make_pod_snapshot(const Stores& stores, PodPtr pod);
GroupSnapshot make_group_snapshot(const Stores& stores, GroupPtr group);
// `deleted`: the pods and groups known to be gone.
ClaimSnapshot make_claim_snapshot(const Stores& stores, const UidMemory& deleted,
                                  const common::FeatureGates& gates, ClaimPtr claim);

}  // namespace dcm::resource_claim
