#include "apiserver/rules/workload_validation.hpp"

#include <string>

#include <fmt/format.h>

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/int_or_percent.hpp"
#include "apiserver/rules/label_selector.hpp"
#include "apiserver/rules/names.hpp"
#include "apiserver/rules/volume_claim.hpp"
#include "apiserver/rules/workload_parts.hpp"

namespace dcm::apiserver {

namespace {

constexpr auto* kTemplate = "spec.template";

const JsonObject& template_of(const JsonObject& spec) {
  return object_at(spec, {"template"});
}

const JsonObject* selector_of(const JsonObject& spec) {
  return has(spec, {"selector"}) ? &object_at(spec, {"selector"}) : nullptr;
}

// Requires restartPolicy Always and no deadline.
void validate_always_restarted(const JsonObject& spec, std::string_view kind, Causes& causes) {
  const JsonObject& pods = object_at(template_of(spec), {"spec"});
  validate_choice(text_at(pods, {"restartPolicy"}), {"Always"}, "spec.template.spec.restartPolicy",
                  causes);
  if (has(pods, {"activeDeadlineSeconds"})) {
    causes.push_back(
        forbidden_value("spec.template.spec.activeDeadlineSeconds",
                        fmt::format("activeDeadlineSeconds in {} is not Supported", kind)));
  }
}

void refuse_empty_selector(const JsonObject& selector, std::string_view kind, Causes& causes) {
  const bool is_empty = object_at(selector, {"matchLabels"}).empty() &&
                        array_at(selector, {"matchExpressions"}).empty();
  if (!is_empty) return;
  causes.push_back(invalid_value("spec.selector", selector,
                                 fmt::format("empty selector is invalid for {}", kind)));
}

// Returns whether the selector is valid; a missing one is, and selects nothing.
bool validate_required_selector(const JsonObject& spec, std::string_view kind, Causes& causes) {
  const JsonObject* const selector = selector_of(spec);
  if (selector == nullptr) {
    causes.push_back(required_value("spec.selector"));
    return true;
  }
  const bool is_usable = validate_selector(*selector, "spec.selector", causes);
  refuse_empty_selector(*selector, kind, causes);
  return is_usable;
}

void validate_selected_template(const JsonObject& spec, std::string_view kind, Causes& causes) {
  validate_template_labels(selector_of(spec), template_of(spec), kTemplate, causes);
  validate_template(template_of(spec), kTemplate, causes);
  validate_always_restarted(spec, kind, causes);
}

// What a Deployment and a ReplicaSet have in common.
void validate_replicas_of(const JsonObject& spec, Causes& causes) {
  if (validate_required_selector(spec, "deployment", causes)) {
    validate_selected_template(spec, "ReplicaSet", causes);
  } else {
    causes.push_back(
        invalid_value("spec.selector", object_at(spec, {"selector"}), "invalid label selector"));
  }
}

struct RollingUpdate {
  RollingUpdate(const JsonObject& strategy, std::string strategy_path)
      : path(std::move(strategy_path) + ".rollingUpdate") {
    const JsonObject& rolling = object_at(strategy, {"rollingUpdate"});
    if (const Json* value = rolling.if_contains("maxUnavailable")) unavailable = *value;
    if (const Json* value = rolling.if_contains("maxSurge")) surge = *value;
  }

  void validate(Causes& causes) const {
    validate_int_or_percent(unavailable, path + ".maxUnavailable", causes);
    validate_int_or_percent(surge, path + ".maxSurge", causes);
  }

