// The particular rules of a kind for writes: defaults, fields that an endpoint puts back,
// validation, graceful deletion. The generic part (names, versions, metadata) is in registry.*; the
// division is that of k8s.io/apiserver's registry/rest strategies.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/model/api_error.hpp"
#include "apiserver/rules/names.hpp"
#include "runtime/time.hpp"

namespace dcm::apiserver {

// Where a write goes: the object itself, its /status, /scale, or a namespace's /finalize.
enum class Endpoint { main, status, finalize, scale };
// "" for the object itself.
std::string_view subresource_of(Endpoint endpoint);
// Whether the garbage collector knows what such an object owns.
enum class Dependents { collected, unknown };
// Whether a PUT makes what is not there.
enum class CreateOnUpdate { refused, allowed };

struct WriteContext {
  runtime::WallTime now;
  // The namespace of the object; null for cluster-wide ones.
  const JsonObject* ns = nullptr;
};

using SelectableFields = std::map<std::string, std::string, std::less<>>;

// Stateless; each one lives as long as the process.
class Strategy {
 public:
  virtual ~Strategy() = default;

  virtual NameRule name_rule() const { return NameRule::dns_subdomain; }
  virtual CreateOnUpdate create_on_update() const { return CreateOnUpdate::refused; }
  virtual Dependents dependents() const { return Dependents::collected; }
  // What the writer of an object must know of it here. `old`: before an update; null: it is new.
  virtual std::vector<std::string> warnings(const JsonObject& /*next*/,
                                            const JsonObject* /*old*/) const {
    return {};
  }
  // The API's defaults, which belong to the writer of the object.
  virtual void set_defaults(JsonObject&, const WriteContext&) const {}
  // Adds admission's fields, and drops what a create must not set: both have no owner.
  virtual void prepare_create(JsonObject&, const WriteContext&) const {}
  virtual void validate_create(const JsonObject&, const WriteContext&, Causes&) const {}
  // Puts back what this endpoint must not change, without a word.
  virtual void prepare_update(JsonObject& next, const JsonObject& old, Endpoint,
                              const WriteContext&) const;
  virtual void validate_update(const JsonObject& next, const JsonObject& old, Endpoint,
                               Causes&) const;
  // The fields (`spec`, `metadata.ownerReferences`) that prepare_update puts back: a write there
  // gives no ownership of them.
  virtual std::vector<std::string> reset_fields(Endpoint) const { return {}; }
  // The spec of the pod that it is, or of those that it makes; null if it makes none.
  virtual Json* pod_spec(JsonObject&) const { return nullptr; }
  // Whether a controller makes pods of it.
  virtual bool makes_pods() const { return false; }
  // Seconds until a deleted object may go, for kinds that are deleted gracefully: they are marked
  // first even if that is 0. `wished`: the request's, or -1.
  virtual std::optional<std::int64_t> grace_seconds(const JsonObject&,
                                                    std::int64_t /*wished*/) const {
    return std::nullopt;
  }
  // What a first DELETE leaves of an object that stays until something else is gone: then true.
  virtual bool begin_deletion(JsonObject&, const std::string& /*now*/) const { return false; }
  // Fields that a fieldSelector may name, besides metadata.name and metadata.namespace.
  virtual SelectableFields selectable_fields(const JsonObject&) const { return {}; }
};

// A kind with spec, status and /status, of the newer sort: /status changes nothing but the status,
// and the main path everything else.
class StatusStrategy : public Strategy {
 public:
  void prepare_create(JsonObject& object, const WriteContext&) const override;
  void prepare_update(JsonObject& next, const JsonObject& old, Endpoint,
                      const WriteContext&) const override;
  std::vector<std::string> reset_fields(Endpoint endpoint) const override;
};

// The older sort: a write to /status takes the metadata along.
class OldStatusStrategy : public Strategy {
 public:
  void prepare_update(JsonObject& next, const JsonObject& old, Endpoint,
                      const WriteContext&) const override;
  std::vector<std::string> reset_fields(Endpoint endpoint) const override;
};

// Restores labels, annotations, finalizers and owner references (metav1.ResetObjectMetaForStatus).
void restore_metadata(JsonObject& next, const JsonObject& old);
// Adds one to metadata.generation if the spec differs.
void count_generation(JsonObject& next, const JsonObject& old);
// Reports `spec` as immutable if it differs.
void require_same_spec(const JsonObject& next, const JsonObject& old, Causes& causes);
void set_default(JsonObject& object, std::string_view key, Json value);
// Whether a member says anything: false and "" do not.
bool is_set(const JsonObject& object, std::string_view key);
// The key of a label or a taint, the type of a condition.
void validate_label_name(std::string_view name, const std::string& path, Causes& causes);
// "spec.devices.requests[3]".
std::string indexed(std::string_view path, std::size_t index);

}  // namespace dcm::apiserver
