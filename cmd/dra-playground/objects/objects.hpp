// The Kubernetes objects as scheduler, hollow nodes and garbage collector read them.
//
// They are more than the controllers of the manager need (requests of a claim, containers of a
// pod), so they are types of the playground's own, on top of those in client/api. Version v1 of
// resource.k8s.io alone.
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
// "Succeeded" or "Failed": ends it now.
inline constexpr std::string_view kFinishAnnotation =
    "playground.dra-controller-manager.dev/finish";

// The only label that a nodeSelector may name here.
inline constexpr std::string_view kHostnameLabel = "kubernetes.io/hostname";

struct Container {
  std::string name;
  std::string image;
};

struct Pod : api::Pod {
  std::optional<Duration> run_for;
  std::optional<Duration> stop_after;
  std::optional<api::PodPhase> finish;
  std::chrono::seconds grace{0};                // deletionGracePeriodSeconds
  std::optional<runtime::WallTime> start_time;  // status.startTime
  std::vector<Container> containers;
  bool has_gates = false;               // spec.schedulingGates: not to be scheduled yet
  bool is_scheduled_by_others = false;  // spec.schedulerName is another one
  // The node that spec.nodeSelector asks for by its host name; empty: any.
  InternedString wanted_node;
  // What else spec.nodeSelector asks for, which the playground's scheduler cannot do; empty:
  // nothing.
  std::string unsupported;
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

// Whether a device with this taint is not for everybody: NoSchedule and NoExecute.
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

struct Claim : api::ResourceClaim {
  std::vector<DeviceRequest> requests;
  // What the claim asks for that the playground's scheduler cannot do; empty: nothing.
  std::string unsupported;
};

struct DeviceClass {
  api::ObjectMeta meta;
  // The driver whose devices it has, from a selector `device.driver == "…"`; empty: every driver.
  InternedString driver;
  std::string unsupported;  // a selector that says something else; empty: none does
};

struct SliceDevice {
  InternedString name;
  std::vector<api::DeviceTaint> taints = {};  // those that keep off
};

// A slice of one node's devices. Those for several nodes have no node name, and are left alone.
struct Slice {
  api::ObjectMeta meta;
  InternedString driver;
  InternedString pool;
  std::int64_t generation = 0;
  InternedString node;
  std::vector<SliceDevice> devices;
};

struct Node {
  api::ObjectMeta meta;
  bool is_schedulable = true;
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
