#include "apiserver/rules/plain_defaults.hpp"

#include "apiserver/rules/strategy.hpp"
#include "runtime/assert.hpp"

namespace dcm::apiserver {

namespace {

struct Default {
  std::string_view kind;
  std::string_view path;  // `list[].member` means each item's
  std::string_view json;
};

// k8s.io/kubernetes pkg/apis/*/v1/defaults.go.
constexpr Default kDefaults[] = {
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
    {"StatefulSet", "spec.revisionHistoryLimit", "10"},
    {"StatefulSet", "spec.persistentVolumeClaimRetentionPolicy",
     R"({"whenDeleted":"Retain","whenScaled":"Retain"})"},
    {"DaemonSet", "spec.updateStrategy",
     R"({"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":1,"maxSurge":0}})"},
    {"DaemonSet", "spec.revisionHistoryLimit", "10"},
    {"Job", "spec.backoffLimit", "6"},
    {"Job", "spec.completionMode", R"("NonIndexed")"},
    {"Job", "spec.suspend", "false"},
    {"Job", "spec.podReplacementPolicy", R"("TerminatingOrFailed")"},
    {"CronJob", "spec.concurrencyPolicy", R"("Allow")"},
    {"CronJob", "spec.suspend", "false"},
    {"CronJob", "spec.successfulJobsHistoryLimit", "3"},
    {"CronJob", "spec.failedJobsHistoryLimit", "1"},
    {"Secret", "type", R"("Opaque")"},
    {"Service", "spec.sessionAffinity", R"("None")"},
    {"Service", "spec.type", R"("ClusterIP")"},
    {"Service", "spec.ports[].protocol", R"("TCP")"},
    {"Endpoints", "subsets[].ports[].protocol", R"("TCP")"},
    {"EndpointSlice", "ports[].name", R"("")"},
    {"EndpointSlice", "ports[].protocol", R"("TCP")"},
    {"PersistentVolume", "spec.persistentVolumeReclaimPolicy", R"("Retain")"},
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
    {"RoleBinding", "roleRef.apiGroup", R"("rbac.authorization.k8s.io")"},
    {"ClusterRoleBinding", "roleRef.apiGroup", R"("rbac.authorization.k8s.io")"},
};

void carry_out(const Default& row, std::string_view path, JsonObject& object) {
  const auto end = path.find_first_of(".[");
  const std::string_view name = path.substr(0, end);
  if (end == std::string_view::npos) {
    std::string problem;
    auto value = parse(row.json, problem);
    DCM_ASSERT(value.has_value());
    set_default(object, name, std::move(*value));
    return;
  }
  Json* value = object.if_contains(name);
  if (value == nullptr) return;
  if (path[end] == '.' && value->is_object()) {
    carry_out(row, path.substr(end + 1), value->get_object());
  } else if (path[end] == '[' && value->is_array()) {
    for (Json& item : value->get_array()) {
      if (item.is_object()) carry_out(row, path.substr(end + 3), item.get_object());
    }
  }
}

}  // namespace

void set_plain_defaults(std::string_view kind, JsonObject& object) {
  for (const Default& row : kDefaults) {
    if (row.kind == kind) carry_out(row, row.path, object);
  }
}

}  // namespace dcm::apiserver
