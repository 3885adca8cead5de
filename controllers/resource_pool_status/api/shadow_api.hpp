// The API of a dry run: reads are sent, writes are recorded and then expected in the cache.
#pragma once

#include <array>
#include <functional>

#include "controllers/common/expectations.hpp"
#include "controllers/resource_pool_status/api/api.hpp"

namespace dcm::resource_pool_status {

// The shadow reports the request as gone, so each write is decided once. The numbers in the answer
// are not compared: each manager counts at a different moment.
class ShadowApi final : public PoolStatusApi {
 public:
  static constexpr common::WriteKind kStatus{"patch", "resourcepoolstatusrequests/status"};
  static constexpr common::WriteKind kDelete{"delete", "resourcepoolstatusrequests"};
  static constexpr std::array kWrites{kStatus, kDelete};

  using Find = std::function<RequestPtr(const api::NamespacedName&)>;
  // `reads` sends the reads. References must outlive it, and it must outlive the run of
  // `expectations`.
  ShadowApi(PoolStatusApi& reads, Find find, common::Expectations& expectations)
      : reads_(reads), find_(std::move(find)), expectations_(expectations) {}

  Task<Result<PoolInputs>> read(PoolFilter filter) override {
    return reads_.read(std::move(filter));
  }
  Task<Result<RequestPtr>> write_status(RequestPtr request, api::PoolStatusAnswer answer) override;
  Task<Result<>> remove(RequestPtr request) override;

 private:
  // Null if it is gone.
  RequestPtr find_same(const RequestPtr& request) const;

  PoolStatusApi& reads_;
  Find find_;
  common::Expectations& expectations_;
};

}  // namespace dcm::resource_pool_status
