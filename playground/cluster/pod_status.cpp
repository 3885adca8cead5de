#include "playground/cluster/pod_status.hpp"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "playground/objects/bodies.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::playground {
namespace {

using Array = boost::json::array;
using Object = boost::json::object;
using runtime::timestamp;
using runtime::WallTime;

constexpr std::string_view kReadyToStart = "PodReadyToStartContainers";

using Says = ConditionContent;

std::string names_of(const std::vector<Container>& containers) {
  std::vector<std::string_view> names;
  for (const Container& container : containers) names.push_back(container.name);
  return fmt::format("[{}]", fmt::join(names, " "));
}

Says unready(const std::vector<Container>& containers) {
  return {false, "ContainersNotReady", "containers with unready status: " + names_of(containers)};
}

Says never_ready(const Pod& pod) {
  return unready(long_lived_containers(pod));
}

Says never_initialized(const Pod& pod) {
  if (pod.init_containers.empty()) return {true};
  return {false, "ContainersNotInitialized",
          "containers with incomplete status: " + names_of(pod.init_containers)};
}

// A pod may wait for others to report it ready (readiness gates).
Says ready(const Pod& pod) {
  std::vector<std::string> missing;
  for (const InternedString& gate : pod.readiness_gates) {
    const PodCondition* const found = find_condition(pod, gate.str());
    if (found == nullptr) {
      missing.push_back(fmt::format(
          "corresponding condition of pod readiness gate \"{}\" does not exist.", gate.str()));
    } else if (!found->is_true) {
      missing.push_back(fmt::format(
          "the status of pod readiness gate \"{}\" is not \"True\", but False", gate.str()));
    }
  }
  if (missing.empty()) return {true};
  return {false, "ReadinessGatesNotReady", fmt::format("{}", fmt::join(missing, ", "))};
}

// Whether the pod has a sandbox: its network and namespaces.
enum class Sandbox : std::uint8_t { never_made, ready, stopped };

Says ready_to_start(Sandbox sandbox) {
  if (sandbox == Sandbox::ready) return {true};
  return {false, "PodSandboxNotReady",
          sandbox == Sandbox::stopped ? "pod sandbox is not ready" : "no pod sandbox exists"};
}

Array conditions(const Pod& pod, Sandbox sandbox, const Says& initialized, const Says& containers,
                 const Says& is_ready, WallTime now) {
  Array made{encode_condition(pod, kReadyToStart, ready_to_start(sandbox), now),
             encode_condition(pod, "Initialized", initialized, now),
             encode_condition(pod, "ContainersReady", containers, now),
             encode_condition(pod, "Ready", is_ready, now)};
  // Nobody has scheduled a pod that was bound by hand.
  const PodCondition* const scheduled = find_condition(pod, "PodScheduled");
  if (scheduled == nullptr || !scheduled->is_true) {
    made.push_back(encode_condition(pod, "PodScheduled", {true}, now));
  }
  return made;
}

Object container_status(const Pod& pod, const Container& container, std::int64_t restarts,
                        Object state) {
  const bool is_running = state.contains("running");
  Object made{{"name", container.name},   {"image", container.image}, {"imageID", ""},
              {"restartCount", restarts}, {"ready", is_running},      {"started", is_running}};
  if (!state.contains("waiting")) {
    made["imageID"] = "hollow://" + container.image;
    made["containerID"] =
        fmt::format("hollow://{}/{}/{}", pod.meta.uid.str(), container.name, restarts);
  }
  made["state"] = std::move(state);
  return made;
}

Object waiting(std::string_view reason, const std::string& message = {}) {
  Object details{{"reason", reason}};
  if (!message.empty()) details["message"] = message;
  return {{"waiting", std::move(details)}};
}

Object running(WallTime since) {
  return {{"running", Object{{"startedAt", timestamp(since)}}}};
}

Object terminated(int exit_code, std::string_view reason, WallTime from, WallTime until) {
  return {{"terminated", Object{{"exitCode", exit_code},
                                {"reason", reason},
                                {"startedAt", timestamp(from)},
                                {"finishedAt", timestamp(until)}}}};
}

Array allocated_resources(const std::vector<AllocatedResource>& rows) {
  Array list;
  for (const AllocatedResource& row : rows) {
    Array devices;
    for (const AllocatedResource::Device& device : row.devices) {
      Object one{{"resourceID", device.id}, {"health", device.health}};
      if (!device.message.empty()) one["message"] = device.message;
      devices.push_back(std::move(one));
    }
    list.push_back(Object{{"name", row.name}, {"resources", std::move(devices)}});
  }
  return list;
}

// Before they start: waiting, with kubelet's reason.
void add_waiting(Object& status, const Pod& pod) {
  Array containers;
  Array inits;
  const bool has_inits = !pod.init_containers.empty();
  for (const Container& one : pod.containers) {
    containers.push_back(container_status(
        pod, one, 0, waiting(has_inits ? "PodInitializing" : "ContainerCreating")));
  }
  for (const Container& one : pod.init_containers) {
    inits.push_back(container_status(pod, one, 0, waiting("PodInitializing")));
  }
  status["containerStatuses"] = std::move(containers);
  if (has_inits) status["initContainerStatuses"] = std::move(inits);
}

// Init containers of a pod that has started, and its sidecars in `sidecar`.
void add_inits(Object& status, const Pod& pod, WallTime started, const Object& sidecar) {
  if (pod.init_containers.empty()) return;
  Array inits;
  for (const Container& one : pod.init_containers) {
    Object made = container_status(
        pod, one, 0, one.is_sidecar ? sidecar : terminated(0, "Completed", started, started));
    if (!one.is_sidecar) made["ready"] = true;  // like an init container that has completed
    inits.push_back(std::move(made));
  }
  status["initContainerStatuses"] = std::move(inits);
}

void add_address(Object& status, const PodAddress& address) {
  if (!address.host.empty()) {
    status["hostIP"] = address.host;
    status["hostIPs"] = Array{Object{{"ip", address.host}}};
  }
  if (!address.pod.empty()) {
    status["podIP"] = address.pod;
    status["podIPs"] = Array{Object{{"ip", address.pod}}};
  }
}

std::string body(const Pod& pod, Object status) {
  if (pod.generation > 0) status["observedGeneration"] = pod.generation;
  return boost::json::serialize(
      Object{{"metadata", Object{{"uid", pod.meta.uid.str()}}}, {"status", std::move(status)}});
}

// As Go prints it: "40s", "1m20s".
std::string in_go(Duration duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  return seconds < 60 ? fmt::format("{}s", seconds)
                      : fmt::format("{}m{}s", seconds / 60, seconds % 60);
}

Object state_of(const Pod& pod, const Container& container, const RunningPod& now) {
  if (!now.containers.waits_for) return running(now.started + now.containers.started);
  return waiting("CrashLoopBackOff",
                 fmt::format("back-off {} restarting failed container={} pod={}_{}({})",
                             in_go(*now.containers.waits_for), container.name, pod.meta.key.name,
                             pod.meta.key.namespace_.str(), pod.meta.uid.str()));
}

// How the containers have crashed last; null if they never have.
boost::json::value last_crash(const Pod& pod, const RunningPod& now_is) {
  const auto ended = now_is.containers.ended;
  if (!ended) return nullptr;
  const Duration life = pod.crash_after.value_or(Duration::zero());
  return terminated(1, "Error", now_is.started + std::max<Duration>(*ended - life, {}),
                    now_is.started + *ended);
}

struct Exit {
  int code;
  std::string_view reason;
};

Exit exit_of(Ending ending) {
  constexpr int kSigkill = 137;
  constexpr int kSigterm = 143;
  constexpr int kUnknown = 255;
  switch (ending) {
    case Ending::completed:
      return {0, "Completed"};
    case Ending::failed:
      return {1, "Error"};
    case Ending::terminated:
    case Ending::deadline_exceeded:
      return {kSigterm, "Error"};
    case Ending::killed:
      return {kSigkill, "Error"};
    case Ending::lost:
      return {kUnknown, "Unknown"};
    case Ending::never_started:
      break;
  }
  return {kSigkill, "ContainerStatusUnknown"};
}

Object never_located() {
  const Exit exit = exit_of(Ending::never_started);
  return {{"terminated",
           Object{{"exitCode", exit.code},
                  {"reason", exit.reason},
                  {"message", "The container could not be located when the pod was terminated"}}}};
}

// Containers that never started count as killed; in a pod with init containers, only the first init
// container.
void add_never_started(Object& status, const Pod& pod) {
  add_waiting(status, pod);
  if (!pod.init_containers.empty()) {
    status["initContainerStatuses"].as_array().front().as_object()["state"] = never_located();
    return;
  }
  for (boost::json::value& one : status["containerStatuses"].as_array()) {
    one.as_object()["state"] = never_located();
  }
}

// A container that waited to be restarted has ended before.
void add_terminated(Object& status, const Pod& pod, Ending ending, WallTime now,
                    const RunningPod& before) {
  const Exit exit = exit_of(ending);
  const WallTime started = started_at(pod).value_or(now);
  const bool has_crashed = before.containers.ended.has_value();
  const bool waited = before.containers.waits_for.has_value();
  Array containers;
  for (const Container& one : pod.containers) {
    Object made = container_status(
        pod, one, pod.restarts,
        waited ? last_crash(pod, before).as_object()
               : terminated(exit.code, exit.reason, started + before.containers.started, now));
    if (has_crashed && !waited) made["lastState"] = last_crash(pod, before);
    containers.push_back(std::move(made));
  }
  status["containerStatuses"] = std::move(containers);
  const bool is_own_end = ending == Ending::completed || ending == Ending::failed;
  add_inits(status, pod, started,
            is_own_end ? terminated(0, "Completed", started, now)
                       : terminated(exit.code, exit.reason, started, now));
}

}  // namespace

