#include "apiserver/rules/device_validation.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "apiserver/rules/device_attributes.hpp"
#include "apiserver/rules/names.hpp"
#include "apiserver/rules/strategy.hpp"
#include "apiserver/text/has_true.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::size_t kDevicesMax = 128;
constexpr std::size_t kAdvancedDevicesMax = 64;  // with taints, counters or lists of attributes
constexpr std::size_t kAttributesMax = 32;       // of a device, including capacities
constexpr std::size_t kTaintsMax = 16;

void check_place(const JsonObject& device, bool chooses_node, const std::string& path,
                 Causes& causes) {
  std::string set;
  std::size_t count = 0;
  for (const auto* name : {"nodeName", "nodeSelector", "allNodes"}) {
    if (!device.contains(name)) continue;
    set += fmt::format("{}`{}`", count++ == 0 ? "" : ", ", name);
  }
  constexpr std::string_view kRule =
      "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when "
      "`perDeviceNodeSelection` is set to true in the ResourceSlice spec";
  if (!chooses_node && count > 0) {
    causes.push_back(invalid_value(
        path, Json(),
        "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is "
        "set to true in the ResourceSlice spec"));
  } else if (chooses_node && count == 0) {
    causes.push_back(required_value(path, kRule));
  } else if (chooses_node && count > 1) {
    causes.push_back(invalid_value(path, Json("{" + set + "}"), kRule));
  }
}

void check_device(const JsonObject& device, bool chooses_node, const std::string& path,
                  Causes& causes) {
  const JsonObject& attributes = object_at(device, {"attributes"});
  const JsonObject& capacity = object_at(device, {"capacity"});
  if (const auto size = attributes.size() + capacity.size(); size > kAttributesMax) {
    causes.push_back(invalid_value(
        path, Json(size),
        fmt::format("the total number of attributes and capacities must not exceed {}",
                    kAttributesMax)));
  }
  for (const auto& member : attributes) {
    validate_attribute_name(member.key(), path + ".attributes", causes);
    if (!member.value().is_object()) continue;
    validate_attribute(member.value().get_object(),
                       fmt::format("{}.attributes[{}]", path, std::string_view(member.key())),
                       causes);
  }
  for (const auto& member : capacity) {
    validate_attribute_name(member.key(), path + ".capacity", causes);
  }
  const JsonArray& taints = array_at(device, {"taints"});
  if (taints.size() > kTaintsMax) {
    causes.push_back(too_many(path + ".taints", taints.size(), kTaintsMax));
  }
  for (std::size_t i = 0; i < taints.size(); ++i) {
    if (!taints[i].is_object()) continue;
    validate_device_taint(taints[i].get_object(), indexed(path + ".taints", i), causes);
  }
  check_place(device, chooses_node, path, causes);
}

bool is_advanced(const JsonObject& device) {
  return !array_at(device, {"taints"}).empty() || !array_at(device, {"consumesCounters"}).empty() ||
         std::ranges::any_of(object_at(device, {"attributes"}), [](const auto& member) {
           return member.value().is_object() &&
                  std::ranges::any_of(
                      std::array{"ints", "bools", "strings", "versions"},
                      [&](const char* list) { return member.value().get_object().contains(list); });
         });
}

}  // namespace

void validate_devices(const JsonObject& slice_spec, const std::string& path, Causes& causes) {
  const JsonArray& devices = array_at(slice_spec, {"devices"});
  const bool is_any_advanced = std::ranges::any_of(devices, [](const Json& device) {
    return device.is_object() && is_advanced(device.get_object());
  });
  const std::size_t most = is_any_advanced ? kAdvancedDevicesMax : kDevicesMax;
  if (devices.size() > most) return causes.push_back(too_many(path, devices.size(), most));
  const bool chooses_node = has_true(slice_spec, "perDeviceNodeSelection");
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (!devices[i].is_object()) continue;
    const JsonObject& device = devices[i].get_object();
    const std::string at = indexed(path, i);
    const std::string_view name = text_at(device, {"name"});
    if (!names.insert(name).second) causes.push_back(duplicate_value(at, Json(name)));
    if (const auto problem = problem_with_name(NameRule::dns_label, name); !problem.empty()) {
      causes.push_back(invalid_value(at + ".name", Json(name), problem));
    }
    check_device(device, chooses_node, at, causes);
  }
}

void validate_device_taint(const JsonObject& taint, const std::string& path, Causes& causes) {
  validate_label_name(text_at(taint, {"key"}), path + ".key", causes);
  const std::string_view value = text_at(taint, {"value"});
  if (const auto problem = problem_with_label_value(value); !problem.empty()) {
    causes.push_back(invalid_value(path + ".value", Json(value), problem));
  }
  const std::string_view effect = text_at(taint, {"effect"});
  if (effect.empty()) {
    causes.push_back(required_value(path + ".effect"));
  } else if (effect != "NoSchedule" && effect != "NoExecute" && effect != "None") {
    causes.push_back(
        not_supported(path + ".effect", Json(effect), {"NoExecute", "NoSchedule", "None"}));
  }
}

void validate_device_toleration(const JsonObject& toleration, const std::string& path,
                                Causes& causes) {
  const std::string_view key = text_at(toleration, {"key"});
  const auto key_problem = key.empty() ? std::string_view() : problem_with_qualified_name(key);
  if (!key_problem.empty()) causes.push_back(invalid_value(path + ".key", Json(key), key_problem));
  const std::string_view value = text_at(toleration, {"value"});
  const std::string_view operation = text_at(toleration, {"operator"});
  if (operation == "Exists") {
    if (!value.empty()) {
      causes.push_back(
          invalid_value(path + ".value", Json(value), "must be empty for operator `Exists`"));
    }
  } else if (operation == "Equal") {
    const auto problem = problem_with_label_value(value);
    if (!problem.empty()) causes.push_back(invalid_value(path + ".value", Json(value), problem));
  } else {
    causes.push_back(not_supported(path + ".operator", Json(operation), {"Equal", "Exists"}));
  }
  const std::string_view effect = text_at(toleration, {"effect"});
  if (!effect.empty() && effect != "NoSchedule" && effect != "NoExecute" && effect != "None") {
    causes.push_back(
        not_supported(path + ".effect", Json(effect), {"NoExecute", "NoSchedule", "None"}));
  }
}

}  // namespace dcm::apiserver
