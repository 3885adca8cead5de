// Carries out what decide_pod and decide_group decide: the work for the users of claims.
#pragma once

#include <string>

#include "controllers/resource_claim/api/api.hpp"
#include "controllers/resource_claim/item.hpp"
#include "controllers/resource_claim/rules/decide_pod.hpp"
#include "controllers/resource_claim/stores.hpp"
#include "controllers/resource_claim/sync/claim_generator.hpp"
#include "controllers/resource_claim/sync/one_at_a_time.hpp"
#include "controllers/resource_claim/sync/round.hpp"
#include "runtime/log.hpp"

namespace dcm::resource_claim {

// One sync at a time per pod or group; any number of them at once. All references must outlive it.
// `Snapshot` below is PodSnapshot or GroupSnapshot.
class ClaimUserSync {
 public:
  ClaimUserSync(Stores stores, ClaimApi& api, ClaimGenerator& generator, common::FeatureGates gates,
                OneAtATime<api::NamespacedName>::Wake wake, runtime::Logger log);

  // In which version groups are served: "scheduling.k8s.io/v1beta1". Before the first group.
  void use_group_version(std::string version) { group_version_ = std::move(version); }

  Task<Outcome> sync_pod(api::NamespacedName key, Attempt attempt);
  Task<Outcome> sync_group(api::NamespacedName key, Attempt attempt);

  // The state of the pod or group at the start of the next round.
  PodSnapshot snapshot_of(const PodPtr& pod) const;
  GroupSnapshot snapshot_of(const GroupPtr& group) const;

 private:
  template <class Sync, class Snapshot>
  friend Task<Outcome> run_round(Sync& sync, Snapshot snapshot, Attempt attempt);

  template <class Snapshot>
  bool refresh(Snapshot& snapshot) const;
  PodStep decide(const PodSnapshot& snapshot) const;
  GroupStep decide(const GroupSnapshot& snapshot) const;
  template <class Snapshot>
  Task<RoundEnd> carry_out(Snapshot& snapshot, const EndRound& step, Attempt attempt);
  template <class Snapshot>
  Task<RoundEnd> carry_out(Snapshot& snapshot, const GetClaim& step, Attempt attempt);
  template <class Snapshot>
  Task<RoundEnd> carry_out(Snapshot& snapshot, const CreateClaim& step, Attempt attempt);
  Task<RoundEnd> carry_out(PodSnapshot& snapshot, const WriteNames& step, Attempt attempt);
  Task<RoundEnd> carry_out(GroupSnapshot& snapshot, const WriteNames& step, Attempt attempt);
  Task<RoundEnd> carry_out(PodSnapshot& snapshot, const Reserve& step, Attempt attempt);
  Task<Result<ClaimPtr>> reserve(const Reserve& step, Attempt attempt);
  ClaimUserItem owner_of(const PodSnapshot& snapshot) const;
  ClaimUserItem owner_of(const GroupSnapshot& snapshot) const;

  Stores stores_;
  ClaimApi& api_;
  ClaimGenerator& generator_;
  common::FeatureGates gates_;
  runtime::Logger log_;
  OneAtATime<api::NamespacedName> reservations_;  // by claim
  std::string group_version_;
};

}  // namespace dcm::resource_claim
