#include "apiserver/definitions/decoding.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "apiserver/definitions/defined_kind.hpp"
#include "apiserver/definitions/embedded.hpp"
#include "apiserver/definitions/merge_schema.hpp"
#include "apiserver/definitions/shaping.hpp"
#include "apiserver/fields/apply_errors.hpp"
#include "apiserver/schemas/published_schemas.hpp"
#include "apiserver/text/item_budget.hpp"

namespace dcm::apiserver {

namespace {

// A whole number is an integer, however it was written: Go writes it so.
void write_whole_numbers(Json& value) {
  if (value.is_object()) {
    for (auto& [name, member] : value.get_object()) write_whole_numbers(member);
  } else if (value.is_array()) {
    for (Json& item : value.get_array()) write_whole_numbers(item);
  } else if (value.is_double()) {
    value = number_as_go(value.get_double());
  }
}

std::string_view go_type(const Json& value) {
  if (value.is_string()) return "string";
  if (value.is_bool()) return "boolean";
  if (value.is_number()) return "int";
  return value.is_object() ? "map" : "list";
}

// The members that all resources have: those of a pod.
const Structural& resource_schema() {
  static const Structural kSchema = [] {
    const PublishedSchemas& published = PublishedSchemas::of("v1");
    const JsonObject& pod = published.named("io.k8s.api.core.v1.Pod");
    JsonObject properties;
    for (const auto* name : {"apiVersion", "kind", "metadata"}) {
      properties[name] = published.resolved(pod.at("properties").at(name));
    }
    return read_structural({{"type", "object"}, {"properties", properties}});
  }();
  return kSchema;
}

// Finds what structured-merge-diff rejects, in its words (typed/validate.go).
class AppliedChecker {
 public:
  std::vector<std::string> take() { return std::move(problems_); }

  void value(const Json& value, const Structural& schema, const std::string& path) {
    if (value.is_null() || problems_.size() >= kReportedMax) return;
    if (const std::string_view expected = expected_type(value, schema); !expected.empty()) {
      return report(fmt::format("{}: expected {}, got {}", path, expected, go_type(value)));
    }
    if (value.is_array() && schema.items != nullptr) items(value.get_array(), schema, path);
    if (value.is_object()) members(value.get_object(), schema, path);
  }

  void members(const JsonObject& object, const Structural& schema, const std::string& path) {
    const bool is_resource = path.empty() || schema.is_embedded_resource;
    const bool is_open =
        schema.preserves_unknown || (schema.properties.empty() && !schema.has_values());
    for (const auto& [name, member] : object) {
      if (is_resource && is_meta(name)) {
        value(member, resource_schema().properties.at(name),
              fmt::format("{}.{}", path, std::string_view(name)));
        continue;
      }
      const std::string below = fmt::format("{}.{}", path, std::string_view(name));
      const Structural* const known = schema.member(name);
      if (known != nullptr) {
        value(member, *known, below);
      } else if (!is_open) {
        return report(below + ": field not declared in schema");
      }
    }
  }

 private:
  void report(std::string problem) {
    if (problems_.size() < kReportedMax) problems_.push_back(std::move(problem));
  }

  // "" if the value fits.
  static std::string_view expected_type(const Json& value, const Structural& schema) {
    if (schema.is_int_or_string || schema.type.empty()) return "";
    const auto expect = [](bool fits, std::string_view what) { return fits ? "" : what; };
    if (schema.type == "object") return expect(value.is_object(), "map");
    if (schema.type == "array") return expect(value.is_array(), "list");
    if (schema.type == "boolean") return expect(value.is_bool(), "boolean");
    if (schema.type != "string") return expect(value.is_number(), "numeric (int or float)");
    // The published schema says "string" only for plain ones.
    if (schema.format.empty() || schema.format == "byte") {
      return expect(value.is_string(), "string");
    }
    return expect(!value.is_object() && !value.is_array(), "any scalar");
  }

