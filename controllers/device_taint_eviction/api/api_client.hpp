// The requests of api.hpp as HTTP requests of the Kubernetes API.
#pragma once

#include <memory>
#include <optional>

#include "client/api/decoder.hpp"
#include "client/api/resource.hpp"
#include "client/request/rest_client.hpp"
#include "client/request/typed.hpp"
#include "controllers/device_taint_eviction/api/api.hpp"

namespace dcm::device_taint_eviction {

// `rest` must outlive it and its calls.
class ApiClient final : public EvictionApi {
 public:
  ApiClient(client::RestClient& rest, api::Resource pods, api::Format format = api::Format::json);

  // The discovered version of DeviceTaintRules. Before it is set, no rule is known, and no
  // condition is written. Must not change during such a write.
  void use_rules(api::Resource rules);

  Task<Result<api::Decoded<api::Pod>>> mark(PodRef pod, Mark mark, Priority priority) override;
  Task<Result<>> write(PodRef pod, PodWrite what, Priority priority) override;
  Task<Result<RulePtr>> write_condition(RulePtr rule, api::Condition condition,
                                        Priority priority) override;

 private:
  client::RestClient& rest_;
  std::unique_ptr<api::Decoder<api::Pod>> pod_decoder_;
  client::TypedClient<api::Pod> pods_;
  std::unique_ptr<api::Decoder<api::DeviceTaintRule>> rule_decoder_;
  std::optional<client::TypedClient<api::DeviceTaintRule>> rules_;
};

}  // namespace dcm::device_taint_eviction
