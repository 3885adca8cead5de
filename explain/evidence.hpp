// Messages of other components about an object: the scheduler's in the pod's conditions, the API
// server's in events of refused attempts and in quotas, kubelet's and the node's. They are read on
// demand (read_evidence.hpp), and become sentences here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/api/lease.hpp"
#include "controllers/common/explanation.hpp"
#include "runtime/time.hpp"

namespace dcm::explain {

struct Condition {
  bool is_true = false;
  std::string reason;
  std::string message;
  std::optional<runtime::WallTime> since;
};

// Why a container does not start, in kubelet's words.
struct ContainerReport {
  std::string name;
  std::string reason;
  std::string message;
};

// The pod's own status, apart from its claims.
struct PodReport {
  bool is_pending = false;
  bool has_ended = false;  // Succeeded or Failed
  bool is_being_deleted = false;
  bool has_sandbox = false;  // set by kubelet once the claims are prepared
  std::string uid = {};
  std::string node = {};
  std::string scheduler = {};
  std::string nominated_node = {};
  std::vector<std::string> gates = {};
  bool wants_extended_resources = false;  // which may have a DeviceClass
  std::optional<Condition> scheduled = {};
  std::optional<ContainerReport> waits = {};  // the first container that waits
  std::optional<runtime::WallTime> containers_ended = {};
  std::vector<std::string> finalizers = {};
  std::vector<std::string> claims = {};  // names
};

struct EventReport {
  std::string reason;
  std::string message;
  std::optional<runtime::WallTime> last;
  std::int64_t count = 1;
};

// One limit of a ResourceQuota.
struct QuotaReport {
  std::string quota;
  std::string resource;  // "count/resourceclaims.resource.k8s.io"
  std::string used;
  std::string hard;
  bool is_exhausted = false;
};

struct NodeReport {
  bool is_there = false;
  std::optional<Condition> ready = {};
};

// A binding condition of an allocated device that is not true: the scheduler waits for it.
struct MissingCondition {
  std::string type;
  std::string device;  // driver/pool/device
  std::string claim;
};

// An allocated claim of a pod that waits: what may keep the pod off a node.
struct AllocationReport {
  std::string claim;
  std::string nodes;                       // "node-1"; empty: the devices are not for few nodes
  std::vector<std::string> failures = {};  // `x/f of device d/p/a (reason "R": "m")`
  bool lacks_conditions = false;           // a binding condition is not true
  std::optional<runtime::WallTime> since = {};  // allocationTimestamp
  std::vector<std::string> consumers = {};      // others: "pod lab/x"
};

// nullopt: not read, because the explanation does not depend on it.
template <class T>
using Asked = std::optional<common::Known<T>>;

struct Evidence {
  Asked<PodReport> pod = {};
  Asked<std::vector<EventReport>> events = {};  // the latest of each reason
  Asked<std::vector<QuotaReport>> quotas = {};
  Asked<NodeReport> node = {};
  Asked<std::optional<common::Topic>> devices = {};  // devices/read_devices.hpp
  Asked<std::vector<MissingCondition>> binding = {};
  Asked<std::vector<AllocationReport>> allocations = {};
};

// Whether a step of the draft creates a claim: then refusals matter.
bool makes_claim(const common::Draft& draft);
// Whether the question is why no devices are allocated.
bool asks_devices(const Evidence& evidence, const common::Draft& draft);
// Whether a claim has devices, which may wait for binding conditions.
bool asks_binding(const common::Draft& draft);
// Whether the scheduler finds no node where the pod's allocated claims can be used.
bool asks_allocations(const PodReport& pod);
// Whether the scheduler (or kubelet) acts next.
bool is_schedulers(const PodReport& pod);
bool is_kubelets(const PodReport& pod);

// Adds what the evidence says; unreadable inputs are hidden in `sight`.
void add_evidence(const Evidence& evidence, runtime::WallTime now, common::Draft& draft,
                  common::Sight& sight);

// What to do about a refused write with this message; empty if unknown.
std::string_view advice_about_refusal(std::string_view message);

// ---- which manager does the work ----------------------------------------------------------------

// How long to watch a lease that seems to have expired: the clock of its holder may differ from
// ours, but a living holder renews it within this time.
inline constexpr runtime::Duration kLeaseLook = std::chrono::seconds(5);

// Whether the lease is valid by our clock.
bool seems_held(const api::LeaseSpec& lease, runtime::WallTime now);
// `later`: the same lease after kLeaseLook; nullopt: it seems held. `lease` nullopt: no lease.
common::Worker judge_lease(const std::string& name, const std::optional<api::LeaseSpec>& lease,
                           const std::optional<api::LeaseSpec>& later, runtime::WallTime now);

}  // namespace dcm::explain
