// Pods: the defaults that controllers and schedulers read, what /status takes and what it puts
// back, and graceful deletion (k8s.io/kubernetes pkg/registry/core/pod/strategy.go).
#include <algorithm>
#include <set>

#include "test/apiserver/strategies.hpp"

namespace dcm::apiserver {

namespace {

bool asks_for_resources(const Json& container) {
  return container.is_object() &&
         (!object_at(container.get_object(), {"resources", "requests"}).empty() ||
          !object_at(container.get_object(), {"resources", "limits"}).empty());
}

void default_spec(JsonObject& spec) {
  set_default(spec, "restartPolicy", "Always");
  set_default(spec, "terminationGracePeriodSeconds", 30);
  set_default(spec, "dnsPolicy", "ClusterFirst");
  set_default(spec, "schedulerName", "default-scheduler");
  set_default(spec, "enableServiceLinks", true);
  set_default(spec, "securityContext", JsonObject());
}

void validate_containers(const JsonObject& pod, Causes& causes) {
  const JsonArray& containers = array_at(pod, {"spec", "containers"});
  if (containers.empty()) causes.push_back(required_value("spec.containers"));
  std::size_t index = 0;
  for (const Json& item : containers) {
    const std::string path = indexed("spec.containers", index++);
    if (!item.is_object()) continue;
    for (const auto* key : {"name", "image"}) {
      if (text_at(item.get_object(), {key}).empty()) {
        causes.push_back(required_value(path + "." + key));
      }
    }
  }
}

void validate_pod_claims(const JsonObject& pod, Causes& causes) {
  std::set<std::string_view> names;
  std::size_t index = 0;
  for (const Json& item : array_at(pod, {"spec", "resourceClaims"})) {
    const std::string path = indexed("spec.resourceClaims", index++);
    if (!item.is_object()) continue;
    const JsonObject& claim = item.get_object();
    const std::string_view name = text_at(claim, {"name"});
    if (name.empty()) causes.push_back(required_value(path + ".name"));
    if (!names.insert(name).second) causes.push_back(duplicate_value(path + ".name", Json(name)));
    const bool named = has(claim, {"resourceClaimName"});
    const bool from_template = has(claim, {"resourceClaimTemplateName"});
    if (named == from_template) {
      causes.push_back(invalid_value(path, item,
                                     named ? "at most one of `resourceClaimName` or "
                                             "`resourceClaimTemplateName` may be specified"
                                           : "must specify one of: `resourceClaimName`, "
                                             "`resourceClaimTemplateName`"));
    }
  }
}

void validate_claim_statuses(const JsonObject& pod, Causes& causes) {
  const JsonArray& claims = array_at(pod, {"spec", "resourceClaims"});
  std::set<std::string_view> names;
  std::size_t index = 0;
  for (const Json& item : array_at(pod, {"status", "resourceClaimStatuses"})) {
    const std::string path = indexed("status.resourceClaimStatuses", index++) + ".name";
    const std::string_view name =
        item.is_object() ? text_at(item.get_object(), {"name"}) : std::string_view();
    const bool known = std::ranges::any_of(claims, [&](const Json& claim) {
      return claim.is_object() && text_at(claim.get_object(), {"name"}) == name;
    });
    if (!known) {
      causes.push_back(invalid_value(path, Json(name),
                                     "must match the name of an entry in `spec.resourceClaims`"));
    }
    if (!names.insert(name).second) causes.push_back(duplicate_value(path, Json(name)));
  }
}

// What a running pod's spec may change: images, deadlines, tolerations, gates.
JsonObject without_mutable_fields(const JsonObject& pod) {
  JsonObject spec = object_at(pod, {"spec"});
  for (const auto* name : {"activeDeadlineSeconds", "tolerations", "schedulingGates",
                           "terminationGracePeriodSeconds"}) {
    spec.erase(name);
  }
  for (const auto* list : {"containers", "initContainers"}) {
    Json* containers = find(spec, {list});
    if (containers == nullptr || !containers->is_array()) continue;
    for (Json& container : containers->get_array()) {
      if (container.is_object()) container.get_object().erase("image");
    }
  }
  return spec;
}

// A writer that does not know these lists must not clear them; an empty list still does.
void keep_claim_statuses(JsonObject& next, const JsonObject& old) {
  JsonObject& status = child(next, "status");
  const JsonObject& before = object_at(old, {"status"});
  for (const auto* name : {"resourceClaimStatuses", "extendedResourceClaimStatus",
                           "nodeAllocatableResourceClaimStatuses", "qosClass"}) {
    if (!status.contains(name)) restore(status, before, name);
  }
}

class PodStrategy final : public Strategy {
 public:
  void prepare_create(JsonObject& object, const WriteContext&) const override {
    child(object, "metadata")["generation"] = 1;
    JsonObject& spec = child(object, "spec");
    default_spec(spec);
    const bool asks = std::ranges::any_of(array_at(spec, {"containers"}), asks_for_resources);
    object["status"] =
        JsonObject{{"phase", "Pending"}, {"qosClass", asks ? "Burstable" : "BestEffort"}};
  }

  void validate_create(const JsonObject& object, const WriteContext&,
                       Causes& causes) const override {
    validate_containers(object, causes);
    validate_pod_claims(object, causes);
  }

  void prepare_update(JsonObject& next, const JsonObject& old, Endpoint endpoint,
                      const WriteContext&) const override {
    if (endpoint == Endpoint::main) {
      restore(next, old, "status");
      default_spec(child(next, "spec"));
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
      validate_claim_statuses(next, causes);
    } else if (without_mutable_fields(next) != without_mutable_fields(old)) {
      causes.push_back(forbidden_value(
          "spec",
          "pod updates may not change fields other than "
          "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
          "`spec.tolerations` (only additions to existing tolerations),"
          "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously "
          "negative)"));
    }
  }

  std::vector<std::string> reset_fields(Endpoint endpoint) const override {
    return {endpoint == Endpoint::main ? "status" : "spec"};
  }

  // Nothing runs of a pod without a node or of one that has ended: it may go at once.
  std::optional<std::int64_t> grace_seconds(const JsonObject& pod,
                                            std::int64_t wished) const override {
    const std::string_view phase = text_at(pod, {"status", "phase"});
    if (text_at(pod, {"spec", "nodeName"}).empty()) return 0;
    if (phase == "Succeeded" || phase == "Failed") return 0;
    const auto own = integer_at(pod, {"spec", "terminationGracePeriodSeconds"}).value_or(0);
    const std::int64_t seconds = wished >= 0 ? wished : own;
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
    return fields;
  }
};

}  // namespace

const Strategy& pod_strategy() {
  static const PodStrategy kStrategy;
  return kStrategy;
}

}  // namespace dcm::apiserver
