#include "test/apiserver/bodies.hpp"

#include <fmt/format.h>

namespace dcm::apiserver {

namespace {

constexpr std::string_view kJson = "application/json";

}  // namespace

Outcome<JsonObject> decode_object(std::string_view body, std::string_view what) {
  std::string problem;
  auto json = parse(body, problem);
  if (!json)
    return std::unexpected(bad_request(fmt::format("error decoding {}: {}", what, problem)));
  if (!json->is_object()) {
    return std::unexpected(bad_request(fmt::format("error decoding {}: not an object", what)));
  }
  return std::move(json->get_object());
}

// apiVersion and kind may be left out; if they are there, they must be the path's.
Outcome<> take_type_meta(const Target& target, JsonObject& object) {
  const std::string expected = target.type->api_version(target.version);
  const std::string version(text_at(object, {"apiVersion"}));
  const std::string kind(text_at(object, {"kind"}));
  object.erase("apiVersion");
  object.erase("kind");
  const bool same_version = version.empty() || version == expected;
  if (same_version && (kind.empty() || kind == target.type->kind)) return {};
  const std::string wrong = version.empty() ? expected : version;
  const std::string named = kind.empty() ? target.type->kind : kind;
  return std::unexpected(bad_request(
      fmt::format("{} in version \"{}\" cannot be handled as a {}: no kind \"{}\" is registered "
                  "for version \"{}\" in scheme \"pkg/runtime/scheme.go:111\"",
                  named, wrong.substr(wrong.find('/') + 1), target.type->kind, named, wrong)));
}

Outcome<> check_identity(const Target& target, const JsonObject& object) {
  const Json* metadata = object.if_contains("metadata");
  if (metadata != nullptr && !metadata->is_object() && !metadata->is_null()) {
    return std::unexpected(bad_request("json: cannot unmarshal metadata into ObjectMeta"));
  }
  const std::string_view ns = text_at(object, {"metadata", "namespace"});
  if (target.type->namespaced() && !ns.empty() && ns != target.ns) {
    return std::unexpected(
        bad_request("the namespace of the provided object does not match the namespace sent on "
                    "the request"));
  }
  const std::string_view name = text_at(object, {"metadata", "name"});
  if (target.name.empty() || name.empty() || name == target.name) return {};
  return std::unexpected(bad_request(fmt::format(
      "the name of the object ({}) does not match the name on the URL ({})", name, target.name)));
}

Outcome<JsonObject> decode_body(const WriteRequest& request) {
  if (!request.content_type.empty() && request.content_type != kJson) {
    return std::unexpected(unsupported_media_type(kJson));
  }
  auto object = decode_object(request.body, "the body of the request");
  if (!object) return object;
  if (auto typed = take_type_meta(request.target, *object); !typed) {
    return std::unexpected(std::move(typed.error()));
  }
  if (auto fits = check_identity(request.target, *object); !fits) {
    return std::unexpected(std::move(fits.error()));
  }
  return object;
}

}  // namespace dcm::apiserver
