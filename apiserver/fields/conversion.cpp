#include "apiserver/fields/conversion.hpp"

#include "apiserver/definitions/defined_kind.hpp"
#include "apiserver/definitions/shaping.hpp"
#include "apiserver/store/resources.hpp"

namespace dcm::apiserver {

namespace {

// Moves all members but `stays` below `below`.
void nest(JsonObject& object, std::string_view stays, std::string_view also_stays,
          std::string_view below) {
  JsonObject outer;
  JsonObject inner;
  for (auto& [key, value] : object) {
    (key == stays || key == also_stays ? outer : inner)[key] = std::move(value);
  }
  if (!inner.empty()) outer[below] = std::move(inner);
  object = std::move(outer);
}

// Moves the members of `below` up.
void unnest(JsonObject& object, std::string_view below) {
  const Json* inner = object.if_contains(below);
  if (inner == nullptr || !inner->is_object()) return;
  const JsonObject members = inner->get_object();
  object.erase(below);
  for (const auto& [key, value] : members) object[key] = value;
}

template <class F>
void for_each_object(Json* list, F change) {
  if (list == nullptr || !list->is_array()) return;
  for (Json& item : list->get_array()) {
    if (item.is_object()) change(item.get_object());
  }
}

Json* requests_of(const ResourceType& type, JsonObject& object) {
  if (type.kind == "ResourceClaim") return find(object, {"spec", "devices", "requests"});
  if (type.kind != "ResourceClaimTemplate") return nullptr;
  return find(object, {"spec", "spec", "devices", "requests"});
}

Json* devices_of(const ResourceType& type, JsonObject& object) {
  return type.kind == "ResourceSlice" ? find(object, {"spec", "devices"}) : nullptr;
}

// The names of the same things in events.k8s.io/v1 and in v1.
struct Renamed {
  std::string_view newer;
  std::string_view stored;
};
constexpr Renamed kEventFields[] = {
    {"regarding", "involvedObject"},
    {"note", "message"},
    {"reportingController", "reportingComponent"},
    {"deprecatedSource", "source"},
    {"deprecatedFirstTimestamp", "firstTimestamp"},
    {"deprecatedLastTimestamp", "lastTimestamp"},
    {"deprecatedCount", "count"},
};

void rename(JsonObject& object, std::string_view from, std::string_view to) {
  const Json* value = object.if_contains(from);
  if (value == nullptr) return;
  Json moved = *value;
  object.erase(from);
  object[to] = std::move(moved);
}

}  // namespace

bool needs_conversion(const ResourceType& type, std::string_view version) {
  if (type.defined != nullptr) return true;
  if (type.group == "events.k8s.io") return true;
  return version == "v1beta1" && type.group == "resource.k8s.io";
}

void to_stored_version(const ResourceType& type, std::string_view version, JsonObject& object) {
  if (type.defined != nullptr) return;
  if (type.group == "events.k8s.io") {
    for (const auto& [newer, stored] : kEventFields) rename(object, newer, stored);
    return;
  }
  if (!needs_conversion(type, version)) return;
  for_each_object(requests_of(type, object), [](JsonObject& request) {
    if (text_at(request, {"deviceClassName"}).empty()) request.erase("deviceClassName");
    nest(request, "name", "firstAvailable", "exactly");
  });
  for_each_object(devices_of(type, object), [](JsonObject& device) { unnest(device, "basic"); });
}

void from_stored_version(const ResourceType& type, std::string_view version, JsonObject& object) {
  if (type.defined != nullptr) {
    set_defaults(object, type.defined->schema);
    prune(object, type.defined->schema, Root::resource);
    return;
  }
  if (type.group == "events.k8s.io") {
    for (const auto& [newer, stored] : kEventFields) rename(object, stored, newer);
    return;
  }
  if (!needs_conversion(type, version)) return;
  for_each_object(requests_of(type, object), [](JsonObject& request) {
    unnest(request, "exactly");
    // Never left out in that version, not even where there are alternatives.
    if (!request.contains("deviceClassName")) request["deviceClassName"] = "";
  });
  for_each_object(devices_of(type, object), [](JsonObject& device) {
    nest(device, "name", "name", "basic");
    child(device, "basic");
  });
}

}  // namespace dcm::apiserver
