// Create (registry.cpp), update (updates.cpp) and delete (deletion.cpp) of one object: the rules
// that all kinds share, in the order in which k8s.io/apiserver's registry/generic store applies
// them. What is particular to a kind is in its Strategy. Bodies come in and objects go out in the
// version of the request; stored ones are v1.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "apiserver/admission/policies.hpp"
#include "apiserver/admission/uncalled_webhooks.hpp"
#include "apiserver/fields/apply.hpp"
#include "apiserver/fields/ownership.hpp"
#include "apiserver/model/target.hpp"
#include "apiserver/registry/object_texts.hpp"
#include "apiserver/rules/strategy.hpp"
#include "apiserver/store/store.hpp"
#include "runtime/rng.hpp"
#include "runtime/time.hpp"

namespace dcm::apiserver {

struct Written {
  Stored object;
  enum class Kind { created, updated } kind = Kind::updated;
};

// The treatment of dependents. `not_orphan`: the deprecated `orphanDependents: false`; background
// for all kinds except namespaces.
enum class Propagation { unsaid, background, foreground, orphan, not_orphan };

struct DeleteWish {
  std::string uid = {};               // precondition, "" for none
  std::string resource_version = {};  // precondition, "" for none
  std::optional<std::int64_t> grace_seconds = {};
  Propagation propagation = Propagation::unsaid;
  // A request for one object; for a collection, for which policies see no name; an eviction, which
  // policies have seen already; or the deletion of the kind's definition, about whose objects no
  // policy is asked.
  enum class Of { object, collection, eviction, definition } of = Of::object;
};

struct Deleted {
  Stored object;
  enum class Kind { gone, pending } kind = Kind::gone;
};

// 409 if the object does not meet the preconditions.
Result<> check_preconditions(const Target& target, const JsonObject& object,
                             const DeleteWish& wish);

// Drops applied fields that are not in a defined kind's schema.
void drop_unknown(const ResourceType& type, JsonObject& object);
// 413 if the object exceeds a limit of text/item_budget.hpp.
Result<> check_limits(const JsonObject& object);
// 500 if resourceVersion is no number.
Result<> check_is_number(std::string_view version);

// A cluster-scoped object gets no namespace, whatever the writer says.
void set_namespace(const Target& target, JsonObject& metadata);
// Drops duplicate owner references from `metadata`; returns the warning, or "".
std::string drop_repeated_owners_with_warning(JsonObject& metadata);
// Drops null members: neither structs nor metadata have them.
void drop_nulls(const ResourceType& type, JsonObject& object);
// Each cause once, in the words of the client's version.
Causes as_client_sees(Causes causes, const Target& target);

class Registry {
 public:
  // All references must outlive the registry.
  Registry(Store& store, const ResourceTable& types, runtime::TimeSource& time, runtime::Rng& rng,
           Ownership ownership)
      : store_(store),
        types_(types),
        time_(time),
        rng_(rng),
        ownership_(ownership),
        policies_(store, types),
        webhooks_(store, types) {}

  // get() tells whether it exists; read() returns it only if no webhook is needed to convert it.
  Result<Stored> get(const Target& target) const;
  Result<Stored> read(const Target& target) const;
  Result<Written> create(const Target& target, JsonObject body);
  Result<Written> replace(const Target& target, JsonObject body);
  // The objects of a kind in a namespace, or in all if it is "".
  std::vector<Store::Entry> list(const ResourceType& type, std::string_view ns) const;
  // Applies `change` to the newest state in the target's version. Managed fields are a large part
  // of an object, so they are copied only for changes that read them.
  using Change = std::function<Result<>(JsonObject& object)>;
  enum class Managers { hidden, shown };
  Result<Written> patch(const Target& target, const Change& change,
                        Managers managers = Managers::hidden);
  Result<Written> apply(const Target& target, JsonObject wanted, ApplyForce force);
  // For endpoints that change what no client can: bypasses strategy, validation and managed fields.
  // `now` is formatted as in API objects.
  using Rewrite = std::function<Result<>(JsonObject& stored, const std::string& now)>;
  Result<Written> rewrite(const Target& target, const Rewrite& rewrite);
  Result<Deleted> remove(const Target& target, const DeleteWish& wish);

  // Whether admission policies admit a write of a subresource. `kind`: of the posted object.
  Result<> ask_policies(const Target& target, std::string_view subresource, GroupVersionKind kind,
                        const JsonObject& object);
  // Adds a warning for the client of a request; "" adds none.
  void warn(const std::string& text);
  void warn_of(const Target& target, const JsonObject& next, const JsonObject* old);
  // Further warnings for the writer of an object. `old`: the object before an update; null if new.
  using Advice = std::function<std::vector<std::string>(
      const ResourceType& type, const JsonObject& object, const JsonObject* old)>;
  void set_advice(Advice advice) { advice_ = std::move(advice); }
  // These, plus warnings of admission policies, since the last call.
  std::vector<std::string> take_warnings();

  const ResourceTable& types() const { return types_; }
  // The object as text, in the target's version.
  std::string encode(const Target& target, const Stored& object);
  ObjectTexts& texts() { return texts_; }
  // The time as formatted in API objects.
  std::string now() const;

 private:
  // The origin of an update: decides what a missing version or another UID means.
  enum class Update { replace, patch, apply };

  // `applied`: the fields claimed by server-side apply; null for an ordinary create.
  Result<Written> make(const Target& target, JsonObject body, const FieldSet* applied);
  void complete(const Target& target, JsonObject& body, const FieldSet* applied);
  // Admission, last changes, validation and policies.
  Result<> admit_new(const Target& target, JsonObject& body);
  // Whether admission policies admit a write; null: there is no such object.
  Result<> ask_policies(std::string_view operation, const Target& target, const JsonObject* object,
                        const JsonObject* old);
  bool asks_admission() const;
  Result<> ask_policies(const Attributes& attributes);
  // Checks that depend on other objects, which no strategy can do.
  Result<> admit(const Target& target, JsonObject& body) const;
  // Pods belong to groups only where groups are served (feature gate GenericWorkload).
  void drop_fields_of_other_versions(const ResourceType& type, JsonObject& object);
  Result<> check_namespace(const Target& target, const JsonObject& body) const;
  Causes problems_with_new(const Target& target, const JsonObject& object) const;
  void set_system_metadata(const Target& target, JsonObject& metadata) const;
  Result<> choose_name(const Target& target, JsonObject& metadata) const;
  Result<Written> update(const Target& target, const Stored& stored, JsonObject next, Update how);
  Result<> check_version(const Target& target, const JsonObject& old, JsonObject& next,
                         Update how) const;
  Result<Written> commit_update(const Target& target, const Stored& old, JsonObject next);
  // The state that an update is based on.
  Result<Stored> base_of(const Target& target) const;
  Result<Written> apply_as_create(const Target& target, JsonObject wanted);
  Result<> admit_deletion(const Target& target, const JsonObject& old, DeleteWish::Of of);
  void mark_as_deleted(const Target& target, JsonObject& object,
                       std::optional<std::int64_t> grace) const;

  WriteContext context_of(const Target& target) const;
  std::string random_suffix() const;

  Store& store_;
  const ResourceTable& types_;
  runtime::TimeSource& time_;
  runtime::Rng& rng_;
  Ownership ownership_;
  Policies policies_;
  UncalledWebhooks webhooks_;
  ObjectTexts texts_;
  std::vector<std::string> warnings_;
  Advice advice_;  // null: no further warnings
};

}  // namespace dcm::apiserver
