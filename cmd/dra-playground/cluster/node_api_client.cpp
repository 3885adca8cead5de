#include "cmd/dra-playground/cluster/node_api_client.hpp"

#include <boost/json/parse.hpp>

namespace dcm::playground {
namespace {

namespace json = boost::json;

std::string text_of(const json::object& object, std::string_view key) {
  const json::value* const text = object.if_contains(key);
  return text != nullptr && text->is_string() ? std::string(text->as_string()) : std::string();
}

node::AllocationResult read_result(const json::object& result) {
  node::AllocationResult read{.device = {text_of(result, "driver"), text_of(result, "pool"),
                                         text_of(result, "device"), text_of(result, "shareID")}};
  const json::value* const skipped = result.if_contains("skipNodeOperations");
  if (skipped == nullptr || !skipped->is_array()) return read;
  for (const json::value& operation : skipped->get_array()) {
    if (operation.is_string()) read.skip_operations.emplace_back(operation.get_string());
  }
  return read;
}

// status.allocation.devices.results
std::vector<node::AllocationResult> results_of(std::string_view claim) {
  std::vector<node::AllocationResult> results;
  boost::system::error_code problem;
  const json::value whole = json::parse(claim, problem);
  const json::value* const list = whole.find_pointer("/status/allocation/devices/results", problem);
  if (list == nullptr || !list->is_array()) return results;
  for (const json::value& result : list->get_array()) {
    if (result.is_object()) results.push_back(read_result(result.get_object()));
  }
  return results;
}

}  // namespace

Task<Result<node::ClaimView>> NodeApiClient::get(node::ClaimKey key) {
  const Result<http::Response> answer =
      co_await api_.get(claims(), {api::InternedString(key.first), key.second});
  Result<api::ObjectPtr<api::ResourceClaim>> claim = decode(answer, *decoder_);
  if (!claim) co_return runtime::fail(claim.error());
  co_return node::ClaimView{.claim = *std::move(claim), .results = results_of(answer->body)};
}

Task<Result<>> NodeApiClient::delete_slices(std::string field_selector) {
  const Result<http::Response> answer = co_await api_.remove_all(
      client::make_target(slices().path(), {{"fieldSelector", field_selector}}));
  if (!answer && !runtime::is_not_found(answer.error())) co_return runtime::fail(answer.error());
  co_return Result<>();
}

}  // namespace dcm::playground
