// Carries out what decide_group decides.
#pragma once

#include <string>

#include "controllers/resource_claim/api/api.hpp"
#include "controllers/resource_claim/rules/decide_group.hpp"
#include "controllers/resource_claim/stores.hpp"
#include "controllers/resource_claim/sync/attempt.hpp"
#include "controllers/resource_claim/sync/round.hpp"
#include "controllers/resource_claim/sync/sync_generation.hpp"
#include "runtime/log.hpp"

namespace dcm::resource_claim {

// One sync at a time per group; any number of groups at once. All references must outlive it.
class GroupSync {
 public:
  GroupSync(Stores stores, ClaimApi& api, GenerationSync& generation, common::FeatureGates gates,
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
  Task<RoundEnd> carry_out(GroupSnapshot& snapshot, const Finished& step, Attempt attempt);
  Task<RoundEnd> carry_out(GroupSnapshot& snapshot, const GetClaim& step, Attempt attempt);
  Task<RoundEnd> carry_out(GroupSnapshot& snapshot, const CreateClaim& step, Attempt attempt);
  Task<RoundEnd> carry_out(GroupSnapshot& snapshot, const WriteNames& step, Attempt attempt);
  GenerationOwner owner_of(const api::PodGroup& group) const;

  Stores stores_;
  ClaimApi& api_;
  GenerationSync& generation_;
  common::FeatureGates gates_;
  runtime::Logger log_;
  std::string api_version_;
};

}  // namespace dcm::resource_claim
