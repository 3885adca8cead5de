#include "controllers/resource_claim/rules/decide_claim.hpp"

#include <algorithm>

#include "controllers/common/pod_claims.hpp"

namespace dcm::resource_claim {
namespace {

Fate fate_of_found(const api::Pod& pod, const api::Uid& uid) {
  if (pod.meta.uid != uid) return WillNotRun{WillNotRun::Why::name_is_anothers};
  if (common::is_done(pod)) return WillNotRun{WillNotRun::Why::is_done};
  return MayRun{MayRun::Why::runs};
}

// Also one that is being deleted: its pods may run for as long as it is there.
Fate fate_of_found(const api::PodGroup& group, const api::Uid& uid) {
  if (group.meta.uid != uid) return WillNotRun{WillNotRun::Why::name_is_anothers};
  return MayRun{MayRun::Why::group_is_there};
}

// `Get` asks for what `answers` has.
template <class Get, class Answers>
Fate ask(const Answers& answers, const std::string& name, const api::Uid& uid) {
  const auto answer = answers.find(name);
  if (answer == answers.end()) return Get{name};
  if (const auto* error = std::get_if<runtime::Error>(&answer->second)) return *error;
  if (std::holds_alternative<Gone>(answer->second)) return IsGone{IsGone::Why::no_such_object};
  return fate_of_found(*std::get<0>(answer->second), uid);
}

// Consumers are written by others, so a name may be anything; we ask only for what can be a
// name (a DNS subdomain, RFC 1123).
bool can_be_name(std::string_view name) {
  constexpr std::size_t kNameLengthMax = 253;
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  };
  return !name.empty() && name.size() <= kNameLengthMax && name.front() != '.' &&
         std::ranges::all_of(name, is_allowed);
}

// An object that the cache has under another UID is looked up as well: its watch may be behind the
// claim watch, and the cached object may be the older of the two.
template <class Get, class Cached, class Answers>
Fate fate_of(const Cached& cached, const Answers& answers, const std::string& name,
             const api::Uid& uid) {
  if (!can_be_name(name)) return IsGone{IsGone::Why::can_be_no_name};
  const auto found = cached.find(name);
  if (found != cached.end() && found->second->meta.uid == uid) {
    return fate_of_found(*found->second, uid);
  }
  return ask<Get>(answers, name, uid);
}

}  // namespace

Fate fate_of_consumer(const ClaimSnapshot& snapshot, const api::ConsumerReference& consumer) {
  const bool is_group =
      consumer.is_pod_group() && snapshot.group_claims == common::GroupClaims::shared;
  if (!consumer.is_pod() && !is_group) return MayRun{MayRun::Why::is_no_pod};
  if (snapshot.deleted.contains(consumer.uid)) return IsGone{IsGone::Why::seen_deleted};
  if (is_group) {
    return fate_of<GetGroup>(snapshot.groups, snapshot.group_answers, consumer.name, consumer.uid);
  }
  return fate_of<GetPod>(snapshot.pods, snapshot.answers, consumer.name, consumer.uid);
}

Fate fate_of_owner(const ClaimSnapshot& snapshot, const api::ControllerRef& owner) {
  const auto cached = snapshot.pods.find(owner.name);
  if (cached == snapshot.pods.end()) return MayRun{MayRun::Why::not_known};
  if (cached->second->meta.uid == owner.uid) return fate_of_found(*cached->second, owner.uid);
  if (snapshot.deleted.contains(owner.uid)) return WillNotRun{WillNotRun::Why::seen_deleted};
  return ask<GetPod>(snapshot.answers, owner.name, owner.uid);
}

