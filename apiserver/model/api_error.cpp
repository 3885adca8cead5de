#include "apiserver/model/api_error.hpp"

#include <fmt/format.h>

#include "apiserver/model/resource_type.hpp"

namespace dcm::apiserver {

namespace {

JsonObject details_of(std::string_view name, std::string_view group, std::string_view kind) {
  JsonObject details;
  if (!name.empty()) details["name"] = name;
  if (!group.empty()) details["group"] = group;
  if (!kind.empty()) details["kind"] = kind;
  return details;
}

ApiError invalid_object(std::string_view name, std::string_view group, std::string_view kind,
                        const Causes& causes) {
  ApiError error{422, "Invalid", "", details_of(name, group, kind)};
  const std::string qualified =
      group.empty() ? std::string(kind) : fmt::format("{}.{}", kind, group);
  error.message = fmt::format("{} \"{}\" is invalid: {}", qualified, name, joined(causes));
  JsonArray list;
  for (const Cause& cause : causes) {
    list.push_back(
        JsonObject{{"reason", cause.reason}, {"message", cause.message}, {"field", cause.field}});
  }
  (*error.details)["causes"] = std::move(list);
  return error;
}

}  // namespace

std::string joined(const Causes& causes) {
  const auto one = [](const Cause& cause) { return cause.field + ": " + cause.message; };
  if (causes.size() == 1) return one(causes.front());
  std::string all = "[";
  for (const Cause& cause : causes) {
    if (all.size() > 1) all += ", ";
    all += one(cause);
  }
  return all + "]";
}

std::string shown_value(const Json& value) {
  const std::string text = serialize_as_go(value);
  if (!value.is_structured()) return text;
  std::string escaped;
  for (const char c : text) {
    if (c == '<' || c == '>' || c == '&') {
      escaped += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

namespace {

std::string with_reason(std::string text, std::string_view why) {
  return why.empty() ? text : fmt::format("{}: {}", text, why);
}

}  // namespace

Cause invalid_value(std::string field, const Json& value, std::string_view why) {
  return {"FieldValueInvalid", with_reason("Invalid value: " + shown_value(value), why),
          std::move(field)};
}

Cause required_value(std::string field, std::string_view why) {
  return {"FieldValueRequired", with_reason("Required value", why), std::move(field)};
}

Cause not_found_value(std::string field, const Json& value, std::string_view why) {
  return {"FieldValueNotFound", with_reason("Not found: " + serialize(value), why),
          std::move(field)};
}

Cause bad_expression(std::string field, std::string_view expression, std::string_view why) {
  if (!why.starts_with("program instantiation failed")) {
    return invalid_value(std::move(field), Json(expression), why);
  }
  return {"InternalError", fmt::format("Internal error: {}", why), std::move(field)};
}

Cause forbidden_value(std::string field, std::string_view why) {
  return {"FieldValueForbidden", fmt::format("Forbidden: {}", why), std::move(field)};
}

Cause duplicate_value(std::string field, const Json& value) {
  return {"FieldValueDuplicate", fmt::format("Duplicate value: {}", shown_value(value)),
          std::move(field)};
}

Cause too_many(std::string field, std::size_t count, std::size_t limit) {
  return {
      "FieldValueTooMany",
      fmt::format("Too many: {}: must have at most {} item{}", count, limit, limit == 1 ? "" : "s"),
      std::move(field)};
}

Cause too_long(std::string field, std::size_t limit) {
  return {"FieldValueTooLong", fmt::format("Too long: may not be more than {} bytes", limit),
          std::move(field)};
}

Cause too_many_characters(std::string field, std::size_t limit) {
  return {"FieldValueTooLong", fmt::format("Too long: may not be more than {} characters", limit),
          std::move(field)};
}

Cause not_supported(std::string field, const Json& value,
                    std::initializer_list<std::string_view> supported) {
  std::string list;
  for (const auto one : supported) {
    list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", one);
  }
  return {"FieldValueNotSupported",
          fmt::format("Unsupported value: {}: supported values: {}", shown_value(value), list),
          std::move(field)};
}

JsonObject ApiError::to_status() const {
  JsonObject status{{"kind", "Status"},
                    {"apiVersion", "v1"},
                    {"metadata", metadata},
                    {"status", "Failure"},
                    {"message", message}};
  if (!reason.empty()) status["reason"] = reason;
  if (details) status["details"] = *details;
  if (retry_after_seconds) child(status, "details")["retryAfterSeconds"] = *retry_after_seconds;
  status["code"] = code;
  return status;
}

ApiError bad_request(std::string message) {
  return {400, "BadRequest", std::move(message)};
}

ApiError name_undeterminable(std::string_view name) {
  return bad_request(fmt::format(
      "the name of the object ({} based on URL) was undeterminable: name must be provided", name));
}

ApiError not_found(const ResourceType& type, std::string_view name) {
  return {404, "NotFound", fmt::format("{} \"{}\" not found", type.qualified(), name),
          details_of(name, type.group, type.plural)};
}

ApiError not_served() {
  // The generic answer for a path without storage: no `details.name`.
  return {404, "NotFound", "the server could not find the requested resource", JsonObject()};
}

ApiError already_exists(const ResourceType& type, std::string_view name) {
  return {409, "AlreadyExists", fmt::format("{} \"{}\" already exists", type.qualified(), name),
          details_of(name, type.group, type.plural)};
}

ApiError no_free_name(const ResourceType& type, std::string_view name) {
  return {409, "AlreadyExists",
          fmt::format("{} \"{}\" already exists, the server was not able to generate a unique "
                      "name for the object",
                      type.qualified(), name),
          details_of(name, type.group, type.plural), 1};
}

ApiError conflict(const ResourceType& type, std::string_view name, std::string_view why) {
  return {
      409, "Conflict",
      fmt::format("Operation cannot be fulfilled on {} \"{}\": {}", type.qualified(), name, why),
      details_of(name, type.group, type.plural)};
}

ApiError changed_meanwhile(const ResourceType& type, std::string_view name) {
  return conflict(type, name,
                  "the object has been modified; please apply your changes to the latest version "
                  "and try again");
}

ApiError invalid(const ResourceType& type, std::string_view name, const Causes& causes) {
  return invalid_object(name, type.group, type.kind, causes);
}

ApiError version_required(const ResourceType& type, std::string_view name) {
  return invalid_object(
      name, type.group, type.plural,
      {invalid_value("metadata.resourceVersion", Json(0), "must be specified for an update")});
}

ApiError precondition_failed(const ResourceType& type, std::string_view name, std::string why) {
  const std::string qualified = type.group.empty() ? type.kind : type.kind + "." + type.group;
  return {409, "Conflict",
          fmt::format("Operation cannot be fulfilled on {} \"{}\": {}", qualified, name, why),
          details_of(name, type.group, type.kind)};
}

ApiError invalid_options(std::string_view kind, const Causes& causes) {
  return invalid_object("", "meta.k8s.io", kind, causes);
}

ApiError forbidden(const ResourceType& type, std::string_view name, std::string_view why) {
  return {403, "Forbidden", fmt::format("{} \"{}\" is forbidden: {}", type.qualified(), name, why),
          details_of(name, type.group, type.plural)};
}

ApiError namespace_terminating(const ResourceType& type, std::string_view name,
                               std::string_view ns) {
  const std::string why = fmt::format("namespace {} is being terminated", ns);
  ApiError error = forbidden(type, name,
                             fmt::format("unable to create new content in namespace {} because it "
                                         "is being terminated",
                                         ns));
  (*error.details)["causes"] = JsonArray{JsonObject{
      {"reason", "NamespaceTerminating"}, {"message", why}, {"field", "metadata.namespace"}}};
  return error;
}

ApiError method_not_allowed() {
  return {405, "MethodNotAllowed",
          "the server does not allow this method on the requested resource", JsonObject()};
}

ApiError method_not_supported(const ResourceType& type, std::string_view verb) {
  return {405, "MethodNotAllowed",
          fmt::format("{} is not supported on resources of kind \"{}\"", verb, type.qualified()),
          details_of("", type.group, type.plural)};
}

ApiError not_acceptable(std::string_view accepted) {
  return {406, "NotAcceptable",
          fmt::format("only the following media types are accepted: {}", accepted)};
}

ApiError unsupported_media_type(std::string_view accepted) {
  return {415, "UnsupportedMediaType",
          fmt::format("the body of the request was in an unknown format - accepted media types "
                      "include: {}",
                      accepted)};
}

ApiError expired(std::string message) {
  return {410, "Expired", std::move(message)};
}

ApiError version_too_large(std::uint64_t wanted, std::uint64_t current) {
  ApiError error{
      504, "Timeout",
      fmt::format("Timeout: Too large resource version: {}, current: {}", wanted, current),
      JsonObject(), 1};
  (*error.details)["causes"] = JsonArray{
      JsonObject{{"reason", "ResourceVersionTooLarge"}, {"message", "Too large resource version"}}};
  return error;
}

ApiError unsupported_patch_type() {
  return {415, "UnsupportedMediaType", "415: Unsupported Media Type", JsonObject()};
}

ApiError too_large(std::string_view why) {
  return {413, "RequestEntityTooLarge", fmt::format("Request entity too large: {}", why)};
}

ApiError invalid_patch(const Json& shown, std::string_view why) {
  return invalid_object("", "", "", {invalid_value("patch", Json(serialize(shown)), why)});
}

namespace {

std::string undecodable_text(const ResourceType& type, std::string_view revision) {
  const Unconverted* const why = type.unconverted();
  return fmt::format("object not decodable revision={}: {}", revision,
                     why == nullptr ? "" : why->reading);
}

std::string corrupt_text(const ResourceType& type, std::string_view root, std::string_view key,
                         std::string_view revision) {
  return fmt::format(
      "StorageError: corrupt object, Code: 7, Key: {}/{}/{}/{}, ResourceVersion: 0, "
      "AdditionalErrorMsg: {}",
      root, type.group, type.plural, key, undecodable_text(type, revision));
}

}  // namespace

ApiError unreadable(const ResourceType& type, std::string_view key, std::string_view revision) {
  const std::string why = corrupt_text(type, "", key, revision);
  return {500, "InternalError", fmt::format("Internal error occurred: {}", why),
          JsonObject{{"causes", JsonArray{JsonObject{{"message", why}}}}}};
}

ApiError unreadable_list(const ResourceType& type, std::string_view key,
                         std::string_view revision) {
  const std::string why = corrupt_text(type, "/registry", key, revision);
  ApiError error{
      500, "StorageReadError",
      fmt::format("failed to read one or more {} from the storage: {}", type.qualified(), why),
      details_of("list", type.group, type.plural)};
  (*error.details)["causes"] =
      JsonArray{JsonObject{{"reason", "UnexpectedServerResponse"}, {"message", why}}};
  return error;
}

ApiError undecodable(const ResourceType& type, std::string_view revision) {
  return plain_failure(undecodable_text(type, revision));
}

ApiError not_initialized() {
  return {429, "TooManyRequests", "storage is (re)initializing", JsonObject(), 1};
}

ApiError plain_failure(std::string message) {
  return {500, "", std::move(message)};
}

}  // namespace dcm::apiserver
