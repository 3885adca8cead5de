#include "apiserver/requests/writes.hpp"

#include <fmt/format.h>

#include "apiserver/fields/encode.hpp"
#include "apiserver/requests/bodies.hpp"
#include "apiserver/requests/delete_options.hpp"
#include "apiserver/requests/write_options.hpp"

namespace dcm::apiserver {

namespace {

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

Response refused(const ApiError& error, const FieldCheck& check) {
  Response response = to_response(error);
  response.warnings = check.warnings();
  return response;
}

}  // namespace

Response written_response(Registry& registry, const Target& target, Result<Written> written,
                          const FieldCheck& check) {
  if (!written) return refused(written.error(), check);
  const int status = written->kind == Written::Kind::created ? 201 : 200;
  Response response =
      encoded_response(status, target.answer, registry.encode(target, written->object));
  response.warnings = check.warnings();
  return response;
}

Result<Response> handle_create(Registry& registry, const WriteRequest& request) {
  if (auto valid = check_write_options("CreateOptions", request.query); !valid) {
    return std::unexpected(std::move(valid.error()));
  }
  FieldCheck check(request.query);
  auto body = decode_body(request, check);
  if (!body) return refused(body.error(), check);
  return written_response(registry, request.target,
                          registry.create(request.target, std::move(*body)), check);
}

Result<Response> handle_replace(Registry& registry, const WriteRequest& request) {
  if (auto valid = check_write_options("UpdateOptions", request.query); !valid) {
    return std::unexpected(std::move(valid.error()));
  }
  FieldCheck check(request.query);
  auto body = decode_body(request, check);
  if (!body) return refused(body.error(), check);
  if (text_at(*body, {"metadata", "name"}).empty()) {
    return refused(name_undeterminable(request.target.name), check);
  }
  return written_response(registry, request.target,
                          registry.replace(request.target, std::move(*body)), check);
}

Result<Response> handle_delete(Registry& registry, const WriteRequest& request) {
  const auto options = decode_delete_options(request);
  if (!options) return std::unexpected(options.error());
  Target target = request.target;
  target.commit = options->commit();
  target.options = encode(*options);
  const auto deleted = registry.remove(target, options->wish);
  if (!deleted) return std::unexpected(deleted.error());
  const bool is_status = target.type->delete_answer(target.version) == DeleteAnswer::status &&
                         deleted->kind == Deleted::Kind::gone;
  if (is_status) return json_response(200, success_of(target, *deleted->object));
  const int code = deleted->kind == Deleted::Kind::pending ? pending_status(*options) : 200;
  return encoded_response(code, target.answer, registry.encode(target, deleted->object));
}

Result<Response> handle_delete_collection(Registry& registry, const WriteRequest& request,
                                          const std::vector<Stored>& objects, JsonObject metadata) {
  auto options = decode_delete_options(request);
  if (!options) return std::unexpected(options.error());
  Target target = request.target;
  target.commit = options->commit();
  target.options = encode(*options);
  options->wish.of = DeleteWish::Of::collection;
  if (target.type->defined != nullptr) metadata.emplace("continue", "");
  std::string items;
  for (const Stored& object : objects) {
    target.ns = text_at(*object, {"metadata", "namespace"});
    target.name = text_at(*object, {"metadata", "name"});
    const auto deleted = registry.remove(target, options->wish);
    if (!deleted && deleted.error().code != 404) return std::unexpected(deleted.error());
    if (!items.empty()) items += ',';
    items +=
        encode(*target.type, target.version, *object, Encoding::json, target.type->item_meta());
  }
  return json_response(
      200, fmt::format(R"({{"kind":"{}","apiVersion":"{}","metadata":{},"items":[{}]}})",
                       target.type->list_kind(), target.type->api_version(target.version),
                       serialize(metadata), items));
}

}  // namespace dcm::apiserver
