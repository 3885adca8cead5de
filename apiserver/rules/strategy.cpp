#include "apiserver/rules/strategy.hpp"

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

}  // namespace dcm::apiserver
