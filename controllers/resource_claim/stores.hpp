// The caches that the controller reads, with the indexes it needs to find its way between them.
#pragma once

#include "client/api/pod.hpp"
#include "client/api/resource_claim.hpp"
#include "client/api/resource_claim_template.hpp"
#include "informers/store.hpp"

namespace dcm::resource_claim {

using informers::Emit;

// What each index is by. Functions of the object alone.
void index_pod_by_claim(const api::Pod& pod, const Emit<api::NamespacedName>& emit);
void index_pod_by_template(const api::Pod& pod, const Emit<api::NamespacedName>& emit);
void index_claim_by_owner(const api::ResourceClaim& claim, const Emit<api::Uid>& emit);
void index_claim_by_consumer(const api::ResourceClaim& claim, const Emit<api::Uid>& emit);

// Readers, indexes and recorders of own writes; none of them outlives its store.
struct Stores {
  informers::StoreReader<api::Pod> pods;
  informers::StoreReader<api::ResourceClaim> claims;
  informers::StoreReader<api::ResourceClaimTemplate> templates;

  // Pods by the claims that they refer to: spec, status, extended resources.
  informers::Index<api::Pod, api::NamespacedName> pods_by_claim;
  // Pods by the templates that their pod claims name.
  informers::Index<api::Pod, api::NamespacedName> pods_by_template;
  // Claims by the UID of the pod that is their controller.
  informers::Index<api::ResourceClaim, api::Uid> claims_by_owner;
  // Claims by the UIDs of the pods that they are reserved for.
  informers::Index<api::ResourceClaim, api::Uid> claims_by_consumer;

  informers::OwnWrites<api::Pod> own_pods;
  informers::OwnWrites<api::ResourceClaim> own_claims;
};

// Declares the indexes, before the first object. The arguments are informers or bare stores.
template <class Pods, class Claims, class Templates>
Stores declare_stores(Pods& pods, Claims& claims, Templates& templates) {
  return {
      .pods = pods.reader(),
      .claims = claims.reader(),
      .templates = templates.reader(),
      .pods_by_claim =
          pods.template add_index<api::NamespacedName>("pods by claim", index_pod_by_claim),
      .pods_by_template =
          pods.template add_index<api::NamespacedName>("pods by template", index_pod_by_template),
      .claims_by_owner =
          claims.template add_index<api::Uid>("claims by owner", index_claim_by_owner),
      .claims_by_consumer =
          claims.template add_index<api::Uid>("claims by consumer", index_claim_by_consumer),
      .own_pods = pods.own_writes(),
      .own_claims = claims.own_writes(),
  };
}

}  // namespace dcm::resource_claim
