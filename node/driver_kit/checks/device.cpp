#include <set>

#include <fmt/format.h>

#include "node/driver_kit/checks/names.hpp"
#include "node/driver_kit/checks/parts.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::driver_kit {
namespace {

constexpr std::size_t kNamesMax = 32;   // attributes and capacities together
constexpr std::size_t kValuesMax = 48;  // of attributes, counting each item of a list
constexpr std::size_t kTextMax = 64;
constexpr std::size_t kTaintsMax = 16;
constexpr std::size_t kConditionsMax = 4;
constexpr std::size_t kCountersMax = 32;
constexpr std::size_t kCounterSetsOfDeviceMax = 2;
constexpr std::size_t kCompatibilityGroupsMax = 2;

void check_value(const Field& value, std::string_view type) {
  if (type.starts_with("bool")) (void)value.flag();
  if (type.starts_with("int")) value.must_be_integer();
  if (type.starts_with("string") && value.text().size() > kTextMax) {
    value.refuse("must have at most 64 bytes");
  }
  if (type.starts_with("version")) value.refuse_if(problem_with_version(value.text()));
}

// Returns the number of values.
std::size_t check_attribute(const Field& attribute) {
  std::size_t types = 0;
  std::size_t values = 0;
  for (const auto* type : {"bool", "int", "string", "version"}) {
    const Field value = attribute.at(type);
    if (!value.is_set()) continue;
    ++types;
    ++values;
    check_value(value, type);
  }
  for (const auto* type : {"bools", "ints", "strings", "versions"}) {
    const Field list = attribute.at(type);
    if (!list.is_set()) continue;
    ++types;
    const auto items = list.items();
    values += items.size();
    if (items.empty()) list.refuse("must not be empty");
    for (const Field& item : items) {
      if (!item.is_set()) item.refuse("must not be null");
      check_value(item, type);
    }
  }
  if (types != 1) {
    attribute.refuse(
        "exactly one of bool, int, string, version, bools, ints, strings and versions must be set");
  }
  return values;
}

void check_attributes(const Field& device) {
  const auto attributes = device.at("attributes").entries();
  std::size_t values = 0;
  for (const auto& [name, attribute] : attributes) {
    attribute.refuse_if(problem_with_attribute_name(name));
    values += check_attribute(attribute);
  }
  if (attributes.size() + device.at("capacity").entries().size() > kNamesMax) {
    device.at("attributes").refuse("must have at most 32 names, with those of capacity");
  }
  if (values > kValuesMax) device.at("attributes").refuse("must have at most 48 values");
}

void check_taints(const Field& taints) {
  const auto items = taints.items();
  if (items.size() > kTaintsMax) taints.refuse("must have at most 16 items");
  for (const Field& taint : items) {
    taint.at("key").refuse_if(problem_with_label_key(taint.at("key").text()));
    taint.at("value").refuse_if(problem_with_label_value(taint.at("value").text()));
    const std::string_view effect = taint.at("effect").text();
    if (effect != "NoSchedule" && effect != "NoExecute" && effect != "None") {
      taint.at("effect").refuse("must be NoSchedule, NoExecute or None");
    }
    const Field time = taint.at("timeAdded");
    if (time.is_set() && !runtime::parse_timestamp(time.text())) {
      time.refuse("must be a time of RFC 3339");
    }
  }
}

void check_consumption(const Field& consumed) {
  const auto sets = check_set(consumed, kCounterSetsOfDeviceMax,
                              [](const Field& each) { return each.at("counterSet").text(); });
  for (const Field& each : sets) {
    each.at("counterSet").refuse_if(problem_with_label(each.at("counterSet").text()));
    check_counters(each.at("counters"));
    const auto groups = check_set(each.at("compatibilityGroups"), kCompatibilityGroupsMax,
                                  [](const Field& group) { return group.text(); });
    for (const Field& group : groups) group.refuse_if(problem_with_label(group.text()));
  }
}

}  // namespace

std::vector<Field> check_set(const Field& list, std::size_t most,
                             const std::function<std::string_view(const Field&)>& key_of) {
  std::vector<Field> items = list.items();
  if (items.size() > most) list.refuse(fmt::format("must have at most {} items", most));
  std::set<std::string_view> keys;
  for (const Field& item : items) {
    if (!keys.insert(key_of(item)).second) item.refuse("is there twice");
  }
  return items;
}

void check_counters(const Field& counters) {
  const auto entries = counters.entries();
  if (entries.empty()) counters.refuse("must not be empty");
  if (entries.size() > kCountersMax) counters.refuse("must have at most 32 entries");
  for (const auto& [name, counter] : entries) {
    counter.refuse_if(problem_with_label(name));
    (void)counter.at("value").quantity();
  }
}

void check_binding(const Field& device) {
  const auto text_of = [](const Field& item) { return item.text(); };
  const Field wanted = device.at("bindingConditions");
  const Field failures = device.at("bindingFailureConditions");
  std::set<std::string_view> names;
  for (const Field& each : check_set(wanted, kConditionsMax, text_of)) {
    each.refuse_if(problem_with_label_key(each.text()));
    names.insert(each.text());
  }
  const auto refused = check_set(failures, kConditionsMax, text_of);
  for (const Field& each : refused) {
    each.refuse_if(problem_with_label_key(each.text()));
    if (names.contains(each.text())) each.refuse("must not be one of bindingConditions");
  }
  if (names.empty() && !refused.empty()) wanted.refuse("needed for bindingFailureConditions");
  if (!names.empty() && refused.empty()) failures.refuse("needed for bindingConditions");
}

void check_device(const Field& device, bool is_chosen_by_device) {
  device.at("name").refuse_if(problem_with_label(device.at("name").text()));
  check_attributes(device);
  check_capacity(device);
  check_taints(device.at("taints"));
  check_consumption(device.at("consumesCounters"));
  check_place_of_device(device, is_chosen_by_device);
  (void)device.at("bindsToNode").flag();
  check_binding(device);
  check_node_allocatable(device);
}

}  // namespace dcm::driver_kit
