#include "apiserver/rules/claim_status.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "apiserver/rules/claim_spec.hpp"
#include "apiserver/rules/conditions.hpp"
#include "apiserver/rules/device_configuration.hpp"
#include "apiserver/rules/device_names.hpp"
#include "apiserver/rules/device_validation.hpp"
#include "apiserver/rules/interface_address.hpp"
#include "apiserver/rules/node_selector.hpp"
#include "apiserver/rules/strategy.hpp"

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
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].is_string()) {
      validate_qualified_name(view(names[i].get_string()), indexed(path, i), causes);
    }
  }
}

// Reports each duplicate item.
std::set<std::string> check_unique(const JsonArray& list, const std::string& path, Causes& causes) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!seen.insert(serialize(list[i])).second) {
      causes.push_back(duplicate_value(indexed(path, i), list[i]));
    }
  }
  return seen;
}

void check_binding_conditions(const JsonObject& result, const std::string& path, Causes& causes) {
  const std::string good_path = path + ".bindingConditions";
  const std::string failure_path = path + ".bindingFailureConditions";
  const JsonArray& good = array_at(result, {"bindingConditions"});
  const JsonArray& failure = array_at(result, {"bindingFailureConditions"});
  check_label_names(good, good_path, causes);
  check_label_names(failure, failure_path, causes);
  const auto known = check_unique(good, good_path, causes);
  check_unique(failure, failure_path, causes);
  for (std::size_t i = 0; i < failure.size(); ++i) {
    if (!known.contains(serialize(failure[i]))) continue;
    causes.push_back(
        invalid_value(indexed(failure_path, i), failure[i],
                      "bindingFailureConditions must not overlap with bindingConditions"));
  }
  if (good.empty() && !failure.empty()) {
    causes.push_back(invalid_value(
        good_path, Json(), "bindingConditions are required to use bindingFailureConditions"));
  }
  if (failure.empty() && !good.empty()) {
    causes.push_back(invalid_value(
        failure_path, Json(), "bindingFailureConditions are required to use bindingConditions"));
  }
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
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    validate_device_toleration(as_object(tolerations[i]), indexed(path + ".tolerations", i),
                               causes);
  }
  check_uuid(result, path, causes);
}

void check_configuration(const JsonObject& claim, const JsonObject& configuration,
                         const std::string& path, Causes& causes) {
  validate_request_references(object_at(claim, {"spec"}), array_at(configuration, {"requests"}),
                              path + ".requests", causes);
  validate_configuration(configuration, path, causes);
  const std::string_view source = text_at(configuration, {"source"});
  if (source.empty()) {
    causes.push_back(required_value(path + ".source"));
  } else {
    validate_choice(source, {"FromClaim", "FromClass"}, path + ".source", causes);
  }
}

void check_list(const JsonObject& object, Path at, const std::string& path, std::size_t most,
                auto check, Causes& causes) {
  const JsonArray& items = array_at(object, at);
  if (items.size() > most) {
    causes.push_back(too_many(path, items.size(), most));
    return;
  }
  for (std::size_t i = 0; i < items.size(); ++i) check(as_object(items[i]), indexed(path, i));
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
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (!addresses[i].is_string()) continue;
    const std::string_view text = view(addresses[i].get_string());
    const auto canonical = canonical_interface_address(text);
    if (!canonical) {
      causes.push_back(invalid_value(
          indexed(path, i), addresses[i],
          "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"));
    } else if (*canonical != text) {
      causes.push_back(
          invalid_value(indexed(path, i), addresses[i],
                        fmt::format("must be in canonical form (\"{}\")", *canonical)));
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
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const JsonObject& device = as_object(devices[i]);
    const std::string path = indexed("status.devices", i);
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
  for (std::size_t i = 0; i < reserved_for.size(); ++i) {
    const std::string path = indexed("status.reservedFor", i);
    const JsonObject& consumer = as_object(reserved_for[i]);
    for (const auto* key : {"resource", "name", "uid"}) {
      if (text_at(consumer, {key}).empty()) causes.push_back(required_value(path + "." + key));
    }
    const std::string_view uid = text_at(consumer, {"uid"});
    if (!uids.insert(uid).second) causes.push_back(duplicate_value(path, reserved_for[i]));
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
