#include "playground/cluster/node_api_client.hpp"

#include <chrono>

namespace dcm::playground {
namespace {

using namespace std::chrono_literals;

// The API server's Node authorizer lets a node read the claims of its pods, which it knows from a
// watch: a node that is faster than this watch is refused. kubelet is slower.
bool may_not_know_the_pod_yet(const Result<http::Response>& answer) {
  return !answer && answer.error().reason == runtime::Reason::forbidden &&
         answer.error().message.contains("no relationship found");
}

}  // namespace

Task<Result<node::ClaimView>> NodeApiClient::get(api::NamespacedName key) {
  Result<http::Response> answer = co_await api_.get(claims(), key);
  constexpr runtime::Backoff kWait{100ms, 2s};
  for (runtime::Duration wait = kWait.first; wait < kWait.most && may_not_know_the_pod_yet(answer);
       wait = kWait.after(wait)) {
    co_await runtime::sleep_for(time_, wait);
    answer = co_await api_.get(claims(), key);
  }
  Result<api::ObjectPtr<api::ResourceClaim>> claim = decode(answer, *decoder_);
  if (!claim) co_return runtime::fail(claim.error());
  co_return node::ClaimView{.claim = *std::move(claim),
                            .results = node::allocation_results(answer->body)};
}

Task<Result<>> NodeApiClient::delete_slices(std::string field_selector) {
  const Result<http::Response> answer = co_await api_.remove_all(
      client::make_target(slices().path(), {{"fieldSelector", field_selector}}));
  if (!answer && !runtime::is_not_found(answer.error())) co_return runtime::fail(answer.error());
  co_return Result<>();
}

}  // namespace dcm::playground
