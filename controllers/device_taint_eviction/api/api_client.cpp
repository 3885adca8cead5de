#include "controllers/device_taint_eviction/api/api_client.hpp"

#include <string_view>
#include <utility>

#include "client/api/encode.hpp"
#include "client/request/request.hpp"
#include "controllers/api/decoders.hpp"
#include "runtime/overloaded.hpp"

namespace dcm::device_taint_eviction {
namespace {

using runtime::Overloaded;

// The field manager of kube-controller-manager's controller, whose entries we take over by using
// the same name.
constexpr std::string_view kFieldManager = "device-taint-eviction-controller";

client::CallOptions options_of(Priority priority) {
  return {.priority = priority == Priority::live ? client::PriorityLevel::live
                                                 : client::PriorityLevel::backlog,
          .retries = client::Retries::none};
}

}  // namespace

ApiClient::ApiClient(client::RestClient& rest, api::Resource pods, api::Format format)
    : rest_(rest),
      pod_decoder_(api::make_pod_decoder(format)),
      pods_(rest, std::move(pods), *pod_decoder_),
      rule_decoder_(api::make_rule_decoder(format)) {}

void ApiClient::use_rules(api::Resource rules) {
  rules_.emplace(rest_, std::move(rules), *rule_decoder_);
}

Task<Result<api::Decoded<api::Pod>>> ApiClient::mark(PodRef pod, Mark mark, Priority priority) {
  return pods_.strategic_merge_patch(
      pod.key, "status", api::encode_disruption_target(pod.uid, mark.now, mark.transition),
      options_of(priority));
}

Task<Result<>> ApiClient::write(PodRef pod, PodWrite what, Priority priority) {
  const client::CallOptions options = options_of(priority);
  const auto request = std::visit(
      Overloaded{[&](Remove) {
                   return client::delete_request(pods_.resource(), pod.key,
                                                 api::encode_delete_options(pod.uid), options);
                 },
                 [&](Evict) {
                   return client::create_subresource_request(pods_.resource(), pod.key, "eviction",
                                                             api::encode_eviction(pod.key, pod.uid),
                                                             options);
                 }},
      what);
  const Result<http::Response> answer = co_await rest_.send(request);
  if (!answer) co_return runtime::fail(answer.error());
  co_return Result<>();
}

Task<Result<RulePtr>> ApiClient::write_condition(RulePtr rule, api::Condition condition,
                                                 Priority priority) {
  if (!rules_) co_return runtime::fail(runtime::Reason::not_served, "no DeviceTaintRules here");
  std::string body = api::encode_rule_condition(rules_->resource(), rule->meta, condition);
  Result<api::Decoded<api::DeviceTaintRule>> written = co_await rules_->apply(
      rule->meta.key, "status", std::string(kFieldManager), std::move(body), options_of(priority));
  if (!written) co_return runtime::fail(written.error());
  co_return written->object;
}

}  // namespace dcm::device_taint_eviction
