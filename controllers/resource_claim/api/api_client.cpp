#include "controllers/resource_claim/api/api_client.hpp"

#include <algorithm>
#include <iterator>

#include "client/api/encode.hpp"
#include "controllers/api/encode_claim.hpp"

namespace dcm::resource_claim {
namespace {

// Owns the entries of status.resourceClaimStatuses, as in kube-controller-manager: with the same
// name we take over what it applied.
constexpr const char* kNamesFieldManager = "ResourceClaimController";

client::CallOptions call(Priority priority) {
  return {
      .priority = priority == Priority::live ? client::Priority::live : client::Priority::backlog,
      .retries = client::Retries::unanswered};
}

template <class T>
Result<api::ObjectPtr<T>> object_of(Result<api::Decoded<T>> answer) {
  if (!answer) return runtime::fail(std::move(answer.error()));
  return std::move(answer->object);
}

std::vector<api::ClaimNameEntry> entries_of(const std::vector<ClaimName>& names) {
  std::vector<api::ClaimNameEntry> entries;
  std::ranges::transform(names, std::back_inserter(entries), [](const ClaimName& name) {
    return api::ClaimNameEntry{name.pod_claim, name.claim};
  });
  return entries;
}

std::unexpected<runtime::Error> no_groups() {
  return runtime::fail(runtime::Reason::not_served, "the API server serves no pod groups");
}

}  // namespace

Task<Result<PodPtr>> ApiClient::get_pod(api::NamespacedName pod, Priority priority) {
  auto answer = co_await pods_.get(std::move(pod), call(priority));
  co_return object_of(std::move(answer));
}

Task<Result<GroupPtr>> ApiClient::get_group(api::NamespacedName group, Priority priority) {
  if (!groups_) co_return no_groups();
  auto answer = co_await groups_->get(std::move(group), call(priority));
  co_return object_of(std::move(answer));
}

Task<Result<ClaimPtr>> ApiClient::get_claim(api::NamespacedName claim, Priority priority) {
  auto answer = co_await claims_.get(std::move(claim), call(priority));
  co_return object_of(std::move(answer));
}

Task<Result<ClaimPtr>> ApiClient::create_claim(InternedString namespace_, CreateClaim claim,
                                               Priority priority) {
  auto loan = co_await templates_.borrow(claim.claim_template, call(priority));
  if (!loan) co_return runtime::fail(std::move(loan.error()));
  api::Encoded body = api::encode_claim(claims_.resource(), *loan->claim_template, claim.name,
                                        claim.generate_name, claim.pod_claim, claim.owner);
  loan->claim_template.reset();
  auto answer = co_await claims_.create(namespace_.str(), std::move(body), call(priority));
  co_return object_of(std::move(answer));
}

Task<Result<PodPtr>> ApiClient::write_names(PodPtr pod, std::vector<ClaimName> names,
                                            Priority priority) {
  std::string body =
      api::encode_claim_names("v1", "Pod", pod->meta.key, pod->meta.uid, entries_of(names));
  auto answer = co_await pods_.apply(pod->meta.key, "status", kNamesFieldManager, std::move(body),
                                     call(priority));
  co_return object_of(std::move(answer));
}

Task<Result<GroupPtr>> ApiClient::write_group_names(GroupPtr group, std::vector<ClaimName> names,
                                                    Priority priority) {
  if (!groups_) co_return no_groups();
  const api::Resource& resource = groups_->resource();
  std::string body = api::encode_claim_names(resource.api_version(), resource.kind->kind,
                                             group->meta.key, group->meta.uid, entries_of(names));
  auto answer = co_await groups_->apply(group->meta.key, "status", kNamesFieldManager,
                                        std::move(body), call(priority));
  co_return object_of(std::move(answer));
}

Task<Result<ClaimPtr>> ApiClient::reserve(ClaimPtr claim, api::ConsumerReference consumer,
                                          Priority priority) {
  auto answer = co_await claims_.strategic_merge_patch(
      claim->meta.key, "status", api::encode_reserve(claim->meta, consumer), call(priority));
  co_return object_of(std::move(answer));
}

Task<Result<ClaimPtr>> ApiClient::release(ClaimPtr claim, Release what, Priority priority) {
  auto answer = co_await claims_.strategic_merge_patch(
      claim->meta.key, "status", api::encode_release(claim->meta, what.released, what.allocation),
      call(priority));
  co_return object_of(std::move(answer));
}

Task<Result<ClaimPtr>> ApiClient::remove_finalizer(ClaimPtr claim, Priority priority) {
  const api::ObjectMeta& meta = claim->meta;
  auto answer = co_await claims_.strategic_merge_patch(
      meta.key, "",
      api::encode_remove_finalizer(meta.uid, meta.resource_version,
                                   api::kDeleteProtectionFinalizer),
      call(priority));
  co_return object_of(std::move(answer));
}

Task<Result<>> ApiClient::delete_claim(ClaimPtr claim, Priority priority) {
  auto answer = co_await claims_.remove(
      claim->meta.key, api::encode_delete_options(claim->meta.uid), call(priority));
  co_return answer;
}

}  // namespace dcm::resource_claim
