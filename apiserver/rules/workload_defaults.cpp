#include "apiserver/rules/workload_defaults.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace dcm::apiserver {

namespace {

// A field of the internal version, which v1 has as an annotation: how often the template changed.
constexpr std::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";

std::int64_t template_generation(const JsonObject& set) {
  const std::string_view text = text_at(set, {"metadata", "annotations", kTemplateGeneration});
  std::int64_t generation = 0;
  std::from_chars(text.data(), text.data() + text.size(), generation);
  return generation;
}

void set_template_generation(JsonObject& set, std::int64_t generation) {
  child(child(set, "metadata"), "annotations")[kTemplateGeneration] = std::to_string(generation);
}

// An object without labels gets those of its template.
void default_labels(JsonObject& object) {
  const JsonObject labels = object_at(object, {"spec", "template", "metadata", "labels"});
  if (labels.empty() || !object_at(object, {"metadata", "labels"}).empty()) return;
  child(object, "metadata")["labels"] = labels;
}

}  // namespace

// A Deployment with rolling updates states their limits.
void default_deployment(JsonObject& deployment) {
  JsonObject& strategy = child(child(deployment, "spec"), "strategy");
  if (text_at(strategy, {"type"}) != "RollingUpdate") return;
  JsonObject& rolling = child(strategy, "rollingUpdate");
  set_default(rolling, "maxUnavailable", "25%");
  set_default(rolling, "maxSurge", "25%");
}

// A DaemonSet with rolling updates replaces one pod at a time.
void default_daemon_set(JsonObject& set) {
  set_default(child(child(set, "metadata"), "annotations"), kTemplateGeneration, "0");
  JsonObject& strategy = child(child(set, "spec"), "updateStrategy");
  const bool is_rolling = text_at(strategy, {"type"}) == "RollingUpdate";
  if (!is_rolling && !has(strategy, {"rollingUpdate"})) return;
  JsonObject& rolling = child(strategy, "rollingUpdate");
  set_default(rolling, "maxUnavailable", is_rolling ? 1 : 0);
  set_default(rolling, "maxSurge", 0);
}

void default_replication_controller(JsonObject& controller) {
  default_labels(controller);
  JsonObject& spec = child(controller, "spec");
  const JsonObject labels = object_at(spec, {"template", "metadata", "labels"});
  if (!labels.empty()) set_default(spec, "selector", labels);
}

// Without completions, a work queue of one; without parallelism, one at a time.
void default_job(JsonObject& job) {
  default_labels(job);
  JsonObject& spec = child(job, "spec");
  constexpr std::int64_t kUnlimited = 2'147'483'647;
  set_default(spec, "backoffLimit", has(spec, {"backoffLimitPerIndex"}) ? kUnlimited : 6);
  set_default(spec, "podReplacementPolicy",
              has(spec, {"podFailurePolicy"}) ? "Failed" : "TerminatingOrFailed");
  if (!spec.contains("completions") && !spec.contains("parallelism")) spec["completions"] = 1;
  set_default(spec, "parallelism", 1);
}

void add_job_labels(JsonObject& job) {
  JsonObject& spec = child(job, "spec");
  if (has_true(spec, "manualSelector")) return;
  const std::string uid(text_at(job, {"metadata", "uid"}));
  const std::string name(text_at(job, {"metadata", "name"}));
  JsonObject& labels = child(child(child(spec, "template"), "metadata"), "labels");
  const JsonObject before = labels;
  for (const auto* key : {"batch.kubernetes.io/controller-uid", "controller-uid"}) {
    labels[key] = uid;
  }
  for (const auto* key : {"batch.kubernetes.io/job-name", "job-name"}) labels[key] = name;
  // A selector equal to the template's labels stays equal.
  JsonObject own = object_at(job, {"metadata", "labels"});
  if (own == before) child(job, "metadata")["labels"] = labels;
  child(child(spec, "selector"), "matchLabels")["batch.kubernetes.io/controller-uid"] = uid;
}

void begin_template_generation(JsonObject& set) {
  set_template_generation(set, std::max<std::int64_t>(1, template_generation(set)));
}

void count_template_generation(JsonObject& next, const JsonObject& old) {
  const Json* const template_now = find(std::as_const(next), {"spec", "template"});
  const Json* const template_before = find(old, {"spec", "template"});
  const bool is_same = template_now != nullptr && same(template_now, template_before);
  set_template_generation(next, template_generation(old) + (is_same ? 0 : 1));
}

}  // namespace dcm::apiserver