  void items(const JsonArray& items, const Structural& schema, const std::string& path) {
    const Schema rules = list_rules(schema);
    std::set<std::string> seen;
    for (std::size_t index = 0; index < items.size(); ++index) {
      const Json& item = items[index];
      std::string step = fmt::format("[{}]", index);
      if (rules.list != Schema::List::atomic) {
        // An item without an identity ends the check of its list.
        if (const std::string why = unidentified(item, schema, rules); !why.empty()) {
          return report(fmt::format("{}: element {}: {}", path, index, why));
        }
        step = path_element(item_element(item, rules));
        if (!seen.insert(step).second) {
          report(fmt::format("{}: duplicate entries for key {}", path, step));
        }
      }
      value(item, *schema.items, path + step);
    }
  }

  // Why an item of a list that is a map or set cannot be told from others; "" if it can.
  static std::string unidentified(const Json& item, const Structural& list, const Schema& rules) {
    if (rules.list == Schema::List::set) {
      if (item.is_null()) {
        return "associative list without keys has an element that's an explicit null";
      }
      if (item.is_object()) {
        return "associative list without keys has an element that's a map type";
      }
      return item.is_array() ? "not supported: associative list with lists as elements" : "";
    }
    if (item.is_null()) return "associative list with keys may not have a null element";
    if (!item.is_object()) return "associative list with keys may not have non-map elements";
    const bool has_key = std::ranges::any_of(list.list_keys, [&](const std::string& key) {
      return item.get_object().contains(key) || rules.key_defaults.contains(key);
    });
    if (has_key) return "";
    return fmt::format(
        "associative list with keys has an element that omits all key fields [\"{}\"] (and "
        "doesn't have default values for any key fields)",
        fmt::join(list.list_keys, "\" \""));
  }

  std::vector<std::string> problems_;
};

bool has_list_for_text(const Json& value, const Structural& schema);

bool has_list_for_text(const JsonObject& object, const Structural& schema) {
  return std::ranges::any_of(object, [&](const auto& member) {
    const Structural* const known = schema.member(member.key());
    return known != nullptr && has_list_for_text(member.value(), *known);
  });
}

bool has_list_for_text(const Json& value, const Structural& schema) {
  if (value.is_object()) return has_list_for_text(value.get_object(), schema);
  if (!value.is_array()) return false;
  return schema.type == "string" ||
         (schema.items != nullptr && std::ranges::any_of(value.get_array(), [&](const Json& item) {
            return has_list_for_text(item, *schema.items);
          }));
}

}  // namespace

TypedResult decode_fields(JsonObject& object, const ResourceType& type, std::string_view version,
                          MapKeys keys) {
  if (type.defined == nullptr) return decode_typed(object, type.fields(version), type.kind, keys);
  TypedResult result = decode_metadata(object, keys);
  if (result.problem) return result;
  for (auto& [name, value] : object) write_whole_numbers(value);
  std::ranges::move(prune(object, defined_kind(type).schema, Root::resource),
                    std::back_inserter(result.unknown));
  drop_nulls(object, defined_kind(type).schema);
  EmbeddedResult embedded = decode_embedded(object, defined_kind(type).schema, Root::value);
  std::ranges::move(embedded.unknown, std::back_inserter(result.unknown));
  if (embedded.problem) result.problem = {"", "", joined({*embedded.problem})};
  return result;
}

std::string problem_with_applied(const JsonObject& object, const Structural& schema) {
  AppliedChecker checker;
  checker.members(object, schema, "");
  const std::vector<std::string> problems = checker.take();
  if (problems.size() < 2) return problems.empty() ? "" : problems.front();
  return fmt::format("errors:\n  {}", fmt::join(problems, "\n  "));
}

std::string problem_with_stored(const JsonObject& object, const Structural& schema) {
  return has_list_for_text(object, schema) ? problem_with_applied(object, schema) : "";
}

}  // namespace dcm::apiserver
