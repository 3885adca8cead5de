#include "apiserver/kinds/kinds.hpp"

#include "apiserver/admission/policy_strategies.hpp"
#include "apiserver/definitions/definition_strategy.hpp"
#include "apiserver/rules/strategies.hpp"
#include "apiserver/text/words.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::string_view kCore;
constexpr std::string_view kDra = "resource.k8s.io";
constexpr std::string_view kRbac = "rbac.authorization.k8s.io";
constexpr std::string_view kStorage = "storage.k8s.io";
constexpr std::string_view kFlow = "flowcontrol.apiserver.k8s.io";
constexpr std::string_view kNetworking = "networking.k8s.io";
constexpr std::string_view kAdmission = "admissionregistration.k8s.io";

// Traits of a kind.
constexpr unsigned kCluster = 1;    // cluster-scoped
constexpr unsigned kStatus = 2;     // with /status
constexpr unsigned kVersioned = 4;  // a PUT needs a resourceVersion
constexpr unsigned kReturned = 8;   // a DELETE is answered with the object

struct Row {
  std::string_view group;
  std::string_view kind;
  unsigned traits = 0;
  std::vector<std::string> short_names = {};
  const Strategy& (*strategy)() = nullptr;  // null: a row of kind_rules.cpp
};

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = {
      {kCore, "Pod", kStatus | kReturned, {"po"}, pod_strategy},
      {kCore, "Node", kCluster | kStatus, {"no"}, node_strategy},
      {kCore, "Namespace", kCluster | kStatus | kReturned, {"ns"}, namespace_strategy},
      {kCore, "Event", {}, {"ev"}, event_strategy},
      {kCore, "ConfigMap", {}, {"cm"}},
      {"coordination.k8s.io", "Lease", kVersioned, {}, lease_strategy},
      {"policy", "PodDisruptionBudget", kStatus | kVersioned, {"pdb"}, budget_strategy},
      {kDra, "ResourceClaim", kStatus | kReturned, {}, claim_strategy},
      {kDra, "ResourceClaimTemplate", kReturned, {}, claim_template_strategy},
      {kDra, "ResourceSlice", kCluster | kReturned, {}, slice_strategy},
      {kDra, "DeviceClass", kCluster | kReturned, {}, class_strategy},
      {kDra, "DeviceTaintRule", kCluster | kStatus | kVersioned, {}, taint_rule_strategy},
      {kDra,
       "ResourcePoolStatusRequest",
       kCluster | kStatus | kVersioned | kReturned,
       {},
       pool_status_strategy},
      // The same objects as core's, under other names (fields/conversion).
      {"events.k8s.io", "Event", {}, {"ev"}, event_strategy},
      {kCore, "Secret"},
      {kCore, "ServiceAccount", kReturned, {"sa"}},
      {kCore, "Service", kStatus | kReturned, {"svc"}},
      {kCore, "Endpoints", {}, {"ep"}},
      {kCore, "PersistentVolume", kCluster | kStatus | kReturned, {"pv"}},
      {kCore, "PersistentVolumeClaim", kStatus | kReturned, {"pvc"}},
      {kCore, "ReplicationController", kStatus, {"rc"}},
      {kCore, "ResourceQuota", kStatus | kReturned, {"quota"}},
      {kAdmission,
       "ValidatingAdmissionPolicy",
       kCluster | kStatus | kVersioned,
       {},
       policy_strategy},
      {kAdmission,
       "ValidatingAdmissionPolicyBinding",
       kCluster | kVersioned,
       {},
       policy_binding_strategy},
      {kAdmission, "ValidatingWebhookConfiguration", kCluster | kVersioned},
      {kAdmission, "MutatingWebhookConfiguration", kCluster | kVersioned},
      {kCore, "LimitRange", {}, {"limits"}},
      {kCore, "PodTemplate", kReturned},
      {kNetworking, "NetworkPolicy", {}, {"netpol"}},
      {kNetworking, "Ingress", kStatus, {"ing"}},
      {kNetworking, "IngressClass", kCluster},
      {"node.k8s.io", "RuntimeClass", kCluster | kVersioned},
      {kFlow, "FlowSchema", kCluster | kStatus | kVersioned},
      {kFlow, "PriorityLevelConfiguration", kCluster | kStatus | kVersioned},
      {"apiregistration.k8s.io", "APIService", kCluster | kStatus | kVersioned},
      {"apps", "Deployment", kStatus, {"deploy"}},
      {"apps", "DaemonSet", kStatus, {"ds"}},
      {"apps", "ReplicaSet", kStatus, {"rs"}},
      {"apps", "StatefulSet", kStatus, {"sts"}},
      {"apps", "ControllerRevision"},
      {"batch", "Job", kStatus},
      {"batch", "CronJob", kStatus, {"cj"}},
      {"discovery.k8s.io", "EndpointSlice"},
      {kRbac, "Role"},
      {kRbac, "RoleBinding"},
      {kRbac, "ClusterRole", kCluster},
      {kRbac, "ClusterRoleBinding", kCluster},
      {"scheduling.k8s.io", "PriorityClass", kCluster, {"pc"}},
      {kStorage, "StorageClass", kCluster | kReturned, {"sc"}},
      {kStorage, "VolumeAttachment", kCluster | kStatus | kVersioned | kReturned},
      {kStorage, "CSINode", kCluster | kVersioned | kReturned},
      {kStorage, "CSIDriver", kCluster | kVersioned | kReturned},
      {kStorage, "CSIStorageCapacity", kVersioned},
      {"apiextensions.k8s.io",
       "CustomResourceDefinition",
       kCluster | kStatus | kVersioned | kReturned,
       {"crd", "crds"},
       definition_strategy},
      // A beta comes after the preferred versions of its group.
      {"scheduling.k8s.io", "PodGroup", kStatus | kVersioned, {}, pod_group_strategy},
  };
  return kRows;
}

// meta.UnsafeGuessKindToResource, which is right for all built-in kinds.
std::string plural_of(std::string singular) {
  if (singular == "endpoints") return singular;
  if (singular.ends_with('s')) return singular + "es";
  if (!singular.ends_with('y')) return singular + "s";
  singular.pop_back();
  return singular + "ies";
}

ResourceType type_of(const Row& row) {
  const std::string singular = lower(row.kind);
  const auto has = [&](unsigned trait) { return (row.traits & trait) != 0; };
  const bool has_optional_versions = row.group == kDra || row.kind == "PodGroup";
  return {
      .group = std::string(row.group),
      .plural = plural_of(singular),
      .singular = singular,
      .kind = std::string(row.kind),
      .short_names = row.short_names,
      .scope = has(kCluster) ? Scope::cluster : Scope::namespaced,
      .status = has(kStatus) ? StatusSubresource::present : StatusSubresource::none,
      .put_without_version =
          has(kVersioned) ? UnconditionalUpdate::refused : UnconditionalUpdate::allowed,
      .answer_to_delete = has(kReturned) ? DeleteAnswer::object : DeleteAnswer::status,
      .strategy = row.strategy == nullptr ? &table_strategy(row.kind) : &row.strategy(),
      .versions =
          has_optional_versions ? std::vector<std::string>() : std::vector<std::string>{"v1"},
  };
}

}  // namespace

std::list<ResourceType> built_in_kinds() {
  std::list<ResourceType> types;
  for (const Row& row : rows()) types.push_back(type_of(row));
  return types;
}

}  // namespace dcm::apiserver
