#include "apiserver/requests/budgets.hpp"

#include <fmt/format.h>

#include "apiserver/rules/conditions.hpp"
#include "apiserver/rules/label_selector.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::size_t kMaxDisruptedPods = 2000;
constexpr int kRetryAfterSeconds = 10;

std::vector<Stored> budgets_of(const Registry& registry, const ResourceType& type,
                               const JsonObject& pod) {
  std::vector<Stored> found;
  const std::string_view ns = text_at(pod, {"metadata", "namespace"});
  for (const Store::Entry& entry : registry.list(type, ns)) {
    const Json* selector = find(*entry.object, {"spec", "selector"});
    const bool is_selecting = selector != nullptr && selector->is_object();
    if (selects(is_selecting ? &selector->get_object() : nullptr,
                object_at(pod, {"metadata", "labels"}))) {
      found.push_back(entry.object);
    }
  }
  return found;
}

std::int64_t count(const JsonObject& budget, std::string_view name) {
  return integer_at(budget, {"status", name}).value_or(0);
}

// An unhealthy pod is released if that is always allowed, or while enough others are healthy.
bool protects(const JsonObject& budget, const JsonObject& pod) {
  const JsonObject* ready = find_condition(array_at(pod, {"status", "conditions"}), "Ready");
  if (ready != nullptr && text_at(*ready, {"status"}) == "True") return true;
  if (text_at(budget, {"spec", "unhealthyPodEvictionPolicy"}) == "AlwaysAllow") return false;
  const std::int64_t desired = count(budget, "desiredHealthy");
  return desired <= 0 || count(budget, "currentHealthy") < desired;
}

ApiError refused(int code, std::string reason, std::string message, const std::string& cause) {
  ApiError error{code, std::move(reason), std::move(message), JsonObject()};
  (*error.details)["causes"] =
      JsonArray{JsonObject{{"reason", "DisruptionBudget"}, {"message", cause}}};
  return error;
}

ApiError not_now(const std::string& cause) {
  return refused(429, "TooManyRequests",
                 "Cannot evict pod as it would violate the pod's disruption budget.", cause);
}

std::string why_none_is_left(const JsonObject& budget) {
  const std::string_view name = text_at(budget, {"metadata", "name"});
  const JsonObject* condition =
      find_condition(array_at(budget, {"status", "conditions"}), "DisruptionAllowed");
  const bool is_denied = condition != nullptr && text_at(*condition, {"status"}) == "False" &&
                         !text_at(*condition, {"message"}).empty();
  if (is_denied && text_at(*condition, {"reason"}) == "SyncFailed") {
    return fmt::format(
        "The disruption budget {} does not allow evicting pods currently because it failed sync: "
        "{}",
        name, text_at(*condition, {"message"}));
  }
  if (count(budget, "currentHealthy") <= count(budget, "desiredHealthy")) {
    return fmt::format("The disruption budget {} needs {} healthy pods and has {} currently", name,
                       count(budget, "desiredHealthy"), count(budget, "currentHealthy"));
  }
  const std::string text =
      fmt::format("The disruption budget {} does not allow evicting pods currently", name);
  if (!is_denied) return text;
  return fmt::format("{} ({}): {}", text, text_at(*condition, {"reason"}),
                     text_at(*condition, {"message"}));
}

Result<> check(const ResourceType& type, const JsonObject& budget) {
  const std::string_view name = text_at(budget, {"metadata", "name"});
  if (count(budget, "observedGeneration") <
      integer_at(budget, {"metadata", "generation"}).value_or(0)) {
    ApiError error = not_now(
        fmt::format("The disruption budget {} is still being processed by the server.", name));
    error.retry_after_seconds = kRetryAfterSeconds;
    return std::unexpected(std::move(error));
  }
  if (object_at(budget, {"status", "disruptedPods"}).size() > kMaxDisruptedPods) {
    ApiError error = refused(
        403, "Forbidden",
        fmt::format("{}.{} \"{}\" is forbidden: DisruptedPods map too big - too many evictions not "
                    "confirmed by PDB controller",
                    type.singular, type.group, name),
        fmt::format("The disruption budget {} does not allow evicting pods currently: too many "
                    "pending evictions not confirmed by PDB controller",
                    name));
    (*error.details)["name"] = name;
    (*error.details)["group"] = type.group;
    (*error.details)["kind"] = type.singular;
    return std::unexpected(std::move(error));
  }
  if (count(budget, "disruptionsAllowed") == 0) {
    return std::unexpected(not_now(why_none_is_left(budget)));
  }
  return {};
}

// The status that the disruption controller would compute after the pod is gone.
void spend(JsonObject& budget, std::string_view pod_name, const std::string& now) {
  JsonObject& status = child(budget, "status");
  const std::int64_t left = count(budget, "disruptionsAllowed") - 1;
  status["disruptionsAllowed"] = left;
  child(status, "disruptedPods")[pod_name] = now;
  if (left > 0) return;
  JsonArray& conditions = child_list(status, "conditions");
  JsonObject condition{{"type", "DisruptionAllowed"},
                       {"status", "False"},
                       {"reason", "InsufficientPods"},
                       {"message", ""}};
  restore(condition, status, "observedGeneration");
  set_condition(conditions, std::move(condition), now);
}

}  // namespace

Result<> spend_disruption(Registry& registry, const Target& pod_target, const JsonObject& pod) {
  const ResourceType& type = registry.types().get("poddisruptionbudgets");
  const std::vector<Stored> budgets = budgets_of(registry, type, pod);
  if (budgets.size() > 1) {
    return std::unexpected(
        plain_failure("This pod has more than one PodDisruptionBudget, which the eviction "
                      "subresource does not support."));
  }
  if (budgets.empty() || !protects(*budgets.front(), pod)) return {};
  const JsonObject& budget = *budgets.front();
  if (auto checked = check(type, budget); !checked) return checked;
  if (pod_target.commit == Commit::dry_run) return {};
  const Target target{.type = &type,
                      .version = "v1",
                      .ns = pod_target.ns,
                      .name = std::string(text_at(budget, {"metadata", "name"})),
                      .endpoint = Endpoint::status,
                      .manager = "kube-apiserver"};
  const auto spent = registry.patch(target, [&](JsonObject& next) -> Result<> {
    spend(next, pod_target.name, registry.now());
    return {};
  });
  if (!spent) return std::unexpected(spent.error());
  return {};
}

}  // namespace dcm::apiserver
