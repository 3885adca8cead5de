#include "controllers/api/encode_pool_status.hpp"

#include <boost/json.hpp>

#include "client/api/encode_conditions.hpp"

namespace dcm::api {
namespace {

using boost::json::array;
using boost::json::object;

array encode(const std::vector<PartitionTypeStatus>& partitions) {
  array list;
  for (const PartitionTypeStatus& partition : partitions) {
    list.push_back(object{{"attribute", partition.attribute},
                          {"type", partition.type},
                          {"total", partition.total},
                          {"allocatable", partition.allocatable}});
  }
  return list;
}

object encode(const ShareableStatus& shareable) {
  array capacity;
  for (const ShareableCapacityStatus& each : shareable.capacity) {
    capacity.push_back(object{{"name", each.name},
                              {"total", each.total},
                              {"consumed", each.consumed},
                              {"available", each.available}});
  }
  object result{{"fullyAvailableDevices", shareable.fully_available},
                {"partiallyAvailableDevices", shareable.partially_available}};
  if (!capacity.empty()) result["capacity"] = std::move(capacity);
  return result;
}

void add(const DeviceTotals& totals, object& pool) {
  pool["resourceSliceCount"] = totals.slices;
  pool["totalDevices"] = totals.total;
  pool["allocatedDevices"] = totals.allocated;
  pool["availableDevices"] = totals.available;
  pool["unavailableDevices"] = totals.unavailable;
}

object encode(const PoolStatus& pool) {
  object result{{"driver", pool.driver.str()},
                {"poolName", pool.pool.str()},
                {"generation", pool.generation}};
  if (!pool.node.empty()) result["nodeName"] = pool.node.str();
  if (pool.totals) add(*pool.totals, result);
  if (!pool.partitions.empty()) result["partitionSummary"] = encode(pool.partitions);
  if (pool.shareable) result["shareableSummary"] = encode(*pool.shareable);
  if (!pool.validation_error.empty()) result["validationError"] = pool.validation_error;
  return result;
}

array encode_all(std::span<const PoolStatus> pools) {
  array list;
  for (const PoolStatus& pool : pools) list.push_back(encode(pool));
  return list;
}

Condition condition_of(const PoolStatusAnswer& answer) {
  const bool is_complete = answer.condition == kPoolStatusComplete;
  return {.type = std::string(answer.condition),
          .status = "True",
          .reason = is_complete ? "CalculationComplete" : "CalculationFailed",
          .message = answer.message,
          .last_transition_time = answer.time};
}

}  // namespace

std::string encode_pool_status(const ObjectMeta& request, const PoolStatusAnswer& answer) {
  object status{{"poolCount", answer.pool_count},
                {"conditions", encode_conditions({condition_of(answer)})}};
  if (!answer.pools.empty()) status["pools"] = encode_all(answer.pools);
  return boost::json::serialize(object{
      {"metadata",
       object{{"uid", request.uid.str()}, {"resourceVersion", request.resource_version.str()}}},
      {"status", std::move(status)}});
}

std::string encode_pools(std::span<const PoolStatus> pools) {
  return boost::json::serialize(encode_all(pools));
}

}  // namespace dcm::api
