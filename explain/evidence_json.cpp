#include "explain/evidence_json.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "allocation/extended_resources.hpp"
#include "controllers/api/resource_claim.hpp"
#include "explain/evidence_words.hpp"
#include "runtime/ascii.hpp"
#include "runtime/json.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::explain {
namespace {

namespace json = boost::json;
using runtime::array_at;
using runtime::find_at;
using runtime::object_at;
using runtime::text_at;

bool wants_extended_resources(const json::value& container) {
  return std::ranges::any_of(object_at(container, "/resources/requests"), [](const auto& each) {
    return allocation::is_extended_resource(each.key());
  });
}

// The first container that does not start. The two skipped reasons occur in every pod's start.
std::optional<ContainerReport> waiting_container(const json::value& pod) {
  for (const char* kind : {"/status/initContainerStatuses", "/status/containerStatuses"}) {
    for (const json::value& entry : array_at(pod, kind)) {
      const std::string reason = text_at(entry, "/state/waiting/reason");
      if (reason.empty() || reason == "ContainerCreating" || reason == "PodInitializing") continue;
      return ContainerReport{text_at(entry, "/name"), reason,
                             text_at(entry, "/state/waiting/message")};
    }
  }
  return std::nullopt;
}

// When the last container ended; nullopt while one runs or may still run.
std::optional<runtime::WallTime> end_of_containers(const json::value& pod) {
  std::optional<runtime::WallTime> last;
  for (const char* kind : {"/status/initContainerStatuses", "/status/containerStatuses"}) {
    for (const json::value& entry : array_at(pod, kind)) {
      const auto ended = runtime::parse_timestamp(text_at(entry, "/state/terminated/finishedAt"));
      if (!ended) return std::nullopt;
      last = std::max(last, ended);
    }
  }
  return last;
}

std::vector<std::string> texts(const json::value& value, std::string_view pointer) {
  std::vector<std::string> found;
  for (const json::value& entry : array_at(value, pointer)) found.push_back(text_at(entry, ""));
  return found;
}

// The claims that the pod names, and the claims made for it.
std::vector<std::string> claims_of(const json::value& pod) {
  std::vector<std::string> names;
  const auto add = [&names](std::string name) {
    if (!name.empty()) names.push_back(std::move(name));
  };
  for (const char* field : {"/spec/resourceClaims", "/status/resourceClaimStatuses"}) {
    for (const json::value& claim : array_at(pod, field)) add(text_at(claim, "/resourceClaimName"));
  }
  add(text_at(pod, "/status/extendedResourceClaimStatus/resourceClaimName"));
  return names;
}

// Null: it is missing, or not true.
const json::value* true_condition(const json::value& device, const json::value& type) {
  const json::array& conditions = array_at(device, "/conditions");
  const auto found = std::ranges::find_if(conditions, [&](const json::value& condition) {
    return text_at(condition, "/type") == text_at(type, "") &&
           text_at(condition, "/status") == "True";
  });
  return found == conditions.end() ? nullptr : &*found;
}

// The entry of status.devices that kube-scheduler reads for an allocated device. It ignores
// shareID, so the first entry of a device counts for all its shares.
const json::value& status_of(const json::value& claim, const json::value& allocated) {
  static const json::value kNone;
  const auto& devices = array_at(claim, "/status/devices");
  const auto found = std::ranges::find_if(devices, [&](const json::value& device) {
    return std::ranges::all_of(std::array{"/driver", "/pool", "/device"}, [&](const char* field) {
      return text_at(device, field) == text_at(allocated, field);
    });
  });
  return found == devices.end() ? kNone : *found;
}

std::string device_of(const json::value& result) {
  return fmt::format("{}/{}/{}", text_at(result, "/driver"), text_at(result, "/pool"),
                     text_at(result, "/device"));
}

// Like kube-scheduler, looks only at devices with binding conditions, and stops at the first one
// that is not ready.
std::vector<std::string> binding_failures(const json::value& claim) {
  std::vector<std::string> failures;
  for (const json::value& result : array_at(claim, "/status/allocation/devices/results")) {
    const json::array& conditions = array_at(result, "/bindingConditions");
    if (conditions.empty()) continue;
    const json::value& status = status_of(claim, result);
    for (const json::value& type : array_at(result, "/bindingFailureConditions")) {
      const json::value* const failure = true_condition(status, type);
      if (failure == nullptr) continue;
      failures.push_back(fmt::format(
          "condition {} of device {} is true ({}: {})", text_at(type, ""), device_of(result),
          text_at(*failure, "/reason"), quote(text_at(*failure, "/message"))));
    }
    const bool is_ready = std::ranges::all_of(conditions, [&](const json::value& type) {
      return true_condition(status, type) != nullptr;
    });
    if (!is_ready) break;
  }
  return failures;
}

// "node-1", of a selector that names nodes; otherwise empty.
std::string nodes_of(const json::value& claim) {
  const json::array& terms = array_at(claim, "/status/allocation/nodeSelector/nodeSelectorTerms");
  if (terms.size() != 1) return {};
  std::vector<std::string> names;
  for (const char* kind : {"/matchFields", "/matchExpressions"}) {
    for (const json::value& each : array_at(terms[0], kind)) {
      const std::string key = text_at(each, "/key");
      const bool is_name = key == "metadata.name" || key == "kubernetes.io/hostname";
      if (is_name && text_at(each, "/operator") == "In") names = texts(each, "/values");
    }
  }
  return common::enumerate(names, 3);
}

std::int64_t count_of(const json::value& event) {
  for (const char* field : {"/series/count", "/count"}) {
    const json::value* const count = find_at(event, field);
    if (count != nullptr && count->is_int64()) return std::max<std::int64_t>(count->get_int64(), 1);
  }
  return 1;
}

std::optional<runtime::WallTime> time_of(const json::value& event) {
  for (const char* field : {"/series/lastObservedTime", "/lastTimestamp", "/eventTime"}) {
    if (auto time = runtime::parse_timestamp(text_at(event, field))) return time;
  }
  return std::nullopt;
}

// "12"; other quantities are not compared.
std::optional<std::uint64_t> whole_number(const std::string& quantity) {
  if (quantity.empty() || quantity.size() > 18) return std::nullopt;
  if (!std::ranges::all_of(quantity, runtime::is_digit)) return std::nullopt;
  return std::stoull(quantity);
}

// Whether a quota limits claims, or devices of a class.
bool is_about_claims(std::string_view resource) {
  return resource == "count/resourceclaims.resource.k8s.io" ||
         resource.ends_with(".deviceclass.resource.k8s.io/devices");
}

}  // namespace

