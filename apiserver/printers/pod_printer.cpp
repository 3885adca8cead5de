// The columns of a pod, whose status sums up the state of its containers as kube-apiserver's
// printPod() does.
#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

#include "apiserver/printers/printer_parts.hpp"
#include "apiserver/rules/conditions.hpp"

namespace dcm::apiserver {

namespace {

struct Summary {
  std::string reason;
  std::size_t ready = 0;
  std::int64_t restarts = 0;
  std::string last_restart = {};  // RFC 3339, "" if none; compared as strings
};

// Sidecars: init containers that keep running.
std::set<std::string_view> restartable_init_containers(const JsonObject& pod) {
  std::set<std::string_view> names;
  for (const Json& container : array_at(pod, {"spec", "initContainers"})) {
    const JsonObject& shown = as_object(container);
    if (text_at(shown, {"restartPolicy"}) == "Always") names.insert(text_at(shown, {"name"}));
  }
  return names;
}

void count_restarts(const JsonObject& container, Summary& summary) {
  summary.restarts += integer_at(container, {"restartCount"}).value_or(0);
  const std::string_view ended = text_at(container, {"lastState", "terminated", "finishedAt"});
  summary.last_restart = std::max(summary.last_restart, std::string(ended));
}

// "Error", "Signal:9", "ExitCode:1". Requires state.terminated.
std::string end_of(const JsonObject& container) {
  const JsonObject& ended = object_at(container, {"state", "terminated"});
  if (const auto reason = text_at(ended, {"reason"}); !reason.empty()) return std::string(reason);
  const auto signal = integer_at(ended, {"signal"}).value_or(0);
  if (signal != 0) return fmt::format("Signal:{}", signal);
  return fmt::format("ExitCode:{}", integer_at(ended, {"exitCode"}).value_or(0));
}

// Adds the init containers to the row. `shown` gets the reason and all restarts; `kept` gets the
// part that still counts after initialization.
enum class Initialization { over, under_way };

Initialization sum_init_containers(const JsonObject& pod, Summary& shown, Summary& kept) {
  const auto sidecars = restartable_init_containers(pod);
  const JsonArray& statuses = array_at(pod, {"status", "initContainerStatuses"});
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    const JsonObject& container = as_object(statuses[i]);
    const bool is_sidecar = sidecars.contains(text_at(container, {"name"}));
    const bool has_ended = has(container, {"state", "terminated"});
    const std::string_view waiting = text_at(container, {"state", "waiting", "reason"});
    count_restarts(container, shown);
    if (is_sidecar) count_restarts(container, kept);
    if (has_ended && integer_at(container, {"state", "terminated", "exitCode"}).value_or(0) == 0) {
      continue;
    }
    if (is_sidecar && flag_at(container, {"started"})) {
      if (flag_at(container, {"ready"})) ++shown.ready;
      continue;
    }
    if (has_ended) {
      shown.reason = "Init:" + end_of(container);
    } else if (!waiting.empty() && waiting != "PodInitializing") {
      shown.reason = fmt::format("Init:{}", waiting);
    } else {
      const std::size_t all = array_at(pod, {"spec", "initContainers"}).size();
      shown.reason = fmt::format("Init:{}/{}", i, all);
    }
    return Initialization::under_way;
  }
  return Initialization::over;
}

void sum_containers(const JsonObject& pod, Summary& summary) {
  const JsonArray& statuses = array_at(pod, {"status", "containerStatuses"});
  bool running = false;
  std::string failure;
  for (std::size_t i = statuses.size(); i-- > 0;) {
    const JsonObject& container = as_object(statuses[i]);
    count_restarts(container, summary);
    if (const auto why = text_at(container, {"state", "waiting", "reason"}); !why.empty()) {
      summary.reason = why;
    } else if (has(container, {"state", "terminated"})) {
      summary.reason = end_of(container);
      const auto code = integer_at(container, {"state", "terminated", "exitCode"}).value_or(0);
      if (code != 0) failure = summary.reason;
    } else if (flag_at(container, {"ready"}) && has(container, {"state", "running"})) {
      running = true;
      ++summary.ready;
    }
  }
  // A pod is not completed while any of its containers runs, or if one has failed.
  if (summary.reason != "Completed") return;
  if (running && has_condition(pod, "Ready")) {
    summary.reason = "Running";
  } else if (!failure.empty()) {
    summary.reason = failure;
  } else if (running) {
    summary.reason = "NotReady";
  }
}

std::string first_reason(const JsonObject& pod) {
  for (const Json& condition : array_at(pod, {"status", "conditions"})) {
    const JsonObject& shown = as_object(condition);
    const bool is_gated = text_at(shown, {"reason"}) == "SchedulingGated";
    if (is_gated && text_at(shown, {"type"}) == "PodScheduled") return "SchedulingGated";
  }
  const std::string_view reason = text_at(pod, {"status", "reason"});
  return std::string(reason.empty() ? text_at(pod, {"status", "phase"}) : reason);
}

Summary sum_up(const JsonObject& pod) {
  Summary summary{.reason = first_reason(pod)};
  Summary kept;
  const Initialization state = sum_init_containers(pod, summary, kept);
  if (state == Initialization::over || has_condition(pod, "Initialized")) {
    summary.restarts = kept.restarts;
    summary.last_restart = kept.last_restart;
    sum_containers(pod, summary);
  }
  if (!has(pod, {"metadata", "deletionTimestamp"})) return summary;
  const std::string_view phase = text_at(pod, {"status", "phase"});
  if (text_at(pod, {"status", "reason"}) == "NodeLost") {
    summary.reason = "Unknown";
  } else if (phase != "Succeeded" && phase != "Failed") {
    summary.reason = "Terminating";
  }
  return summary;
}

Json text_or_none(std::string_view text) {
  return Json(text.empty() ? "<none>" : text);
}

std::string readiness_gates(const JsonObject& pod) {
  const JsonArray& gates = array_at(pod, {"spec", "readinessGates"});
  if (gates.empty()) return "<none>";
  const auto open = std::ranges::count_if(gates, [&](const Json& gate) {
    return has_condition(pod, text_at(as_object(gate), {"conditionType"}));
  });
  return fmt::format("{}/{}", open, gates.size());
}

std::string restarts(const Summary& summary, runtime::WallTime now) {
  if (summary.restarts == 0 || summary.last_restart.empty()) {
    return std::to_string(summary.restarts);
  }
  return fmt::format("{} ({} ago)", summary.restarts, age_of(summary.last_restart, now));
}

}  // namespace

JsonArray pod_cells(const JsonObject& pod, runtime::WallTime now) {
  const Summary summary = sum_up(pod);
  const std::size_t containers =
      array_at(pod, {"spec", "containers"}).size() + restartable_init_containers(pod).size();
  const JsonArray& ips = array_at(pod, {"status", "podIPs"});
  const std::string_view ip = ips.empty() ? "" : text_at(as_object(ips.front()), {"ip"});
  return {Json(text_at(pod, {"metadata", "name"})),
          Json(fmt::format("{}/{}", summary.ready, containers)),
          Json(summary.reason),
          Json(restarts(summary, now)),
          Json(age_of(text_at(pod, {"metadata", "creationTimestamp"}), now)),
          text_or_none(ip),
          text_or_none(text_at(pod, {"spec", "nodeName"})),
          text_or_none(text_at(pod, {"status", "nominatedNodeName"})),
          Json(readiness_gates(pod))};
}

}  // namespace dcm::apiserver
