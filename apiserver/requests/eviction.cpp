#include "apiserver/requests/eviction.hpp"

#include "apiserver/requests/bodies.hpp"
#include "apiserver/requests/budgets.hpp"
#include "apiserver/requests/delete_options.hpp"
#include "apiserver/rules/conditions.hpp"

namespace dcm::apiserver {

namespace {

// Bodies of this endpoint are Evictions, in either version of their group.
Target as_eviction(const Target& target, ResourceType& type, const JsonObject& body) {
  type = *target.type;
  type.group = "policy";
  type.kind = "Eviction";
  Target eviction = target;
  eviction.type = &type;
  eviction.version = text_at(body, {"apiVersion"}) == "policy/v1beta1" ? "v1beta1" : "v1";
  return eviction;
}

// Dry runs may be requested in the query and in the body.
Result<> join_dry_run(DeleteOptions& options, const Query& query) {
  if (!query.has("dryRun")) return {};
  const JsonArray asked{query.get("dryRun")};
  if (options.dry_run.empty()) options.dry_run = asked;
  if (options.dry_run == asked) return {};
  return std::unexpected(plain_failure("Non-matching dry-run options in request and content: [" +
                                       std::string(query.get("dryRun")) + "] and " +
                                       serialize(options.dry_run)));
}

struct Eviction {
  JsonObject object;
  std::string version;
  DeleteOptions options;
};

Result<Eviction> decode_eviction(const WriteRequest& request) {
  auto document = decode_document(request, "Eviction");
  if (!document) return std::unexpected(std::move(document.error()));
  JsonObject& body = document->object;
  ResourceType type;
  Target eviction = as_eviction(request.target, type, body);
  if (auto typed = take_type_meta(eviction, body); !typed) {
    return std::unexpected(std::move(typed.error()));
  }
  eviction.name.clear();  // a different name is reported below, with a separate text
  if (auto fits = check_identity(eviction, body); !fits) {
    return std::unexpected(std::move(fits.error()));
  }
  if (text_at(body, {"metadata", "name"}) != request.target.name) {
    return std::unexpected(bad_request("name in URL does not match name in Eviction object"));
  }
  DeleteOptions options = delete_options_of(object_at(body, {"deleteOptions"}));
  if (auto joined = join_dry_run(options, request.query); !joined) {
    return std::unexpected(std::move(joined.error()));
  }
  return Eviction{std::move(body), eviction.version, std::move(options)};
}

// No budget protects a pod that does not run or is being deleted.
bool has_no_budget(const JsonObject& pod) {
  const std::string_view phase = text_at(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed" || phase == "Pending" ||
         has(pod, {"metadata", "deletionTimestamp"});
}

// Changes nothing if another pod has the name.
Result<Stored> mark_as_target(Registry& registry, const Target& target, const DeleteWish& wish) {
  auto marked = registry.rewrite(target, [&](JsonObject& pod, const std::string& now) -> Result<> {
    if (auto ok = check_preconditions(target, pod, wish); !ok) return ok;
    set_condition(child_list(child(pod, "status"), "conditions"),
                  {{"type", "DisruptionTarget"},
                   {"status", "True"},
                   {"reason", "EvictionByEvictionAPI"},
                   {"message", "Eviction API: evicting"}},
                  now);
    return {};
  });
  if (!marked) return std::unexpected(std::move(marked.error()));
  return marked->object;
}

}  // namespace

Result<Response> handle_eviction(Registry& registry, const WriteRequest& request) {
  auto eviction = decode_eviction(request);
  if (!eviction) return std::unexpected(std::move(eviction.error()));
  if (auto admitted = registry.ask_policies(
          request.target, "eviction", {"policy", eviction->version, "Eviction"}, eviction->object);
      !admitted) {
    return std::unexpected(std::move(admitted.error()));
  }
  DeleteOptions& options = eviction->options;
  options.wish.of = DeleteWish::Of::eviction;
  Target target = request.target;
  target.endpoint = Endpoint::main;
  target.commit = options.commit();
  const auto pod = registry.get(target);
  if (!pod) return std::unexpected(pod.error());
  if (!has_no_budget(**pod)) {
    if (auto allowed = spend_disruption(registry, target, **pod); !allowed) {
      return std::unexpected(std::move(allowed.error()));
    }
  }
  if (target.commit == Commit::write) {
    const auto marked = mark_as_target(registry, target, options.wish);
    if (!marked) return std::unexpected(marked.error());
    // The requested version is the one before the mark.
    std::string& version = options.wish.resource_version;
    if (!version.empty()) version = text_at(**marked, {"metadata", "resourceVersion"});
  }
  // The deletion validates its options last, when the pod has been marked.
  if (auto valid = validate(options); !valid) return std::unexpected(std::move(valid.error()));
  const auto deleted = registry.remove(target, options.wish);
  if (!deleted) return std::unexpected(deleted.error());
  return created_status();
}

}  // namespace dcm::apiserver
