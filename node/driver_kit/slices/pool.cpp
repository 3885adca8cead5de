#include "node/driver_kit/slices/pool.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "node/driver_kit/json.hpp"
#include "node/driver_kit/slices/quantities.hpp"

namespace dcm::driver_kit {
namespace {

namespace json = boost::json;

json::object as_stored(json::object item) {
  write_quantities_as_stored(item);
  return item;
}

// In order, at most this many each.
std::vector<json::array> split(const std::vector<json::object>& items, std::size_t most) {
  std::vector<json::array> parts(1);
  for (const json::object& item : items) {
    if (parts.back().size() == most) parts.emplace_back();
    parts.back().push_back(as_stored(item));
  }
  return parts;
}

json::array all_of(const std::vector<json::object>& items) {
  json::array all;
  for (const json::object& item : items) all.push_back(as_stored(item));
  return all;
}

bool consumes_counters(const json::object& slice) {
  return std::ranges::any_of(array_at(slice, "/devices"), [](const json::value& device) {
    return !array_at(device, "/consumesCounters").empty();
  });
}

std::vector<json::object> all_contents_of(const DevicePool& pool) {
  std::vector<json::object> slices;
  const auto add = [&](std::string_view field, json::array items) {
    slices.push_back(pool.more);
    slices.back()[field] = std::move(items);
  };
  for (const SliceLayout& each : pool.layout) {
    add("devices", all_of(each.devices));
    if (!each.shared_counters.empty()) {
      slices.back()["sharedCounters"] = all_of(each.shared_counters);
    }
  }
  if (!slices.empty()) return slices;
  if (!pool.shared_counters.empty()) {
    for (json::array& sets : split(pool.shared_counters, kCounterSetsMax)) {
      add("sharedCounters", std::move(sets));
    }
  }
  // Without devices, one empty slice shows that the driver exists.
  if (pool.devices.empty() && !slices.empty()) return slices;
  const std::size_t most =
      std::ranges::any_of(pool.devices, is_complex) ? kComplexDevicesMax : kDevicesMax;
  for (json::array& devices : split(pool.devices, most)) add("devices", std::move(devices));
  return slices;
}

}  // namespace

bool is_list(const json::object& attribute) {
  return std::ranges::any_of(std::array{"bools", "ints", "strings", "versions"},
                             [&](const char* type) { return attribute.contains(type); });
}

bool is_complex(const json::object& device) {
  if (device.contains("taints") || device.contains("consumesCounters")) return true;
  const json::value* const attributes = device.if_contains("attributes");
  return attributes != nullptr && attributes->is_object() &&
         std::ranges::any_of(attributes->get_object(), [](const auto& each) {
           return each.value().is_object() && is_list(each.value().get_object());
         });
}

std::vector<json::object> contents_of(const DevicePool& pool) {
  std::vector<json::object> slices = all_contents_of(pool);
  for (json::object& slice : slices) {
    // The API server stores no empty list.
    const json::value* const devices = slice.if_contains("devices");
    if (devices != nullptr && devices->as_array().empty()) slice.erase("devices");
    // The API takes this field only with devices that consume counters.
    if (!consumes_counters(slice)) slice.erase("partitionTypeAttribute");
  }
  return slices;
}

}  // namespace dcm::driver_kit
