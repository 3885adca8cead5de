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

// Which versions of resource.k8s.io (none at all is a server with DRA turned off) and of its
// neighbours are served.
struct ServedVersions {
  std::vector<std::string> resource = {"v1"};
  // DeviceTaintRule comes and goes on its own: v1 since 1.37, v1beta2 since 1.36, v1alpha3.
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

  // Takes effect for the requests that follow; objects and open watches stay.
  void serve(const ServedVersions& served);

  // The type that is served under that group, version and plural; nullptr if none is.
  const ResourceType* find(std::string_view group, std::string_view version,
                           std::string_view plural) const;
  // By what the store calls its objects, served or not. Requires that there is such a kind.
  const ResourceType& get(std::string_view storage) const;
  const std::list<ResourceType>& types() const { return types_; }
  // Replaces the rows of a definition by those; pointers to the old ones are void.
  void define(std::string_view storage, std::vector<ResourceType> types);

  // Groups that are served in some version, and their versions, the preferred one first.
  std::vector<std::string> groups() const;
  std::vector<std::string> versions_of(std::string_view group) const;

 private:
  std::list<ResourceType> types_;  // those that are defined come last, by group and name
};

}  // namespace dcm::apiserver
