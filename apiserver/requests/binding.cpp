#include "apiserver/requests/binding.hpp"

#include <fmt/format.h>

#include "apiserver/requests/bodies.hpp"
#include "apiserver/rules/conditions.hpp"

namespace dcm::apiserver {

namespace {

// As named in conflicts of this endpoint: `pods/binding "trainer-0"`.
ResourceType as_bindings(const ResourceType& pods) {
  ResourceType type = pods;
  type.plural += "/binding";
  return type;
}

Result<JsonObject> decode_binding(const WriteRequest& request) {
  auto document = decode_document(request, "Binding");
  if (!document) return std::unexpected(std::move(document.error()));
  JsonObject& binding = document->object;
  if (text_at(binding, {"metadata", "name"}) != request.target.name) {
    return std::unexpected(bad_request("name in URL does not match name in Binding object"));
  }
  const std::string_view kind = text_at(binding, {"target", "kind"});
  // The endpoint returns these unchanged, without converting them to API errors.
  if (!kind.empty() && kind != "Node") {
    return std::unexpected(plain_failure(fmt::format(
        "target.kind: Unsupported value: \"{}\": supported values: \"Node\", \"<empty>\"", kind)));
  }
  if (text_at(binding, {"target", "name"}).empty()) {
    return std::unexpected(plain_failure("target.name: Required value"));
  }
  return std::move(binding);
}

// Whether it is the intended pod; a conflict names the pod, not its binding.
Result<> check_uid(const WriteRequest& request, const JsonObject& pod, const JsonObject& binding) {
  const std::string_view uid = text_at(pod, {"metadata", "uid"});
  const std::string_view wanted = text_at(binding, {"metadata", "uid"});
  if (wanted.empty() || wanted == uid) return {};
  return std::unexpected(
      conflict(*request.target.type, request.target.name,
               fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}",
                           wanted, uid)));
}

// Why the pod cannot be bound; empty if it can.
std::string obstacle(const JsonObject& pod) {
  const std::string_view name = text_at(pod, {"metadata", "name"});
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
  JsonArray& conditions = child_list(child(pod, "status"), "conditions");
  set_condition(conditions, {{"type", "PodScheduled"}, {"status", "True"}}, now);
}

}  // namespace

Result<Response> handle_binding(Registry& registry, const WriteRequest& request) {
  const auto binding = decode_binding(request);
  if (!binding) return std::unexpected(binding.error());
  if (auto admitted =
          registry.ask_policies(request.target, "binding", {"", "v1", "Binding"}, *binding);
      !admitted) {
    return std::unexpected(std::move(admitted.error()));
  }
  const auto bound =
      registry.rewrite(request.target, [&](JsonObject& pod, const std::string& now) -> Result<> {
        if (auto meant = check_uid(request, pod, *binding); !meant) return meant;
        if (const std::string why = obstacle(pod); !why.empty()) {
          return std::unexpected(
              conflict(as_bindings(*request.target.type), request.target.name, why));
        }
        child(pod, "spec")["nodeName"] = text_at(*binding, {"target", "name"});
        for (const auto& [key, value] : object_at(*binding, {"metadata", "annotations"})) {
          child(child(pod, "metadata"), "annotations")[key] = value;
        }
        // The nomination of a node is fulfilled now.
        child(pod, "status").erase("nominatedNodeName");
        set_scheduled(pod, now);
        return {};
      });
  if (!bound) return std::unexpected(bound.error());
  return created_status();
}

}  // namespace dcm::apiserver
