// Decides what to do for a claim: release, deallocate, unprotect, delete (KEP-4381, KEP-5729).
//
// Pure, step by step, like decide_pod.hpp. Nothing is taken from a pod that may still run, or from
// an existing group: only certain knowledge from a cache or the API server counts, and every write
// fails if the claim has changed since.
#pragma once

#include <map>
#include <set>
#include <string_view>
#include <variant>
#include <vector>

#include "controllers/common/pod_claims.hpp"
#include "controllers/resource_claim/rules/decide_pod.hpp"

namespace dcm::resource_claim {

// A pod or group that a claim is reserved for, or a pod that it was created for.
struct ConsumerName {
  enum class Kind : std::uint8_t { pod, group } kind{};
  api::InternedString name;
  friend auto operator<=>(const ConsumerName&, const ConsumerName&) = default;
};
// The object that has the name.
struct Consumer {
  api::Uid uid;
  bool is_done = false;  // a group never is: its pods may run as long as it exists
};
Consumer consumer_of(const api::Pod& pod);
Consumer consumer_of(const api::PodGroup& group);
// The API server's answer.
using ConsumerAnswer = std::variant<Consumer, Gone, runtime::Error>;

struct ClaimSnapshot {
  // From cache and own writes; after a write, the object that it returned. Null: gone.
  ClaimPtr claim;
  // UIDs of consumers and of the owner that are known to be deleted.
  std::set<api::Uid> deleted;
  // Whether groups count.
  common::GroupClaims group_claims = common::GroupClaims::refused;
  // Consumers and owner, if the cache has them by name.
  std::map<ConsumerName, Consumer> cached;
  // The answers to GetConsumer.
  std::map<ConsumerName, ConsumerAnswer> answers;
  // The writes done in this round. None is repeated: an admission webhook may undo it.
  enum class Progress : std::uint8_t { nothing, released, unprotected } progress{};
};

// Asks the API server for a pod or group that the cache lacks, or has under another UID: the cache
// may lag behind the scheduler, and holds no pods without claims.
struct GetConsumer {
  ConsumerName consumer;
  friend bool operator==(const GetConsumer&, const GetConsumer&) = default;
};
// Shortens the list of consumers. With the last consumer, it also deallocates.
struct Release {
  ClaimPtr claim;
  std::vector<api::Uid> released;
  api::Allocation allocation = api::Allocation::keep;
  friend bool operator==(const Release&, const Release&) = default;
};
// Removes the delete protection.
struct RemoveFinalizer {
  ClaimPtr claim;
  friend bool operator==(const RemoveFinalizer&, const RemoveFinalizer&) = default;
};
struct DeleteClaim {
  ClaimPtr claim;
  friend bool operator==(const DeleteClaim&, const DeleteClaim&) = default;
};
struct EndClaimRound {
  EndClaimRound() = default;
  explicit EndClaimRound(Outcome wanted) : outcome(wanted) {}
  EndClaimRound(std::string_view what, runtime::Error why)
      : outcome(outcome_after_read(why)), failure(Failure{what, std::move(why)}) {}

  // When to look again: after a failure, or when no event will come. The cache may lack a pod or
  // group that the claim is reserved for, so that its end goes unseen.
  Outcome outcome = Outcome::done();
  // A look-up failed, and nothing was changed; or a write was undone.
  struct Failure {
    std::string_view what;  // "release": what could not be done to the claim
    runtime::Error error;
  };
  std::optional<Failure> failure;
};

using ClaimStep = std::variant<EndClaimRound, GetConsumer, Release, RemoveFinalizer, DeleteClaim>;

// The next step. No write is requested twice within a round, so rounds end.
ClaimStep decide_claim(const ClaimSnapshot& snapshot);

// ---- its parts, for explanations of one consumer ------------------------------------------------

// What is certain about a pod or group of that name and UID. An existing group counts as a group
// whose pods may run.
struct MayRun {
  enum class Why : std::uint8_t { runs, group_is_there, is_no_pod, not_known } why{};
};
// The pod or group will not run: it is done, it was deleted, or another object has its name.
struct WillNotRun {
  enum class Why : std::uint8_t { is_done, name_is_anothers, seen_deleted } why{};
};
// No pod or group has the name.
struct IsGone {
  enum class Why : std::uint8_t { seen_deleted, no_such_object, can_be_no_name } why{};
};
using Fate = std::variant<MayRun, WillNotRun, IsGone, GetConsumer, runtime::Error>;

// The fate of a consumer in status.reservedFor.
Fate fate_of_consumer(const ClaimSnapshot& snapshot, const api::ConsumerReference& consumer);
// The fate of the pod that the claim was created for. A pod that is not known proves nothing (if it
// is gone, the garbage collector deletes the claim).
Fate fate_of_owner(const ClaimSnapshot& snapshot, const api::ControllerRef& owner);

}  // namespace dcm::resource_claim
