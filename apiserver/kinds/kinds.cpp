#include <algorithm>
#include <tuple>

#include "apiserver/definitions/defined_kind.hpp"
#include "apiserver/model/resource_table.hpp"
#include "apiserver/model/version_order.hpp"
#include "apiserver/printers/printers.hpp"
#include "apiserver/protobuf/protobuf.hpp"
#include "apiserver/rules/strategies.hpp"
#include "runtime/assert.hpp"

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

// A kind that is stored unchanged, and needs no more than a row.
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

// Without its rules.
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

ResourceType plain_type(const PlainRow& row) {
  ResourceType type = bare_type(row);
  type.strategy = &plain_strategy(row.kind);
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
       &config_map_strategy(),
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
      // The same objects as core's, under names of its own (fields/conversion).
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

std::list<ResourceType> all_types() {
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
  // A beta comes after the versions of its group that are preferred.
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

}  // namespace

std::string ResourceType::api_version(std::string_view version) const {
  return group.empty() ? std::string(version) : group + "/" + std::string(version);
}

UnconditionalUpdate ResourceType::unconditional_update(std::string_view version) const {
  const bool old_rule = kind == "DeviceTaintRule" && version != "v1";
  return old_rule ? UnconditionalUpdate::allowed : put_without_version;
}

DeleteAnswer ResourceType::delete_answer(std::string_view version) const {
  const bool old_rule = kind == "DeviceTaintRule" && version != "v1";
  return old_rule ? DeleteAnswer::object : answer_to_delete;
}

bool ResourceType::is_struct() const {
  return defined == nullptr && kind != "CustomResourceDefinition";
}

const std::string& ResourceType::storage() const {
  return defined == nullptr ? plural : defined->storage;
}

std::vector<std::string> ResourceType::categories() const {
  if (defined != nullptr) return defined->categories;
  if (is("CustomResourceDefinition")) return {"api-extensions"};
  const bool all = kind == "Pod" || kind == "Service" || kind == "ReplicationController" ||
                   (group == "apps" && kind != "ControllerRevision") || group == "batch";
  return all ? std::vector<std::string>{"all"} : std::vector<std::string>();
}

std::string ResourceType::list_kind() const {
  return defined == nullptr ? kind + "List" : defined->list_kind;
}

const Schema& ResourceType::schema() const {
  return defined == nullptr ? schema_of(group, kind) : defined->merge;
}

const FieldType& ResourceType::fields(std::string_view version) const {
  static const FieldType kAny;
  return defined == nullptr ? field_type(api_version(version), kind) : kAny;
}

bool ResourceType::speaks_protobuf(std::string_view version) const {
  return defined == nullptr && encodes_protobuf(api_version(version), kind);
}

const Printer& ResourceType::printer() const {
  return defined == nullptr ? printer_of(kind) : defined->printer;
}

bool ResourceType::serves(std::string_view version) const {
  return std::ranges::find(versions, version) != versions.end();
}

ResourceTable::ResourceTable(const ServedVersions& served) : types_(all_types()) {
  serve(served);
}

void ResourceTable::define(std::string_view storage, std::vector<ResourceType> types) {
  types_.remove_if([&](const ResourceType& type) {
    return type.defined != nullptr && type.defined->storage == storage;
  });
  for (ResourceType& type : types) {
    const auto next = std::ranges::find_if(types_, [&](const ResourceType& other) {
      return other.defined != nullptr &&
             std::tie(other.group, other.storage()) > std::tie(type.group, type.storage());
    });
    types_.insert(next, std::move(type));
  }
}

void ResourceTable::serve(const ServedVersions& served) {
  for (ResourceType& type : types_) {
    if (type.is("PodGroup")) type.versions = served.pod_groups;
    if (type.group != kDra || type.defined != nullptr) continue;
    type.versions = type.kind == "DeviceTaintRule" ? served.device_taint_rules : served.resource;
  }
}

const ResourceType* ResourceTable::find(std::string_view group, std::string_view version,
                                        std::string_view plural) const {
  for (const ResourceType& type : types_) {
    if (type.group == group && type.plural == plural && type.serves(version)) return &type;
  }
  return nullptr;
}

const ResourceType& ResourceTable::get(std::string_view storage) const {
  const auto found = std::ranges::find(types_, storage, &ResourceType::storage);
  DCM_ASSERT(found != types_.end());
  return *found;
}

std::vector<std::string> ResourceTable::groups() const {
  std::vector<std::string> groups;
  for (const ResourceType& type : types_) {
    if (type.versions.empty()) continue;
    if (std::ranges::find(groups, type.group) == groups.end()) groups.push_back(type.group);
  }
  return groups;
}

std::vector<std::string> ResourceTable::versions_of(std::string_view group) const {
  std::vector<std::string> versions;
  bool is_defined = false;
  for (const ResourceType& type : types_) {
    if (type.group != group) continue;
    is_defined = is_defined || type.defined != nullptr;
    for (const std::string& version : type.versions) {
      if (std::ranges::find(versions, version) == versions.end()) versions.push_back(version);
    }
  }
  if (is_defined) std::ranges::sort(versions, goes_before);
  return versions;
}

}  // namespace dcm::apiserver
