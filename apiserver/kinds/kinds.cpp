#include "apiserver/kinds/kinds.hpp"

#include <algorithm>

#include "apiserver/admission/policy_strategies.hpp"
#include "apiserver/definitions/definition_strategy.hpp"
#include "apiserver/rules/strategies.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::string_view kDra = "resource.k8s.io";
constexpr std::string_view kDefinitions = "customresourcedefinitions";
constexpr auto kNamespaced = Scope::namespaced;
constexpr auto kCluster = Scope::cluster;
constexpr auto kStatus = StatusSubresource::present;
constexpr auto kNoStatus = StatusSubresource::none;
constexpr auto kMayOverwrite = UnconditionalUpdate::allowed;
constexpr auto kNeedsVersion = UnconditionalUpdate::refused;
constexpr auto kObject = DeleteAnswer::object;
constexpr auto kAnswer = DeleteAnswer::status;

// A kind that is stored unchanged, and needs only a row.
struct PlainRow {
  std::string_view group;
  std::string_view plural;
  std::string_view kind;
  Scope scope;
  StatusSubresource status;
  std::vector<std::string> short_names = {};
  UnconditionalUpdate put_without_version = kMayOverwrite;
  DeleteAnswer answer_to_delete = kAnswer;
};

const std::vector<PlainRow>& plain_rows() {
  constexpr std::string_view kRbac = "rbac.authorization.k8s.io";
  constexpr std::string_view kStorage = "storage.k8s.io";
  constexpr std::string_view kFlow = "flowcontrol.apiserver.k8s.io";
  constexpr std::string_view kAdmission = "admissionregistration.k8s.io";
  static const std::vector<PlainRow> kRows = {
      {"", "secrets", "Secret", kNamespaced, kNoStatus},
      {"",
       "serviceaccounts",
       "ServiceAccount",
       kNamespaced,
       kNoStatus,
       {"sa"},
       kMayOverwrite,
       kObject},
      {"", "services", "Service", kNamespaced, kStatus, {"svc"}, kMayOverwrite, kObject},
      {"", "endpoints", "Endpoints", kNamespaced, kNoStatus, {"ep"}},
      {"",
       "persistentvolumes",
       "PersistentVolume",
       kCluster,
       kStatus,
       {"pv"},
       kMayOverwrite,
       kObject},
      {"",
       "persistentvolumeclaims",
       "PersistentVolumeClaim",
       kNamespaced,
       kStatus,
       {"pvc"},
       kMayOverwrite,
       kObject},
      {"", "replicationcontrollers", "ReplicationController", kNamespaced, kStatus, {"rc"}},
      {"",
       "resourcequotas",
       "ResourceQuota",
       kNamespaced,
       kStatus,
       {"quota"},
       kMayOverwrite,
       kObject},
      {kAdmission,
       "validatingadmissionpolicies",
       "ValidatingAdmissionPolicy",
       kCluster,
       kStatus,
       {},
       kNeedsVersion},
      {kAdmission,
       "validatingadmissionpolicybindings",
       "ValidatingAdmissionPolicyBinding",
       kCluster,
       kNoStatus,
       {},
       kNeedsVersion},
      {kAdmission,
       "validatingwebhookconfigurations",
       "ValidatingWebhookConfiguration",
       kCluster,
       kNoStatus,
       {},
       kNeedsVersion},
      {kAdmission,
       "mutatingwebhookconfigurations",
       "MutatingWebhookConfiguration",
       kCluster,
       kNoStatus,
       {},
       kNeedsVersion},
      {"", "limitranges", "LimitRange", kNamespaced, kNoStatus, {"limits"}},
      {"", "podtemplates", "PodTemplate", kNamespaced, kNoStatus, {}, kMayOverwrite, kObject},
      {"networking.k8s.io", "networkpolicies", "NetworkPolicy", kNamespaced, kNoStatus, {"netpol"}},
      {"networking.k8s.io", "ingresses", "Ingress", kNamespaced, kStatus, {"ing"}},
      {"networking.k8s.io", "ingressclasses", "IngressClass", kCluster, kNoStatus},
      {"node.k8s.io", "runtimeclasses", "RuntimeClass", kCluster, kNoStatus, {}, kNeedsVersion},
      {kFlow, "flowschemas", "FlowSchema", kCluster, kStatus, {}, kNeedsVersion},
      {kFlow,
       "prioritylevelconfigurations",
       "PriorityLevelConfiguration",
       kCluster,
       kStatus,
       {},
       kNeedsVersion},
      {"apiregistration.k8s.io", "apiservices", "APIService", kCluster, kStatus, {}, kNeedsVersion},
      {"apps", "deployments", "Deployment", kNamespaced, kStatus, {"deploy"}},
      {"apps", "daemonsets", "DaemonSet", kNamespaced, kStatus, {"ds"}},
      {"apps", "replicasets", "ReplicaSet", kNamespaced, kStatus, {"rs"}},
      {"apps", "statefulsets", "StatefulSet", kNamespaced, kStatus, {"sts"}},
      {"apps", "controllerrevisions", "ControllerRevision", kNamespaced, kNoStatus},
      {"batch", "jobs", "Job", kNamespaced, kStatus},
      {"batch", "cronjobs", "CronJob", kNamespaced, kStatus, {"cj"}},
      {"discovery.k8s.io", "endpointslices", "EndpointSlice", kNamespaced, kNoStatus},
      {kRbac, "roles", "Role", kNamespaced, kNoStatus},
      {kRbac, "rolebindings", "RoleBinding", kNamespaced, kNoStatus},
      {kRbac, "clusterroles", "ClusterRole", kCluster, kNoStatus},
      {kRbac, "clusterrolebindings", "ClusterRoleBinding", kCluster, kNoStatus},
      {"scheduling.k8s.io", "priorityclasses", "PriorityClass", kCluster, kNoStatus, {"pc"}},
      {kStorage,
       "storageclasses",
       "StorageClass",
       kCluster,
       kNoStatus,
       {"sc"},
       kMayOverwrite,
       kObject},
      {kStorage,
       "volumeattachments",
       "VolumeAttachment",
       kCluster,
       kStatus,
       {},
       kNeedsVersion,
       kObject},
      {kStorage, "csinodes", "CSINode", kCluster, kNoStatus, {}, kNeedsVersion, kObject},
      {kStorage, "csidrivers", "CSIDriver", kCluster, kNoStatus, {}, kNeedsVersion, kObject},
      {kStorage,
       "csistoragecapacities",
       "CSIStorageCapacity",
       kNamespaced,
       kNoStatus,
       {},
       kNeedsVersion},
  };
  return kRows;
}

