#include "test/apiserver/metadata_rules.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "test/apiserver/strategy.hpp"

namespace dcm::apiserver {

namespace {

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_dns_label(std::string_view label) {
  if (label.empty() || !is_alphanumeric(label.front()) || !is_alphanumeric(label.back())) {
    return false;
  }
  return std::ranges::all_of(label, [](char c) { return is_alphanumeric(c) || c == '-'; });
}

bool is_dns_subdomain(std::string_view name) {
  if (name.empty() || name.size() > 253) return false;
  for (;;) {
    const auto dot = name.find('.');
    if (!is_dns_label(name.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    name = name.substr(dot + 1);
  }
}

constexpr std::string_view kSubdomainRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

bool is_controller(const JsonObject& owner) {
  const Json* controller = owner.if_contains("controller");
  return controller != nullptr && controller->is_bool() && controller->get_bool();
}

void validate_owners(const JsonObject& metadata, Causes& causes) {
  std::string first;
  std::size_t index = 0;
  for (const Json& item : array_at(metadata, {"ownerReferences"})) {
    const std::string path = indexed("metadata.ownerReferences", index++);
    if (!item.is_object()) continue;
    const JsonObject& owner = item.get_object();
    for (const auto* key : {"apiVersion", "kind", "name", "uid"}) {
      if (text_at(owner, {key}).empty()) {
        causes.push_back(invalid_value(path + "." + key, Json(""), "must not be empty"));
      }
    }
    if (!is_controller(owner)) continue;
    const std::string name =
        fmt::format("{}/{}", text_at(owner, {"kind"}), text_at(owner, {"name"}));
    if (!first.empty()) {
      causes.push_back(invalid_value(
          "metadata.ownerReferences", metadata.at("ownerReferences"),
          fmt::format("Only one reference can have Controller set to true. Found \"true\" in "
                      "references for {} and {}",
                      first, name)));
    }
    first = name;
  }
}

void validate_strings(const JsonObject& metadata, std::string_view name, Causes& causes) {
  for (const auto& [key, value] : object_at(metadata, {name})) {
    if (value.is_string()) continue;
    causes.push_back(
        invalid_value(fmt::format("metadata.{}", name), Json(key), "must be a string"));
  }
}

void require_same(const JsonObject& next, const JsonObject& old, std::string_view key,
                  Causes& causes) {
  const Json* now = find(next, {"metadata", key});
  const Json* before = find(old, {"metadata", key});
  const bool same = now == nullptr || before == nullptr ? now == before : *now == *before;
  if (same) return;
  causes.push_back(invalid_value(fmt::format("metadata.{}", key), now != nullptr ? *now : Json(),
                                 "field is immutable"));
}

void forbid_new_finalizers(const JsonObject& next, const JsonObject& old, Causes& causes) {
  const JsonArray& before = array_at(old, {"metadata", "finalizers"});
  std::string added;
  for (const Json& finalizer : array_at(next, {"metadata", "finalizers"})) {
    if (std::ranges::find(before, finalizer) != before.end()) continue;
    added += (added.empty() ? "" : ", ") + serialize(finalizer);
  }
  if (added.empty()) return;
  causes.push_back(forbidden_value(
      "metadata.finalizers",
      fmt::format("no new finalizers can be added if the object is being deleted, found new "
                  "finalizers []string{{{}}}",
                  added)));
}

}  // namespace

void validate_metadata(const JsonObject& object, Causes& causes) {
  const JsonObject& metadata = object_at(object, {"metadata"});
  const std::string_view name = text_at(metadata, {"name"});
  if (name.empty()) {
    causes.push_back(required_value("metadata.name", "name or generateName is required"));
  } else if (!is_dns_subdomain(name)) {
    causes.push_back(invalid_value("metadata.name", Json(name), kSubdomainRule));
  }
  validate_strings(metadata, "labels", causes);
  validate_strings(metadata, "annotations", causes);
  validate_owners(metadata, causes);
}

void validate_metadata_update(const JsonObject& next, const JsonObject& old, Causes& causes) {
  if (has(old, {"metadata", "deletionTimestamp"})) forbid_new_finalizers(next, old, causes);
  for (const auto* key :
       {"name", "namespace", "uid", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    require_same(next, old, key, causes);
  }
  const JsonObject& metadata = object_at(next, {"metadata"});
  validate_strings(metadata, "labels", causes);
  validate_strings(metadata, "annotations", causes);
  validate_owners(metadata, causes);
}

void keep_system_metadata(JsonObject& next, const JsonObject& old) {
  JsonObject& metadata = child(next, "metadata");
  const JsonObject& before = object_at(old, {"metadata"});

  restore(metadata, before, "creationTimestamp");
  if (text_at(metadata, {"uid"}).empty()) restore(metadata, before, "uid");
  if (before.contains("deletionTimestamp")) restore(metadata, before, "deletionTimestamp");
  if (!metadata.contains("deletionGracePeriodSeconds")) {
    restore(metadata, before, "deletionGracePeriodSeconds");
  }
}

}  // namespace dcm::apiserver
