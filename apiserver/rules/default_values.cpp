#include "apiserver/rules/default_values.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "apiserver/text/member_path.hpp"
#include "runtime/assert.hpp"

namespace dcm::apiserver {

namespace {

struct Default {
  std::string_view kind;
  std::string_view path;  // `list[].member` means that of each item
  std::string_view json;
};

// k8s.io/kubernetes pkg/apis/*/v1/defaults.go.
constexpr Default kDefaults[] = {
    {"ResourceClaim", "status.allocation.devices.results[].tolerations[].operator", R"("Equal")"},
    {"PodSpec", "restartPolicy", R"("Always")"},
    {"PodSpec", "terminationGracePeriodSeconds", "30"},
    {"PodSpec", "dnsPolicy", R"("ClusterFirst")"},
    {"PodSpec", "schedulerName", R"("default-scheduler")"},
    {"PodSpec", "securityContext", "{}"},
    {"PodSpec", "volumes[].hostPath.type", R"("")"},
    {"PodSpec", "volumes[].secret.defaultMode", "420"},
    {"PodSpec", "volumes[].configMap.defaultMode", "420"},
    {"PodSpec", "volumes[].downwardAPI.defaultMode", "420"},
    {"PodSpec", "volumes[].downwardAPI.items[].fieldRef.apiVersion", R"("v1")"},
    {"PodSpec", "volumes[].downwardAPI.items[].resourceFieldRef.divisor", R"("0")"},
    {"PodSpec", "volumes[].projected.defaultMode", "420"},
    {"PodSpec", "volumes[].projected.sources[].downwardAPI.items[].resourceFieldRef.divisor",
     R"("0")"},
    {"PodSpec", "volumes[].projected.sources[].downwardAPI.items[].fieldRef.apiVersion", R"("v1")"},
    {"PodSpec", "volumes[].projected.sources[].serviceAccountToken.expirationSeconds", "3600"},
    {"PodSpec", "volumes[].iscsi.iscsiInterface", R"("default")"},
    {"PodSpec", "volumes[].rbd.pool", R"("rbd")"},
    {"PodSpec", "volumes[].rbd.user", R"("admin")"},
    {"PodSpec", "volumes[].rbd.keyring", R"("/etc/ceph/keyring")"},
    {"PodSpec", "volumes[].azureDisk.cachingMode", R"("ReadWrite")"},
    {"PodSpec", "volumes[].azureDisk.fsType", R"("ext4")"},
    {"PodSpec", "volumes[].azureDisk.readOnly", "false"},
    {"PodSpec", "volumes[].azureDisk.kind", R"("Shared")"},
    {"PodSpec", "volumes[].scaleIO.storageMode", R"("ThinProvisioned")"},
    {"PodSpec", "volumes[].scaleIO.fsType", R"("xfs")"},
    {"PodSpec", "volumes[].ephemeral.volumeClaimTemplate.metadata", "{}"},
    {"PodSpec", "volumes[].ephemeral.volumeClaimTemplate.spec.volumeMode", R"("Filesystem")"},
    {"Container", "terminationMessagePath", R"("/dev/termination-log")"},
    {"Container", "terminationMessagePolicy", R"("File")"},
    {"Container", "ports[].protocol", R"("TCP")"},
    {"Container", "env[].valueFrom.fieldRef.apiVersion", R"("v1")"},
    {"Container", "env[].valueFrom.resourceFieldRef.divisor", R"("0")"},
    {"Container", "lifecycle.postStart.httpGet.path", R"("/")"},
    {"Container", "lifecycle.postStart.httpGet.scheme", R"("HTTP")"},
    {"Container", "lifecycle.preStop.httpGet.path", R"("/")"},
    {"Container", "lifecycle.preStop.httpGet.scheme", R"("HTTP")"},
    {"Probe", "timeoutSeconds", "1"},
    {"Probe", "periodSeconds", "10"},
    {"Probe", "successThreshold", "1"},
    {"Probe", "failureThreshold", "3"},
    {"Probe", "httpGet.path", R"("/")"},
    {"Probe", "httpGet.scheme", R"("HTTP")"},
    {"Probe", "grpc.service", R"("")"},
    {"ReplicationController", "spec.replicas", "1"},
    {"ReplicaSet", "spec.replicas", "1"},
    {"Deployment", "spec.replicas", "1"},
    {"Deployment", "spec.strategy", "{}"},
    {"Deployment", "spec.strategy.type", R"("RollingUpdate")"},
    {"Deployment", "spec.revisionHistoryLimit", "10"},
    {"Deployment", "spec.progressDeadlineSeconds", "600"},
    {"StatefulSet", "spec.replicas", "1"},
    {"StatefulSet", "spec.podManagementPolicy", R"("OrderedReady")"},
    {"StatefulSet", "spec.updateStrategy",
     R"({"type":"RollingUpdate","rollingUpdate":{"partition":0}})"},
    {"StatefulSet", "spec.updateStrategy.type", R"("RollingUpdate")"},
    {"StatefulSet", "spec.updateStrategy.rollingUpdate.partition", "0"},
    {"StatefulSet", "spec.updateStrategy.rollingUpdate.maxUnavailable", "1"},
    {"StatefulSet", "spec.volumeClaimTemplates[].apiVersion", R"("v1")"},
    {"StatefulSet", "spec.volumeClaimTemplates[].kind", R"("PersistentVolumeClaim")"},
    {"StatefulSet", "spec.volumeClaimTemplates[].spec.volumeMode", R"("Filesystem")"},
    {"StatefulSet", "spec.volumeClaimTemplates[].status", R"({"phase":"Pending"})"},
    {"StatefulSet", "spec.revisionHistoryLimit", "10"},
    {"StatefulSet", "spec.persistentVolumeClaimRetentionPolicy",
     R"({"whenDeleted":"Retain","whenScaled":"Retain"})"},
    {"StatefulSet", "spec.persistentVolumeClaimRetentionPolicy.whenDeleted", R"("Retain")"},
    {"StatefulSet", "spec.persistentVolumeClaimRetentionPolicy.whenScaled", R"("Retain")"},
    {"DaemonSet", "spec.updateStrategy",
     R"({"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":1,"maxSurge":0}})"},
    {"DaemonSet", "spec.updateStrategy.type", R"("RollingUpdate")"},
    {"DaemonSet", "spec.revisionHistoryLimit", "10"},
    {"Job", "spec.completionMode", R"("NonIndexed")"},
    {"Job", "spec.suspend", "false"},
    {"Job", "spec.manualSelector", "false"},
    {"Job", "spec.podFailurePolicy.rules[].onPodConditions[].status", R"("True")"},
    {"CronJob", "spec.concurrencyPolicy", R"("Allow")"},
    {"CronJob", "spec.suspend", "false"},
    {"CronJob", "spec.successfulJobsHistoryLimit", "3"},
    {"CronJob", "spec.failedJobsHistoryLimit", "1"},
    {"Secret", "type", R"("Opaque")"},
    {"Service", "spec.sessionAffinity", R"("None")"},
    {"Service", "spec.type", R"("ClusterIP")"},
    {"Service", "spec.ports[].protocol", R"("TCP")"},
    {"Service", "status", R"({"loadBalancer":{}})"},
    {"Endpoints", "subsets[].ports[].protocol", R"("TCP")"},
    {"EndpointSlice", "endpoints[].conditions", "{}"},
    {"EndpointSlice", "ports[].name", R"("")"},
    {"EndpointSlice", "ports[].protocol", R"("TCP")"},
    {"PersistentVolume", "spec.persistentVolumeReclaimPolicy", R"("Retain")"},
    {"PersistentVolume", "spec.hostPath.type", R"("")"},
    {"PersistentVolume", "spec.volumeMode", R"("Filesystem")"},
    {"PersistentVolumeClaim", "spec.volumeMode", R"("Filesystem")"},
    {"StorageClass", "reclaimPolicy", R"("Delete")"},
    {"StorageClass", "volumeBindingMode", R"("Immediate")"},
    {"PriorityClass", "preemptionPolicy", R"("PreemptLowerPriority")"},
    {"CSIDriver", "spec.attachRequired", "true"},
    {"CSIDriver", "spec.podInfoOnMount", "false"},
    {"CSIDriver", "spec.storageCapacity", "false"},
    {"CSIDriver", "spec.fsGroupPolicy", R"("ReadWriteOnceWithFSType")"},
    {"CSIDriver", "spec.volumeLifecycleModes", R"(["Persistent"])"},
    {"CSIDriver", "spec.requiresRepublish", "false"},
    {"CSIDriver", "spec.seLinuxMount", "false"},
    {"CSIDriver", "spec.preventPodSchedulingIfMissing", "false"},
    {"ValidatingAdmissionPolicy", "status", "{}"},
    {"ValidatingAdmissionPolicy", "spec.failurePolicy", R"("Fail")"},
    {"ValidatingAdmissionPolicy", "spec.matchConstraints.matchPolicy", R"("Equivalent")"},
    {"ValidatingAdmissionPolicy", "spec.matchConstraints.namespaceSelector", "{}"},
    {"ValidatingAdmissionPolicy", "spec.matchConstraints.objectSelector", "{}"},
    {"ValidatingAdmissionPolicy", "spec.matchConstraints.resourceRules[].scope", R"("*")"},
    {"ValidatingAdmissionPolicy", "spec.matchConstraints.excludeResourceRules[].scope", R"("*")"},
    {"ValidatingAdmissionPolicyBinding", "spec.matchResources.matchPolicy", R"("Equivalent")"},
    {"ValidatingAdmissionPolicyBinding", "spec.matchResources.namespaceSelector", "{}"},
    {"ValidatingAdmissionPolicyBinding", "spec.matchResources.objectSelector", "{}"},
    {"ValidatingAdmissionPolicyBinding", "spec.matchResources.resourceRules[].scope", R"("*")"},
    {"ValidatingAdmissionPolicyBinding", "spec.matchResources.excludeResourceRules[].scope",
     R"("*")"},
    {"ValidatingWebhookConfiguration", "webhooks[].matchPolicy", R"("Equivalent")"},
    {"ValidatingWebhookConfiguration", "webhooks[].namespaceSelector", "{}"},
    {"ValidatingWebhookConfiguration", "webhooks[].objectSelector", "{}"},
    {"ValidatingWebhookConfiguration", "webhooks[].failurePolicy", R"("Fail")"},
    {"ValidatingWebhookConfiguration", "webhooks[].timeoutSeconds", "10"},
    {"ValidatingWebhookConfiguration", "webhooks[].rules[].scope", R"("*")"},
    {"ValidatingWebhookConfiguration", "webhooks[].clientConfig.service.port", "443"},
    {"MutatingWebhookConfiguration", "webhooks[].matchPolicy", R"("Equivalent")"},
    {"MutatingWebhookConfiguration", "webhooks[].namespaceSelector", "{}"},
    {"MutatingWebhookConfiguration", "webhooks[].objectSelector", "{}"},
    {"MutatingWebhookConfiguration", "webhooks[].failurePolicy", R"("Fail")"},
    {"MutatingWebhookConfiguration", "webhooks[].timeoutSeconds", "10"},
    {"MutatingWebhookConfiguration", "webhooks[].rules[].scope", R"("*")"},
    {"MutatingWebhookConfiguration", "webhooks[].clientConfig.service.port", "443"},
    {"MutatingWebhookConfiguration", "webhooks[].reinvocationPolicy", R"("Never")"},
    {"NetworkPolicy", "spec.ingress[].ports[].protocol", R"("TCP")"},
    {"NetworkPolicy", "spec.egress[].ports[].protocol", R"("TCP")"},
    {"Ingress", "status", R"({"loadBalancer":{}})"},
    {"IngressClass", "spec.parameters.scope", R"("Cluster")"},
    {"FlowSchema", "spec.matchingPrecedence", "1000"},
    {"FlowSchema", "status", "{}"},
    {"PriorityLevelConfiguration", "status", "{}"},
    {"PriorityLevelConfiguration", "spec.limited.nominalConcurrencyShares", "30"},
    {"PriorityLevelConfiguration", "spec.limited.lendablePercent", "0"},
    {"PriorityLevelConfiguration", "spec.limited.limitResponse.queuing.queues", "64"},
    {"PriorityLevelConfiguration", "spec.limited.limitResponse.queuing.handSize", "8"},
    {"PriorityLevelConfiguration", "spec.limited.limitResponse.queuing.queueLengthLimit", "50"},
    {"PriorityLevelConfiguration", "spec.exempt.nominalConcurrencyShares", "0"},
    {"PriorityLevelConfiguration", "spec.exempt.lendablePercent", "0"},
    {"APIService", "spec.service.port", "443"},
    {"APIService", "status", "{}"},
    {"RoleBinding", "roleRef.apiGroup", R"("rbac.authorization.k8s.io")"},
    {"ClusterRoleBinding", "roleRef.apiGroup", R"("rbac.authorization.k8s.io")"},
};

// In these types, Go's strings are not pointers: "" means that the field is not set.
constexpr std::string_view kWithoutPointers[] = {
    "PodSpec",   "Container", "Probe",  "Deployment", "StatefulSet",
    "DaemonSet", "CronJob",   "Secret", "Service",    "Endpoints"};

struct Row {
  std::string_view path;
  Json value;
  bool replaces_empty;
};

const std::vector<Row>& rows_of(std::string_view kind) {
  static const auto kByKind = [] {
    std::map<std::string_view, std::vector<Row>> by_kind;
    for (const Default& row : kDefaults) {
      std::string problem;
      auto value = parse(row.json, problem);
      DCM_ASSERT(value.has_value());
      const bool has_no_pointers =
          std::ranges::find(kWithoutPointers, row.kind) != std::end(kWithoutPointers);
      by_kind[row.kind].push_back({row.path, std::move(*value), has_no_pointers});
    }
    return by_kind;
  }();
  static const std::vector<Row> kNone;
  const auto found = kByKind.find(kind);
  return found == kByKind.end() ? kNone : found->second;
}

}  // namespace

void set_default_values(std::string_view kind, JsonObject& object) {
  for (const Row& row : rows_of(kind)) {
    visit_member(object, row.path, [&row](JsonObject& parent, std::string_view name) {
      const Json* const value = parent.if_contains(name);
      if (value == nullptr || (row.replaces_empty && *value == Json(""))) parent[name] = row.value;
    });
  }
}

}  // namespace dcm::apiserver
