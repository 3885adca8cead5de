// A kind as the server sees it: its names, scope, versions and behaviour.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/model/printer.hpp"
#include "apiserver/schemas/field_types.hpp"
#include "apiserver/schemas/schema.hpp"
#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

class Strategy;

// The format in which a client wants answers.
enum class Encoding { json, protobuf };
enum class Scope { cluster, namespaced };
// Whether a PUT without a resourceVersion overwrites, or is a 422.
enum class UnconditionalUpdate { allowed, refused };
// A single object carries apiVersion and kind; items of a typed list do not.
enum class TypeMeta { shown, omitted };
enum class StatusSubresource { none, present };
// The content of the answer to a DELETE.
enum class DeleteAnswer { object, status };

// Why objects are not available in a version that a webhook would convert: the failure of a read,
// and that of a write.
struct Unconverted {
  std::string reading;
  std::string writing;
};

// The traits of a kind that a client has defined; for a built-in kind, they follow from its
// name. Immutable; a changed definition creates new ones.
struct DefinedTraits {
  virtual ~DefinedTraits() = default;
  // Gives a stored object the fields and defaults that it has in this version.
  virtual void convert(JsonObject& object) const = 0;
  // Drops fields that are not in the schema.
  virtual void drop_unknown(JsonObject& object) const = 0;
  // Drops fields that the stored version does not have.
  virtual void drop_unstored(JsonObject& object) const = 0;

  std::string storage;  // the definition's name: "jobsets.jobset.x-k8s.io"
  std::string edition;  // differs after each change of the definition's spec
  std::string list_kind;
  std::vector<std::string> categories;
  std::string deprecation;  // the warning to each of its users; "": none
  bool has_status = false;
  bool is_terminating = false;
  std::optional<Unconverted> unconverted;
  Schema merge;
  Printer printer;
};

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
  std::vector<std::string> versions;  // currently served, preferred first
  // Details of a kind defined by a client; null if built in.
  std::shared_ptr<const DefinedTraits> defined = {};

  // The name of a built-in kind; "" for a defined one, whatever its name.
  std::string_view built_in() const { return defined == nullptr ? kind : std::string_view(); }
  bool is(std::string_view built_in_kind) const { return built_in() == built_in_kind; }
  // Whether Go decodes the whole object into a struct, which removes null and empty members.
  bool is_struct() const;
  // The store's name for its objects. No two defined kinds share one.
  const std::string& storage() const;

  // Null if its objects need no webhook in this version.
  const Unconverted* unconverted() const;

  bool namespaced() const { return scope == Scope::namespaced; }
  // Namespaces can only be deleted individually.
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
  // Whether items of its lists carry apiVersion and kind.
  TypeMeta item_meta() const { return defined == nullptr ? TypeMeta::omitted : TypeMeta::shown; }

  // By version, since DeviceTaintRule became stricter with v1.
  UnconditionalUpdate unconditional_update(std::string_view version) const;
  DeleteAnswer delete_answer(std::string_view version) const;
};

}  // namespace dcm::apiserver
