// The Kubernetes objects as scheduler, hollow nodes and garbage collector read them.
//
// The playground reads more fields than the controllers of the manager (requests of a claim,
// containers of a pod). So it has types of its own, on top of those in client/api. They are for
// version v1 of resource.k8s.io only.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/api/meta.hpp"
#include "client/api/resource.hpp"
#include "controllers/api/device.hpp"
#include "controllers/api/pod.hpp"
#include "controllers/api/resource_claim.hpp"
#include "runtime/time.hpp"

namespace dcm::playground {

using api::InternedString;
using runtime::Duration;

// How a pod tells its hollow node what to do. Durations are written as in Go: "2s", "1m30s".
inline constexpr std::string_view kRunForAnnotation =
    "playground.dra-controller-manager.dev/run-for";
// How long it takes to stop after a delete; never longer than its grace period. Absent: no time.
inline constexpr std::string_view kStopAfterAnnotation =
    "playground.dra-controller-manager.dev/stop-after";
// "Succeeded" or "Failed": ends the pod now. Deleted, it ends so as well.
inline constexpr std::string_view kFinishAnnotation =
    "playground.dra-controller-manager.dev/finish";
// How long each of its containers runs until it exits with an error; what then becomes of the pod
// is a matter of its restart policy.
inline constexpr std::string_view kCrashAfterAnnotation =
    "playground.dra-controller-manager.dev/crash-after";
inline constexpr std::string_view kAnnotationPrefix = "playground.dra-controller-manager.dev/";

// The only label that a nodeSelector may name here.
inline constexpr std::string_view kHostnameLabel = "kubernetes.io/hostname";

// An entry of a container's resources.claims.
struct ClaimUse {
  std::string name;     // as in spec.resourceClaims
  std::string request;  // empty: all requests of the claim
};

struct Container {
  std::string name;
  std::string image;
  std::vector<ClaimUse> claims = {};
  bool is_sidecar = false;  // an init container that goes on (restartPolicy: Always)
};

enum class RestartPolicy : std::uint8_t { always, on_failure, never };

// A condition as the pod's status has it.
struct PodCondition {
  InternedString type;
  bool is_true = false;
  std::optional<runtime::WallTime> since;
};

// An entry of status.extendedResourceClaimStatus.requestMappings (KEP-5004).
struct ExtendedRequest {
  std::string container;
  std::string request;
};

struct Pod : api::Pod {
  std::optional<Duration> run_for;
  std::optional<Duration> stop_after;
  std::optional<Duration> crash_after;
  std::optional<api::PodPhase> finish;
  std::string misspelt;                        // annotations of ours that say nothing; empty: none
  std::chrono::seconds grace{0};               // deletionGracePeriodSeconds
  std::chrono::seconds termination_grace{30};  // terminationGracePeriodSeconds
  std::optional<std::chrono::seconds> active_deadline;
  RestartPolicy restart_policy = RestartPolicy::always;
  std::int64_t generation = 0;
  bool is_on_host_network = false;
  std::vector<InternedString> readiness_gates;
  std::vector<PodCondition> conditions;
  std::int64_t restarts = 0;                    // of its container with the most
  std::string ip;                               // status.podIP; empty: none yet
  std::optional<runtime::WallTime> start_time;  // status.startTime
  std::vector<Container> containers;
  std::vector<Container> init_containers;
  std::vector<ExtendedRequest> extended_requests;
  bool has_gates = false;               // spec.schedulingGates: not to be scheduled yet
  bool is_scheduled_by_others = false;  // spec.schedulerName is another one
  // The node that spec.nodeSelector asks for by its host name; empty: any.
  InternedString wanted_node;
  // The pod's first request that the playground's scheduler does not support; empty: none.
  std::string unsupported;    // see unknown.hpp
  std::string unschedulable;  // why, as the condition PodScheduled=False says
};

// Of a request: it may have devices with such taints (KEP-5055). How long a pod may stay does not
// matter here.
struct Toleration {
  InternedString key;  // empty: every key
  api::TolerationOperator operator_ = api::TolerationOperator::equal;
  InternedString value;
  std::optional<api::TaintEffect> effect;  // nothing: every effect
};

// Whether a device with this taint needs a toleration: NoSchedule and NoExecute.
bool keeps_off(const api::DeviceTaint& taint);
bool tolerates(const std::vector<Toleration>& tolerations, const api::DeviceTaint& taint);

enum class AllocationMode : std::uint8_t { exact_count, all };

// An entry of spec.devices.requests, with `exactly`.
struct DeviceRequest {
  std::string name;
  std::string device_class;
  AllocationMode mode = AllocationMode::exact_count;
  std::int64_t count = 1;
  // Each as the JSON that it came as: an allocation repeats them for each device (KEP-5055).
  std::vector<std::string> tolerations = {};
  std::vector<Toleration> tolerated = {};  // the same, read
};

// Configuration for drivers in a claim or a device class, which an allocation repeats.
struct DeviceConfig {
  std::string text;                        // as the JSON object that it came as
  std::vector<std::string> requests = {};  // of a claim: for these; none: for all
};

struct Claim : api::ResourceClaim {
  std::vector<DeviceRequest> requests;
  std::vector<DeviceConfig> config;
  // Of its allocated devices those that it only looks at (adminAccess): they are not in use.
  std::vector<api::DeviceId> admin_devices;
  // The claim's first request that the playground's scheduler does not support; empty: none.
  std::string unsupported;
};

struct DeviceClass {
  api::ObjectMeta meta;
  // The driver whose devices it has, from a selector `device.driver == "…"`; empty: every driver.
  InternedString driver;
  std::vector<DeviceConfig> config;
  std::string unsupported;  // a selector that says something else, or a field; empty: none does
};

struct SliceDevice {
  InternedString name;
  std::vector<api::DeviceTaint> taints = {};  // those that keep off
  std::string unknown = {};  // what makes it more than a thing that one claim has as a whole
};

struct Slice {
  api::ObjectMeta meta;
  InternedString driver;
  InternedString pool;
  std::int64_t generation = 0;
  std::int64_t slice_count = 1;  // of the pool in this generation
  InternedString node;           // empty: the devices are not of one node
  std::string unknown;           // fields of the slice; `allNodes` and its like among them
  std::vector<SliceDevice> devices;
};

struct Node {
  api::ObjectMeta meta;
  InternedString hostname;  // its label
  bool is_ready = false;    // its condition
  std::optional<runtime::WallTime> ready_since;
  std::string closed;  // why it takes no pods: a taint, or that it is cordoned; empty: it does
};

struct Namespace {
  api::ObjectMeta meta;
  // Whether what it holds has still to go before it may (spec.finalizers).
  bool is_to_be_emptied = false;
};

// Found by the store for its metric of bytes held; a rough figure is enough here.
std::size_t footprint(const DeviceClass& device_class);
std::size_t footprint(const Slice& slice);
std::size_t footprint(const Node& node);
std::size_t footprint(const Namespace& namespace_);

extern const api::ResourceKind kNodes;
extern const api::ResourceKind kDeviceClasses;
extern const api::ResourceKind kNamespaces;

// "1m30s", "500ms", "1.5h". Nothing for what is no such duration, or a negative one.
std::optional<Duration> parse_duration(std::string_view text);

}  // namespace dcm::playground
