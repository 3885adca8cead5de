// The kinds that this server knows: their names, scope, versions and behaviour, as one table.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/schemas/field_types.hpp"
#include "apiserver/schemas/schema.hpp"

namespace dcm::apiserver {

class Strategy;
struct DefinedKind;
struct Printer;

// How a client wants answers to be written.
enum class Encoding { json, protobuf };
enum class Scope { cluster, namespaced };
// Whether a PUT without a resourceVersion overwrites, or is a 422.
enum class UnconditionalUpdate { allowed, refused };
// A single object carries apiVersion and kind; the items of a list of structs do not.
enum class TypeMeta { shown, omitted };
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
  // What is special to a kind that a client has defined; null: it is built in.
  std::shared_ptr<const DefinedKind> defined = {};

  // The name of a kind that is built in; "" of one that is defined, whatever it calls itself.
  std::string_view built_in() const { return defined == nullptr ? kind : std::string_view(); }
  bool is(std::string_view built_in_kind) const { return built_in() == built_in_kind; }
  // Whether Go decodes the whole object into a struct, so that null and empty members vanish.
  bool is_struct() const;
  // What the store calls its objects. No two kinds that are defined share one.
  const std::string& storage() const;

  bool namespaced() const { return scope == Scope::namespaced; }
  // Namespaces are deleted one by one.
  bool deletes_collections() const { return !is("Namespace"); }
  // "all": `kubectl get all` includes it.
  std::vector<std::string> categories() const;
  std::string list_kind() const;
  bool has_status() const { return status == StatusSubresource::present; }
  // "resourceclaims.resource.k8s.io", "pods".
  std::string qualified() const { return group.empty() ? plural : plural + "." + group; }
  std::string api_version(std::string_view version) const;
  bool serves(std::string_view version) const;
  const Schema& schema() const;
  // The types of its fields in a version; any if it is no struct.
  const FieldType& fields(std::string_view version) const;
  const Printer& printer() const;
  // What the items of its lists carry.
  TypeMeta item_meta() const { return defined == nullptr ? TypeMeta::omitted : TypeMeta::shown; }
  // Whether its objects can be read and written in protobuf.
  bool speaks_protobuf(std::string_view version) const;

  // By version, since DeviceTaintRule became stricter with v1.
  UnconditionalUpdate unconditional_update(std::string_view version) const;
  DeleteAnswer delete_answer(std::string_view version) const;
};

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
  // PodGroup of scheduling.k8s.io (KEP-5729): v1beta1 and v1alpha3 in 1.37, if asked for.
  std::vector<std::string> pod_groups = {};
  // Defined when the server starts.
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
