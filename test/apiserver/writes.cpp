#include "test/apiserver/writes.hpp"

#include <fmt/format.h>

#include "test/apiserver/bodies.hpp"
#include "test/apiserver/delete_options.hpp"
#include "test/apiserver/encode.hpp"
#include "test/apiserver/patches.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::string_view kMergePatch = "application/merge-patch+json";
constexpr std::string_view kStrategicMergePatch = "application/strategic-merge-patch+json";
constexpr std::string_view kApplyPatch = "application/apply-patch+yaml";

Response object_response(const Target& target, const Written& written) {
  const int status = written.kind == Written::Kind::created ? 201 : 200;
  return json_response(status, encode(*target.type, target.version, *written.object));
}

Outcome<Response> answer(const Target& target, Outcome<Written> written) {
  if (!written) return std::unexpected(std::move(written.error()));
  return object_response(target, *written);
}

Outcome<> check_patch_options(const WriteRequest& request) {
  Causes causes;
  const bool applies = request.content_type == kApplyPatch;
  if (applies && request.query.get("fieldManager").empty()) {
    causes.push_back(required_value("fieldManager", "is required for apply patch"));
  }
  if (!applies && request.query.has("force")) {
    causes.push_back(forbidden_value("force", "may not be specified for non-apply patch"));
  }
  if (!causes.empty()) return std::unexpected(invalid_options("PatchOptions", causes));
  return {};
}

Outcome<Response> apply(Registry& registry, const WriteRequest& request) {
  auto wanted = decode_object(request.body, "YAML");
  if (!wanted) return std::unexpected(std::move(wanted.error()));
  const Target& target = request.target;
  const std::string expected = target.type->api_version(target.version);
  const std::string_view version = text_at(*wanted, {"apiVersion"});
  const std::string_view kind = text_at(*wanted, {"kind"});
  if (version != expected || kind != target.type->kind) {
    const std::string_view slash = version.find('/') == std::string_view::npos ? "/" : "";
    return std::unexpected(
        bad_request(fmt::format("invalid object type: {}{}, Kind={}", slash, version, kind)));
  }
  if (has(*wanted, {"metadata", "managedFields"})) {
    return std::unexpected(bad_request("metadata.managedFields must be nil"));
  }
  if (auto typed = take_type_meta(target, *wanted); !typed) {
    return std::unexpected(std::move(typed.error()));
  }
  if (auto fits = check_identity(target, *wanted); !fits) {
    return std::unexpected(std::move(fits.error()));
  }
  const auto force = request.query.is_true("force") ? ApplyForce::yes : ApplyForce::no;
  return answer(target, registry.apply(target, std::move(*wanted), force));
}

JsonObject success_of(const Target& target, const JsonObject& gone) {
  JsonObject details{{"name", target.name}};
  if (!target.type->group.empty()) details["group"] = target.type->group;
  details["kind"] = target.type->plural;
  details["uid"] = text_at(gone, {"metadata", "uid"});
  return {{"kind", "Status"},
          {"apiVersion", "v1"},
          {"metadata", JsonObject()},
          {"status", "Success"},
          {"details", details}};
}

}  // namespace

Outcome<Response> handle_create(Registry& registry, const WriteRequest& request) {
  auto body = decode_body(request);
  if (!body) return std::unexpected(std::move(body.error()));
  return answer(request.target, registry.create(request.target, std::move(*body)));
}

Outcome<Response> handle_replace(Registry& registry, const WriteRequest& request) {
  auto body = decode_body(request);
  if (!body) return std::unexpected(std::move(body.error()));
  if (text_at(*body, {"metadata", "name"}).empty()) {
    return std::unexpected(name_undeterminable(request.target.name));
  }
  return answer(request.target, registry.replace(request.target, std::move(*body)));
}

Outcome<Response> handle_patch(Registry& registry, const WriteRequest& request) {
  if (auto options = check_patch_options(request); !options) {
    return std::unexpected(std::move(options.error()));
  }
  if (request.content_type == kApplyPatch) return apply(registry, request);
  const bool strategic = request.content_type == kStrategicMergePatch;
  if (!strategic && request.content_type != kMergePatch) {
    return std::unexpected(unsupported_patch_type());
  }
  std::string problem;
  if (!parse(request.body, problem)) return std::unexpected(bad_request("invalid JSON patch"));
  if (auto there = registry.get(request.target); !there) {
    return std::unexpected(std::move(there.error()));
  }
  auto patch = decode_object(request.body, "patch");
  if (!patch) return std::unexpected(std::move(patch.error()));
  const Schema& schema = request.target.type->schema();
  return answer(request.target,
                registry.patch(request.target, [&](JsonObject& object) -> Outcome<> {
                  if (!strategic) apply_merge_patch(object, *patch);
                  if (strategic) {
                    auto merged = apply_strategic_merge_patch(object, *patch, schema);
                    if (!merged) return merged;
                  }
                  return check_identity(request.target, object);
                }));
}

Outcome<Response> handle_delete(Registry& registry, const WriteRequest& request) {
  const auto options = decode_delete_options(request);
  if (!options) return std::unexpected(options.error());
  Target target = request.target;
  target.commit = options->commit();
  const auto deleted = registry.remove(target, options->wish);
  if (!deleted) return std::unexpected(deleted.error());
  const bool status = target.type->delete_answer(target.version) == DeleteAnswer::status &&
                      deleted->kind == Deleted::Kind::gone;
  if (status) return json_response(200, success_of(target, *deleted->object));
  const int code = deleted->kind == Deleted::Kind::pending ? pending_status(*options) : 200;
  return json_response(code, encode(*target.type, target.version, *deleted->object));
}

Outcome<Response> handle_delete_collection(Registry& registry, const WriteRequest& request,
                                           const std::vector<Store::Entry>& entries) {
  const auto options = decode_delete_options(request);
  if (!options) return std::unexpected(options.error());
  Target target = request.target;
  target.commit = options->commit();
  const Revision version = registry.revision();
  std::string items;
  for (const Store::Entry& entry : entries) {
    target.ns = text_at(*entry.object, {"metadata", "namespace"});
    target.name = text_at(*entry.object, {"metadata", "name"});
    const auto deleted = registry.remove(target, options->wish);
    if (!deleted && deleted.error().code != 404) return std::unexpected(deleted.error());
    if (!items.empty()) items += ',';
    items += encode(*target.type, target.version, *entry.object, TypeMeta::omitted);
  }
  // The list as it was before.
  return json_response(
      200,
      fmt::format(R"({{"kind":"{}List","apiVersion":"{}","metadata":{{"resourceVersion":"{}"}},)"
                  R"("items":[{}]}})",
                  target.type->kind, target.type->api_version(target.version), version, items));
}

}  // namespace dcm::apiserver
