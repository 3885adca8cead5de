#include "playground/cluster/owner_gc.hpp"

#include "client/api/encode.hpp"
#include "controllers/common/pod_claims.hpp"

namespace dcm::playground {
namespace {

constexpr std::size_t kWorkers = 16;

}  // namespace

OwnerGc::OwnerGc(Process process, Api& api, Caches& caches)
    : api_(api),
      caches_(caches),
      by_owner_(caches.claims.informer().add_index<api::Uid>(
          [](const Claim& claim, const informers::Emit<api::Uid>& emit) {
            if (common::has_pod_as_controller(claim)) emit(claim.controller->uid);
          })),
      work_("owner_gc", kWorkers, process),
      on_pod_([this](const auto& before, const auto& after) {
        if (after) return;
        by_owner_.for_each(before->meta.uid, [this](const api::ObjectPtr<Claim>& claim) {
          work_.add(claim->meta.key);
        });
      }),
      on_claim_([this](const auto& before, const auto& after) {
        if (!before && common::has_pod_as_controller(*after)) work_.add(after->meta.key);
      }) {
  caches_.pods.informer().add_observer(on_pod_);
  caches_.claims.informer().add_observer(on_claim_);
}

Task<> OwnerGc::run() {
  return work_.run([this](api::NamespacedName name) { return handle(std::move(name)); });
}

Task<Outcome> OwnerGc::handle(api::NamespacedName name) {
  const api::ObjectPtr<Claim> claim = caches_.claims.get(name);
  if (!claim || claim->meta.is_being_deleted || !common::has_pod_as_controller(*claim)) {
    co_return Outcome::done();
  }
  const auto pod = caches_.pods.get({name.namespace_, claim->controller->name});
  if (pod && pod->meta.uid == claim->controller->uid) co_return Outcome::done();
  const Result<bool> is_there = co_await is_owner_there(claim);
  if (!is_there) co_return Outcome::retry();
  if (*is_there) co_return Outcome::done();
  const Result<http::Response> answer =
      co_await api_.remove(claims(), name, api::encode_delete_options(claim->meta.uid));
  const bool is_settled = answer || runtime::is_object_gone(answer.error());
  co_return is_settled ? Outcome::done() : Outcome::retry();
}

Task<Result<bool>> OwnerGc::is_owner_there(api::ObjectPtr<Claim> claim) {
  const Result<http::Response> answer =
      co_await api_.get(pods(), {claim->meta.key.namespace_, claim->controller->name});
  const auto pod = decode(answer, caches_.pods.decoder());
  if (pod) co_return (*pod)->meta.uid == claim->controller->uid;
  if (runtime::is_not_found(pod.error())) co_return false;
  co_return runtime::fail(pod.error());
}

}  // namespace dcm::playground
