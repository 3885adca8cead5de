// The status of pods.
#include <algorithm>
#include <string>
#include <utility>

#include "client/api/json/decoder.hpp"
#include "controllers/api/json/parts.hpp"
#include "playground/objects/decode_pod_parts.hpp"

namespace dcm::playground {

using api::PodPhase;
using api::json::Reader;
using api::json::value;

std::optional<PodPhase> phase_of(std::string_view text) {
  if (text.empty() || text == "Pending") return PodPhase::pending;
  if (text == "Running") return PodPhase::running;
  if (text == "Succeeded") return PodPhase::succeeded;
  if (text == "Failed") return PodPhase::failed;
  return std::nullopt;
}

namespace {

constexpr std::string_view kDeletionByDeviceTaint = "DeletionByDeviceTaintManager";

bool read_claim_status(Reader& reader, value item, api::PodClaimStatus& status) {
  return reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "name") return reader.text(field, status.name);
    if (key != "resourceClaimName") return true;
    std::string_view name;
    if (!reader.view(field, name)) return false;
    if (!name.empty()) status.claim_name.emplace(name);
    return true;
  });
}

bool read_extended_request(Reader& reader, value item, ExtendedRequest& mapping) {
  return reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "containerName") return reader.text(field, mapping.container);
    if (key == "requestName") return reader.text(field, mapping.request);
    return true;
  });
}

bool read_extended_claim(Reader& reader, value status, Pod& pod) {
  return reader.each_field(status, [&](std::string_view key, value field) {
    if (key == "resourceClaimName") return reader.text(field, pod.extended_resource_claim);
    if (key != "requestMappings") return true;
    return reader.each_item(field, [&](value item) {
      return read_extended_request(reader, item, pod.extended_requests.emplace_back());
    });
  });
}

struct ConditionView {
  std::string_view type;
  std::string_view status;
  std::string_view reason;
  std::string message;
  std::optional<runtime::WallTime> since;
};

bool read_condition(Reader& reader, value item, Pod& pod) {
  ConditionView condition;
  const bool is_read = reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "type") return reader.view(field, condition.type);
    if (key == "status") return reader.view(field, condition.status);
    if (key == "reason") return reader.view(field, condition.reason);
    if (key == "lastTransitionTime") return api::json::read_time(reader, field, condition.since);
    if (key == "message") return reader.text(field, condition.message);
    return true;
  });
  if (!is_read) return false;
  pod.conditions.push_back(
      {InternedString(condition.type), condition.status == "True", condition.since});
  if (condition.type == "PodScheduled" && condition.status == "False") {
    pod.unschedulable = std::move(condition.message);
  }
  if (condition.type == "DisruptionTarget" && condition.status == "True") {
    pod.disruption_target = condition.reason == kDeletionByDeviceTaint
                                ? api::DisruptionTarget::by_device_taint
                                : api::DisruptionTarget::other;
  }
  return true;
}

bool read_phase(Reader& reader, value field, Pod& pod) {
  std::string_view text;
  if (!reader.view(field, text)) return false;
  pod.phase = phase_of(text).value_or(PodPhase::unknown);
  return true;
}

bool read_container_status(Reader& reader, value item, Pod& pod) {
  return reader.each_field(item, [&](std::string_view key, value field) {
    if (key != "restartCount") return true;
    std::int64_t restarts = 0;
    if (!reader.integer(field, restarts)) return false;
    pod.restarts = std::max(pod.restarts, restarts);
    return true;
  });
}

}  // namespace

bool read_pod_status(Reader& reader, value status, Pod& pod) {
  return reader.each_field(status, [&](std::string_view key, value field) {
    if (key == "phase") return read_phase(reader, field, pod);
    if (key == "podIP") return reader.text(field, pod.ip);
    if (key == "containerStatuses") {
      return reader.each_item(field,
                              [&](value item) { return read_container_status(reader, item, pod); });
    }
    if (key == "startTime") return api::json::read_time(reader, field, pod.start_time);
    if (key == "conditions") {
      return reader.each_item(field, [&](value item) { return read_condition(reader, item, pod); });
    }
    if (key == "extendedResourceClaimStatus") return read_extended_claim(reader, field, pod);
    if (key == "resourceClaimStatuses") {
      const bool is_read = reader.each_item(field, [&](value item) {
        return read_claim_status(reader, item, pod.claim_statuses.emplace_back());
      });
      sort_claim_statuses(pod);
      return is_read;
    }
    return true;
  });
}

}  // namespace dcm::playground
