#include "apiserver/rules/claim_status.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/claim_spec.hpp"
#include "apiserver/rules/conditions.hpp"
#include "apiserver/rules/device_configuration.hpp"
#include "apiserver/rules/device_names.hpp"
#include "apiserver/rules/device_validation.hpp"
#include "apiserver/rules/interface_address.hpp"
#include "apiserver/rules/names.hpp"
#include "apiserver/rules/node_selector.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::size_t kReservedForMax = 256;
constexpr std::size_t kResultsMax = 32;
constexpr std::size_t kAllocatedConfigurationsMax = 64;  // of the claim, and of its classes
constexpr std::size_t kBindingConditionsMax = 4;
constexpr std::size_t kDeviceConditionsMax = 8;
constexpr std::size_t kDeviceDataMax = 10 * 1024;
constexpr std::size_t kInterfaceNameMax = 256;
constexpr std::size_t kHardwareAddressMax = 128;
constexpr std::size_t kAddressesMax = 16;

// The identity of a device, as the real server shows it.
JsonObject id_of(const JsonObject& device) {
  return {{"Driver", text_at(device, {"driver"})},
          {"Pool", text_at(device, {"pool"})},
          {"Device", text_at(device, {"device"})},
          {"ShareID", text_at(device, {"shareID"})}};
}

std::string device_id(const JsonObject& device) {
  return serialize(id_of(device));
}

std::set<std::string> allocated_devices(const JsonObject& claim) {
  std::set<std::string> ids;
  for (const Json& result : array_at(claim, {"status", "allocation", "devices", "results"})) {
    ids.insert(device_id(as_object(result)));
  }
  return ids;
}

// Lower-case hexadecimal digits in groups.
void check_uuid(const JsonObject& object, const std::string& path, Causes& causes) {
  const Json* const value = find(object, {"shareID"});
  if (value == nullptr || !value->is_string()) return;
  constexpr std::string_view kShape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  const std::string_view text = view(value->get_string());
  const bool is_good = std::ranges::equal(text, kShape, [](char c, char shape) {
    const bool is_digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    return shape == '-' ? c == '-' : is_digit;
  });
  if (is_good) return;
  causes.push_back(
      invalid_value(path + ".shareID", *value, "must be a lowercase UUID in 8-4-4-4-12 format"));
}

void check_label_names(const JsonArray& names, const std::string& path, Causes& causes) {
  if (names.size() > kBindingConditionsMax) {
    causes.push_back(too_many(path, names.size(), kBindingConditionsMax));
    return;
  }
  for (const auto& [name, at] : texts_with_paths(names, path)) {
    validate_qualified_name(name, at, causes);
  }
}

// Reports each duplicate item.
void check_unique(const JsonArray& texts, const std::string& path, Causes& causes) {
  std::set<std::string_view> seen;
  for (const auto& [text, at] : texts_with_paths(texts, path)) {
    if (!seen.insert(text).second) causes.push_back(duplicate_value(at, Json(text)));
  }
}

void check_binding_conditions(const JsonObject& result, const std::string& path, Causes& causes) {
  const std::string lists[] = {"bindingConditions", "bindingFailureConditions"};
  for (const std::string& list : lists) {
    check_label_names(array_at(result, {list}), path + "." + list, causes);
  }
  for (const std::string& list : lists) {
    check_unique(array_at(result, {list}), path + "." + list, causes);
  }
  validate_binding_conditions(result, path, causes);
}

void check_result(const JsonObject& claim, const JsonObject& result, const std::string& path,
                  Causes& causes) {
  validate_request_reference(object_at(claim, {"spec"}), text_at(result, {"request"}),
                             path + ".request", causes);
  validate_caseless_driver_name(text_at(result, {"driver"}), path + ".driver", causes);
  validate_allocated_pool_name(text_at(result, {"pool"}), path + ".pool", causes);
  validate_name(NameRule::dns_label, text_at(result, {"device"}), path + ".device", causes);
  check_binding_conditions(result, path, causes);
  const JsonArray& tolerations = array_at(result, {"tolerations"});
  for (const auto& [toleration, at] : with_paths(tolerations, path + ".tolerations")) {
    validate_device_toleration(toleration, at, causes);
  }
  check_uuid(result, path, causes);
}

void check_configuration(const JsonObject& claim, const JsonObject& configuration,
                         const std::string& path, Causes& causes) {
  validate_request_references(object_at(claim, {"spec"}), array_at(configuration, {"requests"}),
                              path + ".requests", causes);
  validate_configuration(configuration, path, causes);
  require_choice(text_at(configuration, {"source"}), {"FromClaim", "FromClass"}, path + ".source",
                 causes);
}

void check_list(const JsonObject& object, Path at, const std::string& path, std::size_t most,
                auto check, Causes& causes) {
  const JsonArray& items = array_at(object, at);
  if (items.size() > most) {
    causes.push_back(too_many(path, items.size(), most));
    return;
  }
  for (const auto& [item, place] : with_paths(items, path)) check(item, place);
}

// For a new allocation: stored ones are not validated again, since rules became stricter.
void check_allocation(const JsonObject& claim, Causes& causes) {
  const std::string path = "status.allocation";
  const JsonObject& allocation = object_at(claim, {"status", "allocation"});
  check_list(
      allocation, {"devices", "results"}, path + ".devices.results", kResultsMax,
      [&](const JsonObject& result, const std::string& at) {
        check_result(claim, result, at, causes);
      },
      causes);
  check_list(
      allocation, {"devices", "config"}, path + ".devices.config", kAllocatedConfigurationsMax,
      [&](const JsonObject& one, const std::string& at) {
        check_configuration(claim, one, at, causes);
      },
      causes);
  if (has(allocation, {"nodeSelector"})) {
    validate_node_selector(object_at(allocation, {"nodeSelector"}), path + ".nodeSelector", causes);
  }
}

