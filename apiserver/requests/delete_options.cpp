#include "apiserver/requests/delete_options.hpp"

#include <algorithm>

#include "apiserver/requests/bodies.hpp"

namespace dcm::apiserver {

namespace {

Propagation propagation_of(const DeleteOptions& options) {
  if (options.orphan_dependents) {
    return *options.orphan_dependents ? Propagation::orphan : Propagation::not_orphan;
  }
  if (options.propagation_policy == "Orphan") return Propagation::orphan;
  if (options.propagation_policy == "Foreground") return Propagation::foreground;
  if (options.propagation_policy == "Background") return Propagation::background;
  return Propagation::unsaid;
}

void validate_propagation(const DeleteOptions& options, Causes& causes) {
  const std::string& policy = options.propagation_policy;
  if (policy.empty()) return;
  if (options.orphan_dependents) {
    causes.push_back(invalid_value("propagationPolicy", Json(policy),
                                   "orphanDependents and deletionPropagation cannot be both set"));
  }
  if (policy != "Foreground" && policy != "Background" && policy != "Orphan") {
    causes.push_back(not_supported("propagationPolicy", Json(policy),
                                   {"Foreground", "Background", "Orphan", "nil"}));
  }
}

// What follows from the options, wherever they were given.
DeleteOptions completed(DeleteOptions options) {
  if (options.wish.grace_seconds.value_or(0) < 0) options.wish.grace_seconds = 1;
  options.wish.propagation = propagation_of(options);
  return options;
}

}  // namespace

DeleteOptions delete_options_of(const JsonObject& options) {
  DeleteOptions decoded;
  decoded.wish.uid = text_at(options, {"preconditions", "uid"});
  decoded.wish.resource_version = text_at(options, {"preconditions", "resourceVersion"});
  decoded.wish.grace_seconds = integer_at(options, {"gracePeriodSeconds"});
  decoded.dry_run = array_at(options, {"dryRun"});
  decoded.propagation_policy = text_at(options, {"propagationPolicy"});
  if (const Json* orphan = find(options, {"orphanDependents"}); orphan && orphan->is_bool()) {
    decoded.orphan_dependents = orphan->get_bool();
  }
  return completed(std::move(decoded));
}

JsonObject encode(const DeleteOptions& options) {
  JsonObject encoded;
  const DeleteWish& wish = options.wish;
  if (wish.grace_seconds) encoded["gracePeriodSeconds"] = *wish.grace_seconds;
  if (!wish.uid.empty()) child(encoded, "preconditions")["uid"] = wish.uid;
  if (!wish.resource_version.empty()) {
    child(encoded, "preconditions")["resourceVersion"] = wish.resource_version;
  }
  if (options.orphan_dependents) encoded["orphanDependents"] = *options.orphan_dependents;
  if (!options.propagation_policy.empty()) {
    encoded["propagationPolicy"] = options.propagation_policy;
  }
  if (!options.dry_run.empty()) encoded["dryRun"] = options.dry_run;
  return encoded;
}

Result<> validate(const DeleteOptions& options) {
  Causes causes;
  const bool is_known =
      std::ranges::all_of(options.dry_run, [](const Json& v) { return v == "All"; });
  if (!is_known) causes.push_back(not_supported("dryRun", options.dry_run, {"All"}));
  validate_propagation(options, causes);
  if (!causes.empty()) return std::unexpected(invalid_options("DeleteOptions", causes));
  return {};
}

int pending_status(const DeleteOptions& options) {
  return options.orphan_dependents == false ? 202 : 200;
}

namespace {

// A body may name its kind, which must be DeleteOptions of any group.
Result<DeleteOptions> decode_body_options(const WriteRequest& request) {
  const auto document = decode_document(request, "DeleteOptions");
  if (!document) return std::unexpected(document.error());
  const JsonObject& options = document->object;
  const std::string_view kind = text_at(options, {"kind"});
  if (!kind.empty() && kind != "DeleteOptions") {
    return std::unexpected(bad_request("no kind \"" + std::string(kind) +
                                       "\" is registered for version \"v1\" in scheme "
                                       "\"pkg/runtime/scheme.go:111\""));
  }
  const Json* seconds = find(options, {"gracePeriodSeconds"});
  if (seconds != nullptr && !seconds->is_null() && !seconds->is_int64()) {
    return std::unexpected(
        bad_request("json: cannot unmarshal " + serialize(*seconds) +
                    " into Go struct field DeleteOptions.gracePeriodSeconds of type int64"));
  }
  return delete_options_of(options);
}

Result<DeleteOptions> decode_query_options(const Query& query) {
  if (auto seconds = query.check_integer("gracePeriodSeconds"); !seconds) {
    return std::unexpected(std::move(seconds.error()));
  }
  DeleteOptions decoded;
  decoded.wish.grace_seconds = query.integer("gracePeriodSeconds");
  decoded.propagation_policy = query.get("propagationPolicy");
  if (query.has("orphanDependents")) {
    decoded.orphan_dependents = query.is_true("orphanDependents");
  }
  if (query.has("dryRun")) decoded.dry_run = {query.get("dryRun")};
  return completed(std::move(decoded));
}

}  // namespace

Result<DeleteOptions> decode_delete_options(const WriteRequest& request) {
  auto decoded =
      request.body.empty() ? decode_query_options(request.query) : decode_body_options(request);
  if (!decoded) return decoded;
  if (auto valid = validate(*decoded); !valid) return std::unexpected(std::move(valid.error()));
  return decoded;
}

}  // namespace dcm::apiserver
