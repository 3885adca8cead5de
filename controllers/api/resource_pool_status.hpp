// resource.k8s.io ResourcePoolStatusRequest (KEP-5677): asks how many devices the pools of a driver
// have; its status has the answer. Cluster-scoped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/api/meta.hpp"
#include "client/api/object_ptr.hpp"
#include "runtime/time.hpp"

namespace dcm::api {

// ---- the request --------------------------------------------------------------------------------

struct ResourcePoolStatusRequest {
  // The value that the API server fills in for a missing spec.limit.
  static constexpr std::int64_t kLimitDefault = 100;

  ObjectMeta meta;
  std::optional<runtime::WallTime> created;
  InternedString driver;
  InternedString pool;                 // empty: all pools of the driver
  InternedString partition_attribute;  // empty: only slices say how partitions are grouped
  std::int64_t limit = kLimitDefault;  // pools in the answer
  // A request with a status is never answered again.
  bool has_status = false;
  // When its condition became Complete or Failed. nullopt: no such condition.
  std::optional<runtime::WallTime> answered;
};
using PoolStatusRequestPtr = ObjectPtr<ResourcePoolStatusRequest>;

std::size_t footprint(const ResourcePoolStatusRequest& request);

// ---- the answer ---------------------------------------------------------------------------------

struct PartitionTypeStatus {
  std::string attribute;  // "gpu.example.com/profile"
  std::string type;       // its value: "Half"
  std::int64_t total = 0;
  std::int64_t allocatable = 0;  // how many more could be allocated

  friend bool operator==(const PartitionTypeStatus&, const PartitionTypeStatus&) = default;
};

// Quantities in their canonical form: "80Gi".
struct ShareableCapacityStatus {
  std::string name;
  std::string total;
  std::string consumed;
  std::string available;

  friend bool operator==(const ShareableCapacityStatus&, const ShareableCapacityStatus&) = default;
};

// The status of the devices that several claims may share.
struct ShareableStatus {
  std::int64_t fully_available = 0;      // devices that no claim uses, even in part
  std::int64_t partially_available = 0;  // the other devices
  std::vector<ShareableCapacityStatus> capacity;

  friend bool operator==(const ShareableStatus&, const ShareableStatus&) = default;
};

// total == allocated + unavailable + available
struct DeviceTotals {
  std::int64_t slices = 0;
  std::int64_t total = 0;
  std::int64_t allocated = 0;
  std::int64_t unavailable = 0;  // tainted, and not allocated
  std::int64_t available = 0;

  friend bool operator==(const DeviceTotals&, const DeviceTotals&) = default;
};

struct PoolStatus {
  InternedString driver;
  InternedString pool;
  InternedString node = {};  // empty: several nodes, or none
  std::int64_t generation = 0;
  std::optional<DeviceTotals> totals = {};  // nullopt: the pool is incomplete
  std::vector<PartitionTypeStatus> partitions = {};
  std::optional<ShareableStatus> shareable = {};
  // Empty: none. Begins with a keyword for programs: "PoolIncomplete: …".
  std::string validation_error = {};

  friend bool operator==(const PoolStatus&, const PoolStatus&) = default;
};

// The types of its condition: one of them is set, and True.
inline constexpr std::string_view kPoolStatusComplete = "Complete";
inline constexpr std::string_view kPoolStatusFailed = "Failed";

struct PoolStatusAnswer {
  std::int64_t pool_count = 0;  // all that match, including pools beyond the limit
  std::vector<PoolStatus> pools;
  std::string_view condition = kPoolStatusComplete;
  std::string message;
  runtime::WallTime time;

  friend bool operator==(const PoolStatusAnswer&, const PoolStatusAnswer&) = default;
};

}  // namespace dcm::api
