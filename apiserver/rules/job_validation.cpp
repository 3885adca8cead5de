// Validates Jobs and CronJobs (k8s.io/kubernetes pkg/apis/batch/validation).
#include <algorithm>

#include <fmt/format.h>

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/cron_schedule.hpp"
#include "apiserver/rules/names.hpp"
#include "apiserver/rules/workload_parts.hpp"
#include "apiserver/rules/workload_validation.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::int64_t kParallelismMax = 100'000;  // of an indexed Job
constexpr std::size_t kCronJobNameMax = 52;        // its Jobs' names are 11 characters longer

bool is_indexed(const JsonObject& spec) {
  return text_at(spec, {"completionMode"}) == "Indexed";
}

void validate_completions(const JsonObject& spec, const std::string& path, Causes& causes) {
  const std::string_view mode = text_at(spec, {"completionMode"});
  if (!mode.empty()) {
    validate_choice(mode, {"NonIndexed", "Indexed"}, path + ".completionMode", causes);
  }
  if (has(spec, {"maxFailedIndexes"}) && !has(spec, {"backoffLimitPerIndex"})) {
    causes.push_back(
        required_value(path + ".backoffLimitPerIndex", "when maxFailedIndexes is specified"));
  }
  if (is_indexed(spec)) {
    if (!has(spec, {"completions"})) {
      causes.push_back(required_value(path + ".completions", "when completion mode is Indexed"));
    }
    if (const auto pods = integer_at(spec, {"parallelism"}); pods && *pods > kParallelismMax) {
      causes.push_back(invalid_value(
          path + ".parallelism", Json(*pods),
          fmt::format("must be less than or equal to {} when completion mode is Indexed",
                      kParallelismMax)));
    }
    return;
  }
  for (const auto* name : {"backoffLimitPerIndex", "maxFailedIndexes", "successPolicy"}) {
    const Json* const value = spec.if_contains(name);
    if (value == nullptr) continue;
    causes.push_back(invalid_value(path + "." + name, *value, "requires indexed completion mode"));
  }
}

void validate_pod_replacement_policy(const JsonObject& spec, const std::string& path,
                                     Causes& causes) {
  if (!has(spec, {"podReplacementPolicy"})) return;
  const std::string_view policy = text_at(spec, {"podReplacementPolicy"});
  const std::string at = path + ".podReplacementPolicy";
  if (has(spec, {"podFailurePolicy"})) {
    validate_choice(policy, {"Failed"}, at, causes);
  } else {
    validate_choice(policy, {"Failed", "TerminatingOrFailed"}, at, causes);
  }
}

void validate_failure_rules(const JsonObject& spec, const std::string& path, Causes& causes) {
  const JsonArray& rules = array_at(spec, {"podFailurePolicy", "rules"});
  for (const auto& [rule, at] : with_paths(rules, path + ".podFailurePolicy.rules")) {
    require_choice(text_at(rule, {"action"}), {"Count", "FailIndex", "FailJob", "Ignore"},
                   at + ".action", causes,
                   R"(valid values: ["Count" "FailIndex" "FailJob" "Ignore"])");
    const bool is_by_code = has(rule, {"onExitCodes"});
    const bool is_by_condition = !array_at(rule, {"onPodConditions"}).empty();
    if (is_by_code != is_by_condition) continue;
    causes.push_back({"FieldValueInvalid",
                      is_by_code
                          ? "Invalid value: specifying both OnExitCodes and OnPodConditions is "
                            "not supported"
                          : "Invalid value: specifying one of OnExitCodes and OnPodConditions "
                            "is required",
                      at});
  }
}

void validate_restart_policy(const JsonObject& spec, const std::string& path, Causes& causes) {
  const std::string_view policy = text_at(spec, {"template", "spec", "restartPolicy"});
  const std::string at = path + ".template.spec.restartPolicy";
  if (policy.empty() || policy == "Always") {
    causes.push_back(required_value(at, R"(valid values: "OnFailure", "Never")"));
  } else if (policy == "OnFailure" && has(spec, {"podFailurePolicy"})) {
    causes.push_back(invalid_value(
        at, Json(policy), R"(only "Never" is supported when podFailurePolicy is specified)"));
  } else {
    validate_choice(policy, {"OnFailure", "Never"}, at, causes);
  }
}

void validate_managed_by(const JsonObject& spec, const std::string& path, Causes& causes) {
  const std::string_view manager = text_at(spec, {"managedBy"});
  if (manager.empty() || manager.contains('/')) return;
  causes.push_back(invalid_value(path + ".managedBy", Json(manager),
                                 R"(must be a domain-prefixed path (such as "acme.io/foo"))"));
}

// The spec of a Job, or of a CronJob's template.
void validate_job_spec(const JsonObject& spec, const std::string& path, Causes& causes) {
  validate_counts(spec,
                  {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
                   "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes"},
                  path, causes);
  validate_managed_by(spec, path, causes);
  validate_completions(spec, path, causes);
  validate_failure_rules(spec, path, causes);
  validate_pod_replacement_policy(spec, path, causes);
  validate_template(object_at(spec, {"template"}), path + ".template", causes);
  validate_restart_policy(spec, path, causes);
}

