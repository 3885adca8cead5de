#include "controllers/resource_pool_status/api/api_client.hpp"

#include <utility>

#include "client/api/encode.hpp"
#include "controllers/api/encode_pool_status.hpp"

namespace dcm::resource_pool_status {
namespace {

constexpr client::CallOptions kOptions{.priority = client::PriorityLevel::backlog,
                                       .retries = client::Retries::none};

}  // namespace

Task<Result<PoolInputs>> ApiClient::read(PoolFilter filter) {
  return read_pools(rest_, std::move(filter), rules_, kOptions);
}

Task<Result<RequestPtr>> ApiClient::write_status(RequestPtr request, api::PoolStatusAnswer answer) {
  Requests typed = requests();
  auto written = co_await typed.merge_patch(
      request->meta.key, "status", api::encode_pool_status(request->meta, answer), kOptions);
  if (!written) co_return runtime::fail(written.error());
  co_return written->object;
}

Task<Result<>> ApiClient::remove(RequestPtr request) {
  Requests typed = requests();
  const auto removed = co_await typed.remove(
      request->meta.key, api::encode_delete_options(request->meta.uid), kOptions);
  if (!removed) co_return runtime::fail(removed.error());
  co_return Result<>();
}

}  // namespace dcm::resource_pool_status