  std::string path;
  Json unavailable = 0;
  Json surge = 0;
};

void validate_strategy(const JsonObject& strategy, Causes& causes) {
  const std::string path = "spec.strategy";
  const std::string_view type = text_at(strategy, {"type"});
  if (type == "Recreate") {
    if (!has(strategy, {"rollingUpdate"})) return;
    causes.push_back(forbidden_value(path + ".rollingUpdate",
                                     "may not be specified when strategy `type` is 'Recreate'"));
    return;
  }
  if (type != "RollingUpdate") {
    causes.push_back(not_supported(path, strategy, {"Recreate", "RollingUpdate"}));
    return;
  }
  const RollingUpdate rolling(strategy, path);
  rolling.validate(causes);
  if (amount_of(rolling.unavailable) == 0 && amount_of(rolling.surge) == 0) {
    causes.push_back(invalid_value(rolling.path + ".maxUnavailable", rolling.unavailable,
                                   "may not be 0 when `maxSurge` is 0"));
  }
  validate_at_most_100_percent(rolling.unavailable, rolling.path + ".maxUnavailable", causes);
}

void validate_daemon_strategy(const JsonObject& strategy, Causes& causes) {
  const std::string path = "spec.updateStrategy";
  const std::string_view type = text_at(strategy, {"type"});
  if (type == "OnDelete") return;
  if (type != "RollingUpdate") {
    causes.push_back(not_supported(path, strategy, {"RollingUpdate", "OnDelete"}));
    return;
  }
  const RollingUpdate rolling(strategy, path);
  rolling.validate(causes);
  validate_at_most_100_percent(rolling.unavailable, rolling.path + ".maxUnavailable", causes);
  validate_at_most_100_percent(rolling.surge, rolling.path + ".maxSurge", causes);
  const bool has_unavailable = amount_of(rolling.unavailable) != 0;
  const bool has_surge = amount_of(rolling.surge) != 0;
  if (has_unavailable && has_surge) {
    causes.push_back(invalid_value(rolling.path + ".maxSurge", rolling.surge,
                                   "may not be set when maxUnavailable is non-zero"));
  } else if (!has_unavailable && !has_surge) {
    causes.push_back(
        required_value(rolling.path + ".maxUnavailable", "cannot be 0 when maxSurge is 0"));
  }
}

void validate_stateful_strategy(const JsonObject& strategy, Causes& causes) {
  const std::string path = "spec.updateStrategy";
  const std::string_view type = text_at(strategy, {"type"});
  const JsonObject& rolling = object_at(strategy, {"rollingUpdate"});
  if (type == "OnDelete") {
    if (!has(strategy, {"rollingUpdate"})) return;
    causes.push_back(invalid_value(path + ".rollingUpdate", rolling,
                                   "only allowed for updateStrategy 'RollingUpdate'"));
    return;
  }
  if (type != "RollingUpdate") {
    causes.push_back(invalid_value(path, strategy, "must be 'RollingUpdate' or 'OnDelete'"));
    return;
  }
  validate_counts(rolling, {"partition"}, path + ".rollingUpdate", causes);
  const Json* const unavailable = rolling.if_contains("maxUnavailable");
  if (unavailable == nullptr) return;
  const std::string at = path + ".rollingUpdate.maxUnavailable";
  validate_int_or_percent(*unavailable, at, causes);
  if (amount_of(*unavailable) == 0) {
    causes.push_back(invalid_value(at, *unavailable, "cannot be 0"));
  }
  validate_at_most_100_percent(*unavailable, at, causes);
}

void validate_claim_retention(const JsonObject& spec, Causes& causes) {
  const std::string list = "persistentVolumeClaimRetentionPolicy";
  if (!has(spec, {list})) return;
  for (const std::string name : {"whenDeleted", "whenScaled"}) {
    validate_choice(text_at(spec, {list, name}), {"Retain", "Delete"}, "spec." + list + "." + name,
                    causes);
  }
}

void validate_spec_of_stateful_set(const JsonObject& spec, bool is_new, Causes& causes) {
  const std::string_view management = text_at(spec, {"podManagementPolicy"});
  if (management != "OrderedReady" && management != "Parallel") {
    causes.push_back(invalid_value("spec.podManagementPolicy", Json(management),
                                   "must be 'OrderedReady' or 'Parallel'"));
  }
  validate_stateful_strategy(object_at(spec, {"updateStrategy"}), causes);
  validate_claim_retention(spec, causes);
  validate_counts(spec, {"replicas", "minReadySeconds"}, "spec", causes);
  validate_counts(object_at(spec, {"ordinals"}), {"start"}, "spec.ordinals", causes);
  const std::string_view service = text_at(spec, {"serviceName"});
  if (is_new && !service.empty()) {
    validate_name(NameRule::dns_label, service, "spec.serviceName", causes);
  }
  const JsonArray& claims = array_at(spec, {"volumeClaimTemplates"});
  if (is_new) {
    for (const auto& [claim, at] : with_paths(claims, "spec.volumeClaimTemplates")) {
      validate_volume_claim_spec(object_at(claim, {"spec"}), at + ".spec", causes);
    }
  }
  if (validate_required_selector(spec, "statefulset", causes)) {
    validate_template_labels(selector_of(spec), template_of(spec), kTemplate, causes);
    validate_template(template_of(spec), kTemplate, causes, claims);
  } else {
    causes.push_back(invalid_value("spec.selector", object_at(spec, {"selector"})));
  }
  validate_always_restarted(spec, "StatefulSet", causes);
}

}  // namespace

void validate_deployment(const JsonObject& next, const JsonObject* old, Causes& causes) {
  const JsonObject& spec = object_at(next, {"spec"});
  validate_counts(spec, {"replicas"}, "spec", causes);
  validate_replicas_of(spec, causes);
  validate_strategy(object_at(spec, {"strategy"}), causes);
  validate_counts(spec, {"minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"},
                  "spec", causes);
  const auto deadline = integer_at(spec, {"progressDeadlineSeconds"});
  if (deadline && *deadline <= integer_at(spec, {"minReadySeconds"}).value_or(0)) {
    causes.push_back(invalid_value("spec.progressDeadlineSeconds", Json(*deadline),
                                   "must be greater than minReadySeconds"));
  }
  if (old != nullptr) validate_immutable(next, *old, "selector", causes);
}

void validate_replica_set(const JsonObject& next, const JsonObject* old, Causes& causes) {
  const JsonObject& spec = object_at(next, {"spec"});
  validate_counts(spec, {"replicas", "minReadySeconds"}, "spec", causes);
  validate_replicas_of(spec, causes);
  if (old != nullptr) validate_immutable(next, *old, "selector", causes);
}

void validate_stateful_set(const JsonObject& next, const JsonObject* old, Causes& causes) {
  validate_spec_of_stateful_set(object_at(next, {"spec"}), old == nullptr, causes);
  if (old == nullptr) return;
  for (const auto* name :
       {"serviceName", "podManagementPolicy", "selector", "volumeClaimTemplates"})
    validate_immutable(next, *old, name, causes);
}

void validate_daemon_set(const JsonObject& next, const JsonObject* old, Causes& causes) {
  if (old != nullptr) validate_immutable(next, *old, "selector", causes);
  const JsonObject& spec = object_at(next, {"spec"});
  const JsonObject* const selector = selector_of(spec);
  if (selector == nullptr || validate_selector(*selector, "spec.selector", causes)) {
    validate_template_labels(selector, template_of(spec), kTemplate, causes);
  }
  if (selector != nullptr) refuse_empty_selector(*selector, "daemonset", causes);
  validate_template(template_of(spec), kTemplate, causes);
  validate_always_restarted(spec, "DaemonSet", causes);
  validate_counts(spec, {"minReadySeconds"}, "spec", causes);
  validate_daemon_strategy(object_at(spec, {"updateStrategy"}), causes);
  validate_counts(spec, {"revisionHistoryLimit"}, "spec", causes);
}

// A ReplicationController's selector is a map of labels.
void validate_replication_controller(const JsonObject& next, const JsonObject*, Causes& causes) {
  const JsonObject& spec = object_at(next, {"spec"});
  const JsonObject& labels = object_at(spec, {"selector"});
  if (labels.empty()) causes.push_back(required_value("spec.selector"));
  if (has(spec, {"template"})) {
    const JsonObject selector{{"matchLabels", labels}};
    validate_template_labels(&selector, template_of(spec), kTemplate, causes);
    validate_template(template_of(spec), kTemplate, causes);
    validate_always_restarted(spec, "ReplicationController", causes);
  } else {
    causes.push_back(required_value(kTemplate));
  }
  validate_counts(spec, {"replicas", "minReadySeconds"}, "spec", causes);
}

void validate_pod_template(const JsonObject& next, const JsonObject*, Causes& causes) {
  validate_template(template_of(next), "template", causes);
}

}  // namespace dcm::apiserver
