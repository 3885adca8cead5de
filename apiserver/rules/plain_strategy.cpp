// Kinds without special rules, for controllers, schedulers and tools: defaults by a table
// (plain_defaults.*), a separate status, and server-side fields that controllers rely on.
#include <algorithm>
#include <charconv>
#include <map>

#include "apiserver/rules/data_validation.hpp"
#include "apiserver/rules/plain_kind.hpp"
#include "apiserver/rules/pod_volumes.hpp"
#include "apiserver/rules/strategies.hpp"
#include "apiserver/rules/workload_validation.hpp"
#include "runtime/base64.hpp"

namespace dcm::apiserver {

namespace {

// A Deployment with rolling updates states their limits.
void add_rolling_update(JsonObject& deployment) {
  JsonObject& strategy = child(child(deployment, "spec"), "strategy");
  if (text_at(strategy, {"type"}) != "RollingUpdate") return;
  JsonObject& rolling = child(strategy, "rollingUpdate");
  set_default(rolling, "maxUnavailable", "25%");
  set_default(rolling, "maxSurge", "25%");
}

// The pods of a Job are selected by its UID.
void add_job_labels(JsonObject& job) {
  JsonObject& spec = child(job, "spec");
  if (is_set(spec, "manualSelector")) return;
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

void begin_template_generation(JsonObject& set) {
  set_template_generation(set, std::max<std::int64_t>(1, template_generation(set)));
}

void count_template_generation(JsonObject& next, const JsonObject& old) {
  const Json* const template_now = find(std::as_const(next), {"spec", "template"});
  const Json* const template_before = find(old, {"spec", "template"});
  const bool is_same =
      template_now != nullptr && template_before != nullptr && *template_now == *template_before;
  set_template_generation(next, template_generation(old) + (is_same ? 0 : 1));
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

// An object without labels gets those of its template.
void default_labels(JsonObject& object) {
  const JsonObject labels = object_at(object, {"spec", "template", "metadata", "labels"});
  if (labels.empty() || !object_at(object, {"metadata", "labels"}).empty()) return;
  child(object, "metadata")["labels"] = labels;
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

void default_controller(JsonObject& controller) {
  default_labels(controller);
  JsonObject& spec = child(controller, "spec");
  const JsonObject labels = object_at(spec, {"template", "metadata", "labels"});
  if (!labels.empty()) set_default(spec, "selector", labels);
}

void default_service(JsonObject& service) {
  Json* ports = find(service, {"spec", "ports"});
  if (ports != nullptr && ports->is_array()) {
    for (Json& port : ports->get_array()) {
      if (!port.is_object() || !has(port.get_object(), {"port"})) continue;
      const Json target = port.get_object()["port"];
      set_default(port.get_object(), "targetPort", target);
    }
  }
  JsonObject& spec = child(service, "spec");
  const std::string type(text_at(spec, {"type"}));
  if (type != "ExternalName") set_default(spec, "internalTrafficPolicy", "Cluster");
  if (type == "NodePort" || type == "LoadBalancer") {
    set_default(spec, "externalTrafficPolicy", "Cluster");
  }
  if (type == "LoadBalancer") set_default(spec, "allocateLoadBalancerNodePorts", true);
}

void default_network_policy(JsonObject& policy) {
  JsonObject& spec = child(policy, "spec");
  JsonArray types{"Ingress"};
  if (!array_at(spec, {"egress"}).empty()) types.emplace_back("Egress");
  set_default(spec, "policyTypes", types);
}

// An address that is probably unique among services: no traffic is routed to it.
std::string cluster_ip(std::string_view uid) {
  const std::size_t hash = std::hash<std::string_view>()(uid);
  return "10.96." + std::to_string((hash >> 8) % 254 + 1) + "." + std::to_string(hash % 254 + 1);
}

void add_cluster_ip(JsonObject& service) {
  JsonObject& spec = child(service, "spec");
  if (text_at(spec, {"type"}) == "ExternalName") return;
  if (text_at(spec, {"clusterIP"}).empty()) {
    spec["clusterIP"] = cluster_ip(text_at(service, {"metadata", "uid"}));
  }
  set_default(spec, "clusterIPs", JsonArray{spec["clusterIP"]});
  set_default(spec, "ipFamilies", JsonArray{"IPv4"});
  set_default(spec, "ipFamilyPolicy", "SingleStack");
}

void encode_string_data(JsonObject& secret) {
  const JsonObject texts = object_at(secret, {"stringData"});
  for (const auto& [key, value] : texts) {
    if (value.is_string())
      child(secret, "data")[key] = runtime::encode_base64(view(value.get_string()));
  }
  secret.erase("stringData");
}

// The controller that binds a claim sets its volume; a bound one may grow.
void validate_claim(const JsonObject& next, const JsonObject* old, Causes& causes) {
  const JsonObject& spec = object_at(next, {"spec"});
  if (old != nullptr) {
    JsonObject now = spec;
    JsonObject before = object_at(*old, {"spec"});
    const bool is_bound = text_at(*old, {"status", "phase"}) == "Bound";
    for (JsonObject* part : {&now, &before}) {
      if (text_at(*old, {"spec", "volumeName"}).empty()) part->erase("volumeName");
      if (is_bound) part->erase("volumeAttributesClassName");
      if (is_bound) child(*part, "resources").erase("requests");
    }
    if (now != before) {
      causes.push_back(forbidden_value("spec",
                                       "spec is immutable after creation except resources.requests "
                                       "and volumeAttributesClassName for bound claims"));
    }
  }
  validate_volume_claim(spec, "spec", causes);
}

// Users and groups belong to the RBAC group, and so do roles.
void default_subjects(JsonObject& binding) {
  if (has(binding, {"roleRef"}) && text_at(binding, {"roleRef", "apiGroup"}).empty()) {
    child(binding, "roleRef")["apiGroup"] = "rbac.authorization.k8s.io";
  }
  Json* const subjects = find(binding, {"subjects"});
  if (subjects == nullptr || !subjects->is_array()) return;
  for (Json& subject : subjects->get_array()) {
    const std::string_view kind = text_at(as_object(subject), {"kind"});
    const bool is_named_so = kind == "User" || kind == "Group";
    if (!is_named_so || !text_at(as_object(subject), {"apiGroup"}).empty()) continue;
    subject.get_object()["apiGroup"] = "rbac.authorization.k8s.io";
  }
}

void begin_pending(JsonObject& object) {
  object["status"] = JsonObject{{"phase", "Pending"}};
}

void add_missing(JsonObject& amounts, const JsonObject& others) {
  for (const auto& [resource, amount] : others) set_default(amounts, resource, amount);
}

// By default, a container's limit is the maximum; its request is that limit, or else the minimum.
void default_limit_range(JsonObject& range) {
  Json* const limits = find(range, {"spec", "limits"});
  if (limits == nullptr || !limits->is_array()) return;
  for (Json& item : limits->get_array()) {
    if (text_at(as_object(item), {"type"}) != "Container") continue;
    JsonObject& limit = item.get_object();
    JsonObject by_default = object_at(limit, {"default"});
    add_missing(by_default, object_at(limit, {"max"}));
    JsonObject requests = object_at(limit, {"defaultRequest"});
    add_missing(requests, by_default);
    add_missing(requests, object_at(limit, {"min"}));
    if (!by_default.empty()) limit["default"] = std::move(by_default);
    if (!requests.empty()) limit["defaultRequest"] = std::move(requests);
  }
}

using Pods = PlainKind::Pods;
constexpr auto kCounted = PlainKind::Generation::counted;

PlainKind not_enforced(std::string_view kind, PlainKind::Generation generation) {
  PlainKind rules{kind};
  rules.generation = generation;
  rules.warning = [](const JsonObject&) -> std::string_view {
    return "this API server stores objects of this kind, but does not enforce them";
  };
  return rules;
}

PlainKind limit_range_rules() {
  PlainKind rules = not_enforced("LimitRange", PlainKind::Generation::none);
  rules.set_defaults = default_limit_range;
  return rules;
}

PlainKind api_service_rules() {
  PlainKind rules{"APIService"};
  rules.warning = [](const JsonObject& service) -> std::string_view {
    if (!has(service, {"spec", "service"})) return {};
    return "this API server stores objects of this kind, but forwards no requests to their "
           "services";
  };
  return rules;
}

const std::vector<PlainKind>& plain_kinds() {
  constexpr auto kNoGeneration = PlainKind::Generation::none;
  static const std::vector<PlainKind> kKinds = {
      {.kind = "Deployment",
       .pods = Pods::of_template,
       .generation = kCounted,
       .set_defaults = add_rolling_update,
       .validate = validate_deployment},
      {.kind = "ReplicaSet",
       .pods = Pods::of_template,
       .generation = kCounted,
       .validate = validate_replica_set},
      {.kind = "StatefulSet",
       .pods = Pods::of_template,
       .generation = kCounted,
       .name_rule = NameRule::dns_label,
       .validate = validate_stateful_set},
      {.kind = "DaemonSet",
       .pods = Pods::of_template,
       .generation = kCounted,
       .set_defaults = default_daemon_set,
       .on_create = begin_template_generation,
       .validate = validate_daemon_set,
       .on_update = count_template_generation},
      {.kind = "ReplicationController",
       .pods = Pods::of_optional_template,
       .generation = kCounted,
       .set_defaults = default_controller,
       .validate = validate_replication_controller},
      {.kind = "Job",
       .pods = Pods::of_template,
       .generation = kCounted,
       .set_defaults = default_job,
       .on_create = add_job_labels,
       .validate = validate_job},
      {.kind = "CronJob",
       .pods = Pods::of_job_template,
       .generation = kCounted,
       .validate = validate_cron_job},
      {.kind = "PodTemplate",
       .pods = Pods::of_stored_template,
       .generation = kCounted,
       .validate = validate_pod_template},
      {.kind = "Service",
       .set_defaults = default_service,
       .on_create = add_cluster_ip,
       .kept = {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"},
       .name_rule = NameRule::dns_label,
       .create_on_update = CreateOnUpdate::allowed},
      {.kind = "Endpoints", .create_on_update = CreateOnUpdate::allowed},
      {.kind = "EndpointSlice", .generation = kCounted},
      {.kind = "ConfigMap", .validate = validate_config_map},
      {.kind = "Secret", .set_defaults = encode_string_data, .validate = validate_secret},
      {.kind = "PersistentVolume", .on_create = begin_pending},
      {.kind = "PersistentVolumeClaim", .on_create = begin_pending, .validate = validate_claim},
      {.kind = "Role",
       .set_defaults = default_subjects,
       .name_rule = NameRule::path_segment,
       .create_on_update = CreateOnUpdate::allowed},
      {.kind = "PriorityClass", .generation = kCounted},
      {.kind = "NetworkPolicy", .generation = kCounted, .set_defaults = default_network_policy},
      {.kind = "Ingress", .generation = kCounted},
      {.kind = "IngressClass", .generation = kCounted},
      not_enforced("ResourceQuota", kNoGeneration),
      limit_range_rules(),
      not_enforced("FlowSchema", kCounted),
      not_enforced("PriorityLevelConfiguration", kCounted),
      api_service_rules(),
      not_enforced("ValidatingWebhookConfiguration", kCounted),
      not_enforced("MutatingWebhookConfiguration", kCounted),
      {.kind = "Other"},
  };
  return kKinds;
}

}  // namespace

const Strategy& plain_strategy(std::string_view kind) {
  // By the kind's name in the table of kinds, which outlives them.
  static std::map<std::string_view, PlainStrategy> strategies;
  if (const auto found = strategies.find(kind); found != strategies.end()) return found->second;
  const auto& kinds = plain_kinds();
  const std::string_view rules =
      kind.ends_with("Role") || kind.ends_with("RoleBinding") ? "Role" : kind;
  auto row = std::ranges::find(kinds, rules, &PlainKind::kind);
  if (row == kinds.end()) --row;
  return strategies.try_emplace(kind, *row, kind).first->second;
}

}  // namespace dcm::apiserver
