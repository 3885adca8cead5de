// The kinds of a server and which of their versions it serves, as one table.
#pragma once

#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/model/resource_type.hpp"

namespace dcm::apiserver {

// A kind that a server defines for itself when it starts: its objects are stored as they come,
// without a schema.
struct CustomKind {
  std::string group;
  std::string version;
  std::string plural;
  std::string kind;
  Scope scope = Scope::namespaced;
  StatusSubresource status = StatusSubresource::present;
};

// The served versions of resource.k8s.io (none: DRA is turned off) and of related groups.
struct ServedVersions {
  std::vector<std::string> resource = {"v1"};
  // DeviceTaintRule is versioned separately: v1 since 1.37, v1beta2 since 1.36, v1alpha3.
  std::vector<std::string> device_taint_rules = {"v1"};
  // ResourcePoolStatusRequest (KEP-5677): v1alpha3 since 1.36, if asked for.
  std::vector<std::string> pool_status_requests = {};
  // PodGroup of scheduling.k8s.io (KEP-5729): v1beta1 and v1alpha3 in 1.37, if asked for.
  std::vector<std::string> pod_groups = {};
  // Defined when the server starts.
  std::vector<CustomKind> custom = {};
};

class ResourceTable {
 public:
  ResourceTable(std::list<ResourceType> types, const ServedVersions& served);

  // Applies to later requests; objects and open watches stay.
  void serve(const ServedVersions& served);

  // The type served under that group, version and plural; nullptr if none.
  const ResourceType* find(std::string_view group, std::string_view version,
                           std::string_view plural) const;
  // By the store's name, served or not. Requires that it exists.
  const ResourceType& get(std::string_view storage) const;
  const std::list<ResourceType>& types() const { return types_; }
  // Replaces the rows of a definition; pointers to the old ones become invalid.
  void define(std::string_view storage, std::vector<ResourceType> types);

  // Groups served in some version, and their versions, preferred first.
  std::vector<std::string> groups() const;
  std::vector<std::string> versions_of(std::string_view group) const;

 private:
  std::list<ResourceType> types_;  // defined ones come last, by group and name
};

}  // namespace dcm::apiserver