// The server writes the selector, by the Job's UID, unless the user sets manualSelector.
void validate_generated_selector(const JsonObject& job, Causes& causes) {
  const JsonObject& spec = object_at(job, {"spec"});
  if (has_true(spec, "manualSelector")) return;
  Causes problems;
  const JsonObject& selector = object_at(spec, {"selector"});
  if (!validate_selector(selector, "spec.selector", problems)) return;
  const JsonObject expected{
      {"matchLabels", {{"batch.kubernetes.io/controller-uid", text_at(job, {"metadata", "uid"})}}}};
  if (selector == expected) return;
  causes.push_back(invalid_value("spec.selector", selector, "`selector` not auto-generated"));
}

void validate_job_selector(const JsonObject& spec, Causes& causes) {
  const JsonObject* selector = nullptr;
  if (has(spec, {"selector"})) {
    selector = &object_at(spec, {"selector"});
    if (!validate_selector(*selector, "spec.selector", causes)) return;
  } else {
    causes.push_back(required_value("spec.selector"));
  }
  validate_template_labels(selector, object_at(spec, {"template"}), "spec.template", causes);
}

// The spec of a Job's pods without the fields that may change while the Job is suspended: a queue
// of Jobs sets them (KEP-2926).
JsonObject without_placement(const JsonObject& job) {
  JsonObject spec = object_at(job, {"spec", "template", "spec"});
  for (const auto* name : {"nodeSelector", "tolerations", "schedulingGates"}) spec.erase(name);
  child(spec, "affinity").erase("nodeAffinity");
  for (const auto* list : {"containers", "initContainers"}) {
    for_each_object(find(spec, {list}),
                    [](JsonObject& container) { child(container, "resources").clear(); });
  }
  return spec;
}

void validate_template_change(const JsonObject& next, const JsonObject& old, Causes& causes) {
  const bool is_waiting =
      has_true(object_at(old, {"spec"}), "suspend") && !has(old, {"status", "startTime"});
  if (!is_waiting) return validate_immutable(next, old, "template", causes);
  if (without_placement(next) == without_placement(old)) return;
  causes.push_back(invalid_value(
      "spec.template.spec", object_at(next, {"spec", "template", "spec"}), "field is immutable"));
}

void validate_job_change(const JsonObject& next, const JsonObject& old, Causes& causes) {
  const JsonObject& spec = object_at(next, {"spec"});
  const auto completions = integer_at(spec, {"completions"});
  if (!is_indexed(spec)) {
    validate_immutable(next, old, "completions", causes);
  } else if (completions != integer_at(old, {"spec", "completions"}) &&
             completions != integer_at(spec, {"parallelism"})) {
    causes.push_back(invalid_value("spec.completions", Json(completions.value_or(0)),
                                   "can only be modified in tandem with spec.parallelism"));
  }
  validate_immutable(next, old, "selector", causes);
  validate_template_change(next, old, causes);
  for (const auto* name : {"completionMode", "podFailurePolicy", "backoffLimitPerIndex",
                           "managedBy", "successPolicy"}) {
    validate_immutable(next, old, name, causes);
  }
}

void validate_schedule(std::string_view schedule, Causes& causes) {
  const std::string path = "spec.schedule";
  const Json shown(schedule);
  const bool has_zone = schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=");
  if (has_zone) schedule.remove_prefix(std::min(schedule.find(' '), schedule.size()));
  if (const auto problem = problem_with_schedule(schedule)) {
    causes.push_back(invalid_value(path, shown, *problem));
  }
  if (!has_zone) return;
  causes.push_back(invalid_value(
      path, shown, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"));
}

}  // namespace

void validate_job(const JsonObject& next, const JsonObject* old, Causes& causes) {
  const JsonObject& spec = object_at(next, {"spec"});
  if (old == nullptr) validate_generated_selector(next, causes);
  validate_job_spec(spec, "spec", causes);
  validate_job_selector(spec, causes);
  if (old != nullptr) validate_job_change(next, *old, causes);
}

void validate_cron_job(const JsonObject& next, const JsonObject* old, Causes& causes) {
  const JsonObject& spec = object_at(next, {"spec"});
  const std::string_view name = text_at(next, {"metadata", "name"});
  if (old == nullptr && name.size() > kCronJobNameMax) {
    causes.push_back(
        invalid_value("metadata.name", Json(name), "must be no more than 52 characters"));
  }
  const std::string_view schedule = text_at(spec, {"schedule"});
  if (!schedule.empty()) validate_schedule(schedule, causes);
  const Json* const zone = spec.if_contains("timeZone");
  if (zone != nullptr && *zone == Json("")) {
    causes.push_back(
        invalid_value("spec.timeZone", *zone, "timeZone must be nil or non-empty string"));
  }
  validate_counts(spec, {"startingDeadlineSeconds"}, "spec", causes);
  validate_choice(text_at(spec, {"concurrencyPolicy"}), {"Allow", "Forbid", "Replace"},
                  "spec.concurrencyPolicy", causes);
  const std::string path = "spec.jobTemplate.spec";
  const JsonObject& job = object_at(spec, {"jobTemplate", "spec"});
  validate_job_spec(job, path, causes);
  if (has(job, {"selector"})) {
    causes.push_back(invalid_value(path + ".selector", object_at(job, {"selector"}),
                                   "`selector` will be auto-generated"));
  }
  if (has_true(job, "manualSelector")) {
    causes.push_back(not_supported(path + ".manualSelector", Json(true), {"nil", "false"}));
  }
  validate_counts(spec, {"successfulJobsHistoryLimit", "failedJobsHistoryLimit"}, "spec", causes);
  if (schedule.empty()) causes.push_back(required_value("spec.schedule"));
}

}  // namespace dcm::apiserver
