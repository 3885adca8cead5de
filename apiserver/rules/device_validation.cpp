#include "apiserver/rules/device_validation.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/device_attributes.hpp"
#include "apiserver/rules/device_capacity.hpp"
#include "apiserver/rules/device_counters.hpp"
#include "apiserver/rules/names.hpp"
#include "apiserver/rules/node_selector.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::size_t kDevicesMax = 128;
constexpr std::size_t kAdvancedDevicesMax = 64;  // with taints, counters or lists of attributes
constexpr std::size_t kAttributesMax = 32;       // of a device, including capacities
constexpr std::size_t kAttributeValuesMax = 48;  // of a device, counting items of lists
constexpr std::size_t kTaintsMax = 16;
constexpr std::size_t kConditionsMax = 4;  // of either kind

constexpr std::initializer_list<std::string_view> kEffects = {"NoExecute", "NoSchedule", "None"};
constexpr std::array kLists = {"ints", "bools", "strings", "versions"};

// A device's own place. A part that is empty or false is refused, and counts as not set.
void check_places(const JsonObject& device, const std::string& path, Causes& causes) {
  std::string set;
  std::size_t count = 0;
  const auto add = [&](std::string_view name) {
    set += fmt::format("{}`{}`", count++ == 0 ? "" : ", ", name);
  };
  if (has(device, {"nodeName"})) {
    const std::string_view node = text_at(device, {"nodeName"});
    if (!node.empty()) add("nodeName");
    const Problems problems = node.empty() ? Problems{"must not be empty"}
                                           : problems_with_name(NameRule::dns_subdomain, node);
    add_problems(problems, node, path + ".nodeName", causes);
  }
  if (is_set(device, "nodeSelector")) {
    add("nodeSelector");
    validate_node_selector(object_at(device, {"nodeSelector"}), path + ".nodeSelector", causes);
  }
  if (has_true(device, "allNodes")) {
    add("allNodes");
  } else if (has(device, {"allNodes"})) {
    causes.push_back(
        invalid_value(path + ".allNodes", Json(false), "must be either unset or set to true"));
  }
  if (count == 1) return;
  constexpr std::string_view kRule =
      "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when "
      "`perDeviceNodeSelection` is set to true in the ResourceSlice spec";
  causes.push_back(count == 0 ? required_value(path, kRule)
                              : invalid_value(path, Json("{" + set + "}"), kRule));
}

void check_place(const JsonObject& device, bool chooses_node, const std::string& path,
                 Causes& causes) {
  if (chooses_node) return check_places(device, path, causes);
  const bool has_place =
      std::ranges::any_of(std::array{"nodeName", "nodeSelector", "allNodes"},
                          [&](const char* name) { return device.contains(name); });
  if (!has_place) return;
  causes.push_back(invalid_value(
      path, Json(),
      "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is "
      "set to true in the ResourceSlice spec"));
}

// Each item of a list is a value.
std::size_t count_values(const JsonObject& attributes) {
  std::size_t count = 0;
  for (const auto& member : attributes) {
    std::size_t items = 0;
    for (const auto* list : kLists) items += array_at(as_object(member.value()), {list}).size();
    count += std::max<std::size_t>(items, 1);
  }
  return count;
}

void check_attributes(const JsonObject& device, const std::string& path, Causes& causes) {
  const JsonObject& attributes = object_at(device, {"attributes"});
  const std::size_t size = attributes.size() + object_at(device, {"capacity"}).size();
  if (size > kAttributesMax) {
    causes.push_back(invalid_value(
        path, Json(size),
        fmt::format("the total number of attributes and capacities must not exceed {}",
                    kAttributesMax)));
  }
  if (const std::size_t values = count_values(attributes); values > kAttributeValuesMax) {
    causes.push_back(
        invalid_value(path, Json(values),
                      fmt::format("the total number of attribute values must not exceed {}",
                                  kAttributeValuesMax)));
  }
  for (const auto& member : attributes) {
    validate_attribute_name(member.key(), path + ".attributes", causes);
    if (!member.value().is_object()) continue;
    validate_attribute(member.value().get_object(),
                       fmt::format("{}.attributes[{}]", path, std::string_view(member.key())),
                       causes);
  }
}

void check_capacity(const JsonObject& device, const std::string& path, Causes& causes) {
  const auto allocations =
      has_true(device, "allowMultipleAllocations") ? Allocations::multiple : Allocations::single;
  for (const auto& member : object_at(device, {"capacity"})) {
    validate_attribute_name(member.key(), path + ".capacity", causes);
    validate_capacity(as_object(member.value()), allocations,
                      fmt::format("{}.capacity[{}]", path, std::string_view(member.key())), causes);
  }
}

void check_taints(const JsonObject& device, const std::string& path, Causes& causes) {
  const JsonArray& taints = array_at(device, {"taints"});
  if (taints.size() > kTaintsMax) {
    causes.push_back(too_many(path + ".taints", taints.size(), kTaintsMax));
  }
  for (const auto& [taint, at] : with_paths(taints, path + ".taints")) {
    validate_device_taint(taint, at, causes);
  }
}

