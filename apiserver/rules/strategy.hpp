// A kind's rules for writes: defaults, fields that an endpoint restores, validation, graceful
// deletion. The generic part (names, versions, metadata) is in registry.*; the division follows
// k8s.io/apiserver's registry/rest strategies.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/model/api_error.hpp"
#include "apiserver/model/target.hpp"
#include "apiserver/rules/names.hpp"
#include "runtime/time.hpp"

namespace dcm::apiserver {

// Whether the garbage collector tracks dependents of such an object.
enum class Dependents { collected, unknown };
// Whether a PUT creates a missing object.
enum class CreateOnUpdate { refused, allowed };

struct WriteContext {
  runtime::WallTime now;
  // The namespace of the object; null if cluster-scoped.
  const JsonObject* ns = nullptr;
};

using SelectableFields = std::map<std::string, std::string, std::less<>>;

// Stateless; lives as long as the process.
class Strategy {
 public:
  virtual ~Strategy() = default;

  virtual NameRule name_rule() const { return NameRule::dns_subdomain; }
  virtual CreateOnUpdate create_on_update() const { return CreateOnUpdate::refused; }
  virtual Dependents dependents() const { return Dependents::collected; }
  // Warnings for the writer. `old`: the object before an update; null if new.
  virtual std::vector<std::string> warnings(const JsonObject& /*next*/,
                                            const JsonObject* /*old*/) const {
    return {};
  }
  // The API's defaults, which are owned by the writer of the object.
  virtual void set_defaults(JsonObject&, const WriteContext&) const {}
  // Adds admission's fields, and drops what a create must not set: neither has an owner.
  virtual void prepare_create(JsonObject&, const WriteContext&) const {}
  virtual void validate_create(const JsonObject&, const WriteContext&, Causes&) const {}
  // Silently restores what this endpoint must not change.
  virtual void prepare_update(JsonObject& next, const JsonObject& old, Endpoint,
                              const WriteContext&) const;
  virtual void validate_update(const JsonObject& next, const JsonObject& old, Endpoint,
                               Causes&) const;
  // The fields (`spec`, `metadata.ownerReferences`) that prepare_update restores: writing them
  // gives no ownership.
  virtual std::vector<std::string> reset_fields(Endpoint) const { return {}; }
  // Where the object has what a write to /scale changes: the steps, by apiVersion.
  virtual std::map<std::string, std::vector<std::string>> replicas_paths() const { return {}; }
  // Why an accepted object has no typed form; "" if it has one. Without one, its fields have no
  // owners, and nothing can be applied to it.
  virtual std::string untyped(const JsonObject&) const { return {}; }
  // Where the spec of the pod is, or of the pods that the object creates; empty if it has none.
  virtual std::vector<std::string_view> pod_spec_path() const { return {}; }
  // Whether a controller creates pods from it.
  virtual bool makes_pods() const { return false; }
  // Grace period in seconds, for kinds that are deleted gracefully: they are marked first even if
  // it is 0. `requested`: the request's, or -1.
  virtual std::optional<std::int64_t> grace_seconds(const JsonObject&,
                                                    std::int64_t /*requested*/) const {
    return std::nullopt;
  }
  // If the object must stay until something else is gone: makes the changes of a first DELETE, and
  // returns true.
  virtual bool begin_deletion(JsonObject&, const std::string& /*now*/) const { return false; }
  // Fields that a fieldSelector may name, besides metadata.name and metadata.namespace.
  virtual SelectableFields selectable_fields(const JsonObject&) const { return {}; }
};

// A kind with spec, status and /status, in the newer style: /status changes only the status, and
// the main path everything else.
class StatusStrategy : public Strategy {
 public:
  void prepare_create(JsonObject& object, const WriteContext&) const override;
  void prepare_update(JsonObject& next, const JsonObject& old, Endpoint,
                      const WriteContext&) const override;
  std::vector<std::string> reset_fields(Endpoint endpoint) const override;
};

// The older style: a write to /status includes metadata.
class OldStatusStrategy : public Strategy {
 public:
  void prepare_update(JsonObject& next, const JsonObject& old, Endpoint,
                      const WriteContext&) const override;
  std::vector<std::string> reset_fields(Endpoint endpoint) const override;
};

// A kind whose updates are validated like creates.
class UniformStrategy : public Strategy {
 public:
  void validate_create(const JsonObject& object, const WriteContext&,
                       Causes& causes) const override {
    validate(object, causes);
  }
  void validate_update(const JsonObject& next, const JsonObject&, Endpoint,
                       Causes& causes) const override {
    validate(next, causes);
  }

 private:
  virtual void validate(const JsonObject& object, Causes& causes) const = 0;
};

// Restores labels, annotations, finalizers and owner references (metav1.ResetObjectMetaForStatus).
void restore_metadata(JsonObject& next, const JsonObject& old);
// Increments metadata.generation if what is wanted differs: the spec, for most kinds.
void count_generation(JsonObject& next, const JsonObject& old, std::string_view wanted = "spec");
// Reports `spec` as immutable if it differs.
void require_same_spec(const JsonObject& next, const JsonObject& old, Causes& causes);

}  // namespace dcm::apiserver
