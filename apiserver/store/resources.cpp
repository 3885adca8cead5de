#include "apiserver/store/resources.hpp"

#include <algorithm>

#include "apiserver/rules/strategies.hpp"
#include "runtime/assert.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::string_view kDra = "resource.k8s.io";
constexpr auto kNamespaced = Scope::namespaced;
constexpr auto kCluster = Scope::cluster;
constexpr auto kStatus = StatusSubresource::present;
constexpr auto kNoStatus = StatusSubresource::none;
constexpr auto kMayOverwrite = UnconditionalUpdate::allowed;
constexpr auto kNeedsVersion = UnconditionalUpdate::refused;
constexpr auto kObject = DeleteAnswer::object;
constexpr auto kAnswer = DeleteAnswer::status;

std::vector<ResourceType> all_types() {
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
      {"scheduling.k8s.io",
       "podgroups",
       "podgroup",
       "PodGroup",
       {},
       kNamespaced,
       kStatus,
       kNeedsVersion,
       kAnswer,
       &pod_group_strategy(),
       {}},
  };
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

bool ResourceType::serves(std::string_view version) const {
  return std::ranges::find(versions, version) != versions.end();
}

ResourceTable::ResourceTable(const ServedVersions& served) : types_(all_types()) {
  serve(served);
}

void ResourceTable::serve(const ServedVersions& served) {
  for (ResourceType& type : types_) {
    if (type.kind == "PodGroup") type.versions = served.pod_groups;
    if (type.group != kDra) continue;
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

const ResourceType& ResourceTable::get(std::string_view plural) const {
  const auto found = std::ranges::find(types_, plural, &ResourceType::plural);
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
  for (const ResourceType& type : types_) {
    if (type.group != group) continue;
    for (const std::string& version : type.versions) {
      if (std::ranges::find(versions, version) == versions.end()) versions.push_back(version);
    }
  }
  return versions;
}

}  // namespace dcm::apiserver
