#include "apiserver/fields/conversion.hpp"

#include <algorithm>
#include <span>

#include "apiserver/model/resource_type.hpp"

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

// Members of a slice's spec that v1beta1 has as values rather than pointers: the zero value means
// unset.
void drop_unset_places(JsonObject& spec) {
  if (text_at(spec, {"nodeName"}).empty()) spec.erase("nodeName");
  const Json* const all = spec.if_contains("allNodes");
  if (all != nullptr && *all == Json(false)) spec.erase("allNodes");
}

// Without the parts in brackets.
std::string without_indexes(std::string_view path) {
  std::string plain;
  int depth = 0;
  for (const char c : path) {
    if (c == ']') --depth;
    if (depth == 0) plain += c;
    if (c == '[') ++depth;
  }
  return plain;
}

// Fields whose rules are declared in the API's types (`+k8s:` tags), below a request and a device.
constexpr std::string_view kDeclaredOfRequest[] = {"allocationMode", "selectors",
                                                   "tolerations[].key", "tolerations[].operator",
                                                   "tolerations[].effect"};
constexpr std::string_view kDeclaredOfDevice[] = {"attributes[]", "taints[].effect"};

bool is_declared(std::span<const std::string_view> declared, std::string_view path) {
  return std::ranges::find(declared, without_indexes(path)) != declared.end();
}

}  // namespace

Stored as_shown(const ResourceType& type, const Stored& object) {
  if (type.defined == nullptr) return object;
  JsonObject shown = *object;
  type.defined->convert(shown);
  return std::make_shared<const JsonObject>(std::move(shown));
}

void drop_unstored(const ResourceType& type, JsonObject& object) {
  if (type.defined != nullptr) type.defined->drop_unstored(object);
}

std::string field_in_version(const ResourceType& type, std::string_view version,
                             std::string field) {
  if (version != "v1beta1" || !needs_conversion(type, version)) return field;
  constexpr std::string_view kExactly = "].exactly.";
  constexpr std::string_view kDevices = "spec.devices[";
  if (const auto at = field.find(kExactly); at != std::string::npos) {
    if (is_declared(kDeclaredOfRequest, std::string_view(field).substr(at + kExactly.size()))) {
      field.replace(at, kExactly.size(), "].");
    }
  } else if (field.starts_with(kDevices)) {
    const auto end = field.find("].");
    if (end != std::string::npos &&
        is_declared(kDeclaredOfDevice, std::string_view(field).substr(end + 2))) {
      field.insert(end + 2, "basic.");
    }
  }
  return field;
}

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
  if (type.kind != "ResourceSlice") return;
  Json* const spec = object.if_contains("spec");
  if (spec != nullptr && spec->is_object()) drop_unset_places(spec->get_object());
}

void from_stored_version(const ResourceType& type, std::string_view version, JsonObject& object) {
  if (type.defined != nullptr) {
    type.defined->convert(object);
    return;
  }
  if (type.group == "events.k8s.io") {
    for (const auto& [newer, stored] : kEventFields) rename(object, stored, newer);
    return;
  }
  if (!needs_conversion(type, version)) return;
  for_each_object(requests_of(type, object), [](JsonObject& request) {
    unnest(request, "exactly");
    // Always written in that version, even with alternatives.
    if (!request.contains("deviceClassName")) request["deviceClassName"] = "";
  });
  for_each_object(devices_of(type, object), [](JsonObject& device) {
    nest(device, "name", "name", "basic");
    child(device, "basic");
  });
}

}  // namespace dcm::apiserver
