// Which ResourceSlices a driver must make, change and delete so that the cluster sees its devices
// as complete pools (KEP-4381). Pure: the same rules as the Go helper's, so that either may go on
// with what the other has published.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace dcm::driver_kit {

// The API's limits for a slice; the second where devices have taints or consume counters.
inline constexpr std::size_t kDevicesMax = 128;
inline constexpr std::size_t kComplexDevicesMax = 64;
inline constexpr std::size_t kCounterSetsMax = 8;

// A slice as its driver lays it out: devices, or sets of counters.
struct SliceLayout {
  std::vector<boost::json::object> devices = {};
  std::vector<boost::json::object> shared_counters = {};
};

// Schedulers take a pool's devices in this order of preference. A pool without devices is
// published as well: it shows that its driver is there.
struct DevicePool {
  std::string name;
  // As in spec.devices: name, attributes, capacity, consumesCounters, allowMultipleAllocations,
  // binding conditions, taints, …
  std::vector<boost::json::object> devices = {};
  // As in spec.sharedCounters; in slices of their own before those of the devices (KEP-4815).
  std::vector<boost::json::object> shared_counters = {};
  // Further fields in the spec of each of its slices: nodeSelector, allNodes or
  // perDeviceNodeSelection for a pool of no node, skipNodeOperations.
  boost::json::object more = {};
  // In place of devices and counters above: the slices as they are to be.
  std::vector<SliceLayout> layout = {};
};

// Whose slices they are. Without a node: of pools that reach several nodes, which no node owns.
struct SliceOwner {
  std::string driver;
  std::string node;
  std::string node_uid;
};

// Why these pools cannot be published: two of a name, or a name with the driver's own prefix, which
// the API leaves out. Nothing: they can.
std::optional<std::string> problem_of(const SliceOwner& owner,
                                      const std::vector<DevicePool>& pools);

// The parts of a spec that are the driver's, as they were written, and what the API server has made
// of them: it fills in defaults and drops fields of features that are off, which must not be
// written again and again.
struct AcceptedContent {
  boost::json::object written;
  boost::json::object stored;
};
using AcceptedSlices = std::map<std::string, AcceptedContent>;  // by the slice's name

// Whole ResourceSlices, to be carried out in this order: a device that is gone must not be handed
// out because something else could not be written.
struct SlicePlan {
  std::vector<boost::json::object> obsolete;
  std::vector<boost::json::object> updates;
  std::vector<boost::json::object> creates;

  bool empty() const noexcept { return obsolete.empty() && updates.empty() && creates.empty(); }
};

// `published`: all slices of this driver and node.
SlicePlan plan_slices(const SliceOwner& owner, const std::vector<DevicePool>& pools,
                      const std::vector<boost::json::object>& published,
                      const AcceptedSlices& accepted);

// Paths of fields that were written and are not in what was stored: "devices[0].taints".
std::vector<std::string> dropped_fields(const boost::json::object& written,
                                        const boost::json::object& stored);

// Parts of a slice; what is not there is empty.
std::string slice_name(const boost::json::object& slice);
const boost::json::array& slice_devices(const boost::json::object& slice);
// The spec without what follows from driver, node and pool.
boost::json::object slice_content(const boost::json::object& slice);

}  // namespace dcm::driver_kit
