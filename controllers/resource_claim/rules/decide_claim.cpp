#include "controllers/resource_claim/rules/decide_claim.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "controllers/common/pod_claims.hpp"
#include "runtime/dns_names.hpp"

namespace dcm::resource_claim {
namespace {

using Kind = ConsumerName::Kind;

constexpr std::string_view kLookForConsumers = "look for the consumers of";

Fate fate_of_found(Kind kind, const Consumer& found, const api::Uid& uid) {
  if (found.uid != uid) return WillNotRun{WillNotRun::Why::name_is_anothers};
  if (found.is_done) return WillNotRun{WillNotRun::Why::is_done};
  return MayRun{kind == Kind::pod ? MayRun::Why::runs : MayRun::Why::group_is_there};
}

Fate ask(const ClaimSnapshot& snapshot, ConsumerName name, const api::Uid& uid) {
  const auto answer = snapshot.answers.find(name);
  if (answer == snapshot.answers.end()) return GetConsumer{std::move(name)};
  if (const auto* error = std::get_if<runtime::Error>(&answer->second)) return *error;
  if (std::holds_alternative<Gone>(answer->second)) return IsGone{IsGone::Why::no_such_object};
  return fate_of_found(name.kind, std::get<Consumer>(answer->second), uid);
}

}  // namespace

Consumer consumer_of(const api::Pod& pod) {
  return {.uid = pod.meta.uid, .is_done = common::is_done(pod)};
}

Consumer consumer_of(const api::PodGroup& group) {
  return {.uid = group.meta.uid, .is_done = false};
}

// An object that the cache has under another UID is looked up as well: its watch may lag behind the
// claim watch, and the cached object may be the older of the two.
Fate fate_of_consumer(const ClaimSnapshot& snapshot, const api::ConsumerReference& consumer) {
  const bool is_group =
      consumer.is_pod_group() && snapshot.group_claims == common::GroupClaims::shared;
  if (!consumer.is_pod() && !is_group) return MayRun{MayRun::Why::is_no_pod};
  // Others write consumers, so it may be any text: we ask only for names that are possible.
  if (!runtime::can_be_name(consumer.name)) return IsGone{IsGone::Why::can_be_no_name};
  ConsumerName name{is_group ? Kind::group : Kind::pod, consumer.name};
  // A restore of etcd brings deleted objects back, so the cache precedes the memory.
  const auto cached = snapshot.cached.find(name);
  if (cached != snapshot.cached.end() && cached->second.uid == consumer.uid) {
    return fate_of_found(name.kind, cached->second, consumer.uid);
  }
  if (snapshot.deleted.contains(consumer.uid)) return IsGone{IsGone::Why::seen_deleted};
  return ask(snapshot, std::move(name), consumer.uid);
}

Fate fate_of_owner(const ClaimSnapshot& snapshot, const api::ControllerRef& owner) {
  ConsumerName name{Kind::pod, owner.name};
  const auto cached = snapshot.cached.find(name);
  if (cached == snapshot.cached.end()) {
    // The cache has no pods without claims. Such a pod is not looked up as an owner, but may have
    // been looked up as a consumer.
    const auto answer = snapshot.answers.find(name);
    const auto* found =
        answer == snapshot.answers.end() ? nullptr : std::get_if<Consumer>(&answer->second);
    if (found == nullptr) return MayRun{MayRun::Why::not_known};
    return fate_of_found(Kind::pod, *found, owner.uid);
  }
  if (cached->second.uid == owner.uid) return fate_of_found(Kind::pod, cached->second, owner.uid);
  if (snapshot.deleted.contains(owner.uid)) return WillNotRun{WillNotRun::Why::seen_deleted};
  return ask(snapshot, std::move(name), owner.uid);
}

namespace {

struct Judged {
  std::vector<api::Uid> released;
  std::optional<runtime::Error> failure;  // a group cannot be looked up: not served
};

// The consumers to drop, or the look-up needed to decide, or the look-up's failure.
std::variant<Judged, ClaimStep> judge_consumers(const ClaimSnapshot& snapshot) {
  Judged judged;
  for (const api::ConsumerReference& consumer : snapshot.claim->reserved_for) {
    Fate fate = fate_of_consumer(snapshot, consumer);
    if (auto* get = std::get_if<GetConsumer>(&fate)) return ClaimStep(std::move(*get));
    if (auto* error = std::get_if<runtime::Error>(&fate)) {
      if (error->reason != runtime::Reason::not_served) {
        return ClaimStep(EndClaimRound(kLookForConsumers, std::move(*error)));
      }
      judged.failure = std::move(*error);
    } else if (!std::holds_alternative<MayRun>(fate)) {
      judged.released.push_back(consumer.uid);
    }
  }
  return judged;
}

// Whether the claim is reserved for a consumer that had to be looked up, and was found.
bool has_unseen_consumer(const ClaimSnapshot& snapshot) {
  return std::ranges::any_of(snapshot.answers, [&](const auto& answer) {
    const auto* found = std::get_if<Consumer>(&answer.second);
    return found != nullptr && common::is_reserved_for(*snapshot.claim, found->uid);
  });
}

// All consumers may run.
ClaimStep keep(const ClaimSnapshot& snapshot) {
  return has_unseen_consumer(snapshot) ? EndClaimRound(kLookAgain) : EndClaimRound();
}

ClaimStep release(const ClaimSnapshot& snapshot, std::vector<api::Uid> released) {
  if (snapshot.progress != ClaimSnapshot::Progress::nothing) {
    return EndClaimRound("release",
                         runtime::Error{runtime::Reason::conflict, "released consumers came back"});
  }
  const api::ResourceClaim& claim = *snapshot.claim;
  const bool is_last = released.size() == claim.reserved_for.size();
  return Release{
      snapshot.claim, std::move(released),
      is_last && claim.has_delete_protection ? api::Allocation::clear : api::Allocation::keep};
}

// No consumer is left: deallocate and unprotect the claim. The finalizer of a claim that is neither
// allocated nor being deleted is left alone, unless this round has deallocated it: the scheduler
// sets it before it allocates.
std::optional<ClaimStep> decide_unprotect(const ClaimSnapshot& snapshot) {
  using Progress = ClaimSnapshot::Progress;
  const api::ResourceClaim& claim = *snapshot.claim;
  if (!claim.has_delete_protection || snapshot.progress == Progress::unprotected) {
    return std::nullopt;
  }
  if (claim.is_allocated) {
    const bool may_deallocate =
        claim.meta.is_being_deleted && snapshot.progress == Progress::nothing;
    return may_deallocate
               ? std::optional<ClaimStep>(Release{snapshot.claim, {}, api::Allocation::clear})
               : std::nullopt;
  }
  const bool may_unprotect = claim.meta.is_being_deleted || snapshot.progress == Progress::released;
  return may_unprotect ? std::optional<ClaimStep>(RemoveFinalizer{snapshot.claim}) : std::nullopt;
}

// No consumer is left: a claim whose own pod will not run is no longer needed.
ClaimStep decide_delete(const ClaimSnapshot& snapshot) {
  const api::ResourceClaim& claim = *snapshot.claim;
  if (claim.meta.is_being_deleted || !common::has_pod_as_controller(claim)) return EndClaimRound{};
  Fate fate = fate_of_owner(snapshot, *claim.controller);
  if (auto* get = std::get_if<GetConsumer>(&fate)) return std::move(*get);
  if (auto* error = std::get_if<runtime::Error>(&fate)) {
    return EndClaimRound("look for the pod of", std::move(*error));
  }
  if (std::holds_alternative<WillNotRun>(fate)) return DeleteClaim{snapshot.claim};
  return EndClaimRound{};
}

}  // namespace

ClaimStep decide_claim(const ClaimSnapshot& snapshot) {
  if (snapshot.claim == nullptr) return EndClaimRound{};
  auto judged = judge_consumers(snapshot);
  if (auto* step = std::get_if<ClaimStep>(&judged)) return std::move(*step);
  auto& [released, failure] = std::get<Judged>(judged);
  if (!released.empty()) return release(snapshot, std::move(released));
  if (failure) return EndClaimRound(kLookForConsumers, *std::move(failure));
  if (!snapshot.claim->reserved_for.empty()) return keep(snapshot);
  if (auto unprotect = decide_unprotect(snapshot)) return *unprotect;
  return decide_delete(snapshot);
}

}  // namespace dcm::resource_claim