std::optional<Condition> read_condition(const json::value& object, std::string_view type) {
  for (const json::value& entry : array_at(object, "/status/conditions")) {
    if (text_at(entry, "/type") != type) continue;
    return Condition{text_at(entry, "/status") == "True", text_at(entry, "/reason"),
                     text_at(entry, "/message"),
                     runtime::parse_timestamp(text_at(entry, "/lastTransitionTime"))};
  }
  return std::nullopt;
}

std::vector<MissingCondition> missing_conditions(const json::value& claim) {
  std::vector<MissingCondition> missing;
  for (const json::value& result : array_at(claim, "/status/allocation/devices/results")) {
    const json::value& status = status_of(claim, result);
    for (const json::value& type : array_at(result, "/bindingConditions")) {
      if (true_condition(status, type) != nullptr) continue;
      missing.push_back({text_at(type, ""), device_of(result), text_at(claim, "/metadata/name")});
    }
  }
  return missing;
}

AllocationReport allocation_report(const json::value& claim, const std::string& pod_uid) {
  AllocationReport report{
      .claim = text_at(claim, "/metadata/name"),
      .nodes = nodes_of(claim),
      .failures = binding_failures(claim),
      .lacks_conditions = !missing_conditions(claim).empty(),
      .since = runtime::parse_timestamp(text_at(claim, "/status/allocation/allocationTimestamp"))};
  for (const json::value& consumer : array_at(claim, "/status/reservedFor")) {
    if (text_at(consumer, "/uid") == pod_uid) continue;
    const api::ConsumerReference who{.group = text_at(consumer, "/apiGroup"),
                                     .resource = text_at(consumer, "/resource"),
                                     .name = text_at(consumer, "/name"),
                                     .uid = {}};
    report.consumers.push_back(
        fmt::format("{} {}/{}", who.word(), text_at(claim, "/metadata/namespace"), who.name));
  }
  return report;
}

PodReport pod_report(const json::value& pod) {
  const std::string phase = text_at(pod, "/status/phase");
  const std::optional<Condition> sandbox = read_condition(pod, "PodReadyToStartContainers");
  PodReport report{.is_pending = phase == "Pending",
                   .has_ended = phase == "Succeeded" || phase == "Failed",
                   .is_being_deleted = !text_at(pod, "/metadata/deletionTimestamp").empty(),
                   .has_sandbox = sandbox && sandbox->is_true,
                   .uid = text_at(pod, "/metadata/uid"),
                   .node = text_at(pod, "/spec/nodeName"),
                   .scheduler = text_at(pod, "/spec/schedulerName"),
                   .nominated_node = text_at(pod, "/status/nominatedNodeName"),
                   .scheduled = read_condition(pod, "PodScheduled"),
                   .waits = waiting_container(pod),
                   .containers_ended = end_of_containers(pod),
                   .finalizers = texts(pod, "/metadata/finalizers"),
                   .claims = claims_of(pod)};
  for (const json::value& gate : array_at(pod, "/spec/schedulingGates")) {
    report.gates.push_back(text_at(gate, "/name"));
  }
  for (const char* containers : {"/spec/initContainers", "/spec/containers"}) {
    report.wants_extended_resources |=
        std::ranges::any_of(array_at(pod, containers), wants_extended_resources);
  }
  return report;
}

std::vector<EventReport> event_reports(const json::value& events, const std::string& uid) {
  std::map<std::string, EventReport> latest;
  for (const json::value& event : array_at(events, "/items")) {
    if (!uid.empty() && text_at(event, "/involvedObject/uid") != uid) continue;
    EventReport report{text_at(event, "/reason"), text_at(event, "/message"), time_of(event),
                       count_of(event)};
    EventReport& known = latest[report.reason];
    if (known.reason.empty() || known.last <= report.last) known = std::move(report);
  }
  std::vector<EventReport> reports;
  for (auto& [reason, report] : latest) reports.push_back(std::move(report));
  return reports;
}

std::vector<QuotaReport> quota_reports(const json::value& quotas) {
  std::vector<QuotaReport> reports;
  for (const json::value& quota : array_at(quotas, "/items")) {
    const json::object& used = object_at(quota, "/status/used");
    for (const auto& [resource, limit] : object_at(quota, "/status/hard")) {
      if (!is_about_claims(resource) || !limit.is_string()) continue;
      const json::value* const taken = used.if_contains(resource);
      if (taken == nullptr || !taken->is_string()) continue;
      QuotaReport report{text_at(quota, "/metadata/name"), std::string(resource),
                         std::string(taken->get_string()), std::string(limit.get_string())};
      const auto taken_number = whole_number(report.used);
      const auto limit_number = whole_number(report.hard);
      report.is_exhausted = taken_number && limit_number && *taken_number >= *limit_number;
      reports.push_back(std::move(report));
    }
  }
  return reports;
}

}  // namespace dcm::explain
