// The columns of Deployments, Jobs and the like.
#include <vector>

#include <fmt/format.h>

#include "apiserver/printers/printer_parts.hpp"
#include "apiserver/rules/conditions.hpp"
#include "apiserver/rules/label_selector.hpp"
#include "apiserver/text/words.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::apiserver {

namespace {

using runtime::WallTime;

std::string joined(const JsonArray& containers, std::string_view member) {
  std::string text;
  for (const Json& container : containers) {
    if (&container != &containers.front()) text += ',';
    text += text_at(as_object(container), {member});
  }
  return text;
}

// The three last columns of most workloads.
void add_template_cells(JsonArray& cells, const JsonArray& containers, std::string selector) {
  cells.emplace_back(joined(containers, "name"));
  cells.emplace_back(joined(containers, "image"));
  cells.emplace_back(std::move(selector));
}

void add_template_cells(JsonArray& cells, const JsonObject& workload) {
  add_template_cells(cells, array_at(workload, {"spec", "template", "spec", "containers"}),
                     selector_text(find(workload, {"spec", "selector"})));
}

std::vector<Column> with_template(std::vector<Column> columns) {
  for (const auto* name : {"Containers", "Images", "Selector"}) columns.push_back(wide(name));
  return columns;
}

JsonArray replica_counts(const JsonObject& set, WallTime now) {
  return {name_of(set), number_at(set, {"spec", "replicas"}),
          number_at(set, {"status", "replicas"}), number_at(set, {"status", "readyReplicas"}),
          age(set, now)};
}

JsonArray replica_set_cells(const JsonObject& set, WallTime now) {
  JsonArray cells = replica_counts(set, now);
  add_template_cells(cells, set);
  return cells;
}

JsonArray controller_cells(const JsonObject& controller, WallTime now) {
  JsonArray cells = replica_counts(controller, now);
  add_template_cells(cells, array_at(controller, {"spec", "template", "spec", "containers"}),
                     labels_text(object_at(controller, {"spec", "selector"})));
  return cells;
}

Json ready_of(const JsonObject& set) {
  return Json(fmt::format("{}/{}", number_at(set, {"status", "readyReplicas"}),
                          number_at(set, {"spec", "replicas"})));
}

JsonArray deployment_cells(const JsonObject& deployment, WallTime now) {
  JsonArray cells{name_of(deployment), ready_of(deployment),
                  number_at(deployment, {"status", "updatedReplicas"}),
                  number_at(deployment, {"status", "availableReplicas"}), age(deployment, now)};
  add_template_cells(cells, deployment);
  return cells;
}

JsonArray stateful_set_cells(const JsonObject& set, WallTime now) {
  const JsonArray& containers = array_at(set, {"spec", "template", "spec", "containers"});
  return {name_of(set), ready_of(set), age(set, now), Json(joined(containers, "name")),
          Json(joined(containers, "image"))};
}

JsonArray daemon_set_cells(const JsonObject& set, WallTime now) {
  JsonArray cells{name_of(set)};
  for (const std::string_view count :
       {"desiredNumberScheduled", "currentNumberScheduled", "numberReady", "updatedNumberScheduled",
        "numberAvailable"}) {
    cells.emplace_back(number_at(set, {"status", count}));
  }
  cells.emplace_back(labels_text(object_at(set, {"spec", "template", "spec", "nodeSelector"})));
  cells.push_back(age(set, now));
  add_template_cells(cells, set);
  return cells;
}

std::string_view job_status(const JsonObject& job) {
  if (has_condition(job, "Complete")) return "Complete";
  if (has_condition(job, "Failed")) return "Failed";
  if (has(job, {"metadata", "deletionTimestamp"})) return "Terminating";
  for (const std::string_view type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (has_condition(job, type)) return type;
  }
  return "Running";
}

std::string completions_of(const JsonObject& job) {
  const std::int64_t succeeded = number_at(job, {"status", "succeeded"});
  if (const auto wanted = integer_at(job, {"spec", "completions"})) {
    return fmt::format("{}/{}", succeeded, *wanted);
  }
  const std::int64_t parallelism = number_at(job, {"spec", "parallelism"});
  return parallelism > 1 ? fmt::format("{}/1 of {}", succeeded, parallelism)
                         : fmt::format("{}/1", succeeded);
}

std::string duration_of(const JsonObject& job, WallTime now) {
  const auto start = runtime::parse_timestamp(text_at(job, {"status", "startTime"}));
  if (!start) return {};
  const auto end = runtime::parse_timestamp(text_at(job, {"status", "completionTime"}));
  return human_duration(end.value_or(now) - *start);
}

JsonArray job_cells(const JsonObject& job, WallTime now) {
  JsonArray cells{name_of(job), Json(job_status(job)), Json(completions_of(job)),
                  Json(duration_of(job, now)), age(job, now)};
  add_template_cells(cells, job);
  return cells;
}

JsonArray cron_job_cells(const JsonObject& cron, WallTime now) {
  const std::string_view last = text_at(cron, {"status", "lastScheduleTime"});
  JsonArray cells{name_of(cron),
                  Json(text_at(cron, {"spec", "schedule"})),
                  text_or(cron, {"spec", "timeZone"}, "<none>"),
                  Json(flag_at(cron, {"spec", "suspend"}) ? "True" : "False"),
                  array_at(cron, {"status", "active"}).size(),
                  Json(last.empty() ? "<none>" : age_of(last, now)),
                  age(cron, now)};
  const JsonObject& job = object_at(cron, {"spec", "jobTemplate", "spec"});
  add_template_cells(cells, array_at(job, {"template", "spec", "containers"}),
                     selector_text(find(job, {"selector"})));
  return cells;
}

JsonArray pod_template_cells(const JsonObject& object, WallTime) {
  const JsonArray& containers = array_at(object, {"template", "spec", "containers"});
  return {name_of(object), Json(joined(containers, "name")), Json(joined(containers, "image")),
          Json(labels_text(object_at(object, {"template", "metadata", "labels"})))};
}

// "daemonset.apps/agent".
std::string controller_of(const JsonObject& object) {
  for (const Json& item : array_at(object, {"metadata", "ownerReferences"})) {
    const JsonObject& owner = as_object(item);
    if (!flag_at(owner, {"controller"})) continue;
    const std::string_view version = text_at(owner, {"apiVersion"});
    const auto slash = version.find('/');
    const std::string group =
        slash == std::string_view::npos ? "" : fmt::format(".{}", version.substr(0, slash));
    return fmt::format("{}{}/{}", lower(text_at(owner, {"kind"})), group, text_at(owner, {"name"}));
  }
  return "<none>";
}

JsonArray revision_cells(const JsonObject& revision, WallTime now) {
  return {name_of(revision), Json(controller_of(revision)), number_at(revision, {"revision"}),
          age(revision, now)};
}

JsonArray runtime_class_cells(const JsonObject& runtime, WallTime now) {
  return {name_of(runtime), Json(text_at(runtime, {"handler"})), age(runtime, now)};
}

}  // namespace