std::optional<WallTime> started_at(const Pod& pod) {
  const PodCondition* const sandbox = find_condition(pod, kReadyToStart);
  if (sandbox != nullptr && sandbox->is_true && sandbox->since) return sandbox->since;
  return pod.phase == api::PodPhase::pending ? std::nullopt : pod.start_time;
}

std::string encode_creating(const Pod& pod, const PodAddress& address, WallTime now) {
  const Says not_ready = never_ready(pod);
  Object status{{"phase", "Pending"},
                {"startTime", timestamp(pod.start_time.value_or(now))},
                {"conditions", conditions(pod, Sandbox::never_made, never_initialized(pod),
                                          not_ready, not_ready, now)}};
  add_waiting(status, pod);
  add_address(status, {.host = address.host, .pod = {}});
  return body(pod, std::move(status));
}

std::string encode_running(const Pod& pod, const RunningPod& now_is, WallTime now) {
  const bool is_up = !now_is.containers.waits_for;
  Object status{{"phase", "Running"},
                {"startTime", timestamp(pod.start_time.value_or(now_is.started))},
                {"conditions", conditions(pod, Sandbox::ready, {true},
                                          is_up ? Says{true} : unready(pod.containers),
                                          is_up ? ready(pod) : unready(pod.containers), now)}};
  Array containers;
  for (const Container& one : pod.containers) {
    Object made = container_status(pod, one, now_is.containers.restarts + now_is.more_restarts,
                                   state_of(pod, one, now_is));
    if (now_is.containers.ended) made["lastState"] = last_crash(pod, now_is);
    const auto rows = now_is.health.find(one.name);
    if (rows != now_is.health.end())
      made["allocatedResourcesStatus"] = allocated_resources(rows->second);
    containers.push_back(std::move(made));
  }
  status["containerStatuses"] = std::move(containers);
  add_inits(status, pod, now_is.started, running(now_is.started));
  add_address(status, now_is.address);
  return body(pod, std::move(status));
}

std::string encode_ended(const Pod& pod, Ending ending, WallTime now, const RunningPod& before) {
  const bool is_success = ending == Ending::completed;
  const bool has_started = pod.phase != api::PodPhase::pending;
  const Says ended = ending == Ending::never_started
                         ? never_ready(pod)
                         : Says{false, is_success ? "PodCompleted" : "PodFailed"};
  Says initialized = has_started ? Says{true} : never_initialized(pod);
  if (is_success) initialized.reason = "PodCompleted";
  const Sandbox sandbox = has_started ? Sandbox::stopped : Sandbox::never_made;
  Object status{{"phase", is_success ? "Succeeded" : "Failed"},
                {"conditions", conditions(pod, sandbox, initialized, ended, ended, now)}};
  if (!pod.start_time) status["startTime"] = timestamp(now);
  if (ending == Ending::deadline_exceeded) {
    status["reason"] = "DeadlineExceeded";
    status["message"] = "Pod was active on the node longer than the specified deadline";
  }
  if (has_started) {
    add_terminated(status, pod, ending, now, before);
  } else {
    add_never_started(status, pod);
  }
  return body(pod, std::move(status));
}

}  // namespace dcm::playground