void validate_allocation(const JsonObject& next, const JsonObject& old, Causes& causes) {
  const Json* now = find(next, {"status", "allocation"});
  const Json* before = find(old, {"status", "allocation"});
  if (now != nullptr && before == nullptr) check_allocation(next, causes);
  if (now == nullptr || before == nullptr || *now == *before) return;
  causes.push_back(invalid_value("status.allocation", Json(), "field cannot be modified once set"));
}

void check_length(const JsonObject& object, const char* key, const std::string& path,
                  std::size_t most, Causes& causes) {
  if (text_at(object, {key}).size() > most) causes.push_back(too_long(path + "." + key, most));
}

void check_addresses(const JsonArray& addresses, const std::string& path, Causes& causes) {
  if (addresses.size() > kAddressesMax) {
    causes.push_back(too_many(path, addresses.size(), kAddressesMax));
    return;
  }
  for (const auto& [text, at] : texts_with_paths(addresses, path)) {
    const auto canonical = canonical_interface_address(text);
    if (!canonical) {
      causes.push_back(invalid_value(
          at, Json(text),
          "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"));
    } else if (*canonical != text) {
      causes.push_back(invalid_value(
          at, Json(text), fmt::format("must be in canonical form (\"{}\")", *canonical)));
    }
  }
  check_unique(addresses, path, causes);
}

void check_device(const JsonObject& device, const std::set<std::string>& allocated,
                  const std::string& path, Causes& causes) {
  validate_driver_name(text_at(device, {"driver"}), path + ".driver", causes);
  validate_pool_name(text_at(device, {"pool"}), path + ".pool", causes);
  validate_name(NameRule::dns_label, text_at(device, {"device"}), path + ".device", causes);
  if (!allocated.contains(device_id(device))) {
    causes.push_back(
        invalid_value(path, id_of(device), "must be an allocated device in the claim"));
  }
  const JsonArray& conditions = array_at(device, {"conditions"});
  if (conditions.size() > kDeviceConditionsMax) {
    causes.push_back(too_many(path + ".conditions", conditions.size(), kDeviceConditionsMax));
  }
  validate_conditions(conditions, path + ".conditions", causes);
  if (const Json* const data = find(device, {"data"})) {
    validate_raw_object(*data, path + ".data", kDeviceDataMax, causes);
  }
  const JsonObject& network = object_at(device, {"networkData"});
  check_length(network, "interfaceName", path + ".networkData", kInterfaceNameMax, causes);
  check_length(network, "hardwareAddress", path + ".networkData", kHardwareAddressMax, causes);
  check_addresses(array_at(network, {"ips"}), path + ".networkData.ips", causes);
  check_uuid(device, path, causes);
}

void validate_devices(const JsonObject& claim, Causes& causes) {
  const std::set<std::string> allocated = allocated_devices(claim);
  const JsonArray& devices = array_at(claim, {"status", "devices"});
  std::set<std::string> seen;
  for (const auto& [device, path] : with_paths(devices, "status.devices")) {
    check_device(device, allocated, path, causes);
    if (seen.insert(device_id(device)).second) continue;
    JsonObject shown = device;  // Go always writes this member
    set_default(shown, "conditions", Json());
    causes.push_back(duplicate_value(path, shown));
  }
}

void validate_consumers(const JsonArray& reserved_for, Causes& causes) {
  if (reserved_for.size() > kReservedForMax) {
    causes.push_back(too_many("status.reservedFor", reserved_for.size(), kReservedForMax));
    return;
  }
  std::set<std::string_view> uids;
  for (const auto& [consumer, path] : with_paths(reserved_for, "status.reservedFor")) {
    for (const auto* key : {"resource", "name", "uid"}) require_text(consumer, key, path, causes);
    const std::string_view uid = text_at(consumer, {"uid"});
    if (!uids.insert(uid).second) causes.push_back(duplicate_value(path, consumer));
  }
}

void validate_reserved_for(const JsonObject& next, const JsonObject& old, Causes& causes) {
  const JsonArray& now = array_at(next, {"status", "reservedFor"});
  validate_consumers(now, causes);
  if (now.empty()) return;
  if (!has(next, {"status", "allocation"})) {
    causes.push_back(
        forbidden_value("status.reservedFor", "may not be specified when `allocated` is not set"));
    return;
  }
  if (!has(next, {"metadata", "deletionTimestamp"})) return;
  const JsonArray& before = array_at(old, {"status", "reservedFor"});
  const bool grows = std::ranges::any_of(
      now, [&](const Json& item) { return std::ranges::find(before, item) == before.end(); });
  if (grows) {
    causes.push_back(forbidden_value("status.reservedFor",
                                     "new entries may not be added while `deallocationRequested` "
                                     "or `deletionTimestamp` are set"));
  }
}

}  // namespace

void drop_deallocated_devices(JsonObject& next, const JsonObject& old) {
  const std::set<std::string> before = allocated_devices(old);
  const std::set<std::string> now = allocated_devices(next);
  JsonArray kept;
  for (const Json& device : array_at(next, {"status", "devices"})) {
    const std::string id = device_id(as_object(device));
    if (!before.contains(id) || now.contains(id)) kept.push_back(device);
  }
  if (kept.empty()) {
    child(next, "status").erase("devices");
  } else {
    child(next, "status")["devices"] = std::move(kept);
  }
}

void validate_claim_status(const JsonObject& next, const JsonObject& old, Causes& causes) {
  validate_reserved_for(next, old, causes);
  validate_devices(next, causes);
  validate_allocation(next, old, causes);
}

}  // namespace dcm::apiserver
