// The node agent's requests, sent like the playground's own.
#pragma once

#include "controllers/api/decoders.hpp"
#include "node/agent/node_api.hpp"
#include "playground/objects/api.hpp"
#include "runtime/time.hpp"

namespace dcm::playground {

class NodeApiClient final : public node::NodeApi {
 public:
  // Both must outlive it.
  NodeApiClient(Api& api, runtime::TimeSource& time) : api_(api), time_(time) {}

  Task<Result<node::ClaimView>> get(api::NamespacedName key) override;
  Task<Result<>> delete_slices(std::string field_selector) override;

 private:
  Api& api_;
  runtime::TimeSource& time_;
  std::unique_ptr<api::Decoder<api::ResourceClaim>> decoder_ = api::make_json_claim_decoder("v1");
};

}  // namespace dcm::playground
