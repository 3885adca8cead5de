#include "controllers/resource_claim/api/shadow_api.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "controllers/common/explanation.hpp"
#include "controllers/common/pod_claims.hpp"
#include "controllers/resource_claim/explain/describe.hpp"
#include "runtime/overloaded.hpp"

namespace dcm::resource_claim {
namespace {

using common::Standing;
using runtime::Overloaded;
using State = Standing::State;

// "allocated, reserved for trainer-0, trainer-1 and 7 more"
std::string describe_status(const api::ResourceClaim& claim) {
  constexpr std::size_t kNamedMax = 4;
  std::string text = claim.is_allocated ? "allocated" : "not allocated";
  if (claim.reserved_for.empty()) return text + ", not reserved";
  std::vector<std::string> names;
  for (const api::ConsumerReference& consumer : claim.reserved_for) {
    names.push_back(consumer.name.str());
  }
  return text + ", reserved for " + common::enumerate(names, kNamedMax);
}

std::string describe_names(const api::ClaimUser& user, const char* word) {
  std::string text;
  for (const api::PodClaimStatus& status : user.claim_statuses) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", status.name.str(),
                        status.claim_name.value_or("none needed"));
  }
  return text.empty() ? fmt::format("no names in the {}'s status", word) : text;
}

std::string subject(std::string_view what, const api::Uid& uid, const std::string& part = {}) {
  return fmt::format("{} {} {}", what, uid.str(), part);
}

}  // namespace

ShadowApi::ShadowApi(ClaimApi& lookups, Stores stores, common::FeatureGates gates,
                     common::Expectations& expectations)
    : lookups_(lookups), stores_(std::move(stores)), gates_(gates), expectations_(expectations) {}

Task<Result<PodPtr>> ShadowApi::send(PodRequest request, Priority priority) {
  if (const auto* names = std::get_if<ApplyNames<api::Pod>>(&request)) {
    const PodPtr& pod = names->user;
    expect_names(kWriteNames, pod->meta, names->names,
                 [this, pod] { return find_pod(pod->meta.key, pod->meta.uid); });
    co_return common::not_written();
  }
  co_return co_await lookups_.send(std::move(request), priority);
}

Task<Result<GroupPtr>> ShadowApi::send(GroupRequest request, Priority priority) {
  if (const auto* names = std::get_if<ApplyNames<api::PodGroup>>(&request)) {
    const GroupPtr& group = names->user;
    expect_names(kWriteGroupNames, group->meta, names->names,
                 [this, group] { return find_group(group->meta.key, group->meta.uid); });
    co_return common::not_written();
  }
  co_return co_await lookups_.send(std::move(request), priority);
}

Task<Result<ClaimPtr>> ShadowApi::send(ClaimRequest request, Priority priority) {
  if (std::holds_alternative<Get<api::ResourceClaim>>(request)) {
    co_return co_await lookups_.send(std::move(request), priority);
  }
  std::visit(Overloaded{[](const Get<api::ResourceClaim>&) {},
                        [this](const auto& write) { expect(write); }},
             request);
  // This error of a create is neither counted nor repeated.
  if (std::holds_alternative<CreateClaim>(request)) {
    co_return common::not_written(runtime::Reason::shutting_down);
  }
  co_return common::not_written();
}

void ShadowApi::expect(const CreateClaim& claim) {
  const api::NamespacedName owner{claim.claim_template->meta.key.namespace_, claim.owner.name};
  expectations_.expect({.kind = kCreate,
                        .object = owner.str(),
                        .subject = subject("create", claim.owner.uid, claim.pod_claim),
                        .what = fmt::format("a claim for pod claim {}, from template {}",
                                            claim.pod_claim, claim.claim_template->meta.key.name)},
                       [this, owner, claim] {
                         const User user = claim.owner.is_group()
                                               ? find_group(owner, claim.owner.uid)
                                               : find_pod(owner, claim.owner.uid);
                         return standing_of_create(user, claim);
                       });
}

// Requires that the status names the claim: a claim alone wakes no pod.
Standing ShadowApi::standing_of_create(const User& owner, const CreateClaim& claim) const {
  if (owner.now == nullptr) return {State::moot, {}};
  const auto is_made = [owner, pod_claim = claim.pod_claim](const api::ResourceClaim& found) {
    return common::is_owned_by(found, *owner.now) && is_for_pod_claim(found, pod_claim);
  };
  const api::PodClaimStatus* status = common::find_status(*owner.now, claim.pod_claim);
  if (status != nullptr && status->claim_name) {
    const ClaimPtr named =
        stores_.claims.get({owner.now->meta.key.namespace_, *status->claim_name});
    if (named != nullptr && is_made(*named)) return {State::reached, {}};
  }
  if (!owner.may_get_claims) return {State::moot, {}};
  // Anyone may create thousands of claims with this owner: they are not walked every second.
  return {State::not_reached, [this, owner, is_made] {
            std::string made;
            stores_.claims_by_user.for_each(owner.now->meta.uid, [&](const ClaimPtr& used) {
              if (is_made(*used)) made = used->meta.key.name;
            });
            if (made.empty()) return fmt::format("the {} owns no claim for it", owner.word);
            return fmt::format("claim {}, which the {}'s status does not name", made, owner.word);
          }};
}

