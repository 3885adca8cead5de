// The controller's requests to the API server.
#pragma once

#include "controllers/resource_pool_status/rules/pool_inputs.hpp"
#include "runtime/error.hpp"
#include "runtime/task.hpp"

namespace dcm::resource_pool_status {

using RequestPtr = api::PoolStatusRequestPtr;
using runtime::Result;
using runtime::Task;

// Nobody's pod waits for any of this, so it is sent behind the other controllers' requests. Writes
// are sent once: after a failure, a new decision follows.
class PoolStatusApi {
 public:
  virtual ~PoolStatusApi() = default;

  virtual Task<Result<PoolInputs>> read(PoolFilter filter) = 0;
  // Only on the version of the request that is given: is_conflict if it has changed. Gives the
  // request as it is then, never null.
  virtual Task<Result<RequestPtr>> write_status(RequestPtr request,
                                                api::PoolStatusAnswer answer) = 0;
  // Of this very request, by its UID.
  virtual Task<Result<>> remove(RequestPtr request) = 0;
};

}  // namespace dcm::resource_pool_status
