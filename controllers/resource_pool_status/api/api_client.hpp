// The requests of api.hpp by HTTP, as the Kubernetes API has them.
#pragma once

#include "client/request/typed.hpp"
#include "controllers/resource_pool_status/api/api.hpp"
#include "controllers/resource_pool_status/api/read_pools.hpp"

namespace dcm::resource_pool_status {

// Both references must outlive it and its calls.
class ApiClient final : public PoolStatusApi {
 public:
  ApiClient(client::RestClient& rest, const api::Resource& requests,
            const api::Decoder<api::ResourcePoolStatusRequest>& decoder, TaintRules rules)
      : rest_(rest), requests_(rest, requests, decoder), rules_(rules) {}

  Task<Result<PoolInputs>> read(PoolFilter filter) override;
  Task<Result<RequestPtr>> write_status(RequestPtr request, api::PoolStatusAnswer answer) override;
  Task<Result<>> remove(RequestPtr request) override;

 private:
  client::RestClient& rest_;
  client::TypedClient<api::ResourcePoolStatusRequest> requests_;
  TaintRules rules_;
};

}  // namespace dcm::resource_pool_status
