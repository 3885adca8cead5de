// The Kubernetes objects as scheduler, hollow nodes and garbage collector read them.
//
// The playground reads more fields than the manager's controllers (containers of a pod, labels of a
// node). So it has its own types, based on types of client/api and allocation. They support only
// version v1 of resource.k8s.io.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allocation/claim.hpp"
#include "allocation/extended_resources.hpp"
#include "allocation/node_selector.hpp"
#include "allocation/slice.hpp"
#include "client/api/event.hpp"
#include "client/api/meta.hpp"
#include "client/api/resource.hpp"
#include "controllers/api/device.hpp"
#include "controllers/api/pod.hpp"
#include "controllers/api/resource_claim.hpp"
#include "runtime/time.hpp"

namespace dcm::playground {

using api::InternedString;
using runtime::Duration;

// Annotations of a pod for its hollow node. Durations are written as in Go: "2s", "1m30s".
inline constexpr std::string_view kRunForAnnotation =
    "playground.dra-controller-manager.dev/run-for";
// How long it takes to stop after a delete; never longer than its grace period. Absent: no time.
inline constexpr std::string_view kStopAfterAnnotation =
    "playground.dra-controller-manager.dev/stop-after";
// "Succeeded" or "Failed": ends the pod now. Also its result if it is deleted.
inline constexpr std::string_view kFinishAnnotation =
    "playground.dra-controller-manager.dev/finish";
// How long each of its containers runs until it exits with an error; then the pod's restart policy
// applies.
inline constexpr std::string_view kCrashAfterAnnotation =
    "playground.dra-controller-manager.dev/crash-after";
inline constexpr std::string_view kAnnotationPrefix = "playground.dra-controller-manager.dev/";

inline constexpr std::string_view kHostnameLabel = "kubernetes.io/hostname";

// An entry of a container's resources.claims.
struct ClaimUse {
  std::string name;     // as in spec.resourceClaims
  std::string request;  // empty: all requests of the claim
};

struct Container : allocation::ContainerResources {
  std::string image;
  std::vector<ClaimUse> claims = {};
};

enum class RestartPolicy : std::uint8_t { always, on_failure, never };

// A condition of the pod's status.
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
  std::string misspelt;                        // the playground's annotations that are invalid
  std::chrono::seconds grace{0};               // deletionGracePeriodSeconds
  std::chrono::seconds termination_grace{30};  // terminationGracePeriodSeconds
  std::optional<std::chrono::seconds> active_deadline;
  RestartPolicy restart_policy = RestartPolicy::always;
  std::int64_t generation = 0;
  bool is_on_host_network = false;
  std::vector<InternedString> readiness_gates;
  std::vector<PodCondition> conditions;
  std::int64_t restarts = 0;                    // of its container with the most restarts
  std::string ip;                               // status.podIP; empty: none yet
  std::optional<runtime::WallTime> start_time;  // status.startTime
  std::vector<Container> containers;
  std::vector<Container> init_containers;
  std::vector<ExtendedRequest> extended_requests;
  bool has_gates = false;               // spec.schedulingGates: not to be scheduled yet
  bool is_scheduled_by_others = false;  // spec.schedulerName is another scheduler
  allocation::RequiredNodeAffinity node_affinity;
  std::vector<allocation::Toleration> tolerations;
  // The pod's first request that the playground's scheduler does not support; empty if none.
  std::string unsupported;    // see unknown.hpp
  std::string unschedulable;  // why, from the condition PodScheduled=False
  std::int64_t priority = 0;  // of its PriorityClass; higher ones are scheduled first
};

// For events about the pod.
api::ObjectReference reference_to(const Pod& pod);

// Null if the pod has none of that type.
const PodCondition* find_condition(const Pod& pod, std::string_view type);

// Sidecars, then containers: without the init containers that end.
std::vector<Container> long_lived_containers(const Pod& pod);

using allocation::DeviceClass;
using allocation::Slice;

// A condition of an allocated device, from an entry of status.devices.
struct DeviceCondition {
  InternedString type;
  bool is_true = false;
  std::string reason = {};
  std::string message = {};

  friend bool operator==(const DeviceCondition&, const DeviceCondition&) = default;
};
struct DeviceStatus {
  api::DeviceId id;
  std::vector<DeviceCondition> conditions = {};

  friend bool operator==(const DeviceStatus&, const DeviceStatus&) = default;
};

// `devices` of the base are the devices of `allocation` that are in use: without admin access.
struct Claim : api::ResourceClaim {
  allocation::ClaimSpec spec;
  InternedString spec_text;  // as JSON: equal for claims with equal requests
  std::optional<allocation::AllocationResult> allocation;
  std::vector<DeviceStatus> device_statuses;
};

struct Node : allocation::Node {
  bool is_ready = false;  // its condition
  std::optional<runtime::WallTime> ready_since;
};

struct Namespace {
  api::ObjectMeta meta;
  // Whether its content must still be deleted first (spec.finalizers).
  bool is_to_be_emptied = false;
};

// Found by the store for its metric of cached bytes; a rough figure suffices.
std::size_t footprint(const Node& node);
std::size_t footprint(const Namespace& namespace_);

extern const api::ResourceKind kNamespaces;

}  // namespace dcm::playground
