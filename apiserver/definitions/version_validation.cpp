#include "apiserver/definitions/version_validation.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "apiserver/definitions/field_path.hpp"
#include "apiserver/rules/checks.hpp"

namespace dcm::apiserver {

namespace {

void validate_simple_path(std::string_view path, const std::string& field, Causes& causes,
                          std::initializer_list<std::string_view> roots, std::string_view place) {
  if (path.empty()) {
    causes.push_back(required_value(field));
  } else if (path.front() != '.') {
    causes.push_back(
        invalid_value(field, Json(path), "must be a simple json path starting with ."));
  } else if (roots.size() > 0 && std::ranges::none_of(roots, [&](std::string_view root) {
               return path.starts_with(root);
             })) {
    causes.push_back(
        invalid_value(field, Json(path), fmt::format("should be a json path under {}", place)));
  }
}

void validate_column(const JsonObject& column, const std::string& path, Causes& causes) {
  constexpr std::string_view kTypes[] = {"boolean", "date", "integer", "number", "string"};
  constexpr std::string_view kFormats[] = {"byte",  "date",  "date-time", "double",
                                           "float", "int32", "int64",     "password"};
  if (text_at(column, {"name"}).empty()) causes.push_back(required_value(path + ".name"));
  const std::string_view type = text_at(column, {"type"});
  const std::string types = fmt::format("must be one of {}", fmt::join(kTypes, ","));
  if (type.empty()) {
    causes.push_back(required_value(path + ".type", types));
  } else if (std::ranges::find(kTypes, type) == std::end(kTypes)) {
    causes.push_back(invalid_value(path + ".type", Json(type), types));
  }
  const std::string_view format = text_at(column, {"format"});
  if (!format.empty() && std::ranges::find(kFormats, format) == std::end(kFormats)) {
    causes.push_back(invalid_value(path + ".format", Json(format),
                                   fmt::format("must be one of {}", fmt::join(kFormats, ","))));
  }
  validate_simple_path(text_at(column, {"jsonPath"}), path + ".JSONPath", causes, {}, "");
}

}  // namespace

void validate_subresources(const JsonObject& subresources, const std::string& path,
                           Causes& causes) {
  if (!has(subresources, {"scale"})) return;
  const JsonObject& scale = object_at(subresources, {"scale"});
  validate_simple_path(text_at(scale, {"specReplicasPath"}), path + ".scale.specReplicasPath",
                       causes, {".spec."}, ".spec");
  validate_simple_path(text_at(scale, {"statusReplicasPath"}), path + ".scale.statusReplicasPath",
                       causes, {".status."}, ".status");
  const std::string_view selector = text_at(scale, {"labelSelectorPath"});
  if (selector.empty()) return;
  validate_simple_path(selector, path + ".scale.labelSelectorPath", causes, {".spec.", ".status."},
                       "either .spec or .status");
}

void validate_columns(const JsonArray& columns, const std::string& path, Causes& causes) {
  for (const auto& [column, at] : with_paths(columns, path)) validate_column(column, at, causes);
}

void validate_selectable(const JsonArray& fields, const JsonObject& schema, const std::string& path,
                         Causes& causes) {
  constexpr std::size_t kFieldsMax = 8;
  if (fields.empty()) return;
  const Structural structural = read_structural(schema);
  std::set<std::string> seen;
  for (const auto& [field, place] : with_paths(fields, path)) {
    const std::string at = place + ".jsonPath";
    const std::string_view text = text_at(field, {"jsonPath"});
    if (text.empty()) {
      causes.push_back(required_value(at));
      continue;
    }
    const auto found = find_field(text, structural, ArrayNotation::refused);
    if (!found) {
      causes.push_back(invalid_value(at, Json(text), "is an invalid path: " + found.error()));
      continue;
    }
    if (text == ".metadata" || text.starts_with(".metadata.")) {
      causes.push_back(invalid_value(at, Json(text), "must not point to fields in metadata"));
    }
    const std::string& type = found->schema->type;
    if (type != "string" && type != "boolean" && type != "integer") {
      causes.push_back(invalid_value(at, Json(text),
                                     "must point to a field of type string, boolean or integer. "
                                     "Enum string fields and strings with formats are allowed."));
    }
    if (!seen.insert(found->path).second) causes.push_back(duplicate_value(at, Json(text)));
  }
  if (seen.size() > kFieldsMax) causes.push_back(too_many(path, seen.size(), kFieldsMax));
}

void validate_deprecation(const JsonObject& version, const std::string& path, Causes& causes) {
  const Json* const warning = version.if_contains("deprecationWarning");
  if (warning == nullptr || !warning->is_string()) return;
  const std::string field = path + ".deprecationWarning";
  const std::string_view text = view(warning->get_string());
  const auto refuse = [&](std::string_view why) {
    causes.push_back(invalid_value(field, *warning, why));
  };
  if (!has_true(version, "deprecated")) return refuse("can only be set for deprecated versions");
  if (text.size() > 256) refuse("must be <= 256 characters long");
  if (text.empty()) refuse("must not be an empty string");
  const auto control = std::ranges::find_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (control == text.end()) return;
  refuse(
      fmt::format("must only contain printable UTF-8 characters; non-printable character "
                  "found at index {}",
                  control - text.begin()));
}

}  // namespace dcm::apiserver
