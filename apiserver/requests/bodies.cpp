#include "apiserver/requests/bodies.hpp"

#include <fmt/format.h>

#include "apiserver/definitions/decoding.hpp"
#include "apiserver/protobuf/protobuf.hpp"
#include "apiserver/schemas/openapi_schemas.hpp"
#include "apiserver/text/yaml.hpp"

namespace dcm::apiserver {

namespace {

ApiError unrecognized(std::string_view kind, std::string_view problem) {
  return bad_request(
      fmt::format("the object provided is unrecognized (must be of type {}): {}", kind, problem));
}

// A body's kind is checked before everything else.
Result<Document> recognized(Document document, std::string_view kind) {
  for (const auto* name : {"apiVersion", "kind"}) {
    const Json* value = document.object.if_contains(name);
    if (value == nullptr || value->is_null() || value->is_string()) continue;
    return std::unexpected(unrecognized(
        kind,
        fmt::format("couldn't get version/kind; json parse error: {} is not a string", name)));
  }
  return document;
}

Result<Document> decode_json(std::string_view body, std::string_view kind) {
  std::string problem;
  auto json = parse_body(body, problem);
  if (json && json->is_null()) return Document{};
  if (json && json->is_object()) {
    return recognized({std::move(json->get_object()), duplicate_fields(body)}, kind);
  }
  if (json) problem = "it is not an object";
  return std::unexpected(
      unrecognized(kind, "couldn't get version/kind; json parse error: " + problem));
}

Result<Document> decode_yaml(std::string_view body, std::string_view kind) {
  std::string problem;
  auto yaml = parse_yaml(body, problem);
  if (!yaml) return std::unexpected(unrecognized(kind, problem));
  if (yaml->value.is_null()) return Document{};
  if (!yaml->value.is_object()) {
    return std::unexpected(
        unrecognized(kind, "couldn't get version/kind; json parse error: it is not an object"));
  }
  return recognized({std::move(yaml->value.get_object()), std::move(yaml->duplicates)}, kind);
}

}  // namespace

namespace {

ApiError other_version(std::string_view version, std::string_view expected) {
  return bad_request(
      fmt::format("the API version in the data ({}) does not match the expected API version ({})",
                  version, expected));
}

// For a defined kind, both are required.
Result<> take_defined_type_meta(const Target& target, JsonObject& object) {
  const std::string expected = target.type->api_version(target.version);
  const std::string version(text_at(object, {"apiVersion"}));
  const std::string kind(text_at(object, {"kind"}));
  if (kind.empty()) {
    const std::string shown = serialize(object);
    return std::unexpected(unrecognized(
        target.type->kind, fmt::format("Object 'Kind' is missing in '{0}' ({0})", shown)));
  }
  object.stable_erase("apiVersion");
  object.stable_erase("kind");
  if (version != expected) return std::unexpected(other_version(version, expected));
  if (kind == target.type->kind) return {};
  ResourceType named = *target.type;
  named.kind = kind;
  return std::unexpected(
      invalid(named, text_at(object, {"metadata", "name"}),
              {invalid_value("kind", Json(kind), fmt::format("must be {}", target.type->kind))}));
}

}  // namespace

// apiVersion and kind may be left out; if they are there, they must be the path's.
Result<> take_type_meta(const Target& target, JsonObject& object) {
  if (target.type->defined != nullptr) return take_defined_type_meta(target, object);
  const std::string expected = target.type->api_version(target.version);
  const std::string version(text_at(object, {"apiVersion"}));
  const std::string kind(text_at(object, {"kind"}));
  object.stable_erase("apiVersion");
  object.stable_erase("kind");
  const bool is_same_version = version.empty() || version == expected;
  if (is_same_version && (kind.empty() || kind == target.type->kind)) return {};
  const std::string wrong = version.empty() ? expected : version;
  const std::string named = kind.empty() ? target.type->kind : kind;
  const bool is_published = !openapi_schemas(wrong).empty();
  if (is_published && named == target.type->kind &&
      field_type(wrong, named).kind != FieldType::Kind::any) {
    return std::unexpected(other_version(wrong, expected));
  }
  return std::unexpected(bad_request(
      fmt::format("{} in version \"{}\" cannot be handled as a {}: no kind \"{}\" is registered "
                  "for version \"{}\" in scheme \"pkg/runtime/scheme.go:111\"",
                  named, wrong.substr(wrong.find('/') + 1), target.type->kind, named, wrong)));
}

Result<> check_identity(const Target& target, const JsonObject& object) {
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

Result<Document> decode_document(const WriteRequest& request, std::string_view kind) {
  if (request.content_type == kYaml) return decode_yaml(request.body, kind);
  if (request.content_type.empty() || request.content_type == kJson) {
    return decode_json(request.body, kind);
  }
  return std::unexpected(
      unsupported_media_type(fmt::format("{}, {}, {}", kJson, kYaml, kProtobuf)));
}

Result<JsonObject> decode_body(const WriteRequest& request, FieldCheck& check) {
  const Target& target = request.target;
  const std::string& kind = target.type->kind;
  auto document = decode_document(request, kind);
  if (!document) return std::unexpected(std::move(document.error()));
  JsonObject& object = document->object;
  if (auto typed = take_type_meta(target, object); !typed) {
    return std::unexpected(std::move(typed.error()));
  }
  const TypedResult typed = decode_fields(object, *target.type, target.version);
  std::optional<std::string> objection;
  if (typed.problem) {
    objection = typed.problem->message;
  } else {
    std::vector<std::string> problems = std::move(document->problems);
    for (std::string& unknown : unknown_fields(typed.unknown)) {
      problems.push_back(std::move(unknown));
    }
    objection = check.objection(problems);
  }
  if (objection) {
    return std::unexpected(
        bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}: {}", kind,
                                target.version, kind, *objection)));
  }
  if (auto fits = check_identity(target, object); !fits) {
    return std::unexpected(std::move(fits.error()));
  }
  return std::move(object);
}

}  // namespace dcm::apiserver
