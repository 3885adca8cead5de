// PodGroup (KEP-4671, KEP-5729), as far as the controllers use it: its initial finalizer, and the
// names of its claims.
#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/pod_claim_statuses.hpp"
#include "apiserver/rules/strategies.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::string_view kProtection = "scheduling.k8s.io/podgroup-protection";

class PodGroupStrategy final : public StatusStrategy {
 public:
  void set_defaults(JsonObject& object, const WriteContext&) const override {
    JsonObject& spec = child(object, "spec");
    if (!spec.contains("disruptionMode")) child(child(spec, "disruptionMode"), "single");
  }

  void prepare_create(JsonObject& object, const WriteContext& context) const override {
    StatusStrategy::prepare_create(object, context);
    child(object, "spec")["priority"] = 0;
    add_once(child_list(child(object, "metadata"), "finalizers"), kProtection);
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
    const Texts claims = texts_of(array_at(next, {"spec", "resourceClaims"}), "name");
    const JsonArray& statuses = array_at(next, {"status", "resourceClaimStatuses"});
    for (const auto& [status, path] : with_paths(statuses, "status.resourceClaimStatuses")) {
      require_known_claim(text_at(status, {"name"}), claims, path + ".name", causes);
    }
  }
};

}  // namespace

const Strategy& pod_group_strategy() {
  static const PodGroupStrategy kStrategy;
  return kStrategy;
}

}  // namespace dcm::apiserver
