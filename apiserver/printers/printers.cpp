#include "apiserver/printers/printers.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apiserver/printers/human_duration.hpp"
#include "apiserver/printers/printer_parts.hpp"
#include "apiserver/text/words.hpp"

namespace dcm::apiserver {

namespace {

using runtime::WallTime;

const Column kName = name_column();
const Column kAge = age_column();

JsonArray name_and_creation(const JsonObject& object, WallTime) {
  return {name_of(object), Json(text_at(object, {"metadata", "creationTimestamp"}))};
}

JsonArray config_map_cells(const JsonObject& object, WallTime now) {
  const std::size_t entries =
      object_at(object, {"data"}).size() + object_at(object, {"binaryData"}).size();
  return {name_of(object), entries, age(object, now)};
}

JsonArray namespace_cells(const JsonObject& object, WallTime now) {
  return {name_of(object), Json(text_at(object, {"status", "phase"})), age(object, now)};
}

JsonArray lease_cells(const JsonObject& object, WallTime now) {
  return {name_of(object), Json(text_at(object, {"spec", "holderIdentity"})), age(object, now)};
}

std::string node_status(const JsonObject& node) {
  std::string status = "Unknown";
  for (const Json& condition : array_at(node, {"status", "conditions"})) {
    const JsonObject& shown = as_object(condition);
    if (text_at(shown, {"type"}) != "Ready") continue;
    status = text_at(shown, {"status"}) == "True" ? "Ready" : "NotReady";
  }
  if (flag_at(node, {"spec", "unschedulable"})) status += ",SchedulingDisabled";
  return status;
}

std::string node_roles(const JsonObject& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<std::string> roles;
  for (const auto& [key, value] : object_at(node, {"metadata", "labels"})) {
    const std::string_view label = key;
    if (label.starts_with(kPrefix)) roles.emplace(label.substr(kPrefix.size()));
    if (label == "kubernetes.io/role" && value.is_string()) roles.emplace(view(value.get_string()));
  }
  roles.erase("");
  return roles.empty() ? "<none>" : fmt::format("{}", fmt::join(roles, ","));
}

Json node_address(const JsonObject& node, std::string_view type) {
  for (const Json& address : array_at(node, {"status", "addresses"})) {
    const JsonObject& shown = as_object(address);
    if (text_at(shown, {"type"}) == type) return Json(text_at(shown, {"address"}));
  }
  return Json("<none>");
}

JsonArray node_cells(const JsonObject& node, WallTime now) {
  const auto info = [&](std::string_view name) {
    return text_or(node, {"status", "nodeInfo", name}, "<unknown>");
  };
  std::string kernel(view(info("kernelVersion").get_string()));
  const std::string_view architecture = text_at(node, {"status", "nodeInfo", "architecture"});
  if (!architecture.empty()) kernel += fmt::format(" ({})", architecture);
  return {name_of(node),
          Json(node_status(node)),
          Json(node_roles(node)),
          age(node, now),
          Json(text_at(node, {"status", "nodeInfo", "kubeletVersion"})),
          node_address(node, "InternalIP"),
          node_address(node, "ExternalIP"),
          info("osImage"),
          Json(kernel),
          info("containerRuntimeVersion")};
}

std::string event_target(const JsonObject& event) {
  const std::string kind = lower(text_at(event, {"involvedObject", "kind"}));
  const std::string_view name = text_at(event, {"involvedObject", "name"});
  return name.empty() ? kind : fmt::format("{}/{}", kind, name);
}

std::string event_source(const JsonObject& event) {
  const Json component =
      text_or(event, {"source", "component"}, text_at(event, {"reportingComponent"}));
  const Json host = text_or(event, {"source", "host"}, text_at(event, {"reportingInstance"}));
  std::string source(view(component.get_string()));
  if (!host.get_string().empty()) source += fmt::format(", {}", view(host.get_string()));
  return source;
}

JsonArray event_cells(const JsonObject& event, WallTime now) {
  const auto first_of = [&](std::string_view one, std::string_view other) {
    const std::string_view since = text_at(event, {one});
    return since.empty() ? text_at(event, {other}) : since;
  };
  const std::string_view first = first_of("firstTimestamp", "eventTime");
  const std::string_view last_named = text_at(event, {"lastTimestamp"});
  std::string_view last = last_named.empty() ? first : last_named;
  std::int64_t count = integer_at(event, {"count"}).value_or(0);
  if (has(event, {"series"})) {
    last = text_at(event, {"series", "lastObservedTime"});
    count = integer_at(event, {"series", "count"}).value_or(0);
  } else if (count == 0) {
    count = 1;
  }
  return {Json(age_of(last, now)),
          Json(text_at(event, {"type"})),
          Json(text_at(event, {"reason"})),
          Json(event_target(event)),
          Json(text_at(event, {"involvedObject", "fieldPath"})),
          Json(event_source(event)),
          Json(trimmed(text_at(event, {"message"}))),
          Json(age_of(first, now)),
          count,
          name_of(event)};
}

// A number or a percentage.
Json int_or_text(const JsonObject& object, Path path) {
  const Json* value = find(object, path);
  if (value == nullptr || value->is_null()) return Json("N/A");
  return value->is_string() ? *value : Json(serialize(*value));
}

JsonArray budget_cells(const JsonObject& budget, WallTime now) {
  return {name_of(budget), int_or_text(budget, {"spec", "minAvailable"}),
          int_or_text(budget, {"spec", "maxUnavailable"}),
          integer_at(budget, {"status", "disruptionsAllowed"}).value_or(0), age(budget, now)};
}

JsonArray claim_cells(const JsonObject& claim, WallTime now) {
  const bool is_deleted = has(claim, {"metadata", "deletionTimestamp"});
  const bool is_allocated = has(claim, {"status", "allocation"});
  std::vector<std::string_view> states;
  if (is_deleted) states.emplace_back("deleted");
  if (!is_allocated && !is_deleted) states.emplace_back("pending");
  if (is_allocated) states.emplace_back("allocated");
  const bool is_reserved = !array_at(claim, {"status", "reservedFor"}).empty();
  if (is_allocated && is_reserved) states.emplace_back("reserved");
  return {name_of(claim), Json(fmt::format("{}", fmt::join(states, ","))), age(claim, now)};
}

JsonArray slice_cells(const JsonObject& slice, WallTime now) {
  return {name_of(slice), Json(text_at(slice, {"spec", "nodeName"})),
          Json(text_at(slice, {"spec", "driver"})), Json(text_at(slice, {"spec", "pool", "name"})),
          age(slice, now)};
}

JsonArray taint_rule_cells(const JsonObject& rule, WallTime now) {
  const auto taint = [&](std::string_view name) { return text_at(rule, {"spec", "taint", name}); };
  const std::string_view added = taint("timeAdded");
  return {name_of(rule),
          Json(taint("key")),
          Json(taint("value")),
          Json(taint("effect")),
          Json(added.empty() ? std::string() : age_of(added, now)),
          age(rule, now)};
}

// Sums over pools; "-": nothing is known.
Json sum(const JsonObject& request, std::string_view field) {
  if (!has(request, {"status"})) return Json("-");
  std::int64_t total = 0;
  for (const Json& pool : array_at(request, {"status", "pools"})) {
    total += integer_at(as_object(pool), {field}).value_or(0);
  }
  return Json(std::to_string(total));
}

// The condition that says how the request was answered; null: none is True.
const JsonObject* answer_of(const JsonObject& request) {
  for (const Json& each : array_at(request, {"status", "conditions"})) {
    const JsonObject& condition = as_object(each);
    const std::string_view type = text_at(condition, {"type"});
    const bool is_answer = type == "Complete" || type == "Failed";
    if (is_answer && text_at(condition, {"status"}) == "True") return &condition;
  }
  return nullptr;
}

std::string pool_status_word(const JsonObject& request, std::string_view condition) {
  if (condition != "Complete") return std::string(condition.empty() ? "Pending" : condition);
  const auto shown = static_cast<std::int64_t>(array_at(request, {"status", "pools"}).size());
  const auto all = integer_at(request, {"status", "poolCount"}).value_or(0);
  return all > shown ? fmt::format("Complete ({}/{} pools)", shown, all) : "Complete";
}

Json pool_errors(const JsonObject& request) {
  if (!has(request, {"status"})) return Json("-");
  const auto errors = std::ranges::count_if(
      array_at(request, {"status", "pools"}),
      [](const Json& pool) { return has(as_object(pool), {"validationError"}); });
  return Json(std::to_string(errors));
}

JsonArray pool_status_cells(const JsonObject& request, WallTime now) {
  const JsonObject* const answer = answer_of(request);
  const std::string_view type = answer == nullptr ? "" : text_at(*answer, {"type"});
  const bool has_failed = type == "Failed";
  const auto count = [&](std::string_view field) {
    return has_failed ? Json("-") : sum(request, field);
  };
  return {name_of(request),
          Json(text_at(request, {"spec", "driver"})),
          count("totalDevices"),
          count("availableDevices"),
          count("allocatedDevices"),
          count("unavailableDevices"),
          has_failed ? Json("-") : pool_errors(request),
          integer_at(request, {"status", "poolCount"}).value_or(0),
          Json(pool_status_word(request, type)),
          type == "Complete" ? Json(age_of(text_at(*answer, {"lastTransitionTime"}), now))
                             : Json("<none>")};
}

Printers own_printers() {
  return {
      {"Pod",
       {{kName, shown("Ready"), shown("Status"), shown("Restarts"), kAge, wide("IP"), wide("Node"),
         wide("Nominated Node"), wide("Readiness Gates")},
        pod_cells}},
      {"Node",
       {{kName, shown("Status"), shown("Roles"), kAge, shown("Version"), wide("Internal-IP"),
         wide("External-IP"), wide("OS-Image"), wide("Kernel-Version"), wide("Container-Runtime")},
        node_cells}},
      {"Namespace", {{kName, shown("Status"), kAge}, namespace_cells}},
      {"Event",
       {{shown("Last Seen"), shown("Type"), shown("Reason"), shown("Object"), wide("Subobject"),
         wide("Source"), shown("Message"), wide("First Seen"), wide("Count"),
         Column{.name = "Name", .format = "name", .priority = Column::Priority::wide}},
        event_cells}},
      {"ConfigMap", {{kName, shown("Data"), kAge}, config_map_cells}},
      {"Lease", {{kName, shown("Holder"), kAge}, lease_cells}},
      {"PodDisruptionBudget",
       {{kName, shown("Min Available"), shown("Max Unavailable"),
         Column{.name = "Allowed Disruptions", .type = "integer"}, kAge},
        budget_cells}},
      {"ResourceClaim", {{kName, shown("State"), kAge}, claim_cells}},
      {"ResourceClaimTemplate", {{kName, kAge}, name_and_age}},
      {"ResourceSlice",
       {{kName, shown("Node"), shown("Driver"), shown("Pool"), kAge}, slice_cells}},
      {"DeviceClass", {{kName, kAge}, name_and_age}},
      {"DeviceTaintRule",
       {{kName, shown("Key"), shown("Value"), shown("Effect"), shown("TimeAdded"), kAge},
        taint_rule_cells}},
      {"ResourcePoolStatusRequest",
       {{kName, shown("Driver"), shown("Total"), shown("Available"), shown("Allocated"),
         shown("Unavailable"), shown("Errors"), Column{.name = "Pools", .type = "integer"},
         shown("Status"), shown("Completed")},
        pool_status_cells}},
  };
}

const Printers& printers() {
  static const Printers kPrinters = [] {
    Printers all = own_printers();
    for (Printers more :
         {workload_printers(), network_printers(), storage_printers(), policy_printers()}) {
      all.merge(more);
    }
    return all;
  }();
  return kPrinters;
}

}  // namespace

const Printer& printer_of(std::string_view kind) {
  static const Printer kPlain{{kName, Column{.name = "Created At", .type = "date"}},
                              name_and_creation};
  const auto found = printers().find(kind);
  return found == printers().end() ? kPlain : found->second;
}

const Printer& printer_of(const ResourceType& type) {
  return type.defined == nullptr ? printer_of(type.kind) : type.defined->printer;
}

}  // namespace dcm::apiserver
