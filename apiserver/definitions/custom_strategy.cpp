#include "apiserver/definitions/custom_strategy.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "apiserver/definitions/decoding.hpp"
#include "apiserver/definitions/defined_kind.hpp"
#include "apiserver/definitions/embedded.hpp"
#include "apiserver/definitions/list_items.hpp"
#include "apiserver/definitions/rules.hpp"
#include "apiserver/definitions/scale.hpp"
#include "apiserver/definitions/shaping.hpp"
#include "apiserver/definitions/value_validation.hpp"

namespace dcm::apiserver {

namespace {

// Errors show values with their members in order, so a value with errors is checked once more.
void check(const Json& whole, Causes& causes, const auto& check_whole) {
  const auto known = static_cast<std::ptrdiff_t>(causes.size());
  check_whole(whole);
  if (std::ssize(causes) == known) return;
  causes.erase(causes.begin() + known, causes.end());
  check_whole(in_order(whole));
}

bool same_but_metadata(const JsonObject& a, const JsonObject& b) {
  const auto has_all_of = [](const JsonObject& left, const JsonObject& right) {
    return std::ranges::all_of(left, [&](const auto& member) {
      if (member.key() == "metadata") return true;
      const Json* const other = right.if_contains(member.key());
      return other != nullptr && *other == member.value();
    });
  };
  return has_all_of(a, b) && has_all_of(b, a);
}

}  // namespace

void CustomStrategy::set_defaults(JsonObject& object, const WriteContext&) const {
  apiserver::set_defaults(object, kind_.schema);
}

void CustomStrategy::prepare_create(JsonObject& object, const WriteContext&) const {
  if (kind_.has_status) object.stable_erase("status");
  child(object, "metadata")["generation"] = 1;
}

void CustomStrategy::prepare_update(JsonObject& next, const JsonObject& old, Endpoint endpoint,
                                    const WriteContext&) const {
  if (endpoint == Endpoint::status) {
    // Only the status and managed fields may change.
    JsonObject kept = old;
    restore(kept, next, "status");
    restore(child(kept, "metadata"), object_at(next, {"metadata"}), "managedFields");
    next = std::move(kept);
    return;
  }
  if (kind_.has_status) restore(next, old, "status");
  if (same_but_metadata(next, old)) return;
  const auto before = integer_at(old, {"metadata", "generation"}).value_or(0);
  child(next, "metadata")["generation"] = before + 1;
}

std::string CustomStrategy::untyped(const JsonObject& object) const {
  return problem_with_stored(object, kind_.schema);
}

std::map<std::string, std::vector<std::string>> CustomStrategy::replicas_paths() const {
  return kind_.replicas_paths;
}

std::vector<std::string> CustomStrategy::reset_fields(Endpoint endpoint) const {
  if (endpoint == Endpoint::status) return {"metadata", "spec"};
  return kind_.has_status ? std::vector<std::string>{"status"} : std::vector<std::string>();
}

Json CustomStrategy::whole(const JsonObject& object) const {
  JsonObject whole = object;
  for (const auto& [name, value] : kind_.type_meta) whole[name] = value;
  return whole;
}

void CustomStrategy::validate_scale(const JsonObject& object, Endpoint endpoint,
                                    Causes& causes) const {
  if (!kind_.scale) return;
  if (endpoint != Endpoint::status) validate_replicas(object, kind_.scale->spec, causes);
  validate_replicas(object, kind_.scale->status, causes);
  validate_scale_selector(object, kind_.scale->selector, causes);
}

void CustomStrategy::validate_create(const JsonObject& object, const WriteContext&,
                                     Causes& causes) const {
  check(whole(object), causes, [&](const Json& whole) { check_new(whole, causes); });
}

void CustomStrategy::check_new(const Json& whole, Causes& causes) const {
  validate_value(whole, nullptr, kind_.schema, "", causes);
  validate_scale(whole.get_object(), Endpoint::main, causes);
  validate_embedded(whole, kind_.schema, "", causes);
  validate_unique_items(whole, kind_.schema, "", causes);
  if (kind_.rules != nullptr) kind_.rules->validate(whole, nullptr, causes);
}

void CustomStrategy::validate_update(const JsonObject& next, const JsonObject& old,
                                     Endpoint endpoint, Causes& causes) const {
  const Json before = whole(old);
  check(whole(next), causes,
        [&](const Json& whole) { check_changed(whole, before, endpoint, causes); });
}

void CustomStrategy::check_changed(const Json& whole, const Json& before, Endpoint endpoint,
                                   Causes& causes) const {
  const JsonObject& next = whole.get_object();
  const JsonObject& old = before.get_object();
  const Structural* const status = kind_.schema.member("status");
  if (endpoint != Endpoint::status) {
    validate_value(whole, &before, kind_.schema, "", causes);
  } else if (status != nullptr && next.contains("status")) {
    validate_value(next.at("status"), old.if_contains("status"), *status, "status", causes);
  }
  validate_scale(next, endpoint, causes);
  if (endpoint != Endpoint::status) validate_embedded(whole, kind_.schema, "", causes);
  Causes duplicates;
  validate_unique_items(before, kind_.schema, "", duplicates);
  if (duplicates.empty()) validate_unique_items(whole, kind_.schema, "", causes);
  if (kind_.rules != nullptr) kind_.rules->validate(whole, &before, causes);
}

std::vector<std::string> CustomStrategy::warnings(const JsonObject& next,
                                                  const JsonObject* old) const {
  static const JsonObject kNothing;
  const std::set<std::string_view> before =
      texts_in(array_at(old == nullptr ? kNothing : *old, {"metadata", "finalizers"}));
  std::vector<std::string> texts;
  for (const Json& finalizer : array_at(next, {"metadata", "finalizers"})) {
    const std::string_view name = as_text(finalizer);
    const bool is_standard =
        name == "orphan" || name == "foregroundDeletion" || name == "kubernetes";
    if (is_standard || name.contains('/') || before.contains(name)) continue;
    texts.push_back(
        fmt::format("metadata.finalizers: \"{}\": prefer a domain-qualified finalizer "
                    "name {}to avoid accidental conflicts with other finalizer writers",
                    name, name.contains('.') ? "including a path (/) " : ""));
  }
  std::ranges::sort(texts);
  return texts;
}

SelectableFields CustomStrategy::selectable_fields(const JsonObject& object) const {
  SelectableFields fields;
  if (kind_.selectable.empty()) return fields;
  JsonObject shown = object;
  kind_.convert(shown);
  for (const SelectableField& field : kind_.selectable) {
    const auto found = field.path.find(shown);
    std::string& value = fields[field.name];
    if (found.empty() || found.front()->is_null()) continue;
    value = found.front()->is_string() ? std::string(view(found.front()->get_string()))
                                       : serialize(*found.front());
  }
  return fields;
}

}  // namespace dcm::apiserver
