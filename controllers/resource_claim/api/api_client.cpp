#include "controllers/resource_claim/api/api_client.hpp"

#include <algorithm>
#include <iterator>

#include "client/api/encode.hpp"
#include "controllers/api/encode_claim.hpp"
#include "runtime/overloaded.hpp"

namespace dcm::resource_claim {
namespace {

using runtime::Overloaded;

// Owns the entries of status.resourceClaimStatuses, as in kube-controller-manager: using the same
// name, we take over what it applied.
constexpr const char* kNamesFieldManager = "ResourceClaimController";

client::CallOptions call(Priority priority) {
  return {.priority = priority == Priority::live ? client::PriorityLevel::live
                                                 : client::PriorityLevel::backlog,
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

template <class User>
Task<Result<api::ObjectPtr<User>>> send_about(client::TypedClient<User>& users,
                                              UserRequest<User> request,
                                              client::CallOptions options) {
  auto sent = std::visit(
      Overloaded{
          [&](Get<User>& get) { return users.get(std::move(get.key), options); },
          [&](const ApplyNames<User>& apply) {
            const api::ObjectMeta& meta = apply.user->meta;
            const api::Resource& resource = users.resource();
            std::string body = api::encode_claim_names(resource.api_version(), resource.kind->kind,
                                                       meta.key, meta.uid, entries_of(apply.names));
            return users.apply(meta.key, "status", kNamesFieldManager, std::move(body), options);
          }},
      request);
  auto answer = co_await std::move(sent);
  co_return object_of(std::move(answer));
}

}  // namespace

Task<Result<PodPtr>> ApiClient::send(PodRequest request, Priority priority) {
  return send_about(pods_, std::move(request), call(priority));
}

Task<Result<GroupPtr>> ApiClient::send(GroupRequest request, Priority priority) {
  if (!groups_) {
    co_return runtime::fail(runtime::Reason::not_served, "the API server serves no pod groups");
  }
  co_return co_await send_about(*groups_, std::move(request), call(priority));
}

Task<Result<ClaimPtr>> ApiClient::send(ClaimRequest request, Priority priority) {
  const client::CallOptions options = call(priority);
  auto sent = std::visit(
      Overloaded{
          [&](Get<api::ResourceClaim>& get) { return claims_.get(std::move(get.key), options); },
          [&](CreateClaim& claim) { return create(std::move(claim), options); },
          [&](const Reserve& step) {
            return patch(step.claim, "status", api::encode_reserve(step.claim->meta, step.consumer),
                         options);
          },
          [&](const Release& step) {
            return patch(step.claim, "status",
                         api::encode_release(step.claim->meta, step.released, step.allocation),
                         options);
          },
          [&](const RemoveFinalizer& step) {
            const api::ObjectMeta& meta = step.claim->meta;
            return patch(step.claim, "",
                         api::encode_remove_finalizer(meta.uid, meta.resource_version,
                                                      api::kDeleteProtectionFinalizer),
                         options);
          }},
      request);
  auto answer = co_await std::move(sent);
  co_return object_of(std::move(answer));
}

Task<Result<>> ApiClient::send(DeleteClaim request, Priority priority) {
  const api::ObjectMeta& meta = request.claim->meta;
  const auto removed =
      co_await claims_.remove(meta.key, api::encode_delete_options(meta.uid), call(priority));
  if (!removed) co_return runtime::fail(removed.error());
  co_return Result<>();
}

Task<ApiClient::DecodedClaim> ApiClient::create(CreateClaim claim, client::CallOptions options) {
  auto loan = co_await templates_.borrow(claim.claim_template, options);
  if (!loan) co_return runtime::fail(std::move(loan.error()));
  api::Encoded body = api::encode_claim(claims_.resource(), *loan->claim_template, claim.name,
                                        claim.generate_name, claim.pod_claim, claim.owner);
  const std::string namespace_ = claim.claim_template->meta.key.namespace_.str();
  loan->claim_template = nullptr;
  co_return co_await claims_.create(namespace_, std::move(body), options);
}

Task<ApiClient::DecodedClaim> ApiClient::patch(const ClaimPtr& claim, std::string subresource,
                                               std::string body, client::CallOptions options) {
  return claims_.strategic_merge_patch(claim->meta.key, std::move(subresource), std::move(body),
                                       options);
}

}  // namespace dcm::resource_claim
