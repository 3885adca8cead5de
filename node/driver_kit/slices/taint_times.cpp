#include "node/driver_kit/slices/taint_times.hpp"

#include "node/driver_kit/json.hpp"
#include "node/driver_kit/slices/slice.hpp"

namespace dcm::driver_kit {
namespace {

namespace json = boost::json;

constexpr const char* kTime = "timeAdded";

json::array* taints_of(json::object& device) {
  json::value* const taints = device.if_contains("taints");
  return taints != nullptr ? taints->if_array() : nullptr;
}

// None of the parts has a line break, as the API allows none.
std::string key_of(const json::object& device, const json::value& taint) {
  std::string key = text_at(device, "/name");
  for (const char* const part : {"/key", "/value", "/effect"}) key += '\n' + text_at(taint, part);
  return key;
}

template <class Each>
void for_each_device(DevicePool& pool, Each&& each) {
  for (json::object& device : pool.devices) each(device);
  for (SliceLayout& slice : pool.layout) {
    for (json::object& device : slice.devices) each(device);
  }
}

}  // namespace

void TaintTimes::add_device(const json::object& device) {
  for (const json::value& taint : array_at(device, "/taints")) {
    const json::object* const parts = taint.if_object();
    if (parts == nullptr || !parts->contains(kTime)) continue;
    times_.try_emplace(key_of(device, taint), parts->at(kTime));
  }
}

void TaintTimes::add(const std::vector<const json::object*>& slices) {
  for (const json::object* slice : slices) {
    for (const json::value& device : slice_devices(*slice)) {
      if (device.is_object()) add_device(device.get_object());
    }
  }
}

void TaintTimes::add(const DevicePool& pool) {
  for (const json::object& device : pool.devices) add_device(device);
  for (const SliceLayout& slice : pool.layout) {
    for (const json::object& device : slice.devices) add_device(device);
  }
}

void TaintTimes::set(json::object& device) const {
  json::array* const taints = taints_of(device);
  if (taints == nullptr) return;
  for (json::value& taint : *taints) {
    if (!taint.is_object() || taint.get_object().contains(kTime)) continue;
    const auto known = times_.find(key_of(device, taint));
    if (known != times_.end()) taint.get_object()[kTime] = known->second;
  }
}

void TaintTimes::set(DevicePool& pool) const {
  for_each_device(pool, [this](json::object& device) { set(device); });
}

json::object TaintTimes::with_times(json::object content) const {
  json::value* const devices = content.if_contains("devices");
  if (devices == nullptr || !devices->is_array()) return content;
  for (json::value& device : devices->get_array()) {
    if (device.is_object()) set(device.get_object());
  }
  return content;
}

}  // namespace dcm::driver_kit
