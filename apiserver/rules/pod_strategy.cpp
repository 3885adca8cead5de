// Pods: the defaults that controllers and schedulers read, which fields /status writes or restores,
// and graceful deletion (k8s.io/kubernetes pkg/registry/core/pod/strategy.go).
#include "apiserver/rules/pod_defaults.hpp"
#include "apiserver/rules/pod_requests.hpp"
#include "apiserver/rules/pod_validation.hpp"
#include "apiserver/rules/pod_warnings.hpp"
#include "apiserver/rules/quality_of_service.hpp"
#include "apiserver/rules/strategies.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::apiserver {

namespace {

// A writer that does not know these lists must not clear them; an explicit empty list does.
void keep_claim_statuses(JsonObject& next, const JsonObject& old) {
  JsonObject& status = child(next, "status");
  const JsonObject& before = object_at(old, {"status"});
  for (const auto* name :
       {"resourceClaimStatuses", "extendedResourceClaimStatus",
        "nodeAllocatableResourceClaimStatuses", "qosClass", "observedGeneration"}) {
    if (!status.contains(name)) restore(status, before, name);
  }
}

class PodStrategy final : public Strategy {
 public:
  void set_defaults(JsonObject& object, const WriteContext&) const override {
    default_pod_spec(child(object, "spec"));
    default_pod_ips(child(object, "status"));
  }

  std::vector<std::string_view> pod_spec_path() const override { return {"spec"}; }

  std::vector<std::string> warnings(const JsonObject& pod, const JsonObject* old) const override {
    if (old != nullptr) return {};
    return warnings_of_pod_spec(object_at(pod, {"spec"}), "spec");
  }

  void prepare_create(JsonObject& object, const WriteContext& context) const override {
    child(object, "metadata")["generation"] = 1;
    JsonObject& spec = child(object, "spec");
    admit_pod_spec(spec, {});
    default_pod_level_resources(spec);
    object["status"] = JsonObject{{"phase", "Pending"}, {"qosClass", qos_class(spec)}};
    if (!array_at(spec, {"schedulingGates"}).empty()) {
      child(object, "status")["conditions"] = JsonArray{
          JsonObject{{"type", "PodScheduled"},
                     {"status", "False"},
                     {"reason", "SchedulingGated"},
                     {"message", "Scheduling is blocked due to non-empty scheduling gates"},
                     {"lastTransitionTime", runtime::timestamp(context.now)}}};
    }
  }

  void validate_create(const JsonObject& object, const WriteContext&,
                       Causes& causes) const override {
    validate_new_pod(object, causes);
  }

  void prepare_update(JsonObject& next, const JsonObject& old, Endpoint endpoint,
                      const WriteContext&) const override {
    if (endpoint == Endpoint::main) {
      restore(next, old, "status");
      admit_pod_spec(child(next, "spec"), object_at(old, {"spec"}));
      // Kept for writers that do not know pod-level resources.
      if (!has(next, {"spec", "resources"})) {
        restore(child(next, "spec"), object_at(old, {"spec"}), "resources");
      }
      count_generation(next, old);
      return;
    }
    restore(next, old, "spec");
    JsonObject& metadata = child(next, "metadata");
    restore(metadata, object_at(old, {"metadata"}), "ownerReferences");
    metadata.erase("deletionTimestamp");
    keep_claim_statuses(next, old);
  }

  void validate_update(const JsonObject& next, const JsonObject& old, Endpoint endpoint,
                       Causes& causes) const override {
    if (endpoint == Endpoint::status) {
      validate_pod_status(next, old, causes);
    } else {
      validate_pod_change(next, old, causes);
    }
  }

  std::vector<std::string> reset_fields(Endpoint endpoint) const override {
    if (endpoint == Endpoint::main) return {"status"};
    return {"spec", "metadata.deletionTimestamp", "metadata.ownerReferences"};
  }

  // A pod without a node, or a finished one, runs nothing: it may be deleted at once.
  std::optional<std::int64_t> grace_seconds(const JsonObject& pod,
                                            std::int64_t requested) const override {
    const std::string_view phase = text_at(pod, {"status", "phase"});
    if (text_at(pod, {"spec", "nodeName"}).empty()) return 0;
    if (phase == "Succeeded" || phase == "Failed") return 0;
    const auto own = integer_at(pod, {"spec", "terminationGracePeriodSeconds"}).value_or(0);
    const std::int64_t seconds = requested >= 0 ? requested : own;
    return seconds < 0 ? 1 : seconds;
  }

  SelectableFields selectable_fields(const JsonObject& pod) const override {
    SelectableFields fields;
    for (const auto* name : {"nodeName", "restartPolicy", "schedulerName", "serviceAccountName"}) {
      fields["spec." + std::string(name)] = text_at(pod, {"spec", name});
    }
    for (const auto* name : {"phase", "podIP", "nominatedNodeName"}) {
      fields["status." + std::string(name)] = text_at(pod, {"status", name});
    }
    const bool is_of_host = has_true(object_at(pod, {"spec"}), "hostNetwork");
    fields["spec.hostNetwork"] = is_of_host ? "true" : "false";
    return fields;
  }
};

}  // namespace

const Strategy& pod_strategy() {
  static const PodStrategy kStrategy;
  return kStrategy;
}

}  // namespace dcm::apiserver
