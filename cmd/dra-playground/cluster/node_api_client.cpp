#include "cmd/dra-playground/cluster/node_api_client.hpp"

namespace dcm::playground {

Task<Result<node::ClaimView>> NodeApiClient::get(node::ClaimKey key) {
  const Result<http::Response> answer =
      co_await api_.get(claims(), {api::InternedString(key.first), key.second});
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
