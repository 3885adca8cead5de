// Carries out decisions of decide_claim.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "controllers/resource_claim/api/api.hpp"
#include "controllers/resource_claim/item.hpp"
#include "controllers/resource_claim/stores.hpp"
#include "controllers/resource_claim/sync/round.hpp"
#include "controllers/resource_claim/uid_memory.hpp"
#include "runtime/log.hpp"
#include "runtime/lru_map.hpp"
#include "runtime/time.hpp"

namespace dcm::resource_claim {

// One sync at a time per claim; any number of claims at once. All references must outlive it.
class ClaimSync {
 public:
  // `deleted_consumers`: pods and groups known to be gone.
  ClaimSync(Stores stores, const UidMemory& deleted_consumers, ClaimApi& api,
            ItemProblems& problems, const runtime::TimeSource& time, common::FeatureGates gates,
            runtime::Logger log);

  Task<Outcome> sync(api::NamespacedName key, Priority priority);

 private:
  template <class Sync, class Snapshot>
  friend Task<Outcome> run_round(Sync& sync, Snapshot snapshot, Priority priority);

  // A claim that a round has read or written is newer than the cache.
  static bool refresh(const ClaimSnapshot& /*snapshot*/) { return true; }
  ClaimStep decide(const ClaimSnapshot& snapshot) const;
  Task<RoundEnd> carry_out(ClaimSnapshot& snapshot, const EndClaimRound& step, Priority priority);
  Task<RoundEnd> carry_out(ClaimSnapshot& snapshot, const GetConsumer& step, Priority priority);
  Task<RoundEnd> carry_out(ClaimSnapshot& snapshot, const Release& step, Priority priority);
  Task<RoundEnd> carry_out(ClaimSnapshot& snapshot, const RemoveFinalizer& step, Priority priority);
  Task<RoundEnd> carry_out(ClaimSnapshot& snapshot, const DeleteClaim& step, Priority priority);

  // How long the watch may still take to show the deletion of that claim. nullopt: the claim was
  // not deleted, or the watch has had its time.
  std::optional<runtime::Duration> left_for_watch(const api::Uid& claim);
  void note_deleted(const api::Uid& claim);
  Task<ConsumerAnswer> look_up(ConsumerName::Kind kind, api::NamespacedName key, Priority priority);
  // A write without a resourceVersion cannot conflict: a 409 is then a webhook's refusal.
  enum class Conflicts : std::uint8_t { expected, faults };
  void log_failure(std::string_view what, const ClaimPtr& claim, const runtime::Error& error,
                   Conflicts conflicts = Conflicts::expected) const;
  void log_write(std::string_view what, const ClaimPtr& claim) const;

  Stores stores_;
  const UidMemory& deleted_consumers_;
  ClaimApi& api_;
  ItemProblems& problems_;
  const runtime::TimeSource& time_;
  common::FeatureGates gates_;
  runtime::Logger log_;
  // When the API server said that it has deleted a claim, by UID.
  runtime::LruMap<runtime::MonoTime> deleted_;
};

}  // namespace dcm::resource_claim
