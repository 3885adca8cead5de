// resource.k8s.io ResourceSlice with all fields that affect allocation (KEP-4381 and its
// extensions).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "allocation/node_selector.hpp"
#include "allocation/taints.hpp"
#include "allocation/texts.hpp"
#include "cel/kubernetes/device.hpp"
#include "client/api/meta.hpp"
#include "client/api/object_ptr.hpp"

namespace dcm::allocation {

using cel::Quantity;

struct Counter {
  InternedString name;
  Quantity value;
};

// KEP-4815: the counters that the partitions of one device share.
struct CounterSet {
  InternedString name;
  std::vector<Counter> counters = {};
};

struct CounterUse {
  InternedString set;
  std::vector<Counter> counters = {};
  std::vector<InternedString> compatibility_groups = {};
};

// Amounts min + k * step, up to max.
struct CapacityRange {
  std::optional<Quantity> min = {}, max = {}, step = {};
};

// KEP-5075: the amounts of a capacity that a request may consume.
struct RequestPolicy {
  std::optional<Quantity> default_ = {};
  std::vector<Quantity> valid_values = {};
  std::optional<CapacityRange> valid_range = {};
};

// Rarely used fields.
struct DeviceExtras {
  std::vector<CounterUse> counters = {};
  std::vector<Taint> taints = {};
  std::vector<InternedString> binding_conditions = {};
  std::vector<InternedString> binding_failure_conditions = {};
  NodeChoice nodes = {};  // with Slice::per_device_nodes
  bool binds_to_node = false;
};

struct Device {
  InternedString name;
  bool allow_multiple = false;                  // allowMultipleAllocations
  std::vector<cel::Attribute> attributes = {};  // the slice owns their strings
  std::vector<cel::Capacity> capacity = {};
  // The policy of the capacity with the same index; null if none. Empty if all of them are null.
  std::vector<std::unique_ptr<const RequestPolicy>> policies = {};
  std::unique_ptr<const DeviceExtras> rare = {};

  const DeviceExtras& extras() const;
  const RequestPolicy* policy(std::size_t capacity_index) const {
    return policies.empty() ? nullptr : policies[capacity_index].get();
  }
};

struct Slice {
  api::ObjectMeta meta;
  InternedString driver;
  InternedString pool;
  std::int64_t generation = 0;
  std::int64_t slice_count = 0;  // of the pool in this generation
  NodeChoice nodes = {};
  std::optional<bool> per_device_nodes = {};  // perDeviceNodeSelection
  std::vector<InternedString> skip_node_operations = {};
  InternedString partition_attribute = {};  // partitionTypeAttribute: what groups the partitions
  std::vector<CounterSet> shared_counters = {};
  std::vector<Device> devices = {};
  Texts texts = {};  // of the devices' attributes and capacities

  bool has_per_device_nodes() const { return per_device_nodes.value_or(false); }
  api::DeviceId id_of(const Device& device) const { return {driver, pool, device.name}; }
  // The device as a selector sees it.
  cel::DeviceView view_of(const Device& device) const {
    return {driver.view(), device.allow_multiple, device.attributes, device.capacity};
  }
};
using SlicePtr = api::ObjectPtr<Slice>;

// The attribute with a fully qualified name ("gpu.example.com/model"): listed under that name, or
// under its identifier alone if the domain is the driver's. Null if there is none.
const cel::Attribute* find_attribute(const Slice& slice, const Device& device,
                                     std::string_view qualified_name);

// Memory in bytes, computed from its sizes and capacities, without malloc's rounding and interned
// strings.
std::size_t footprint(const Slice& slice);

}  // namespace dcm::allocation
