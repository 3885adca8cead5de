// The requests of api.hpp over HTTP.
#pragma once

#include "client/request/typed.hpp"
#include "controllers/resource_pool_status/api/api.hpp"
#include "controllers/resource_pool_status/api/read_pools.hpp"

namespace dcm::resource_pool_status {

// All references must outlive it and its calls. The version of `requests` may be set later, before
// the first write.
class ApiClient final : public PoolStatusApi {
 public:
  ApiClient(client::RestClient& rest, const api::Resource& requests,
            const api::Decoder<api::ResourcePoolStatusRequest>& decoder, TaintRules rules)
      : rest_(rest), requests_(requests), decoder_(decoder), rules_(rules) {}

  Task<Result<PoolInputs>> read(PoolFilter filter) override;
  Task<Result<RequestPtr>> write_status(RequestPtr request, api::PoolStatusAnswer answer) override;
  Task<Result<>> remove(RequestPtr request) override;

 private:
  using Requests = client::TypedClient<api::ResourcePoolStatusRequest>;
  Requests requests() { return {rest_, requests_, decoder_}; }

  client::RestClient& rest_;
  const api::Resource& requests_;
  const api::Decoder<api::ResourcePoolStatusRequest>& decoder_;
  TaintRules rules_;
};

}  // namespace dcm::resource_pool_status
