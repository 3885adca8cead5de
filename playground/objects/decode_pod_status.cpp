// The status of pods.
#include <algorithm>

#include "client/api/json/source.hpp"
#include "controllers/api/fields/parts.hpp"
#include "playground/objects/decode_pod_parts.hpp"

namespace dcm::playground {

using api::each;
using api::row;
using api::rows;
using api::Word;

constexpr auto fields_of(const ExtendedRequest*) {
  return rows(row<"containerName">(&ExtendedRequest::container),
              row<"requestName">(&ExtendedRequest::request));
}

namespace {

struct ConditionPart {
  std::string_view type;
  Word status;
  Word reason;
  std::string_view message;
  std::optional<runtime::WallTime> since;
};
constexpr auto fields_of(const ConditionPart*) {
  return rows(row<"type">(&ConditionPart::type), row<"status">(&ConditionPart::status),
              row<"reason">(&ConditionPart::reason), row<"message">(&ConditionPart::message),
              row<"lastTransitionTime">(&ConditionPart::since));
}

void take_condition(const ConditionPart& condition, Pod& pod) {
  const bool is_true = condition.status == "True";
  pod.conditions.push_back({InternedString(condition.type), is_true, condition.since});
  if (condition.type == "PodScheduled" && condition.status == "False") {
    pod.unschedulable = condition.message;
  }
  if (condition.type == api::kDisruptionTarget && is_true) {
    pod.disruption_target = condition.reason == api::kDeviceTaintDisruptionReason
                                ? api::DisruptionTarget::by_device_taint
                                : api::DisruptionTarget::other;
  }
}

struct ContainerStatus {
  std::int64_t restarts = 0;
};
constexpr auto fields_of(const ContainerStatus*) {
  return rows(row<"restartCount">(&ContainerStatus::restarts));
}

void take_container(ContainerStatus status, Pod& pod) {
  pod.restarts = std::max(pod.restarts, status.restarts);
}

constexpr auto kStatus = rows(
    row<"phase">(&Pod::phase), row<"podIP">(&Pod::ip), row<"startTime">(&Pod::start_time),
    row<"containerStatuses">(each<ContainerStatus>(take_container)),
    row<"conditions">(each<ConditionPart>(take_condition)),
    row<"extendedResourceClaimStatus">(rows(row<"resourceClaimName">(&Pod::extended_resource_claim),
                                            row<"requestMappings">(&Pod::extended_requests))),
    row<"resourceClaimStatuses">(api::pod_claim_statuses()));

}  // namespace

bool read_pod_status(const api::json::Source& from, Pod& pod) {
  const bool is_read = read_fields(from, pod, kStatus);
  sort_claim_statuses(pod);
  return is_read;
}

}  // namespace dcm::playground
