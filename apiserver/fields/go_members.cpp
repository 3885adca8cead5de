#include "apiserver/fields/go_members.hpp"

#include <map>
#include <vector>

#include <fmt/format.h>

#include "apiserver/text/member_path.hpp"

namespace dcm::apiserver {

namespace {

enum class Rule { always_written, left_out_if_empty };

struct Member {
  std::string_view kind;
  std::string_view
      path;  // `list[].member` means that of each item, `map{}.member` that of each value
  Rule rule;
  std::string_view zero = {};  // the JSON of the zero value
};

constexpr auto kAlways = Rule::always_written;
constexpr auto kUnlessEmpty = Rule::left_out_if_empty;

// Parents come before their members.
constexpr Member kMembers[] = {
    {"Pod", "spec", kAlways, "{}"},
    {"Pod", "spec.containers", kAlways, "null"},
    {"Pod", "spec.containers[].resources", kAlways, "{}"},
    {"Pod", "spec.initContainers[].resources", kAlways, "{}"},
    {"Pod", "spec.containers[].env[].value", kUnlessEmpty},
    {"Pod", "spec.initContainers[].env[].value", kUnlessEmpty},
    {"Pod", "spec.containers[].volumeMounts[].readOnly", kUnlessEmpty},
    {"Pod", "spec.initContainers[].volumeMounts[].readOnly", kUnlessEmpty},
    {"Pod", "spec.containers[].ports[].hostPort", kUnlessEmpty},
    {"Pod", "spec.initContainers[].ports[].hostPort", kUnlessEmpty},
    {"Pod", "spec.nodeName", kUnlessEmpty},
    {"Pod", "spec.volumes[].projected.sources", kAlways, "null"},
    {"Pod", "spec.tolerations[].key", kUnlessEmpty},
    {"Pod", "spec.tolerations[].operator", kUnlessEmpty},
    {"Pod", "spec.tolerations[].value", kUnlessEmpty},
    {"Pod", "spec.tolerations[].effect", kUnlessEmpty},
    {"Pod", "status", kAlways, "{}"},
    {"Pod", "status.phase", kUnlessEmpty},
    {"Pod", "status.reason", kUnlessEmpty},
    {"Pod", "status.message", kUnlessEmpty},
    {"Pod", "status.nominatedNodeName", kUnlessEmpty},
    {"Pod", "status.conditions[].lastProbeTime", kAlways, "null"},
    {"Pod", "status.conditions[].lastTransitionTime", kAlways, "null"},
    {"Pod", "status.conditions[].type", kAlways, R"("")"},
    {"Pod", "status.conditions[].status", kAlways, R"("")"},
    {"Pod", "status.conditions[].reason", kUnlessEmpty},
    {"Pod", "status.conditions[].message", kUnlessEmpty},

    {"Deployment", "spec", kAlways, "{}"},
    {"Deployment", "spec.selector", kAlways, "null"},
    {"Deployment", "spec.template", kAlways, "{}"},
    {"Deployment", "spec.strategy", kAlways, "{}"},
    {"Deployment", "status", kAlways, "{}"},
    {"Deployment", "spec.minReadySeconds", kUnlessEmpty},
    {"ReplicaSet", "spec", kAlways, "{}"},
    {"ReplicaSet", "spec.minReadySeconds", kUnlessEmpty},
    {"ReplicaSet", "spec.selector", kAlways, "null"},
    {"ReplicaSet", "spec.template", kAlways, "{}"},
    {"StatefulSet", "spec", kAlways, "{}"},
    {"StatefulSet", "spec.selector", kAlways, "null"},
    {"StatefulSet", "spec.template", kAlways, "{}"},
    {"StatefulSet", "spec.updateStrategy", kAlways, "{}"},
    {"StatefulSet", "spec.serviceName", kAlways, R"("")"},
    {"StatefulSet", "spec.minReadySeconds", kUnlessEmpty},
    {"DaemonSet", "spec", kAlways, "{}"},
    {"DaemonSet", "spec.selector", kAlways, "null"},
    {"DaemonSet", "spec.template", kAlways, "{}"},
    {"DaemonSet", "spec.updateStrategy", kAlways, "{}"},
    {"DaemonSet", "spec.minReadySeconds", kUnlessEmpty},
    {"ReplicationController", "spec", kAlways, "{}"},
    {"ReplicationController", "spec.minReadySeconds", kUnlessEmpty},
    {"Job", "spec", kAlways, "{}"},
    {"Job", "spec.template", kAlways, "{}"},
    {"Job", "spec.podFailurePolicy.rules", kAlways, "null"},
    {"Job", "status", kAlways, "{}"},
    {"CronJob", "spec", kAlways, "{}"},
    {"CronJob", "spec.jobTemplate", kAlways, "{}"},
    {"CronJob", "spec.jobTemplate.metadata", kAlways, "{}"},
    {"CronJob", "spec.jobTemplate.spec", kAlways, "{}"},
    {"CronJob", "spec.jobTemplate.spec.template", kAlways, "{}"},
    {"CronJob", "status", kAlways, "{}"},
    {"PodTemplate", "template", kAlways, "{}"},
    {"PersistentVolumeClaim", "spec", kAlways, "{}"},
    {"PersistentVolumeClaim", "spec.resources", kAlways, "{}"},

    {"DaemonSet", "status.currentNumberScheduled", kAlways, "0"},
    {"DaemonSet", "status.numberMisscheduled", kAlways, "0"},
    {"DaemonSet", "status.desiredNumberScheduled", kAlways, "0"},
    {"DaemonSet", "status.numberReady", kAlways, "0"},
    {"ReplicaSet", "status.replicas", kAlways, "0"},
    {"ReplicationController", "status.replicas", kAlways, "0"},
    {"StatefulSet", "status.replicas", kAlways, "0"},
    {"StatefulSet", "status.availableReplicas", kAlways, "0"},

    {"Node", "spec", kAlways, "{}"},
    {"Node", "status", kAlways, "{}"},
    {"Node", "status.daemonEndpoints", kAlways, R"({"kubeletEndpoint": {"Port": 0}})"},
    {"Node", "status.nodeInfo", kAlways, "{}"},
    {"Node", "status.nodeInfo.machineID", kAlways, R"("")"},
    {"Node", "status.nodeInfo.systemUUID", kAlways, R"("")"},
    {"Node", "status.nodeInfo.bootID", kAlways, R"("")"},
    {"Node", "status.nodeInfo.kernelVersion", kAlways, R"("")"},
    {"Node", "status.nodeInfo.osImage", kAlways, R"("")"},
    {"Node", "status.nodeInfo.containerRuntimeVersion", kAlways, R"("")"},
    {"Node", "status.nodeInfo.kubeletVersion", kAlways, R"("")"},
    {"Node", "status.nodeInfo.kubeProxyVersion", kAlways, R"("")"},
    {"Node", "status.nodeInfo.operatingSystem", kAlways, R"("")"},
    {"Node", "status.nodeInfo.architecture", kAlways, R"("")"},
    {"Node", "spec.unschedulable", kUnlessEmpty},
    {"Node", "spec.providerID", kUnlessEmpty},
    {"Node", "spec.podCIDR", kUnlessEmpty},
    {"Node", "status.addresses[].type", kAlways, R"("")"},
    {"Node", "status.addresses[].address", kAlways, R"("")"},
    {"Node", "status.conditions[].type", kAlways, R"("")"},
    {"Node", "status.conditions[].status", kAlways, R"("")"},
    {"Node", "status.conditions[].lastHeartbeatTime", kAlways, "null"},
    {"Node", "status.conditions[].lastTransitionTime", kAlways, "null"},
    {"Node", "status.conditions[].reason", kUnlessEmpty},
    {"Node", "status.conditions[].message", kUnlessEmpty},

    {"Namespace", "spec", kAlways, "{}"},
    {"Namespace", "status", kAlways, "{}"},
    {"Namespace", "status.conditions[].type", kAlways, R"("")"},
    {"Namespace", "status.conditions[].status", kAlways, R"("")"},
    {"Namespace", "status.conditions[].lastTransitionTime", kAlways, "null"},
    {"Namespace", "status.conditions[].reason", kUnlessEmpty},
    {"Namespace", "status.conditions[].message", kUnlessEmpty},

    {"Event", "involvedObject", kAlways, "{}"},
    {"Event", "involvedObject.kind", kUnlessEmpty},
    {"Event", "involvedObject.namespace", kUnlessEmpty},
    {"Event", "involvedObject.name", kUnlessEmpty},
    {"Event", "involvedObject.uid", kUnlessEmpty},
    {"Event", "involvedObject.apiVersion", kUnlessEmpty},
    {"Event", "involvedObject.resourceVersion", kUnlessEmpty},
    {"Event", "involvedObject.fieldPath", kUnlessEmpty},
    {"Event", "source", kAlways, "{}"},
    {"Event", "source.component", kUnlessEmpty},
    {"Event", "source.host", kUnlessEmpty},
    {"Event", "firstTimestamp", kAlways, "null"},
    {"Event", "lastTimestamp", kAlways, "null"},
    {"Event", "eventTime", kAlways, "null"},
    {"Event", "count", kUnlessEmpty},
    {"Event", "reason", kUnlessEmpty},
    {"Event", "message", kUnlessEmpty},
    {"Event", "type", kUnlessEmpty},
    {"Event", "action", kUnlessEmpty},
    {"Event", "reportingComponent", kAlways, R"("")"},
    {"Event", "reportingInstance", kAlways, R"("")"},

    {"Lease", "spec", kAlways, "{}"},
    {"Service", "spec", kAlways, "{}"},
    {"APIService", "spec", kAlways, "{}"},
    {"NetworkPolicy", "spec", kAlways, "{}"},
    {"NetworkPolicy", "spec.podSelector", kAlways, "{}"},
    {"PodDisruptionBudget", "spec", kAlways, "{}"},
    {"ResourceQuota", "spec", kAlways, "{}"},
    {"ResourceQuota", "status", kAlways, "{}"},
    {"ValidatingAdmissionPolicy", "spec", kAlways, "{}"},
    {"ValidatingAdmissionPolicyBinding", "spec", kAlways, "{}"},
    {"CSINode", "spec.drivers[].topologyKeys", kAlways, "null"},
    {"CSINode", "status", kAlways, "{}"},
    {"VolumeAttachment", "status", kAlways, "{}"},
    {"VolumeAttachment", "status.attached", kAlways, "false"},
    {"ClusterRole", "rules", kAlways, "null"},
    {"Role", "rules", kAlways, "null"},
    {"ConfigMap", "data", kUnlessEmpty},
    {"ConfigMap", "binaryData", kUnlessEmpty},

    {"ResourceClaim", "spec", kAlways, "{}"},
    {"ResourceClaim", "spec.devices", kAlways, "{}"},
    {"ResourceClaim", "spec.devices.requests", kAlways, "null"},
    {"ResourceClaim", "status", kAlways, "{}"},
    {"ResourceClaim", "status.allocation.devices", kAlways, "{}"},
    {"ResourceClaimTemplate", "spec", kAlways, "{}"},
    {"ResourceClaimTemplate", "spec.metadata", kAlways, "{}"},
    {"ResourceClaimTemplate", "spec.spec", kAlways, "{}"},
    {"ResourceClaimTemplate", "spec.spec.devices", kAlways, "{}"},
    {"ResourceClaimTemplate", "spec.spec.devices.requests", kAlways, "null"},
    {"DeviceClass", "spec", kAlways, "{}"},
    {"ResourceSlice", "spec", kAlways, "{}"},
    {"ResourceSlice", "spec.driver", kAlways, R"("")"},
    {"ResourceSlice", "spec.pool", kAlways, "{}"},
    {"ResourceSlice", "spec.pool.name", kAlways, R"("")"},
    {"ResourceSlice", "spec.pool.generation", kAlways, "0"},
    {"ResourceSlice", "spec.pool.resourceSliceCount", kAlways, "0"},
    {"ResourceSlice", "spec.devices[].capacity{}.value", kAlways, R"("0")"},
    {"ResourceSlice", "spec.devices[].capacity{}.requestPolicy.default", kAlways, "null"},
    {"CustomResourceDefinition", "spec", kAlways, "{}"},
    {"CustomResourceDefinition", "spec.names", kAlways, "{}"},
    {"DeviceTaintRule", "spec", kAlways, "{}"},
    {"DeviceTaintRule", "spec.taint", kAlways, "{}"},
    {"DeviceTaintRule", "spec.taint.value", kUnlessEmpty},
    {"DeviceTaintRule", "status", kAlways, "{}"},
    {"DeviceTaintRule", "status.conditions[].reason", kAlways, R"("")"},
    {"DeviceTaintRule", "status.conditions[].message", kAlways, R"("")"},
    {"ResourcePoolStatusRequest", "spec", kAlways, "{}"},
    {"ResourcePoolStatusRequest", "spec.driver", kUnlessEmpty},
    {"ResourcePoolStatusRequest", "status.pools[].generation", kAlways, "0"},
    {"ResourcePoolStatusRequest", "status.conditions[].reason", kAlways, R"("")"},
    {"ResourcePoolStatusRequest", "status.conditions[].message", kAlways, R"("")"},
    {"PodGroup", "spec", kAlways, "{}"},
    {"PodGroup", "status", kAlways, "{}"},
    {"ResourceClaim", "status.devices[].conditions", kAlways, "null"},
    {"ResourceClaim", "status.devices[].conditions[].reason", kAlways, R"("")"},
    {"ResourceClaim", "status.devices[].conditions[].message", kAlways, R"("")"},
};

// Where kinds have a template of pods.
struct Template {
  std::string_view kind;
  std::string_view path;
};
constexpr Template kTemplates[] = {
    {"Deployment", "spec.template"},  {"ReplicaSet", "spec.template"},
    {"StatefulSet", "spec.template"}, {"DaemonSet", "spec.template"},
    {"Job", "spec.template"},         {"ReplicationController", "spec.template"},
    {"PodTemplate", "template"},      {"CronJob", "spec.jobTemplate.spec.template"},
};

bool is_empty(const Json& value) {
  if (value.is_int64()) return value.get_int64() == 0;
  if (value.is_bool()) return !value.get_bool();
  return value.is_string() ? value.get_string().empty()
                           : value.is_object() && value.get_object().empty();
}

struct Row {
  Row(const Member& of, std::string at) : rule(of.rule), path(std::move(at)) {
    std::string problem;
    if (rule == kAlways) zero = *parse(of.zero, problem);
  }

