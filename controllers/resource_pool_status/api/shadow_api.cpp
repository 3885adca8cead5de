#include "controllers/resource_pool_status/api/shadow_api.hpp"

#include <utility>

namespace dcm::resource_pool_status {

using common::Standing;
using State = Standing::State;

RequestPtr ShadowApi::find_same(const RequestPtr& request) const {
  RequestPtr found = find_(request->meta.key);
  return found && found->meta.uid == request->meta.uid ? found : nullptr;
}

Task<Result<RequestPtr>> ShadowApi::write_status(RequestPtr request, api::PoolStatusAnswer answer) {
  expectations_.expect({.kind = kStatus,
                        .object = request->meta.key.name.str(),
                        .subject = "status " + request->meta.uid.str(),
                        .what = std::move(answer.message)},
                       [this, request]() -> Standing {
                         const RequestPtr found = find_same(request);
                         if (!found) return {State::moot, {}};
                         if (found->has_status) return {State::reached, {}};
                         return common::not_reached("no status");
                       });
  co_return common::not_written();
}

Task<Result<>> ShadowApi::remove(RequestPtr request) {
  expectations_.expect({.kind = kDelete,
                        .object = request->meta.key.name.str(),
                        .subject = "delete " + request->meta.uid.str(),
                        .what = "delete it: it has been kept long enough"},
                       [this, request]() -> Standing {
                         const RequestPtr found = find_same(request);
                         const bool is_going = !found || found->meta.is_being_deleted;
                         if (is_going) return {State::reached, {}};
                         return common::not_reached("the request is there");
                       });
  co_return common::not_written();
}

}  // namespace dcm::resource_pool_status