Printers workload_printers() {
  const std::vector<Column> replicas =
      with_template({name_column(), typed("Desired", "integer"), typed("Current", "integer"),
                     typed("Ready", "integer"), age_column()});
  return {
      {"ReplicationController", {replicas, controller_cells}},
      {"ReplicaSet", {replicas, replica_set_cells}},
      {"Deployment",
       {with_template(
            {name_column(), shown("Ready"), shown("Up-to-date"), shown("Available"), age_column()}),
        deployment_cells}},
      {"StatefulSet",
       {{name_column(), shown("Ready"), age_column(), wide("Containers"), wide("Images")},
        stateful_set_cells}},
      {"DaemonSet",
       {with_template({name_column(), typed("Desired", "integer"), typed("Current", "integer"),
                       typed("Ready", "integer"), typed("Up-to-date", "integer"),
                       typed("Available", "integer"), shown("Node Selector"), age_column()}),
        daemon_set_cells}},
      {"Job",
       {with_template({name_column(), shown("Status"), shown("Completions"), shown("Duration"),
                       age_column()}),
        job_cells}},
      {"CronJob",
       {with_template({name_column(), shown("Schedule"), shown("Timezone"),
                       typed("Suspend", "boolean"), typed("Active", "integer"),
                       shown("Last Schedule"), age_column()}),
        cron_job_cells}},
      {"PodTemplate",
       {{name_column(), shown("Containers"), shown("Images"), shown("Pod Labels")},
        pod_template_cells}},
      {"ControllerRevision",
       {{name_column(), shown("Controller"), shown("Revision"), age_column()}, revision_cells}},
      {"RuntimeClass", {{name_column(), shown("Handler"), age_column()}, runtime_class_cells}},
  };
}

}  // namespace dcm::apiserver
