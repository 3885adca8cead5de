#include "apiserver/rules/strategy.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dcm::apiserver {

namespace {

// An empty list counts as none.
bool is_same(const JsonObject& a, const JsonObject& b, std::string_view member) {
  if (object_at(a, {member}) == object_at(b, {member})) return true;
  JsonObject left = object_at(a, {member});
  JsonObject right = object_at(b, {member});
  for (JsonObject* spec : {&left, &right}) {
    drop_nulls(*spec);
    drop_empty_lists(*spec);
  }
  return left == right;
}

}  // namespace

void Strategy::prepare_update(JsonObject&, const JsonObject&, Endpoint, const WriteContext&) const {
}

void Strategy::validate_update(const JsonObject&, const JsonObject&, Endpoint, Causes&) const {}

void StatusStrategy::prepare_create(JsonObject& object, const WriteContext&) const {
  object["status"] = JsonObject();
}

void StatusStrategy::prepare_update(JsonObject& next, const JsonObject& old, Endpoint endpoint,
                                    const WriteContext&) const {
  if (endpoint == Endpoint::main) {
    restore(next, old, "status");
    return;
  }
  restore(next, old, "spec");
  restore_metadata(next, old);
  child(next, "status");
}

std::vector<std::string> StatusStrategy::reset_fields(Endpoint endpoint) const {
  if (endpoint == Endpoint::main) return {"status"};
  return {"spec", "metadata"};
}

void OldStatusStrategy::prepare_update(JsonObject& next, const JsonObject& old, Endpoint endpoint,
                                       const WriteContext&) const {
  restore(next, old, endpoint == Endpoint::main ? "status" : "spec");
}

std::vector<std::string> OldStatusStrategy::reset_fields(Endpoint endpoint) const {
  return {endpoint == Endpoint::main ? "status" : "spec"};
}

void restore_metadata(JsonObject& next, const JsonObject& old) {
  JsonObject& metadata = child(next, "metadata");
  const JsonObject& before = object_at(old, {"metadata"});
  for (const auto* name : {"labels", "annotations", "finalizers", "ownerReferences",
                           "deletionTimestamp", "generation"}) {
    restore(metadata, before, name);
  }
}

void count_generation(JsonObject& next, const JsonObject& old, std::string_view wanted) {
  if (is_same(next, old, wanted)) return;
  const auto before = integer_at(old, {"metadata", "generation"}).value_or(0);
  child(next, "metadata")["generation"] = before + 1;
}

void require_same_spec(const JsonObject& next, const JsonObject& old, Causes& causes) {
  if (is_same(next, old, "spec")) return;
  // The real server shows a Go value here, or nothing; clients ignore it.
  causes.push_back(invalid_value("spec", Json(), "field is immutable"));
}

bool is_set(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  return value != nullptr && *value != Json(false) && *value != Json("");
}

void set_default(JsonObject& object, std::string_view key, Json value) {
  if (!object.contains(key)) object[key] = std::move(value);
}

void validate_choice(std::string_view text, std::initializer_list<std::string_view> choices,
                     const std::string& path, Causes& causes) {
  if (std::ranges::find(choices, text) != choices.end()) return;
  causes.push_back(not_supported(path, Json(text), choices));
}

void validate_counts(const JsonObject& object, std::initializer_list<std::string_view> names,
                     const std::string& path, Causes& causes) {
  for (const std::string_view name : names) {
    const auto count = integer_at(object, {name});
    if (!count || *count >= 0) continue;
    causes.push_back(invalid_value(fmt::format("{}.{}", path, name), Json(*count),
                                   "must be greater than or equal to 0"));
  }
}

std::string indexed(std::string_view path, std::size_t index) {
  return fmt::format("{}[{}]", path, index);
}

}  // namespace dcm::apiserver
