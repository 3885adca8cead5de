#include "test/apiserver/delete_options.hpp"

#include "test/apiserver/bodies.hpp"

namespace dcm::apiserver {

DeleteOptions delete_options_of(const JsonObject& options) {
  DeleteOptions decoded;
  decoded.wish.uid = text_at(options, {"preconditions", "uid"});
  decoded.wish.resource_version = text_at(options, {"preconditions", "resourceVersion"});
  decoded.wish.grace_seconds = integer_at(options, {"gracePeriodSeconds"});
  decoded.dry_run = array_at(options, {"dryRun"});
  return decoded;
}

Outcome<> validate(const DeleteOptions& options) {
  for (const Json& value : options.dry_run) {
    if (value == "All") continue;
    return std::unexpected(
        invalid_options("DeleteOptions", {not_supported("dryRun", options.dry_run, {"All"})}));
  }
  return {};
}

Outcome<DeleteOptions> decode_delete_options(const WriteRequest& request) {
  DeleteOptions decoded;
  if (!request.body.empty()) {
    const auto options = decode_object(request.body, "DeleteOptions");
    if (!options) return std::unexpected(options.error());
    decoded = delete_options_of(*options);
  } else {
    decoded.wish.grace_seconds = request.query.integer("gracePeriodSeconds");
    if (request.query.has("dryRun")) decoded.dry_run = {request.query.get("dryRun")};
  }
  if (auto valid = validate(decoded); !valid) return std::unexpected(std::move(valid.error()));
  return decoded;
}

}  // namespace dcm::apiserver