namespace {

// The consumers to drop, or the look-up that it takes to know, or the look-up's failure.
std::variant<std::vector<api::Uid>, ClaimStep> judge_consumers(const ClaimSnapshot& snapshot) {
  std::vector<api::Uid> released;
  for (const api::ConsumerReference& consumer : snapshot.claim->reserved_for) {
    Fate fate = fate_of_consumer(snapshot, consumer);
    if (auto* get = std::get_if<GetPod>(&fate)) return ClaimStep(std::move(*get));
    if (auto* get = std::get_if<GetGroup>(&fate)) return ClaimStep(std::move(*get));
    if (auto* error = std::get_if<runtime::Error>(&fate)) {
      return ClaimStep(ClaimFinished(std::move(*error)));
    }
    if (!std::holds_alternative<MayRun>(fate)) released.push_back(consumer.uid);
  }
  return released;
}

// Whether the claim is reserved for one of those that had to be asked for, and were found.
template <class Ptr>
bool has_unseen_consumer(const api::ResourceClaim& claim, const auto& answers) {
  return std::ranges::any_of(answers, [&](const auto& answer) {
    const auto* object = std::get_if<Ptr>(&answer.second);
    if (object == nullptr) return false;
    const api::Uid& uid = (*object)->meta.uid;
    return std::ranges::find(claim.reserved_for, uid, &api::ConsumerReference::uid) !=
           claim.reserved_for.end();
  });
}

// All consumers may run.
ClaimStep keep(const ClaimSnapshot& snapshot) {
  const bool has_unseen = has_unseen_consumer<PodPtr>(*snapshot.claim, snapshot.answers) ||
                          has_unseen_consumer<GroupPtr>(*snapshot.claim, snapshot.group_answers);
  return has_unseen ? ClaimFinished(kLookAgain) : ClaimFinished();
}

ClaimStep release(const ClaimSnapshot& snapshot, std::vector<api::Uid> released) {
  if (snapshot.progress != ClaimSnapshot::Progress::nothing) {
    return ClaimFinished(runtime::Error{runtime::Reason::conflict, "released consumers came back"});
  }
  const api::ResourceClaim& claim = *snapshot.claim;
  const bool is_last = released.size() == claim.reserved_for.size();
  return Release{std::move(released), is_last && claim.has_delete_protection
                                          ? api::Allocation::clear
                                          : api::Allocation::keep};
}

// No consumer is left: deallocate and unprotect what is on its way out. The finalizer of a claim
// that is neither allocated nor being deleted is left alone, unless this round has deallocated it:
// the scheduler sets it before it allocates.
std::optional<ClaimStep> decide_unprotect(const ClaimSnapshot& snapshot) {
  using Progress = ClaimSnapshot::Progress;
  const api::ResourceClaim& claim = *snapshot.claim;
  if (!claim.has_delete_protection || snapshot.progress == Progress::unprotected) {
    return std::nullopt;
  }
  if (claim.is_allocated) {
    const bool may_deallocate =
        claim.meta.is_being_deleted && snapshot.progress == Progress::nothing;
    return may_deallocate ? std::optional<ClaimStep>(Release{{}, api::Allocation::clear})
                          : std::nullopt;
  }
  const bool may_unprotect = claim.meta.is_being_deleted || snapshot.progress == Progress::released;
  return may_unprotect ? std::optional<ClaimStep>(RemoveFinalizer{}) : std::nullopt;
}

// No consumer is left: a claim whose own pod will not run is of no use any more.
ClaimStep decide_delete(const ClaimSnapshot& snapshot) {
  const api::ResourceClaim& claim = *snapshot.claim;
  if (claim.meta.is_being_deleted || !common::has_pod_as_controller(claim)) return ClaimFinished{};
  Fate fate = fate_of_owner(snapshot, *claim.controller);
  if (auto* get = std::get_if<GetPod>(&fate)) return std::move(*get);
  if (auto* error = std::get_if<runtime::Error>(&fate)) return ClaimFinished(std::move(*error));
  if (std::holds_alternative<WillNotRun>(fate)) return DeleteClaim{};
  return ClaimFinished{};
}

}  // namespace

ClaimStep decide_claim(const ClaimSnapshot& snapshot) {
  if (snapshot.claim == nullptr) return ClaimFinished{};
  auto judged = judge_consumers(snapshot);
  if (auto* step = std::get_if<ClaimStep>(&judged)) return std::move(*step);
  auto& released = std::get<std::vector<api::Uid>>(judged);
  if (!released.empty()) return release(snapshot, std::move(released));
  if (!snapshot.claim->reserved_for.empty()) return keep(snapshot);
  if (auto unprotect = decide_unprotect(snapshot)) return *unprotect;
  return decide_delete(snapshot);
}

}  // namespace dcm::resource_claim
