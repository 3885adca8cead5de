// Carries out what decide_pod and decide_group decide.
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

// One sync at a time per pod; any number of pods at once. All references must outlive it.
class PodSync {
 public:
  PodSync(Stores stores, ClaimApi& api, ClaimGenerator& generator, common::FeatureGates gates,
          OneAtATime<api::NamespacedName>::Wake wake, runtime::Logger log);

  Task<Outcome> sync(api::NamespacedName key, Attempt attempt);

  // The state of the pod at the start of the next round.
  PodSnapshot snapshot_of(const PodPtr& pod) const;

 private:
  template <class Sync, class Snapshot>
  friend Task<Outcome> run_round(Sync& sync, Snapshot snapshot, Attempt attempt);

  bool refresh(PodSnapshot& snapshot) const;
  PodStep decide(const PodSnapshot& snapshot) const;
  Task<RoundEnd> carry_out(PodSnapshot& snapshot, const EndRound& step, Attempt attempt);
  Task<RoundEnd> carry_out(PodSnapshot& snapshot, const GetClaim& step, Attempt attempt);
  Task<RoundEnd> carry_out(PodSnapshot& snapshot, const CreateClaim& step, Attempt attempt);
  Task<RoundEnd> carry_out(PodSnapshot& snapshot, const WriteNames& step, Attempt attempt);
  Task<RoundEnd> carry_out(PodSnapshot& snapshot, const Reserve& step, Attempt attempt);
  Task<Result<ClaimPtr>> reserve(const Reserve& step, Attempt attempt);

  Stores stores_;
  ClaimApi& api_;
  ClaimGenerator& generator_;
  common::FeatureGates gates_;
  runtime::Logger log_;
  OneAtATime<api::NamespacedName> reservations_;  // by claim
};

// One sync at a time per group; any number of groups at once. All references must outlive it.
class GroupSync {
 public:
  GroupSync(Stores stores, ClaimApi& api, ClaimGenerator& generator, common::FeatureGates gates,
            runtime::Logger log);

  // In which version groups are served: "scheduling.k8s.io/v1beta1". Before the first sync.
  void use_api_version(std::string version) { api_version_ = std::move(version); }

  Task<Outcome> sync(api::NamespacedName key, Attempt attempt);

  // The state of the group at the start of the next round.
  GroupSnapshot snapshot_of(const GroupPtr& group) const;

 private:
  template <class Sync, class Snapshot>
  friend Task<Outcome> run_round(Sync& sync, Snapshot snapshot, Attempt attempt);

  bool refresh(GroupSnapshot& snapshot) const;
  GroupStep decide(const GroupSnapshot& snapshot) const;
  Task<RoundEnd> carry_out(GroupSnapshot& snapshot, const EndRound& step, Attempt attempt);
  Task<RoundEnd> carry_out(GroupSnapshot& snapshot, const GetClaim& step, Attempt attempt);
  Task<RoundEnd> carry_out(GroupSnapshot& snapshot, const CreateClaim& step, Attempt attempt);
  Task<RoundEnd> carry_out(GroupSnapshot& snapshot, const WriteNames& step, Attempt attempt);
  ClaimUserItem owner_of(const api::PodGroup& group) const;

  Stores stores_;
  ClaimApi& api_;
  ClaimGenerator& generator_;
  common::FeatureGates gates_;
  runtime::Logger log_;
  std::string api_version_;
};

}  // namespace dcm::resource_claim
