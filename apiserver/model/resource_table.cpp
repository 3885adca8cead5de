#include "apiserver/model/resource_table.hpp"

#include <algorithm>
#include <tuple>

#include "apiserver/model/version_order.hpp"
#include "runtime/assert.hpp"

namespace dcm::apiserver {

ResourceTable::ResourceTable(std::list<ResourceType> types, const ServedVersions& served)
    : types_(std::move(types)) {
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
    if (type.group != "resource.k8s.io" || type.defined != nullptr) continue;
    if (type.is("DeviceTaintRule")) {
      type.versions = served.device_taint_rules;
    } else if (type.is("ResourcePoolStatusRequest")) {
      type.versions = served.pool_status_requests;
    } else {
      type.versions = served.resource;
    }
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
