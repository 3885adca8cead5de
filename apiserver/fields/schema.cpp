#include "apiserver/fields/schema.hpp"

namespace dcm::apiserver {

namespace {

struct Row {
  std::string_view kind;  // "" for all
  std::string_view path;  // through lists without a mark
  Schema::List list;
  std::vector<std::string> keys;
  Schema::Patch patch;
  std::string merge_key;
};

constexpr auto kMap = Schema::List::map;
constexpr auto kSet = Schema::List::set;
constexpr auto kAtomic = Schema::List::atomic;
constexpr auto kMerge = Schema::Patch::merge;
constexpr auto kReplace = Schema::Patch::replace;

const std::vector<Row>& list_rows() {
  static const std::vector<Row> kRows = {
      {"", "metadata.finalizers", kSet, {}, kMerge, ""},
      {"", "metadata.ownerReferences", kMap, {"uid"}, kMerge, "uid"},
      {"", "status.conditions", kMap, {"type"}, kMerge, "type"},

      {"Pod", "spec.containers", kMap, {"name"}, kMerge, "name"},
      {"Pod", "spec.containers.env", kMap, {"name"}, kMerge, "name"},
      {"Pod",
       "spec.containers.ports",
       kMap,
       {"containerPort", "protocol"},
       kMerge,
       "containerPort"},
      {"Pod", "spec.containers.resources.claims", kMap, {"name"}, kReplace, ""},
      {"Pod", "spec.containers.volumeDevices", kMap, {"devicePath"}, kMerge, "devicePath"},
      {"Pod", "spec.containers.volumeMounts", kMap, {"mountPath"}, kMerge, "mountPath"},
      {"Pod", "spec.initContainers", kMap, {"name"}, kMerge, "name"},
      {"Pod", "spec.ephemeralContainers", kMap, {"name"}, kMerge, "name"},
      {"Pod", "spec.hostAliases", kMap, {"ip"}, kMerge, "ip"},
      {"Pod", "spec.imagePullSecrets", kMap, {"name"}, kMerge, "name"},
      {"Pod", "spec.resourceClaims", kMap, {"name"}, kMerge, "name"},
      {"Pod", "spec.schedulingGates", kMap, {"name"}, kMerge, "name"},
      {"Pod",
       "spec.topologySpreadConstraints",
       kMap,
       {"topologyKey", "whenUnsatisfiable"},
       kMerge,
       "topologyKey"},
      {"Pod", "spec.volumes", kMap, {"name"}, kMerge, "name"},
      {"Pod", "status.hostIPs", kAtomic, {}, kMerge, "ip"},
      {"Pod", "status.podIPs", kMap, {"ip"}, kMerge, "ip"},
      {"Pod", "status.resourceClaimStatuses", kMap, {"name"}, kMerge, "name"},

      {"PodGroup", "spec.resourceClaims", kMap, {"name"}, kMerge, "name"},
      {"PodGroup", "status.resourceClaimStatuses", kMap, {"name"}, kMerge, "name"},

      {"Service", "spec.ports", kMap, {"port", "protocol"}, kMerge, "port"},
      {"ServiceAccount", "secrets", kMap, {"name"}, kMerge, "name"},
      {"EndpointSlice", "endpoints", kAtomic, {}, kReplace, ""},

      {"Node", "spec.podCIDRs", kSet, {}, kMerge, ""},
      {"Node", "status.addresses", kMap, {"type"}, kMerge, "type"},

      {"ResourceClaim", "status.reservedFor", kMap, {"uid"}, kMerge, "uid"},
      {"ResourceClaim",
       "status.devices",
       kMap,
       {"device", "driver", "pool", "shareID"},
       kReplace,
       ""},
      {"ResourceClaim", "status.devices.conditions", kMap, {"type"}, kReplace, ""},
  };
  return kRows;
}

struct AtomicObject {
  std::string_view kind;
  std::string_view path;
};

constexpr AtomicObject kAtomicObjects[] = {
    {"", "metadata.ownerReferences"},
    {"Pod", "spec.nodeSelector"},
    {"Pod", "spec.imagePullSecrets"},
    {"ResourceClaim", "status.allocation.nodeSelector"},
    {"Event", "involvedObject"},
    {"Event", "related"},
    {"ResourceSlice", "spec.nodeSelector"},
};

Schema& at(Schema& root, std::string_view path) {
  Schema* schema = &root;
  while (!path.empty()) {
    const auto dot = path.find('.');
    schema = &schema->fields[std::string(path.substr(0, dot))];
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return *schema;
}

// Where a kind has the template of its pods; "" if it has none.
std::string_view template_of(std::string_view kind) {
  if (kind == "CronJob") return "spec.jobTemplate.spec.template";
  for (const std::string_view one :
       {"DaemonSet", "Deployment", "Job", "ReplicaSet", "ReplicationController", "StatefulSet"}) {
    if (kind == one) return "spec.template";
  }
  return "";
}

Schema build(std::string_view kind) {
  Schema root;
  if (const auto pods = template_of(kind); !pods.empty()) {
    at(root, pods).fields["spec"] = schema_of("Pod").field("spec");
  }
  for (const Row& row : list_rows()) {
    if (!row.kind.empty() && row.kind != kind) continue;
    Schema& schema = at(root, row.path);
    schema.list = row.list;
    schema.keys = row.keys;
    schema.patch = row.patch;
    schema.merge_key = row.merge_key;
  }
  for (const AtomicObject& object : kAtomicObjects) {
    if (!object.kind.empty() && object.kind != kind) continue;
    at(root, object.path).object = Schema::Object::atomic;
  }
  return root;
}

}  // namespace

const Schema& Schema::field(std::string_view name) const {
  static const Schema kNoRule;
  const auto found = fields.find(name);
  return found == fields.end() ? kNoRule : found->second;
}

const Schema& schema_of(std::string_view kind) {
  static std::map<std::string, Schema, std::less<>> schemas;
  const auto found = schemas.find(kind);
  if (found != schemas.end()) return found->second;
  return schemas.emplace(std::string(kind), build(kind)).first->second;
}

}  // namespace dcm::apiserver
