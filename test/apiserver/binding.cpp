#include "test/apiserver/binding.hpp"

#include <fmt/format.h>

#include "test/apiserver/bodies.hpp"

namespace dcm::apiserver {

namespace {

// As conflicts of this endpoint name it: `pods/binding "trainer-0"`.
ResourceType as_bindings(const ResourceType& pods) {
  ResourceType type = pods;
  type.plural += "/binding";
  return type;
}

Outcome<JsonObject> decode_binding(const WriteRequest& request) {
  auto decoded = decode_object(request.body, "the body of the request");
  if (!decoded) return decoded;
  const JsonObject& binding = *decoded;
  const std::string_view kind = text_at(binding, {"target", "kind"});
  Causes causes;
  if (!kind.empty() && kind != "Node") {
    causes.push_back(not_supported("target.kind", Json(kind), {"Node"}));
  }
  if (text_at(binding, {"target", "name"}).empty()) causes.push_back(required_value("target.name"));
  if (!causes.empty()) {
    ResourceType type = *request.target.type;
    type.kind = "Binding";
    return std::unexpected(invalid(type, request.target.name, causes));
  }
  return decoded;
}

// Why the pod cannot be bound; empty: it can.
std::string obstacle(const JsonObject& pod, const JsonObject& binding) {
  const std::string_view name = text_at(pod, {"metadata", "name"});
  const std::string_view uid = text_at(pod, {"metadata", "uid"});
  const std::string_view wanted_uid = text_at(binding, {"metadata", "uid"});
  if (!wanted_uid.empty() && wanted_uid != uid) {
    return fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}",
                       wanted_uid, uid);
  }
  if (has(pod, {"metadata", "deletionTimestamp"})) {
    return fmt::format("pod {} is being deleted, cannot be assigned to a host", name);
  }
  const std::string_view node = text_at(pod, {"spec", "nodeName"});
  if (!node.empty()) return fmt::format("pod {} is already assigned to node \"{}\"", name, node);
  if (!array_at(pod, {"spec", "schedulingGates"}).empty()) {
    return fmt::format("pod {} has non-empty .spec.schedulingGates", name);
  }
  return {};
}

void set_scheduled(JsonObject& pod, const std::string& now) {
  Json& conditions = child(pod, "status")["conditions"];
  if (!conditions.is_array()) conditions = JsonArray();
  JsonArray others;
  for (const Json& item : conditions.get_array()) {
    if (!item.is_object() || text_at(item.get_object(), {"type"}) != "PodScheduled") {
      others.push_back(item);
    }
  }
  others.push_back(
      JsonObject{{"type", "PodScheduled"}, {"status", "True"}, {"lastTransitionTime", now}});
  conditions = std::move(others);
}

}  // namespace

Outcome<Response> handle_binding(Registry& registry, const WriteRequest& request) {
  const auto binding = decode_binding(request);
  if (!binding) return std::unexpected(binding.error());
  const auto bound =
      registry.rewrite(request.target, [&](JsonObject& pod, const std::string& now) -> Outcome<> {
        if (const std::string why = obstacle(pod, *binding); !why.empty()) {
          return std::unexpected(
              conflict(as_bindings(*request.target.type), request.target.name, why));
        }
        child(pod, "spec")["nodeName"] = text_at(*binding, {"target", "name"});
        for (const auto& [key, value] : object_at(*binding, {"metadata", "annotations"})) {
          child(child(pod, "metadata"), "annotations")[key] = value;
        }
        set_scheduled(pod, now);
        return {};
      });
  if (!bound) return std::unexpected(bound.error());
  return created_status();
}

}  // namespace dcm::apiserver
