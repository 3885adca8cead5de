#include "controllers/resource_claim/shadow_api.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "controllers/common/pod_claims.hpp"
#include "controllers/resource_claim/describe.hpp"

namespace dcm::resource_claim {
namespace {

using common::Standing;
using State = Standing::State;

// A create that was never sent: it is not counted, and not repeated.
std::unexpected<runtime::Error> not_created() {
  return runtime::fail(runtime::Reason::shutting_down, "not written: this is a dry run");
}
std::unexpected<runtime::Error> not_written() {
  return runtime::fail(runtime::Reason::object_not_found, "not written: this is a dry run");
}

bool has_uid(const std::vector<api::ConsumerReference>& consumers, const api::Uid& uid) {
  return std::ranges::find(consumers, uid, &api::ConsumerReference::uid) != consumers.end();
}

// "allocated, reserved for trainer-0, trainer-1 and 7 more"
std::string describe_status(const api::ResourceClaim& claim) {
  constexpr std::size_t kNamedMax = 4;
  std::string text = claim.is_allocated ? "allocated" : "not allocated";
  const auto& consumers = claim.reserved_for;
  text += consumers.empty() ? ", not reserved" : ", reserved for ";
  for (std::size_t i = 0; i < std::min(consumers.size(), kNamedMax); ++i) {
    text += (i == 0 ? "" : ", ") + consumers[i].name;
  }
  if (consumers.size() <= kNamedMax) return text;
  return text + fmt::format(" and {} more", consumers.size() - kNamedMax);
}

std::string describe_names(const api::Pod& pod) {
  std::string text;
  for (const api::PodClaimStatus& status : pod.claim_statuses) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", status.name.str(),
                        status.claim_name.value_or("none needed"));
  }
  return text.empty() ? "no names in the pod's status" : text;
}

std::string subject(std::string_view what, const api::Uid& uid, const std::string& part = {}) {
  return fmt::format("{} {} {}", what, uid.str(), part);
}

}  // namespace

ShadowApi::ShadowApi(ClaimApi& lookups, Stores stores, common::Expectations& expectations)
    : lookups_(lookups), stores_(std::move(stores)), expectations_(expectations) {}

Task<Result<PodPtr>> ShadowApi::get_pod(api::NamespacedName pod, Priority priority) {
  return lookups_.get_pod(std::move(pod), priority);
}

Task<Result<ClaimPtr>> ShadowApi::get_claim(api::NamespacedName claim, Priority priority) {
  return lookups_.get_claim(std::move(claim), priority);
}

Task<Result<std::vector<ClaimPtr>>> ShadowApi::list_claims(InternedString namespace_,
                                                           Priority priority) {
  return lookups_.list_claims(std::move(namespace_), priority);
}

Task<Result<ClaimPtr>> ShadowApi::create_claim(InternedString namespace_, CreateClaim claim,
                                               Priority /*priority*/) {
  const api::NamespacedName pod{namespace_, claim.owner.name};
  expectations_.expect({.kind = kCreate,
                        .object = pod.str(),
                        .subject = subject("create", claim.owner.uid, claim.pod_claim),
                        .what = fmt::format("a claim for pod claim {}, from template {}",
                                            claim.pod_claim, claim.claim_template->meta.key.name)},
                       [this, pod, claim] { return standing_of_create(pod, claim); });
  co_return not_created();
}

// Its name in the pod's status belongs to it: the claim alone wakes nobody.
Standing ShadowApi::standing_of_create(const api::NamespacedName& pod,
                                       const CreateClaim& claim) const {
  const PodPtr owner = stores_.pods.get(pod);
  if (owner == nullptr || owner->meta.uid != claim.owner.uid) return {State::moot, {}};
  std::string made;
  stores_.claims_by_owner.for_each(claim.owner.uid, [&](const ClaimPtr& owned) {
    if (owned->pod_claim_name == claim.pod_claim) made = owned->meta.key.name;
  });
  const api::PodClaimStatus* status = common::find_status(*owner, claim.pod_claim);
  if (!made.empty() && status != nullptr && status->claim_name) return {State::reached, {}};
  if (!common::may_get_claims(*owner)) return {State::moot, {}};
  if (made.empty()) return {State::not_reached, "the pod owns no claim for it"};
  return {State::not_reached, "claim " + made + ", which the pod's status does not name"};
}

Task<Result<PodPtr>> ShadowApi::write_names(PodPtr pod, std::vector<ClaimName> names,
                                            Priority /*priority*/) {
  expectations_.expect({.kind = kWriteNames,
                        .object = pod->meta.key.str(),
                        .subject = subject("names", pod->meta.uid),
                        .what = resource_claim::describe(PodStep(WriteNames{names}))},
                       [this, pod, names] { return standing_of_names(pod, names); });
  co_return not_written();
}

