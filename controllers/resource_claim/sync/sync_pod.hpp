// Carries out what decide_pod decides.
#pragma once

#include "controllers/resource_claim/api/api.hpp"
#include "controllers/resource_claim/stores.hpp"
#include "controllers/resource_claim/sync/attempt.hpp"
#include "controllers/resource_claim/sync/item.hpp"
#include "controllers/resource_claim/sync/one_at_a_time.hpp"
#include "controllers/resource_claim/sync/round.hpp"
#include "controllers/resource_claim/sync/sync_generation.hpp"
#include "runtime/log.hpp"

namespace dcm::resource_claim {

// One sync at a time per pod; any number of pods at once. All references must outlive it.
class PodSync {
 public:
  PodSync(Stores stores, ClaimApi& api, GenerationSync& generation, common::FeatureGates gates,
          OneAtATime<api::NamespacedName>::Wake wake, runtime::Logger log);

  Task<Outcome> sync(api::NamespacedName key, Attempt attempt);

  // The state of the pod at the start of the next round.
  PodSnapshot snapshot_of(const PodPtr& pod) const;

 private:
  template <class Sync, class Snapshot>
  friend Task<Outcome> run_round(Sync& sync, Snapshot snapshot, Attempt attempt);

  bool refresh(PodSnapshot& snapshot) const;
  PodStep decide(const PodSnapshot& snapshot) const;
  Task<RoundEnd> carry_out(PodSnapshot& snapshot, const Finished& step, Attempt attempt);
  Task<RoundEnd> carry_out(PodSnapshot& snapshot, const GetClaim& step, Attempt attempt);
  Task<RoundEnd> carry_out(PodSnapshot& snapshot, const CreateClaim& step, Attempt attempt);
  Task<RoundEnd> carry_out(PodSnapshot& snapshot, const WriteNames& step, Attempt attempt);
  Task<RoundEnd> carry_out(PodSnapshot& snapshot, const Reserve& step, Attempt attempt);
  Task<Result<ClaimPtr>> reserve(const Reserve& step, Attempt attempt);

  Stores stores_;
  ClaimApi& api_;
  GenerationSync& generation_;
  common::FeatureGates gates_;
  runtime::Logger log_;
  OneAtATime<api::NamespacedName> reservations_;  // by claim
};

}  // namespace dcm::resource_claim
