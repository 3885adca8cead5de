#include "apiserver/fields/conversion.hpp"

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

}  // namespace

bool needs_conversion(const ResourceType& type, std::string_view version) {
  return version == "v1beta1" && type.group == "resource.k8s.io";
}

void to_stored_version(const ResourceType& type, std::string_view version, JsonObject& object) {
  if (!needs_conversion(type, version)) return;
  for_each_object(requests_of(type, object), [](JsonObject& request) {
    if (text_at(request, {"deviceClassName"}).empty()) request.erase("deviceClassName");
    nest(request, "name", "firstAvailable", "exactly");
  });
  for_each_object(devices_of(type, object), [](JsonObject& device) { unnest(device, "basic"); });
}

void from_stored_version(const ResourceType& type, std::string_view version, JsonObject& object) {
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
