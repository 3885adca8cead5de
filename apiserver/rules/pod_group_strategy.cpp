// PodGroup (KEP-4671, KEP-5729), as far as the controllers use it: its initial finalizer, and the
// names of its claims.
#include <algorithm>

#include "apiserver/rules/strategies.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::string_view kProtection = "scheduling.k8s.io/podgroup-protection";

void add_finalizer(JsonObject& metadata) {
  Json& finalizers = metadata["finalizers"];
  if (!finalizers.is_array()) finalizers = JsonArray{};
  JsonArray& names = finalizers.as_array();
  if (std::ranges::find(names, Json(kProtection)) == names.end()) {
    names.emplace_back(kProtection);
  }
}

class PodGroupStrategy final : public StatusStrategy {
 public:
  void set_defaults(JsonObject& object, const WriteContext&) const override {
    JsonObject& spec = child(object, "spec");
    if (!spec.contains("disruptionMode")) child(child(spec, "disruptionMode"), "single");
  }

  void prepare_create(JsonObject& object, const WriteContext& context) const override {
    StatusStrategy::prepare_create(object, context);
    child(object, "spec")["priority"] = 0;
    add_finalizer(child(object, "metadata"));
  }

  void validate_create(const JsonObject& object, const WriteContext&,
                       Causes& causes) const override {
    if (object_at(object, {"spec", "schedulingPolicy"}).empty()) {
      causes.push_back(
          invalid_value("spec.schedulingPolicy", Json(""), "must specify one of: `basic`, `gang`"));
    }
  }

  void validate_update(const JsonObject& next, const JsonObject& old, Endpoint endpoint,
                       Causes& causes) const override {
    if (endpoint == Endpoint::main) return require_same_spec(next, old, causes);
    const JsonArray& claims = array_at(next, {"spec", "resourceClaims"});
    const JsonArray& statuses = array_at(next, {"status", "resourceClaimStatuses"});
    for (std::size_t i = 0; i < statuses.size(); ++i) {
      const std::string_view name = text_at(statuses[i].as_object(), {"name"});
      const bool is_known = std::ranges::any_of(
          claims, [&](const Json& claim) { return text_at(claim.as_object(), {"name"}) == name; });
      if (is_known) continue;
      causes.push_back(invalid_value(indexed("status.resourceClaimStatuses", i) + ".name",
                                     Json(name),
                                     "must match the name of an entry in `spec.resourceClaims`"));
    }
  }
};

}  // namespace

const Strategy& pod_group_strategy() {
  static const PodGroupStrategy kStrategy;
  return kStrategy;
}

}  // namespace dcm::apiserver
