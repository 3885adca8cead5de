#include "apiserver/requests/patch_requests.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "apiserver/definitions/decoding.hpp"
#include "apiserver/definitions/defined_kind.hpp"
#include "apiserver/fields/apply_errors.hpp"
#include "apiserver/fields/json_patch.hpp"
#include "apiserver/fields/patches.hpp"
#include "apiserver/requests/bodies.hpp"
#include "apiserver/requests/write_options.hpp"
#include "apiserver/text/yaml.hpp"

namespace dcm::apiserver {

namespace {

std::optional<PatchKind> patch_kind(std::string_view content_type) {
  if (content_type == "application/json-patch+json") return PatchKind::json;
  if (content_type == "application/merge-patch+json") return PatchKind::merge;
  if (content_type == "application/strategic-merge-patch+json") return PatchKind::strategic;
  if (content_type == "application/apply-patch+yaml") return PatchKind::apply;
  return std::nullopt;
}

// A JSON patch is a list of operations, the two others are objects.
struct Patch {
  PatchKind kind;
  Json body;
  std::vector<std::string> problems;  // duplicate and unknown members
};

// `json` is the content of `body`.
Result<Patch> decode_patch(PatchKind kind, Json json, std::string_view body,
                           const FieldCheck& check) {
  if (kind == PatchKind::json) {
    auto operations = decode_json_patch(
        body, check.ignores_problems() ? OperationStrings::unchecked : OperationStrings::checked);
    if (!operations) return std::unexpected(std::move(operations.error()));
    std::vector<std::string> problems = duplicate_fields(body, "json patch ");
    for (const std::string& unknown : unknown_fields(unknown_json_patch_fields(*operations))) {
      problems.push_back("json patch " + unknown);
    }
    return Patch{kind, std::move(*operations), std::move(problems)};
  }
  if (!json.is_object()) {
    return std::unexpected(bad_request("error decoding patch: not an object"));
  }
  return Patch{kind, std::move(json), duplicate_fields(body)};
}

Result<> carry_out(JsonObject& object, const Patch& patch, const Schema& schema) {
  if (patch.kind == PatchKind::json) return apply_json_patch(object, patch.body.get_array());
  if (patch.kind == PatchKind::strategic) {
    return apply_strategic_merge_patch(object, patch.body.get_object(), schema);
  }
  apply_merge_patch(object, patch.body.get_object());
  return {};
}

// Without a version it is read as an object of no kind, which has no fields, and so no name.
ApiError nameless(const Target& target, const JsonObject& object, const Json& shown,
                  FieldCheck& check) {
  std::vector<std::string> unknown;
  for (const auto& [name, value] : object) {
    if (name != "apiVersion" && name != "kind") unknown.emplace_back(name);
  }
  if (const auto objection = check.objection(unknown_fields(unknown))) {
    return invalid_patch(shown, *objection);
  }
  return name_undeterminable(target.name);
}

// A patched object must still be an object of its kind.
Result<> decode_patched(const Target& target, JsonObject& object, const Patch& patch,
                        FieldCheck& check) {
  const bool is_strategic = patch.kind == PatchKind::strategic;
  const Json shown = is_strategic ? patch.body : Json(object);
  if (!is_strategic && text_at(object, {"apiVersion"}).empty()) {
    return std::unexpected(nameless(target, object, shown, check));
  }
  auto typed_meta = take_type_meta(target, object);
  // A strategic patch cannot change the kind of its object.
  if (!typed_meta && !is_strategic) {
    return std::unexpected(invalid_patch(shown, typed_meta.error().message));
  }
  TypedResult typed = decode_fields(object, *target.type, target.version,
                                    is_strategic ? MapKeys::left_out : MapKeys::in_paths);
  if (typed.problem) return std::unexpected(invalid_patch(shown, typed.problem->message));
  if (is_strategic) std::ranges::sort(typed.unknown);
  std::vector<std::string> problems = patch.problems;
  for (std::string& unknown : unknown_fields(typed.unknown)) problems.push_back(std::move(unknown));
  if (const auto objection = check.objection(problems)) {
    return std::unexpected(invalid_patch(shown, *objection));
  }
  if (auto fits = check_identity(target, object); !fits) return fits;
  if (!text_at(object, {"metadata", "name"}).empty()) return {};
  return std::unexpected(name_undeterminable(target.name));
}

Result<> change(const Target& target, JsonObject& object, const Patch& patch, FieldCheck& check) {
  object["apiVersion"] = target.type->api_version(target.version);
  object["kind"] = target.type->kind;
  if (auto done = carry_out(object, patch, target.type->schema()); !done) return done;
  if (auto fits = check_limits(object); !fits) return fits;
  return decode_patched(target, object, patch, check);
}

Result<Response> patch(Registry& registry, const WriteRequest& request, PatchKind kind) {
  const Target& target = request.target;
  // Bad JSON is reported first, a bad patch only if the object exists.
  std::string problem;
  auto json = parse_body(request.body, problem);
  if (!json) return std::unexpected(bad_request("invalid JSON patch"));
  if (auto there = registry.get(target); !there) return std::unexpected(std::move(there.error()));
  FieldCheck check(request.query);
  const auto patch = decode_patch(kind, std::move(*json), request.body, check);
  if (!patch) return std::unexpected(patch.error());
  // The other kinds of patches replace managed fields as a whole.
  using Managers = Registry::Managers;
  auto written = registry.patch(
      target, [&](JsonObject& object) { return change(target, object, *patch, check); },
      kind == PatchKind::json ? Managers::shown : Managers::hidden);
  return written_response(registry, target, std::move(written), check);
}

// Unlike other writes, applying fields that the schema lacks fails.
Result<> check_applied(const Target& target, JsonObject wanted) {
  const ResourceType& type = *target.type;
  std::string problem;
  if (type.defined != nullptr) {
    problem = problem_with_applied(wanted, defined_kind(type).schema);
  } else {
    const TypedResult typed = decode_fields(wanted, type, target.version);
    if (typed.problem) {
      problem = fmt::format("{}: expected {}", typed.problem->path, typed.problem->expected);
    } else if (!typed.unknown.empty()) {
      problem = fmt::format(".{}: field not declared in schema", typed.unknown.front());
    }
  }
  if (problem.empty()) return {};
  return std::unexpected(
      not_typed("patch", wanted, type, type.api_version(target.version), problem));
}

Result<JsonObject> decode_applied(const WriteRequest& request, FieldCheck& check) {
  std::string problem;
  auto yaml = parse_yaml(request.body, problem);
  if (!yaml) return std::unexpected(bad_request("error encoding patch: " + problem));
  if (!yaml->value.is_object()) {
    return std::unexpected(bad_request("error decoding YAML: it is not an object"));
  }
  if (const auto objection = check.objection(yaml->duplicates)) {
    return std::unexpected(bad_request(
        fmt::format("error strict decoding patch: error converting YAML to JSON: yaml: unmarshal "
                    "errors:\n  {}",
                    fmt::join(yaml->duplicates, "\n  "))));
  }
  return std::move(yaml->value.get_object());
}

Result<> check_applied_kind(const Target& target, const JsonObject& wanted) {
  const std::string_view version = text_at(wanted, {"apiVersion"});
  const std::string_view kind = text_at(wanted, {"kind"});
  if (version == target.type->api_version(target.version) && kind == target.type->kind) return {};
  const std::string_view slash = version.contains('/') ? "" : "/";
  return std::unexpected(
      bad_request(fmt::format("invalid object type: {}{}, Kind={}", slash, version, kind)));
}

Result<Response> apply(Registry& registry, const WriteRequest& request) {
  const Target& target = request.target;
  // An apply creates a missing object, but not via /status.
  if (auto there = registry.get(target); !there && target.endpoint != Endpoint::main) {
    return std::unexpected(std::move(there.error()));
  }
  FieldCheck check(request.query);
  auto wanted = decode_applied(request, check);
  if (!wanted) return std::unexpected(std::move(wanted.error()));
  if (auto right = check_applied_kind(target, *wanted); !right) {
    return std::unexpected(std::move(right.error()));
  }
  if (has(*wanted, {"metadata", "managedFields"})) {
    return std::unexpected(bad_request("metadata.managedFields must be nil"));
  }
  if (auto typed = check_applied(target, *wanted); !typed) {
    return std::unexpected(std::move(typed.error()));
  }
  wanted->stable_erase("apiVersion");
  wanted->stable_erase("kind");
  // A missing object with a UID is rejected before its names are checked.
  const bool is_looked_for =
      !registry.get(target) && !text_at(*wanted, {"metadata", "uid"}).empty();
  if (auto fits = check_identity(target, *wanted); !fits && !is_looked_for) {
    return std::unexpected(std::move(fits.error()));
  }
  const auto force = request.query.is_true("force") ? ApplyForce::yes : ApplyForce::no;
  return written_response(registry, target, registry.apply(target, std::move(*wanted), force),
                          check);
}

}  // namespace

Result<> apply_patch(const WriteRequest& request, const Target& target, JsonObject& object,
                     FieldCheck& check) {
  const auto kind = patch_kind(request.content_type);
  if (kind != PatchKind::json && kind != PatchKind::merge) {
    return std::unexpected(unsupported_media_type(
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"));
  }
  if (auto options = check_patch_options(*kind, request.query); !options) return options;
  std::string problem;
  auto json = parse_body(request.body, problem);
  if (!json) return std::unexpected(bad_request("invalid JSON patch"));
  const auto patch = decode_patch(*kind, std::move(*json), request.body, check);
  if (!patch) return std::unexpected(patch.error());
  return change(target, object, *patch, check);
}

Result<Response> handle_patch(Registry& registry, const WriteRequest& request) {
  const auto kind = patch_kind(request.content_type);
  if (request.target.type->defined != nullptr && (!kind || kind == PatchKind::strategic)) {
    return std::unexpected(unsupported_media_type(
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"));
  }
  if (!kind) return std::unexpected(unsupported_patch_type());
  if (auto options = check_patch_options(*kind, request.query); !options) {
    return std::unexpected(std::move(options.error()));
  }
  if (*kind == PatchKind::apply) return apply(registry, request);
  return patch(registry, request, *kind);
}

}  // namespace dcm::apiserver
