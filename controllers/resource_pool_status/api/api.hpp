// The controller's requests to the API server.
#pragma once

#include "controllers/resource_pool_status/rules/pool_inputs.hpp"
#include "runtime/error.hpp"
#include "runtime/task.hpp"

namespace dcm::resource_pool_status {

using RequestPtr = api::PoolStatusRequestPtr;
using runtime::Result;
using runtime::Task;

// No pod waits for this, so it is sent after the other controllers' requests. Writes are sent once:
// after a failure, a new decision follows.
class PoolStatusApi {
 public:
  virtual ~PoolStatusApi() = default;

  virtual Task<Result<PoolInputs>> read(PoolFilter filter) = 0;
  // Requires the given version of the request: is_conflict if it has changed. Returns the request
  // after the write, never null.
  virtual Task<Result<RequestPtr>> write_status(RequestPtr request,
                                                api::PoolStatusAnswer answer) = 0;
  // Deletes exactly this request, by its UID.
  virtual Task<Result<>> remove(RequestPtr request) = 0;
};

}  // namespace dcm::resource_pool_status