  Rule rule;
  std::string path;
  Json zero;
};

void carry_out(const Row& row, JsonObject& object) {
  visit_member(object, row.path, [&row](JsonObject& parent, std::string_view name) {
    const Json* const value = parent.if_contains(name);
    if (row.rule == kAlways && (value == nullptr || value->is_null())) {
      parent[name] = row.zero;
    } else if (row.rule == kUnlessEmpty && value != nullptr && is_empty(*value)) {
      parent.erase(name);
    }
  });
}

// Go writes the same members of a template's spec as of a pod's.
void add_template(const Template& place, std::vector<Row>& rows) {
  constexpr Member kMetadata{"", "", kAlways, "{}"};
  rows.emplace_back(kMetadata, fmt::format("{}.metadata", place.path));
  for (const Member& member : kMembers) {
    const bool is_of_spec = member.path == "spec" || member.path.starts_with("spec.");
    if (member.kind != "Pod" || !is_of_spec) continue;
    rows.emplace_back(member, fmt::format("{}.{}", place.path, member.path));
  }
}

const std::vector<Row>& rows_of(std::string_view kind) {
  static const auto kByKind = [] {
    std::map<std::string_view, std::vector<Row>> by_kind;
    for (const Member& member : kMembers) {
      by_kind[member.kind].emplace_back(member, std::string(member.path));
    }
    for (const Template& place : kTemplates) add_template(place, by_kind[place.kind]);
    return by_kind;
  }();
  static const std::vector<Row> kNone;
  const auto found = kByKind.find(kind);
  return found == kByKind.end() ? kNone : found->second;
}

}  // namespace

void write_as_go(std::string_view kind, JsonObject& object) {
  for (const Row& row : rows_of(kind)) carry_out(row, object);
}

}  // namespace dcm::apiserver
