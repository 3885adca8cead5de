// Carries out what decide_pod decides.
#pragma once

#include <optional>

#include "controllers/resource_claim/api/api.hpp"
#include "controllers/resource_claim/sync/attempt.hpp"
#include "controllers/resource_claim/sync/item.hpp"
#include "controllers/resource_claim/sync/one_at_a_time.hpp"
#include "controllers/resource_claim/sync/stores.hpp"
#include "controllers/resource_claim/sync/sync_generation.hpp"
#include "runtime/log.hpp"

namespace dcm::resource_claim {

// One sync at a time per pod; any number of pods at once. All references must outlive it.
class PodSync {
 public:
  PodSync(Stores stores, ClaimApi& api, GenerationSync& generation, ProblemReports reports,
          common::FeatureGates gates, OneAtATime<api::NamespacedName>::Wake wake,
          runtime::Logger log);

  Task<Retry> sync(api::NamespacedName key, Attempt attempt);

  // What the next round will know of the pod at its start.
  PodSnapshot snapshot_of(const PodPtr& pod) const;

 private:
  // Each adds its step's answer to the snapshot. A value: the round ends here.
  using End = GenerationSync::End;
  Task<End> carry_out(PodSnapshot& snapshot, const Finished& step, Attempt attempt);
  Task<End> carry_out(PodSnapshot& snapshot, const WriteNames& step, Attempt attempt);
  Task<End> carry_out(PodSnapshot& snapshot, const Reserve& step, Attempt attempt);
  // The others.
  template <class Step>
  Task<End> carry_out(PodSnapshot& snapshot, const Step& step, Attempt attempt);

  Task<Result<ClaimPtr>> reserve(const Reserve& step, Attempt attempt);
  bool refresh(PodSnapshot& snapshot) const;

  Stores stores_;
  ClaimApi& api_;
  GenerationSync& generation_;
  ProblemReports reports_;
  common::FeatureGates gates_;
  runtime::Logger log_;
  OneAtATime<api::NamespacedName> reservations_;  // by claim
};

}  // namespace dcm::resource_claim
