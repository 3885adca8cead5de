#include "apiserver/requests/scale_requests.hpp"

#include <fmt/format.h>

#include "apiserver/definitions/defined_kind.hpp"
#include "apiserver/definitions/scale.hpp"
#include "apiserver/fields/json_patch.hpp"
#include "apiserver/fields/patches.hpp"
#include "apiserver/requests/bodies.hpp"

namespace dcm::apiserver {

namespace {

std::int64_t replicas_at(const JsonObject& object, std::string_view path) {
  const Json* const value = value_at(object, path);
  return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

void set_replicas(JsonObject& object, std::string_view path, std::int64_t replicas) {
  auto steps = steps_of(path);
  JsonObject* at = &object;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) at = &child(*at, steps[i]);
  (*at)[steps.back()] = replicas;
}

JsonObject scale_of(const JsonObject& object, const ScalePaths& paths) {
  JsonObject metadata;
  for (const auto* name : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    restore(metadata, object_at(object, {"metadata"}), name);
  }
  JsonObject spec;
  if (const auto replicas = replicas_at(object, paths.spec); replicas != 0) {
    spec["replicas"] = replicas;
  }
  JsonObject status{{"replicas", replicas_at(object, paths.status)}};
  const Json* const selector = paths.selector.empty() ? nullptr : value_at(object, paths.selector);
  if (selector != nullptr && selector->is_string()) status["selector"] = *selector;
  return {{"kind", "Scale"},
          {"apiVersion", "autoscaling/v1"},
          {"metadata", metadata},
          {"spec", spec},
          {"status", status}};
}

Result<> apply_patch(JsonObject& scale, const WriteRequest& request) {
  if (request.content_type == "application/json-patch+json") {
    auto patch = decode_json_patch(request.body);
    if (!patch) return std::unexpected(std::move(patch.error()));
    return apply_json_patch(scale, *patch);
  }
  if (request.content_type != "application/merge-patch+json") {
    return std::unexpected(unsupported_patch_type());
  }
  std::string problem;
  const auto patch = parse_body(request.body, problem);
  if (!patch || !patch->is_object()) {
    return std::unexpected(bad_request("error decoding patch: " + problem));
  }
  apply_merge_patch(scale, patch->get_object());
  return {};
}

Result<JsonObject> wanted_scale(const WriteRequest& request, std::string_view method,
                                JsonObject scale) {
  if (method == "PATCH") {
    if (auto patched = apply_patch(scale, request); !patched) {
      return std::unexpected(std::move(patched.error()));
    }
    return scale;
  }
  auto document = decode_document(request, "Scale");
  if (!document) return std::unexpected(std::move(document.error()));
  const std::string_view name = text_at(document->object, {"metadata", "name"});
  if (!name.empty() && name != request.target.name) {
    return std::unexpected(bad_request(
        fmt::format("the name of the object ({}) does not match the name on the URL ({})", name,
                    request.target.name)));
  }
  return std::move(document->object);
}

Result<> change(const Target& target, JsonObject& object, const JsonObject& scale) {
  const auto replicas = integer_at(scale, {"spec", "replicas"}).value_or(0);
  set_replicas(object, defined_kind(*target.type).scale->spec, replicas);
  const std::string_view version = text_at(scale, {"metadata", "resourceVersion"});
  if (!version.empty()) child(object, "metadata")["resourceVersion"] = version;
  return {};
}

}  // namespace

Result<Response> read_scale(Registry& registry, const Target& target) {
  const auto object = registry.read(target);
  if (!object) return std::unexpected(object.error());
  const ScalePaths& paths = *defined_kind(*target.type).scale;
  if (value_at(**object, paths.spec) == nullptr) {
    ApiError error{
        500, "InternalError",
        fmt::format("Internal error occurred: the spec replicas field \"{}\" does not exist",
                    paths.spec)};
    error.details = JsonObject{
        {"causes", JsonArray{JsonObject{
                       {"message", fmt::format("the spec replicas field \"{}\" does not exist",
                                               paths.spec)}}}}};
    return std::unexpected(std::move(error));
  }
  return json_response(200, scale_of(**object, paths));
}

Result<Response> write_scale(Registry& registry, const WriteRequest& request,
                             std::string_view method) {
  const Target& target = request.target;
  const ScalePaths& paths = *defined_kind(*target.type).scale;
  auto written = registry.patch(target, [&](JsonObject& object) -> Result<> {
    auto wanted = wanted_scale(request, method, scale_of(object, paths));
    if (!wanted) return std::unexpected(std::move(wanted.error()));
    return change(target, object, *wanted);
  });
  if (!written) return std::unexpected(std::move(written.error()));
  return json_response(200, scale_of(*written->object, paths));
}

}  // namespace dcm::apiserver
