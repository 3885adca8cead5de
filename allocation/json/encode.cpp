#include "allocation/json/encode.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include "runtime/timestamp.hpp"

namespace dcm::allocation {
namespace {

using boost::json::array;
using boost::json::object;

// Adds a list unless it is empty.
template <class List, class ToJson>
void add(object& to, std::string_view key, const List& list, ToJson to_json_value) {
  if (list.empty()) return;
  array items;
  for (const auto& each : list) items.push_back(to_json_value(each));
  to[key] = std::move(items);
}

boost::json::value from_text(const RawJson& raw) {
  return boost::json::parse(raw.text, {}, {.max_depth = kJsonLevelsMax});
}

boost::json::value as_text(const std::string& text) {
  return boost::json::value(text);
}

boost::json::value of_interned(const InternedString& text) {
  return boost::json::value(text.str());
}

boost::json::value of_requirement(const NodeRequirement& requirement) {
  object json{{"key", requirement.key}, {"operator", requirement.operator_}};
  add(json, "values", requirement.values, as_text);
  return json;
}

boost::json::value of_term(const NodeSelectorTerm& term) {
  object json;
  add(json, "matchExpressions", term.match_expressions, of_requirement);
  add(json, "matchFields", term.match_fields, of_requirement);
  return json;
}

boost::json::value of_device(const DeviceResult& result) {
  object json{{"request", result.request},
              {"driver", result.id.driver.str()},
              {"pool", result.id.pool.str()},
              {"device", result.id.device.str()}};
  if (result.has_admin_access) json["adminAccess"] = true;
  add(json, "tolerations", result.tolerations, from_text);
  add(json, "bindingConditions", result.binding_conditions, of_interned);
  add(json, "bindingFailureConditions", result.binding_failure_conditions, of_interned);
  if (!result.share_id.empty()) json["shareID"] = result.share_id;
  object consumed;
  for (const auto& [name, amount] : result.consumed_capacity) consumed[name] = amount.text();
  if (!consumed.empty()) json["consumedCapacity"] = std::move(consumed);
  add(json, "skipNodeOperations", result.skip_node_operations, of_interned);
  return json;
}

boost::json::value of_config(const ConfigResult& config) {
  const bool is_of_class = config.source == ConfigResult::Source::from_class;
  object json{{"source", is_of_class ? "FromClass" : "FromClaim"}};
  add(json, "requests", config.requests, as_text);
  if (config.opaque) json["opaque"] = from_text(*config.opaque);
  return json;
}

}  // namespace

object to_json(const NodeSelector& selector) {
  object json;
  add(json, "nodeSelectorTerms", selector.terms, of_term);
  return json;
}

object to_json(const AllocationResult& result) {
  object devices;
  add(devices, "results", result.devices, of_device);
  add(devices, "config", result.config, of_config);
  object json{{"devices", std::move(devices)}};
  if (result.node_selector) json["nodeSelector"] = to_json(*result.node_selector);
  if (result.time) json["allocationTimestamp"] = runtime::timestamp(*result.time);
  return json;
}

}  // namespace dcm::allocation
