// A driver's devices, as published by its author.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace dcm::driver_kit {

// The API's limits for a slice; the second applies if devices have taints, consume counters, or
// have list attributes.
inline constexpr std::size_t kDevicesMax = 128;
inline constexpr std::size_t kComplexDevicesMax = 64;
inline constexpr std::size_t kCounterSetsMax = 8;

// A slice laid out by its driver: devices, or sets of counters.
struct SliceLayout {
  std::vector<boost::json::object> devices = {};
  std::vector<boost::json::object> shared_counters = {};
};

// Schedulers try a pool's devices in this order of preference. A pool without devices is published
// as well: it shows that its driver exists.
struct DevicePool {
  std::string name;
  // As in spec.devices: name, attributes, capacity, consumesCounters, allowMultipleAllocations,
  // binding conditions, taints, …
  std::vector<boost::json::object> devices = {};
  // As in spec.sharedCounters; in separate slices before those of the devices (KEP-4815).
  std::vector<boost::json::object> shared_counters = {};
  // Further fields in the spec of each slice: nodeSelector, allNodes or perDeviceNodeSelection for
  // a pool of no node, skipNodeOperations.
  boost::json::object more = {};
  // Instead of the devices and counters above: the complete slices.
  std::vector<SliceLayout> layout = {};
};

// The owner of slices. Without a node: pools reachable from several nodes, which no node owns.
struct SliceOwner {
  std::string driver;
  std::string node;
  std::string node_uid;
};

// Whether an attribute is a list: bools, ints, strings or versions.
bool is_list(const boost::json::object& attribute);
// Whether a slice with it may have only kComplexDevicesMax devices.
bool is_complex(const boost::json::object& device);

// The driver's fields in the spec of each slice of the pool.
std::vector<boost::json::object> contents_of(const DevicePool& pool);

}  // namespace dcm::driver_kit
