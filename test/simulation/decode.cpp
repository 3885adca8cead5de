#include "test/simulation/decode.hpp"

namespace dcm::simulation {
namespace {

using apiserver::array_at;
using apiserver::as_object;
using apiserver::has;
using apiserver::integer_at;
using apiserver::JsonArray;
using apiserver::JsonObject;
using apiserver::text_at;

std::string text(const JsonObject& object, apiserver::Path path) {
  return std::string(text_at(object, path));
}

std::optional<std::string> optional_text(const JsonObject& object, apiserver::Path path) {
  if (!has(object, path)) return std::nullopt;
  return text(object, path);
}

Toleration decode_toleration(const JsonObject& object) {
  return {text(object, {"operator"}), text(object, {"key"}), text(object, {"value"}),
          text(object, {"effect"}), integer_at(object, {"tolerationSeconds"})};
}

// Whole seconds, in the API's format: "2024-10-04T00:01:02Z".
runtime::WallTime decode_time(std::string_view text) {
  const auto number = [&](std::size_t at, std::size_t size) {
    int value = 0;
    for (const char digit : text.substr(at, size)) value = value * 10 + (digit - '0');
    return value;
  };
  if (text.size() < 20) return {};
  using namespace std::chrono;
  const year_month_day date(year(number(0, 4)), month(static_cast<unsigned>(number(5, 2))),
                            day(static_cast<unsigned>(number(8, 2))));
  return sys_days(date) + hours(number(11, 2)) + minutes(number(14, 2)) + seconds(number(17, 2));
}

Taint decode_taint(const JsonObject& object) {
  return {text(object, {"key"}), text(object, {"value"}), text(object, {"effect"}),
          decode_time(text_at(object, {"timeAdded"}))};
}

std::vector<PodClaim> decode_pod_claims(const JsonObject& object) {
  std::vector<PodClaim> claims;
  for (const auto& item : array_at(object, {"spec", "resourceClaims"})) {
    const JsonObject& claim = as_object(item);
    claims.push_back({text(claim, {"name"}), text(claim, {"resourceClaimName"}),
                      text(claim, {"resourceClaimTemplateName"})});
  }
  return claims;
}

ClaimNames decode_claim_names(const JsonObject& object) {
  ClaimNames made;
  for (const auto& item : array_at(object, {"status", "resourceClaimStatuses"})) {
    const JsonObject& entry = as_object(item);
    made.emplace(text(entry, {"name"}), text(entry, {"resourceClaimName"}));
  }
  return made;
}

bool has_finalizer(const JsonObject& object, const char* name) {
  for (const auto& item : array_at(object, {"metadata", "finalizers"})) {
    if (item == name) return true;
  }
  return false;
}

std::string pod_claim_of(const JsonObject& claim) {
  const std::string named = text(claim, {"metadata", "annotations", kPodClaimAnnotation});
  return named.empty() ? text(claim, {"metadata", "annotations", kStrippedAnnotation}) : named;
}

void decode_controller(const JsonObject& object, Claim& claim) {
  for (const auto& item : array_at(object, {"metadata", "ownerReferences"})) {
    const JsonObject& owner = as_object(item);
    if (!has(owner, {"controller"})) continue;
    claim.owner = text(owner, {"uid"});
    const bool is_group = text_at(owner, {"apiVersion"}).starts_with("scheduling.k8s.io/") &&
                          text_at(owner, {"kind"}) == "PodGroup";
    if (is_group) claim.owner_if_group = text(owner, {"name"});
  }
}

}  // namespace

Namespace decode_namespace(const JsonObject& object) {
  return {has(object, {"metadata", "deletionTimestamp"})};
}

Pod decode_pod(const JsonObject& object) {
  Pod pod{.ns = text(object, {"metadata", "namespace"}),
          .name = text(object, {"metadata", "name"}),
          .uid = text(object, {"metadata", "uid"}),
          .version = text(object, {"metadata", "resourceVersion"}),
          .node = text(object, {"spec", "nodeName"}),
          .phase = text(object, {"status", "phase"}),
          .is_being_deleted = has(object, {"metadata", "deletionTimestamp"}),
          .group = text(object, {"spec", "schedulingGroup", "podGroupName"}),
          .claims = decode_pod_claims(object),
          .made = decode_claim_names(object),
          .extended_claim =
              text(object, {"status", "extendedResourceClaimStatus", "resourceClaimName"})};
  for (const auto& item : array_at(object, {"status", "conditions"})) {
    const JsonObject& condition = as_object(item);
    if (text_at(condition, {"type"}) != "DisruptionTarget") continue;
    pod.is_marked = text_at(condition, {"status"}) == "True";
    pod.marked_since = decode_time(text_at(condition, {"lastTransitionTime"}));
  }
  for (const auto& item : array_at(object, {"spec", "containers"})) {
    pod.wants_extended_resource =
        has(as_object(item), {"resources", "requests", "example.com/gpu"});
  }
  return pod;
}

Group decode_group(const JsonObject& object) {
  return {.ns = text(object, {"metadata", "namespace"}),
          .name = text(object, {"metadata", "name"}),
          .uid = text(object, {"metadata", "uid"}),
          .is_being_deleted = has(object, {"metadata", "deletionTimestamp"}),
          .is_protected = has_finalizer(object, "scheduling.k8s.io/podgroup-protection"),
          .claims = decode_pod_claims(object),
          .made = decode_claim_names(object)};
}

Claim decode_claim(const JsonObject& object) {
  Claim claim{.ns = text(object, {"metadata", "namespace"}),
              .name = text(object, {"metadata", "name"}),
              .uid = text(object, {"metadata", "uid"}),
              .version = text(object, {"metadata", "resourceVersion"}),
              .owner = {},
              .owner_if_group = {},
              .pod_claim = pod_claim_of(object),
              .is_being_deleted = has(object, {"metadata", "deletionTimestamp"}),
              .is_protected = has_finalizer(object, "resource.kubernetes.io/delete-protection"),
              .is_allocated = has(object, {"status", "allocation"}),
              .devices = {},
              .reserved_for = {}};
  decode_controller(object, claim);
  for (const auto& item : array_at(object, {"status", "allocation", "devices", "results"})) {
    const JsonObject& result = as_object(item);
    Device device{text(result, {"driver"}), text(result, {"pool"}), text(result, {"device"}), {}};
    for (const auto& toleration : array_at(result, {"tolerations"})) {
      device.tolerations.push_back(decode_toleration(as_object(toleration)));
    }
    claim.devices.push_back(std::move(device));
  }
  for (const auto& item : array_at(object, {"status", "reservedFor"})) {
    const JsonObject& entry = as_object(item);
    claim.reserved_for.push_back({text(entry, {"apiGroup"}), text(entry, {"resource"}),
                                  text(entry, {"name"}), text(entry, {"uid"})});
  }
  return claim;
}

Slice decode_slice(const JsonObject& object) {
  Slice slice{.driver = text(object, {"spec", "driver"}),
              .pool = text(object, {"spec", "pool", "name"}),
              .generation = integer_at(object, {"spec", "pool", "generation"}).value_or(0),
              .devices = {}};
  for (const auto& item : array_at(object, {"spec", "devices"})) {
    const JsonObject& device = as_object(item);
    std::vector<Taint>& taints = slice.devices[text(device, {"name"})];
    for (const auto& taint : array_at(device, {"taints"})) {
      taints.push_back(decode_taint(as_object(taint)));
    }
  }
  return slice;
}

Rule decode_rule(const JsonObject& object) {
  Rule rule{.name = text(object, {"metadata", "name"}),
            .uid = text(object, {"metadata", "uid"}),
            .driver = optional_text(object, {"spec", "deviceSelector", "driver"}),
            .pool = optional_text(object, {"spec", "deviceSelector", "pool"}),
            .device = optional_text(object, {"spec", "deviceSelector", "device"}),
            .taint = decode_taint(apiserver::object_at(object, {"spec", "taint"})),
            .generation = integer_at(object, {"metadata", "generation"}).value_or(0),
            .status = {},
            .reason = {},
            .message = {}};
  for (const auto& item : array_at(object, {"status", "conditions"})) {
    const JsonObject& condition = as_object(item);
    if (text_at(condition, {"type"}) != "EvictionInProgress") continue;
    rule.observed = integer_at(condition, {"observedGeneration"}).value_or(0);
    rule.status = text(condition, {"status"});
    rule.reason = text(condition, {"reason"});
    rule.message = text(condition, {"message"});
  }
  return rule;
}

Report decode_report(const JsonObject& object) {
  return {.process = {},
          .uid = text(object, {"involvedObject", "uid"}),
          .reason = text(object, {"reason"}),
          .message = text(object, {"message"}),
          .count = integer_at(object, {"count"}).value_or(0)};
}

}  // namespace dcm::simulation