Standing ShadowApi::standing_of_names(const PodPtr& pod,
                                      const std::vector<ClaimName>& names) const {
  const PodPtr now = find_same(pod);
  if (now == nullptr) return {State::moot, {}};
  const bool has_all = std::ranges::all_of(names, [&](const ClaimName& name) {
    const api::PodClaimStatus* status = common::find_status(*now, name.pod_claim);
    return status != nullptr && status->claim_name == name.claim;
  });
  if (has_all) return {State::reached, {}};
  if (!common::may_get_claims(*now)) return {State::moot, {}};
  return {State::not_reached, describe_names(*now)};
}

Task<Result<ClaimPtr>> ShadowApi::reserve(ClaimPtr claim, api::ConsumerReference consumer,
                                          Priority /*priority*/) {
  expectations_.expect(
      {.kind = kPatchStatus,
       .object = claim->meta.key.str(),
       .subject = subject("reserve", claim->meta.uid, consumer.uid.str()),
       .what = fmt::format("reserve it for pod {}", consumer.name)},
      [this, claim, consumer] { return standing_of_reservation(claim, consumer); });
  co_return not_written();
}

Standing ShadowApi::standing_of_reservation(const ClaimPtr& claim,
                                            const api::ConsumerReference& consumer) const {
  const ClaimPtr now = find_same(claim);
  if (now == nullptr) return {State::moot, {}};
  if (has_uid(now->reserved_for, consumer.uid)) return {State::reached, {}};
  const PodPtr pod = stores_.pods.get({claim->meta.key.namespace_, consumer.name});
  const bool wants_it =
      pod != nullptr && pod->meta.uid == consumer.uid && common::may_get_claims(*pod);
  if (!wants_it || !now->is_allocated || now->meta.is_being_deleted) return {State::moot, {}};
  return {State::not_reached, describe_status(*now)};
}

Task<Result<ClaimPtr>> ShadowApi::release(ClaimPtr claim, Release what, Priority /*priority*/) {
  const std::size_t count = what.released.size();
  std::string words = fmt::format("release it from {} consumer{}", count, count == 1 ? "" : "s");
  if (what.allocation == api::Allocation::clear) words += " and deallocate it";
  expectations_.expect({.kind = kPatchStatus,
                        .object = claim->meta.key.str(),
                        .subject = subject("release", claim->meta.uid),
                        .what = std::move(words)},
                       [this, claim, what] { return standing_of_release(claim, what); });
  co_return not_written();
}

// A claim that is allocated and reserved again was deallocated in between.
Standing ShadowApi::standing_of_release(const ClaimPtr& claim, const Release& what) const {
  const ClaimPtr now = find_same(claim);
  if (now == nullptr) return {State::reached, {}};
  const bool is_released = std::ranges::none_of(
      what.released, [&](const api::Uid& uid) { return has_uid(now->reserved_for, uid); });
  const bool is_deallocated =
      what.allocation == api::Allocation::keep || !now->is_allocated || !now->reserved_for.empty();
  if (is_released && is_deallocated) return {State::reached, {}};
  return {State::not_reached, describe_status(*now)};
}

Task<Result<ClaimPtr>> ShadowApi::remove_finalizer(ClaimPtr claim, Priority /*priority*/) {
  const auto look = [this, claim]() -> Standing {
    const ClaimPtr now = find_same(claim);
    if (now == nullptr || !now->has_delete_protection) return {State::reached, {}};
    if (now->is_allocated) return {State::moot, {}};
    return {State::not_reached, "it has the finalizer"};
  };
  expectations_.expect({.kind = kPatch,
                        .object = claim->meta.key.str(),
                        .subject = subject("unprotect", claim->meta.uid),
                        .what = "remove its delete protection"},
                       look);
  co_return not_written();
}

Task<Result<>> ShadowApi::delete_claim(ClaimPtr claim, Priority /*priority*/) {
  const auto look = [this, claim]() -> Standing {
    const ClaimPtr now = find_same(claim);
    if (now == nullptr || now->meta.is_being_deleted) return {State::reached, {}};
    return {State::not_reached, "it is there"};
  };
  expectations_.expect({.kind = kDelete,
                        .object = claim->meta.key.str(),
                        .subject = subject("delete", claim->meta.uid),
                        .what = "delete it: its pod is done"},
                       look);
  co_return not_written();
}

PodPtr ShadowApi::find_same(const PodPtr& pod) const {
  PodPtr now = stores_.pods.get(pod->meta.key);
  return now != nullptr && now->meta.uid == pod->meta.uid ? now : nullptr;
}

ClaimPtr ShadowApi::find_same(const ClaimPtr& claim) const {
  ClaimPtr now = stores_.claims.get(claim->meta.key);
  return now != nullptr && now->meta.uid == claim->meta.uid ? now : nullptr;
}

}  // namespace dcm::resource_claim