void check_conditions(const JsonArray& conditions, const std::string& path, Causes& causes) {
  if (conditions.size() > kConditionsMax) {
    causes.push_back(too_many(path, conditions.size(), kConditionsMax));
  }
  std::set<std::string_view> seen;
  for (const auto& [condition, at] : texts_with_paths(conditions, path)) {
    if (conditions.size() <= kConditionsMax) validate_qualified_name(condition, at, causes);
    if (!seen.insert(condition).second) causes.push_back(duplicate_value(at, Json(condition)));
  }
}

// Unchanged parts are not revalidated.
bool is_same(const JsonObject& device, const JsonObject* old, std::string_view part) {
  return old != nullptr && same(device.if_contains(part), old->if_contains(part));
}

void check_device(const JsonObject& device, const JsonObject* old, bool chooses_node,
                  const std::string& path, Causes& causes) {
  check_attributes(device, path, causes);
  if (!is_same(device, old, "capacity")) check_capacity(device, path, causes);
  if (!is_same(device, old, "taints")) check_taints(device, path, causes);
  validate_consumed_counters(array_at(device, {"consumesCounters"}), path + ".consumesCounters",
                             causes);
  check_place(device, chooses_node, path, causes);
  for (const std::string list : {"bindingConditions", "bindingFailureConditions"}) {
    check_conditions(array_at(device, {list}), path + "." + list, causes);
  }
  validate_binding_conditions(device, path, causes);
}

bool is_advanced(const JsonObject& device) {
  return !array_at(device, {"taints"}).empty() || !array_at(device, {"consumesCounters"}).empty() ||
         std::ranges::any_of(object_at(device, {"attributes"}), [](const auto& member) {
           return member.value().is_object() && std::ranges::any_of(kLists, [&](const char* list) {
                    return member.value().get_object().contains(list);
                  });
         });
}

const JsonObject* find_device(const JsonObject* slice_spec, std::string_view name) {
  if (slice_spec == nullptr) return nullptr;
  for (const Json& device : array_at(*slice_spec, {"devices"})) {
    if (text_at(as_object(device), {"name"}) == name) return &as_object(device);
  }
  return nullptr;
}

}  // namespace

void validate_devices(const JsonObject& slice_spec, const JsonObject* old_spec,
                      const std::string& path, Causes& causes) {
  const JsonArray& devices = array_at(slice_spec, {"devices"});
  const bool is_any_advanced = std::ranges::any_of(devices, [](const Json& device) {
    return device.is_object() && is_advanced(device.get_object());
  });
  const std::size_t most = is_any_advanced ? kAdvancedDevicesMax : kDevicesMax;
  if (devices.size() > most) return causes.push_back(too_many(path, devices.size(), most));
  const bool chooses_node = has_true(slice_spec, "perDeviceNodeSelection");
  std::set<std::string_view> names;
  for (const auto& [device, at] : with_paths(devices, path)) {
    const std::string_view name = text_at(device, {"name"});
    if (!names.insert(name).second) causes.push_back(duplicate_value(at, Json(name)));
    validate_name(NameRule::dns_label, name, at + ".name", causes);
    check_device(device, find_device(old_spec, name), chooses_node, at, causes);
  }
}

void validate_device_taint(const JsonObject& taint, const std::string& path, Causes& causes) {
  validate_qualified_name(text_at(taint, {"key"}), path + ".key", causes);
  validate_label_value(text_at(taint, {"value"}), path + ".value", causes);
  require_choice(text_at(taint, {"effect"}), kEffects, path + ".effect", causes);
}

void validate_device_toleration(const JsonObject& toleration, const std::string& path,
                                Causes& causes) {
  const std::string_view key = text_at(toleration, {"key"});
  if (!key.empty()) validate_qualified_name(key, path + ".key", causes);
  const std::string_view value = text_at(toleration, {"value"});
  const std::string_view operation = text_at(toleration, {"operator"});
  if (operation == "Exists") {
    if (!value.empty()) {
      causes.push_back(
          invalid_value(path + ".value", Json(value), "must be empty for operator `Exists`"));
    }
  } else if (operation == "Equal") {
    validate_label_value(value, path + ".value", causes);
  } else {
    causes.push_back(not_supported(path + ".operator", Json(operation), {"Equal", "Exists"}));
  }
  const std::string_view effect = text_at(toleration, {"effect"});
  if (!effect.empty()) validate_choice(effect, kEffects, path + ".effect", causes);
}

void validate_binding_conditions(const JsonObject& device, const std::string& path,
                                 Causes& causes) {
  const JsonArray& conditions = array_at(device, {"bindingConditions"});
  const JsonArray& failures = array_at(device, {"bindingFailureConditions"});
  const std::string failures_path = path + ".bindingFailureConditions";
  std::set<std::string_view> known;
  for (const Json& condition : conditions) known.insert(as_text(condition));
  for (const auto& [failure, at] : texts_with_paths(failures, failures_path)) {
    if (!known.contains(failure)) continue;
    causes.push_back(invalid_value(
        at, Json(failure), "bindingFailureConditions must not overlap with bindingConditions"));
  }
  if (conditions.empty() && !failures.empty()) {
    causes.push_back(
        invalid_value(path + ".bindingConditions", Json(),
                      "bindingConditions are required to use bindingFailureConditions"));
  }
  if (failures.empty() && !conditions.empty()) {
    causes.push_back(invalid_value(
        failures_path, Json(), "bindingFailureConditions are required to use bindingConditions"));
  }
}

}  // namespace dcm::apiserver