// The type of a row, without its rules.
ResourceType bare_type(const PlainRow& row) {
  std::string singular(row.kind);
  std::ranges::transform(singular, singular.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return {std::string(row.group),
          std::string(row.plural),
          singular,
          std::string(row.kind),
          row.short_names,
          row.scope,
          row.status,
          row.put_without_version,
          row.answer_to_delete,
          nullptr,
          {"v1"}};
}

const Strategy& strategy_of(std::string_view kind) {
  if (kind == "ValidatingAdmissionPolicy") return policy_strategy();
  if (kind == "ValidatingAdmissionPolicyBinding") return policy_binding_strategy();
  return plain_strategy(kind);
}

ResourceType plain_type(const PlainRow& row) {
  ResourceType type = bare_type(row);
  type.strategy = &strategy_of(row.kind);
  return type;
}

std::vector<ResourceType> special_types() {
  const std::string dra(kDra);
  return {
      {"",
       "pods",
       "pod",
       "Pod",
       {"po"},
       kNamespaced,
       kStatus,
       kMayOverwrite,
       kObject,
       &pod_strategy(),
       {"v1"}},
      {"",
       "nodes",
       "node",
       "Node",
       {"no"},
       kCluster,
       kStatus,
       kMayOverwrite,
       kAnswer,
       &node_strategy(),
       {"v1"}},
      {"",
       "namespaces",
       "namespace",
       "Namespace",
       {"ns"},
       kCluster,
       kStatus,
       kMayOverwrite,
       kObject,
       &namespace_strategy(),
       {"v1"}},
      {"",
       "events",
       "event",
       "Event",
       {"ev"},
       kNamespaced,
       kNoStatus,
       kMayOverwrite,
       kAnswer,
       &event_strategy(),
       {"v1"}},
      {"",
       "configmaps",
       "configmap",
       "ConfigMap",
       {"cm"},
       kNamespaced,
       kNoStatus,
       kMayOverwrite,
       kAnswer,
       &plain_strategy("ConfigMap"),
       {"v1"}},
      {"coordination.k8s.io",
       "leases",
       "lease",
       "Lease",
       {},
       kNamespaced,
       kNoStatus,
       kNeedsVersion,
       kAnswer,
       &lease_strategy(),
       {"v1"}},
      {"policy",
       "poddisruptionbudgets",
       "poddisruptionbudget",
       "PodDisruptionBudget",
       {"pdb"},
       kNamespaced,
       kStatus,
       kNeedsVersion,
       kAnswer,
       &budget_strategy(),
       {"v1"}},
      {dra,
       "resourceclaims",
       "resourceclaim",
       "ResourceClaim",
       {},
       kNamespaced,
       kStatus,
       kMayOverwrite,
       kObject,
       &claim_strategy(),
       {}},
      {dra,
       "resourceclaimtemplates",
       "resourceclaimtemplate",
       "ResourceClaimTemplate",
       {},
       kNamespaced,
       kNoStatus,
       kMayOverwrite,
       kObject,
       &claim_template_strategy(),
       {}},
      {dra,
       "resourceslices",
       "resourceslice",
       "ResourceSlice",
       {},
       kCluster,
       kNoStatus,
       kMayOverwrite,
       kObject,
       &slice_strategy(),
       {}},
      {dra,
       "deviceclasses",
       "deviceclass",
       "DeviceClass",
       {},
       kCluster,
       kNoStatus,
       kMayOverwrite,
       kObject,
       &class_strategy(),
       {}},
      {dra,
       "devicetaintrules",
       "devicetaintrule",
       "DeviceTaintRule",
       {},
       kCluster,
       kStatus,
       kNeedsVersion,
       kAnswer,
       &taint_rule_strategy(),
       {}},
      {dra,
       "resourcepoolstatusrequests",
       "resourcepoolstatusrequest",
       "ResourcePoolStatusRequest",
       {},
       kCluster,
       kStatus,
       kNeedsVersion,
       kObject,
       &pool_status_strategy(),
       {}},
      // The same objects as core's, under other names (fields/conversion).
      {"events.k8s.io",
       "events",
       "event",
       "Event",
       {"ev"},
       kNamespaced,
       kNoStatus,
       kMayOverwrite,
       kAnswer,
       &event_strategy(),
       {"v1"}},
  };
}

}  // namespace

std::list<ResourceType> built_in_kinds() {
  std::list<ResourceType> types;
  for (ResourceType& type : special_types()) types.push_back(std::move(type));
  for (const PlainRow& row : plain_rows()) types.push_back(plain_type(row));
  types.push_back({"apiextensions.k8s.io",
                   std::string(kDefinitions),
                   "customresourcedefinition",
                   "CustomResourceDefinition",
                   {"crd", "crds"},
                   kCluster,
                   kStatus,
                   kNeedsVersion,
                   kObject,
                   &definition_strategy(),
                   {"v1"}});
  // A beta comes after the preferred versions of its group.
  types.push_back({"scheduling.k8s.io",
                   "podgroups",
                   "podgroup",
                   "PodGroup",
                   {},
                   kNamespaced,
                   kStatus,
                   kNeedsVersion,
                   kAnswer,
                   &pod_group_strategy(),
                   {}});
  return types;
}

}  // namespace dcm::apiserver
