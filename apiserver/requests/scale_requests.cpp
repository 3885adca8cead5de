#include "apiserver/requests/scale_requests.hpp"

#include <limits>
#include <optional>

#include <fmt/format.h>

#include "apiserver/definitions/defined_kind.hpp"
#include "apiserver/definitions/scale.hpp"
#include "apiserver/fields/conversion.hpp"
#include "apiserver/requests/bodies.hpp"
#include "apiserver/requests/patch_requests.hpp"
#include "apiserver/requests/write_options.hpp"

namespace dcm::apiserver {

namespace {

// Stands for replicas that the object does not have, while a client's Scale is read.
constexpr std::int64_t kUnset = std::numeric_limits<std::int32_t>::min();

ResourceType scale_type(const ResourceType& parent) {
  return {.group = "autoscaling",
          .plural = "scales",
          .singular = "scale",
          .kind = "Scale",
          .short_names = {},
          .scope = parent.scope,
          .status = StatusSubresource::none,
          .put_without_version = UnconditionalUpdate::allowed,
          .answer_to_delete = DeleteAnswer::status,
          .strategy = parent.strategy,
          .versions = {"v1"}};
}

std::optional<std::int64_t> replicas_at(const JsonObject& object, std::string_view path) {
  const Json* const value = value_at(object, path);
  if (value == nullptr || !value->is_int64()) return std::nullopt;
  return value->get_int64();
}

void set_replicas(JsonObject& object, std::string_view path, std::int64_t replicas) {
  auto steps = steps_of(path);
  JsonObject* at = &object;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) at = &child(*at, steps[i]);
  (*at)[steps.back()] = replicas;
}

JsonObject scale_of(const JsonObject& object, const ScalePaths& paths, std::int64_t if_unset = 0) {
  JsonObject metadata;
  for (const auto* name : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    restore(metadata, object_at(object, {"metadata"}), name);
  }
  JsonObject spec;
  if (const auto replicas = replicas_at(object, paths.spec).value_or(if_unset); replicas != 0) {
    spec["replicas"] = replicas;
  }
  JsonObject status{{"replicas", replicas_at(object, paths.status).value_or(0)}};
  const Json* const selector = paths.selector.empty() ? nullptr : value_at(object, paths.selector);
  if (selector != nullptr && selector->is_string()) status["selector"] = *selector;
  return {{"kind", "Scale"},
          {"apiVersion", "autoscaling/v1"},
          {"metadata", metadata},
          {"spec", spec},
          {"status", status}};
}

Result<JsonObject> wanted_scale(const WriteRequest& request, std::string_view method,
                                const ResourceType& type, JsonObject scale, FieldCheck& check) {
  WriteRequest of_scale = request;
  of_scale.target.type = &type;
  of_scale.target.version = "v1";
  if (method == "PATCH") {
    if (auto done = apply_patch(of_scale, of_scale.target, scale, check); !done) {
      return std::unexpected(std::move(done.error()));
    }
    return scale;
  }
  auto body = decode_body(of_scale, check);
  // The real server does not say what is wrong.
  if (!body && body.error().message.contains("cannot be handled as a Scale")) {
    return std::unexpected(bad_request(
        "no kind is registered for the type v1.Scale in scheme \"pkg/runtime/scheme.go:111\""));
  }
  if (body && text_at(*body, {"metadata", "name"}).empty()) {
    return std::unexpected(name_undeterminable(request.target.name));
  }
  return body;
}

Result<> change(const ScalePaths& paths, JsonObject& object, const JsonObject& scale) {
  const auto replicas = integer_at(scale, {"spec", "replicas"}).value_or(0);
  if (replicas == kUnset) {
    return std::unexpected(
        bad_request(fmt::format("the spec replicas field \"{}\" cannot be empty", paths.spec)));
  }
  set_replicas(object, paths.spec, replicas);
  const std::string_view version = text_at(scale, {"metadata", "resourceVersion"});
  if (!version.empty()) child(object, "metadata")["resourceVersion"] = version;
  return {};
}

}  // namespace

Result<Response> read_scale(Registry& registry, const Target& target) {
  const auto stored = registry.read(target);
  if (!stored) return std::unexpected(stored.error());
  const Stored object = as_shown(*target.type, *stored);
  const ScalePaths& paths = *defined_kind(*target.type).scale;
  if (value_at(*object, paths.spec) == nullptr) {
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
  return json_response(200, scale_of(*object, paths));
}

Result<Response> write_scale(Registry& registry, const WriteRequest& request,
                             std::string_view method) {
  if (method == "PUT") {
    if (auto valid = check_write_options("UpdateOptions", request.query); !valid) {
      return std::unexpected(std::move(valid.error()));
    }
  }
  const Target& target = request.target;
  const ScalePaths& paths = *defined_kind(*target.type).scale;
  const ResourceType type = scale_type(*target.type);
  FieldCheck check(request.query);
  auto written = registry.patch(target, [&](JsonObject& object) -> Result<> {
    auto wanted = wanted_scale(request, method, type, scale_of(object, paths, kUnset), check);
    if (!wanted) return std::unexpected(std::move(wanted.error()));
    return change(paths, object, *wanted);
  });
  if (!written) return std::unexpected(std::move(written.error()));
  const Stored object = as_shown(*target.type, written->object);
  Response response = json_response(200, scale_of(*object, paths));
  response.warnings = check.warnings();
  return response;
}

}  // namespace dcm::apiserver