void ShadowApi::expect_names(const common::WriteKind& kind, const api::ObjectMeta& meta,
                             const std::vector<ClaimName>& names, FindUser find) {
  const auto look = [names, find = std::move(find)]() -> Standing {
    const User user = find();
    if (user.now == nullptr) return {State::moot, {}};
    const bool has_all = std::ranges::all_of(names, [&](const ClaimName& name) {
      const api::PodClaimStatus* status = common::find_status(*user.now, name.pod_claim);
      return status != nullptr && status->claim_name == name.claim;
    });
    if (has_all) return {State::reached, {}};
    if (!user.may_get_claims) return {State::moot, {}};
    return {State::not_reached, [user] { return describe_names(*user.now, user.word); }};
  };
  expectations_.expect({.kind = kind,
                        .object = meta.key.str(),
                        .subject = subject("names", meta.uid),
                        .what = resource_claim::describe(PodStep(WriteNames{names}))},
                       look);
}

void ShadowApi::expect(const Reserve& step) {
  const api::ConsumerReference& consumer = step.consumer;
  expectations_.expect(
      {.kind = kPatchStatus,
       .object = step.claim->meta.key.str(),
       .subject = subject("reserve", step.claim->meta.uid, consumer.uid.str()),
       .what = fmt::format("reserve it for {} {}", consumer.word(), consumer.name)},
      [this, step] { return standing_of_reservation(step); });
}

Standing ShadowApi::standing_of_reservation(const Reserve& step) const {
  const auto& consumer = step.consumer;
  const ClaimPtr now = find_same(step.claim);
  if (now == nullptr) return {State::moot, {}};
  if (common::is_reserved_for(*now, consumer.uid)) return {State::reached, {}};
  const api::NamespacedName key{step.claim->meta.key.namespace_, consumer.name};
  const User user = consumer.is_pod() ? find_pod(key, consumer.uid) : find_group(key, consumer.uid);
  if (!user.may_get_claims || !now->is_allocated || now->meta.is_being_deleted)
    return {State::moot, {}};
  return {State::not_reached, [now] { return describe_status(*now); }};
}

void ShadowApi::expect(const Release& step) {
  std::string words = "release it from " + common::count(step.released.size(), "consumer");
  if (step.allocation == api::Allocation::clear) words += " and deallocate it";
  expectations_.expect({.kind = kPatchStatus,
                        .object = step.claim->meta.key.str(),
                        .subject = subject("release", step.claim->meta.uid),
                        .what = std::move(words)},
                       [this, step] { return standing_of_release(step); });
}

// A claim that is allocated and reserved again was deallocated in between.
Standing ShadowApi::standing_of_release(const Release& step) const {
  const ClaimPtr now = find_same(step.claim);
  if (now == nullptr) return {State::reached, {}};
  const bool is_released = std::ranges::none_of(
      step.released, [&](const api::Uid& uid) { return common::is_reserved_for(*now, uid); });
  const bool is_deallocated =
      step.allocation == api::Allocation::keep || !now->is_allocated || !now->reserved_for.empty();
  if (is_released && is_deallocated) return {State::reached, {}};
  return {State::not_reached, [now] { return describe_status(*now); }};
}

void ShadowApi::expect(const RemoveFinalizer& step) {
  const auto look = [this, claim = step.claim]() -> Standing {
    const ClaimPtr now = find_same(claim);
    if (now == nullptr || !now->has_delete_protection) return {State::reached, {}};
    if (now->is_allocated) return {State::moot, {}};
    return common::not_reached("it has the finalizer");
  };
  expectations_.expect({.kind = kPatch,
                        .object = step.claim->meta.key.str(),
                        .subject = subject("unprotect", step.claim->meta.uid),
                        .what = "remove its delete protection"},
                       look);
}

Task<Result<>> ShadowApi::send(DeleteClaim request, Priority /*priority*/) {
  const ClaimPtr& claim = request.claim;
  const auto look = [this, claim]() -> Standing {
    const ClaimPtr now = find_same(claim);
    if (now == nullptr || now->meta.is_being_deleted) return {State::reached, {}};
    return common::not_reached("it is there");
  };
  expectations_.expect({.kind = kDelete,
                        .object = claim->meta.key.str(),
                        .subject = subject("delete", claim->meta.uid),
                        .what = "delete it: its pod is done"},
                       look);
  co_return common::not_written();
}

ShadowApi::User ShadowApi::find_pod(const api::NamespacedName& key, const api::Uid& uid) const {
  PodPtr pod = stores_.pods.get(key);
  if (pod == nullptr || pod->meta.uid != uid) return {};
  return {.now = pod.get(), .may_get_claims = common::is_active(*pod), .pod = pod};
}

ShadowApi::User ShadowApi::find_group(const api::NamespacedName& key, const api::Uid& uid) const {
  GroupPtr group = stores_.groups ? stores_.groups->groups.get(key) : nullptr;
  if (group == nullptr || group->meta.uid != uid) return {};
  return {.now = group.get(),
          .word = "pod group",
          .may_get_claims = may_get_claims(*group, gates_),
          .group = group};
}

ClaimPtr ShadowApi::find_same(const ClaimPtr& claim) const {
  ClaimPtr now = stores_.claims.get(claim->meta.key);
  return now != nullptr && now->meta.uid == claim->meta.uid ? now : nullptr;
}

}  // namespace dcm::resource_claim
