// The rows of the kinds whose rules table_strategy.* carries out.
#include <algorithm>
#include <map>

#include "apiserver/rules/data_validation.hpp"
#include "apiserver/rules/network_defaults.hpp"
#include "apiserver/rules/strategies.hpp"
#include "apiserver/rules/table_strategy.hpp"
#include "apiserver/rules/volume_claim.hpp"
#include "apiserver/rules/workload_defaults.hpp"
#include "apiserver/rules/workload_validation.hpp"
#include "runtime/base64.hpp"

namespace dcm::apiserver {

namespace {

void encode_string_data(JsonObject& secret) {
  const JsonObject texts = object_at(secret, {"stringData"});
  for (const auto& [key, value] : texts) {
    if (value.is_string())
      child(secret, "data")[key] = runtime::encode_base64(view(value.get_string()));
  }
  secret.erase("stringData");
}

// Users and groups belong to the RBAC group, and so do roles.
void default_subjects(JsonObject& binding) {
  if (has(binding, {"roleRef"}) && text_at(binding, {"roleRef", "apiGroup"}).empty()) {
    child(binding, "roleRef")["apiGroup"] = "rbac.authorization.k8s.io";
  }
  for_each_object(find(binding, {"subjects"}), [](JsonObject& subject) {
    const std::string_view kind = text_at(subject, {"kind"});
    const bool is_named_so = kind == "User" || kind == "Group";
    if (!is_named_so || !text_at(subject, {"apiGroup"}).empty()) return;
    subject["apiGroup"] = "rbac.authorization.k8s.io";
  });
}

void begin_pending(JsonObject& object) {
  object["status"] = JsonObject{{"phase", "Pending"}};
}

void add_missing(JsonObject& amounts, const JsonObject& others) {
  for (const auto& [resource, amount] : others) set_default(amounts, resource, amount);
}

// By default, a container's limit is the maximum; its request is that limit, or else the minimum.
void default_limit_range(JsonObject& range) {
  for_each_object(find(range, {"spec", "limits"}), [](JsonObject& limit) {
    if (text_at(limit, {"type"}) != "Container") return;
    JsonObject by_default = object_at(limit, {"default"});
    add_missing(by_default, object_at(limit, {"max"}));
    JsonObject requests = object_at(limit, {"defaultRequest"});
    add_missing(requests, by_default);
    add_missing(requests, object_at(limit, {"min"}));
    if (!by_default.empty()) limit["default"] = std::move(by_default);
    if (!requests.empty()) limit["defaultRequest"] = std::move(requests);
  });
}

std::string_view warn_not_enforced(const JsonObject&) {
  return "this API server stores objects of this kind, but does not enforce them";
}

std::string_view warn_not_forwarded(const JsonObject& service) {
  if (!has(service, {"spec", "service"})) return {};
  return "this API server stores objects of this kind, but forwards no requests to their services";
}

bool has_new_template(const JsonObject& next, const JsonObject& old) {
  return object_at(next, {"spec", "template"}) != object_at(old, {"spec", "template"});
}

std::string count_at(const JsonObject& object, Path path) {
  return std::to_string(integer_at(object, path).value_or(0));
}

SelectableFields fields_of_service(const JsonObject& service) {
  return {{"spec.clusterIP", std::string(text_at(service, {"spec", "clusterIP"}))},
          {"spec.type", std::string(text_at(service, {"spec", "type"}))}};
}

SelectableFields fields_of_secret(const JsonObject& secret) {
  return {{"type", std::string(text_at(secret, {"type"}))}};
}

SelectableFields fields_of_job(const JsonObject& job) {
  return {{"status.successful", count_at(job, {"status", "succeeded"})}};
}

SelectableFields fields_of_controller(const JsonObject& controller) {
  return {{"status.replicas", count_at(controller, {"status", "replicas"})}};
}

// What the four kinds of RBAC share.
KindRules rbac(std::string_view kind) {
  return {.kind = kind,
          .set_defaults = default_subjects,
          .name_rule = NameRule::path_segment,
          .create_on_update = CreateOnUpdate::allowed};
}

const std::vector<KindRules>& rows() {
  constexpr auto kCounted = KindRules::Generation::counted;
  const std::vector<std::string_view> of_template = {"spec", "template", "spec"};
  static const std::vector<KindRules> kRows = {
      {.kind = "Deployment",
       .pod_spec = of_template,
       .generation = kCounted,
       .set_defaults = default_deployment,
       .validate = validate_deployment},
      {.kind = "ReplicaSet",
       .pod_spec = of_template,
       .generation = kCounted,
       .validate = validate_replica_set},
      {.kind = "StatefulSet",
       .pod_spec = of_template,
       .generation = kCounted,
       .name_rule = NameRule::dns_label,
       .validate = validate_stateful_set},
      {.kind = "DaemonSet",
       .pod_spec = of_template,
       .generation = kCounted,
       .set_defaults = default_daemon_set,
       .on_create = begin_template_generation,
       .validate = validate_daemon_set,
       .on_update = count_template_generation,
       .warns_again = has_new_template},
      {.kind = "ReplicationController",
       .pod_spec = of_template,
       .pod_template = KindRules::Template::optional,
       .generation = kCounted,
       .set_defaults = default_replication_controller,
       .validate = validate_replication_controller,
       .warns_again = [](const JsonObject&, const JsonObject&) { return false; },
       .selectable_fields = fields_of_controller},
      {.kind = "Job",
       .pod_spec = of_template,
       .generation = kCounted,
       .set_defaults = default_job,
       .on_create = add_job_labels,
       .validate = validate_job,
       .selectable_fields = fields_of_job},
      {.kind = "CronJob",
       .pod_spec = {"spec", "jobTemplate", "spec", "template", "spec"},
       .generation = kCounted,
       .validate = validate_cron_job},
      {.kind = "PodTemplate",
       .pod_spec = {"template", "spec"},
       .generation = kCounted,
       .validate = validate_pod_template},
      {.kind = "Service",
       .set_defaults = default_service,
       .on_create = add_cluster_ip,
       .kept = {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"},
       .name_rule = NameRule::dns_label,
       .create_on_update = CreateOnUpdate::allowed,
       .selectable_fields = fields_of_service},
      {.kind = "Endpoints", .create_on_update = CreateOnUpdate::allowed},
      {.kind = "EndpointSlice", .generation = kCounted},
      {.kind = "ConfigMap", .validate = validate_config_map},
      {.kind = "Secret",
       .set_defaults = encode_string_data,
       .validate = validate_secret,
       .selectable_fields = fields_of_secret},
      {.kind = "PersistentVolume", .on_create = begin_pending},
      {.kind = "PersistentVolumeClaim",
       .on_create = begin_pending,
       .validate = validate_volume_claim},
      rbac("Role"),
      rbac("RoleBinding"),
      rbac("ClusterRole"),
      rbac("ClusterRoleBinding"),
      {.kind = "PriorityClass", .generation = kCounted},
      {.kind = "NetworkPolicy", .generation = kCounted, .set_defaults = default_network_policy},
      {.kind = "Ingress", .generation = kCounted},
      {.kind = "IngressClass", .generation = kCounted},
      {.kind = "ResourceQuota", .warning = warn_not_enforced},
      {.kind = "LimitRange", .set_defaults = default_limit_range, .warning = warn_not_enforced},
      {.kind = "FlowSchema", .generation = kCounted, .warning = warn_not_enforced},
      {.kind = "PriorityLevelConfiguration", .generation = kCounted, .warning = warn_not_enforced},
      {.kind = "APIService", .warning = warn_not_forwarded},
      {.kind = "ValidatingWebhookConfiguration",
       .generation = kCounted,
       .warning = warn_not_enforced},
      {.kind = "MutatingWebhookConfiguration",
       .generation = kCounted,
       .warning = warn_not_enforced},
  };
  return kRows;
}

}  // namespace

const Strategy& table_strategy(std::string_view kind) {
  static const KindRules kOther{};
  static std::map<std::string_view, TableStrategy> strategies;
  const auto row = std::ranges::find(rows(), kind, &KindRules::kind);
  return strategies.try_emplace(kind, row == rows().end() ? kOther : *row, kind).first->second;
}

}  // namespace dcm::apiserver
