// The inputs of a pool's status, as read for one request.
#pragma once

#include <vector>

#include "allocation/slice.hpp"
#include "allocation/taints.hpp"
#include "allocation/usage.hpp"
#include "controllers/api/resource_pool_status.hpp"

namespace dcm::resource_pool_status {

using api::InternedString;

// Which pools a request selects.
struct PoolFilter {
  InternedString driver = {};  // empty: every driver
  InternedString pool = {};    // empty: every pool
  // Groups the partitions of pools whose slices name no attribute. Empty if none.
  InternedString partition_attribute = {};

  static PoolFilter of(const api::ResourcePoolStatusRequest& request) {
    return {request.driver, request.pool, request.partition_attribute};
  }
  bool selects(const allocation::Slice& slice) const {
    return (driver.empty() || driver == slice.driver) && (pool.empty() || pool == slice.pool);
  }
};

struct PoolInputs {
  // Slices of any generation, including those of pools that the filter does not select.
  std::vector<allocation::SlicePtr> slices = {};
  allocation::Usage usage = {};
  std::vector<allocation::TaintRule> rules = {};
};

}  // namespace dcm::resource_pool_status
