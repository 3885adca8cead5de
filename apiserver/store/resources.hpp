// The kinds that this server knows: their names, scope, versions and behaviour, as one table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/fields/schema.hpp"

namespace dcm::apiserver {

class Strategy;

// How a client wants answers to be written.
enum class Encoding { json, protobuf };
enum class Scope { cluster, namespaced };
// Whether a PUT without a resourceVersion overwrites, or is a 422.
enum class UnconditionalUpdate { allowed, refused };
enum class StatusSubresource { none, present };
// The contents of the answer to a DELETE.
enum class DeleteAnswer { object, status };

struct ResourceType {
  std::string group;  // "" for core
  std::string plural;
  std::string singular;
  std::string kind;
  std::vector<std::string> short_names;
  Scope scope;
  StatusSubresource status;
  UnconditionalUpdate put_without_version;
  DeleteAnswer answer_to_delete;
  const Strategy* strategy;
  std::vector<std::string> versions;  // served now, the preferred one first
  bool is_custom = false;             // has no Go type, so it takes no strategic merge patch

  bool namespaced() const { return scope == Scope::namespaced; }
  // Namespaces are deleted one by one.
  bool deletes_collections() const { return kind != "Namespace"; }
  // Whether `kubectl get all` includes it.
  bool in_category_all() const;
  bool has_status() const { return status == StatusSubresource::present; }
  // "resourceclaims.resource.k8s.io", "pods".
  std::string qualified() const { return group.empty() ? plural : plural + "." + group; }
  std::string api_version(std::string_view version) const;
  bool serves(std::string_view version) const;
  const Schema& schema() const { return schema_of(group, kind); }

  // By version, since DeviceTaintRule became stricter with v1.
  UnconditionalUpdate unconditional_update(std::string_view version) const;
  DeleteAnswer delete_answer(std::string_view version) const;
};

// A custom resource: stored as it comes, without a schema.
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
  // PodGroup of scheduling.k8s.io (KEP-5729): v1beta1 and v1alpha3 in 1.37, if asked for.
  std::vector<std::string> pod_groups = {};
  // Known from the start; later ones are not.
  std::vector<CustomKind> custom = {};
};

class ResourceTable {
 public:
  explicit ResourceTable(const ServedVersions& served);

  // Takes effect for the requests that follow; objects and open watches stay.
  void serve(const ServedVersions& served);

  // The type that is served under that group, version and plural; nullptr if none is.
  const ResourceType* find(std::string_view group, std::string_view version,
                           std::string_view plural) const;
  // By plural alone, served or not. Requires that there is such a kind.
  const ResourceType& get(std::string_view plural) const;
  const std::vector<ResourceType>& types() const { return types_; }

  // Groups that are served in some version, and their versions, the preferred one first.
  std::vector<std::string> groups() const;
  std::vector<std::string> versions_of(std::string_view group) const;

 private:
  std::vector<ResourceType> types_;  // never resized: pointers into it stay valid
};

}  // namespace dcm::apiserver
