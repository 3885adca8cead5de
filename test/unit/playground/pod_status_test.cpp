// A pod's status over its life, as a client reads it from the API server.
#include "playground/cluster/pod_status.hpp"

#include <gtest/gtest.h>

#include "playground/cluster/pod_addresses.hpp"
#include "playground/scheduler/bodies.hpp"
#include "test/unit/playground/scene.hpp"

namespace dcm::playground {
namespace {

using namespace std::chrono_literals;

const runtime::WallTime kStart{std::chrono::seconds(1'700'000'000)};
const runtime::WallTime kLater = kStart + 60s;

Container container(const std::string& name) {
  Container made;
  made.name = name;
  made.image = "i";
  return made;
}

Container sidecar(const std::string& name, const std::string& image) {
  Container made = container(name);
  made.image = image;
  made.is_sidecar = true;
  return made;
}

Pod pod_of(std::vector<Container> containers, std::vector<Container> inits = {}) {
  Pod pod = pod_with();
  pod.phase = api::PodPhase::pending;
  pod.containers = std::move(containers);
  pod.init_containers = std::move(inits);
  return pod;
}

Pod running(Pod pod) {
  pod.phase = api::PodPhase::running;
  pod.start_time = kStart;
  for (const char* const type :
       {"PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready"}) {
    pod.conditions.push_back({type, true, kStart});
  }
  return pod;
}

bool has(const std::string& body, const std::string& part) {
  return body.contains(part);
}

#define EXPECT_HAS(body, part) EXPECT_TRUE(has(body, part)) << (part) << "\n" << (body)
#define EXPECT_HAS_NOT(body, part) EXPECT_FALSE(has(body, part)) << (part) << "\n" << (body)

TEST(EncodeCreating, matches_kubelet_before_containers_start) {
  Pod pod = pod_of({container("c")});
  pod.generation = 3;
  const std::string body = encode_creating(pod, {"198.18.0.1", "100.64.0.1"}, kStart);
  EXPECT_HAS(body, R"("phase":"Pending","startTime":"2023-11-14T22:13:20Z")");
  EXPECT_HAS(body, R"("state":{"waiting":{"reason":"ContainerCreating"}})");
  EXPECT_HAS(body, R"("type":"PodReadyToStartContainers","status":"False")");
  EXPECT_HAS(body, R"("reason":"PodSandboxNotReady","message":"no pod sandbox exists")");
  EXPECT_HAS(body, R"("type":"Initialized","status":"True")");
  EXPECT_HAS(body,
             R"("reason":"ContainersNotReady","message":"containers with unready status: [c]")");
  EXPECT_HAS(body, R"("observedGeneration":3)");
  EXPECT_HAS(body, R"("hostIP":"198.18.0.1")");
  EXPECT_HAS_NOT(body, "podIP");
}

TEST(EncodeCreating, says_that_a_pod_bound_by_hand_is_scheduled) {
  Pod pod = pod_of({container("c")});
  const std::string scheduled = R"("type":"PodScheduled","status":"True")";
  EXPECT_HAS(encode_creating(pod, {}, kStart), scheduled);
  pod.conditions.push_back({"PodScheduled", true, kStart});
  EXPECT_HAS_NOT(encode_creating(pod, {}, kStart), scheduled);
}

TEST(EncodeCreating, counts_sidecars_among_unready_containers) {
  const Pod pod = pod_of({container("c")}, {container("first"), sidecar("proxy", "p")});
  EXPECT_HAS(encode_creating(pod, {}, kStart), "containers with unready status: [proxy c]");
}

TEST(EncodeCreating, waits_for_init_containers) {
  const std::string body =
      encode_creating(pod_of({container("c")}, {container("first")}), {}, kStart);
  EXPECT_HAS(body, R"("reason":"ContainersNotInitialized")");
  EXPECT_HAS(body, "containers with incomplete status: [first]");
  EXPECT_HAS(body, R"("initContainerStatuses":[{"name":"first")");
}

TEST(EncodeRunning, shows_finished_init_containers_and_running_sidecars) {
  const Pod pod = pod_of({container("c")}, {container("first"), sidecar("proxy", "p")});
  const std::string body =
      encode_running(pod, {.started = kStart, .address = {"198.18.0.1", "100.64.0.1"}}, kStart);
  EXPECT_HAS(body, R"({"name":"first","image":"i","imageID":"hollow://i","restartCount":0,)"
                   R"("ready":true,"started":false,)");
  EXPECT_HAS(body, R"("state":{"terminated":{"exitCode":0,"reason":"Completed")");
  EXPECT_HAS(body, R"({"name":"proxy","image":"p","imageID":"hollow://p","restartCount":0,)"
                   R"("ready":true,"started":true,)");
  EXPECT_HAS(body, R"("podIPs":[{"ip":"100.64.0.1"}])");
  EXPECT_HAS(body, R"("type":"Ready","status":"True")");
}

TEST(EncodeRunning, keeps_times_of_unchanged_conditions) {
  const Pod pod = running(pod_of({container("c")}));
  const std::string body =
      encode_running(pod, {.started = kStart, .containers = containers_after(8s, 4s)}, kLater);
  EXPECT_HAS(body,
             R"("type":"Initialized","status":"True","lastTransitionTime":"2023-11-14T22:13:20Z")");
  EXPECT_HAS(body,
             R"("type":"Ready","status":"False","lastTransitionTime":"2023-11-14T22:14:20Z")");
}

TEST(EncodeUnschedulable, keeps_time_of_first_report) {
  Pod pod = pod_of({container("c")});
  EXPECT_HAS(encode_unschedulable(pod, "Unschedulable", "first", kStart),
             R"("lastTransitionTime":"2023-11-14T22:13:20Z","reason":"Unschedulable")");
  pod.conditions.push_back({"PodScheduled", false, kStart});
  EXPECT_HAS(encode_unschedulable(pod, "Unschedulable", "second", kLater),
             R"("lastTransitionTime":"2023-11-14T22:13:20Z","reason":"Unschedulable",)"
             R"("message":"second")");
}

TEST(EncodeRunning, shows_crashes) {
  Pod pod = running(pod_of({container("c")}));
  pod.crash_after = 4s;
  const std::string waits =
      encode_running(pod, {.started = kStart, .containers = containers_after(22s, 4s)}, kLater);
  EXPECT_HAS(waits, R"("restartCount":2,"ready":false,"started":false)");
  EXPECT_HAS(waits, R"("waiting":{"reason":"CrashLoopBackOff","message":"back-off 20s restarting )"
                    R"(failed container=c pod=trainer-0_lab)");
  EXPECT_HAS(waits, "(5b0c7c1e-94a5-4a55-8f5c-6f2f3c0d9a11)\"");
  EXPECT_HAS(waits, R"("lastState":{"terminated":{"exitCode":1,"reason":"Error")");
  const std::string again =
      encode_running(pod, {.started = kStart, .containers = containers_after(18s, 4s)}, kLater);
  EXPECT_HAS(again, R"("running":{"startedAt":"2023-11-14T22:13:38Z"})");
  EXPECT_HAS(again, R"("finishedAt":"2023-11-14T22:13:28Z")");
}

TEST(EncodeRunning, is_ready_with_its_readiness_gates) {
  Pod pod = running(pod_of({container("c")}));
  pod.readiness_gates = {"example.com/in-service"};
  const std::string missing = encode_running(pod, {.started = kStart}, kLater);
  EXPECT_HAS(missing, R"("reason":"ReadinessGatesNotReady")");
  EXPECT_HAS(missing, R"(\"example.com/in-service\" does not exist.)");
  EXPECT_HAS(missing, R"("type":"ContainersReady","status":"True")");
  pod.conditions.push_back({"example.com/in-service", true, kLater});
  EXPECT_HAS_NOT(encode_running(pod, {.started = kStart}, kLater), "ReadinessGates");
}

struct EndRow {
  const char* sentence;
  Ending ending;
  const char* phase;
  const char* code;
};

TEST(EncodeEnded, has_phase_and_exit_codes) {
  const EndRow rows[] = {
      {"by itself", Ending::completed, "Succeeded", R"("exitCode":0,"reason":"Completed")"},
      {"with an error", Ending::failed, "Failed", R"("exitCode":1,"reason":"Error")"},
      {"by SIGTERM", Ending::terminated, "Failed", R"("exitCode":143,"reason":"Error")"},
      {"by SIGKILL", Ending::killed, "Failed", R"("exitCode":137,"reason":"Error")"},
      {"with the machine", Ending::lost, "Failed", R"("exitCode":255,"reason":"Unknown")"},
      {"by its deadline", Ending::deadline_exceeded, "Failed", R"("reason":"DeadlineExceeded")"},
  };
  for (const EndRow& row : rows) {
    const std::string body = encode_ended(running(pod_of({container("c")})), row.ending, kLater);
    EXPECT_HAS(body, std::string(R"("phase":")") + row.phase);
    EXPECT_HAS(body, row.code);
    EXPECT_HAS(body, R"("startedAt":"2023-11-14T22:13:20Z","finishedAt":"2023-11-14T22:14:20Z")");
    EXPECT_HAS(body, R"("type":"PodReadyToStartContainers","status":"False")");
    EXPECT_HAS(body, R"("reason":"PodSandboxNotReady","message":"pod sandbox is not ready")");
    EXPECT_HAS(body, row.ending == Ending::completed ? "PodCompleted" : "PodFailed");
  }
}

TEST(EncodeEnded, fails_pod_that_never_started) {
  const std::string body = encode_ended(pod_of({container("c")}), Ending::never_started, kLater);
  EXPECT_HAS(body, R"("phase":"Failed")");
  EXPECT_HAS(body, R"("reason":"PodSandboxNotReady","message":"no pod sandbox exists")");
  EXPECT_HAS(body, R"("exitCode":137,"reason":"ContainerStatusUnknown","message":"The container )"
                   R"(could not be located when the pod was terminated")");
  const std::string with_init =
      encode_ended(pod_of({container("c")}, {container("first"), container("second")}),
                   Ending::never_started, kLater);
  EXPECT_HAS(with_init, R"("phase":"Failed")");
  EXPECT_HAS(with_init, R"("name":"first","image":"i","imageID":"","restartCount":0,"ready":false,)"
                        R"("started":false,"state":{"terminated":{"exitCode":137)");
  EXPECT_EQ(with_init.find("terminated\":"), with_init.rfind("terminated\":"));  // no other one
  EXPECT_HAS(with_init, R"("reason":"ContainersNotInitialized")");
  for (const std::string& each : {body, with_init}) {
    EXPECT_HAS(each, R"("reason":"ContainersNotReady")");
    EXPECT_HAS_NOT(each, "PodFailed");
  }
}

TEST(EncodeEnded, keeps_the_end_of_a_container_that_waited_to_be_restarted) {
  Pod pod = running(pod_of({container("c")}, {sidecar("proxy", "p")}));
  pod.crash_after = 4s;
  const std::string waited =
      encode_ended(pod, Ending::terminated, kLater, {kStart, containers_after(9s, 4s)});
  EXPECT_HAS(waited, R"("state":{"terminated":{"exitCode":1,"reason":"Error",)"
                     R"("startedAt":"2023-11-14T22:13:24Z","finishedAt":"2023-11-14T22:13:28Z"}})");
  EXPECT_HAS(waited, R"("exitCode":143)");  // the sidecar ran until then
  const std::string ran =
      encode_ended(pod, Ending::terminated, kLater, {kStart, containers_after(5s, 4s)});
  EXPECT_HAS(ran, R"("state":{"terminated":{"exitCode":143)");
  EXPECT_HAS(ran, R"("lastState":{"terminated":{"exitCode":1,"reason":"Error",)"
                  R"("startedAt":"2023-11-14T22:13:20Z","finishedAt":"2023-11-14T22:13:24Z"}})");
}

TEST(PodAddresses, are_unique) {
  PodAddresses addresses;
  addresses.observe(api::Uid("old"), "100.64.0.1");
  const std::string first = addresses.address_of(api::Uid("a"));
  EXPECT_EQ(first, "100.64.0.2");
  EXPECT_EQ(addresses.address_of(api::Uid("a")), first);
  EXPECT_EQ(addresses.address_of(api::Uid("old")), "100.64.0.1");
  EXPECT_NE(addresses.address_of(api::Uid("b")), first);
  addresses.give_back(api::Uid("a"));
  addresses.observe(api::Uid("c"), first);
  EXPECT_EQ(addresses.address_of(api::Uid("c")), first);
}

TEST(AddressOfNode, depends_on_name_only) {
  EXPECT_EQ(address_of_node("node-1"), address_of_node("node-1"));
  EXPECT_NE(address_of_node("node-1"), address_of_node("node-2"));
  EXPECT_TRUE(address_of_node("node-1").starts_with("198.1"));
}

}  // namespace
}  // namespace dcm::playground
