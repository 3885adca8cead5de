// Why the claims of a pod get no devices on a node: the first obstacle for each request and device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "allocation/allocator.hpp"
#include "allocation/capacity.hpp"
#include "allocation/counters.hpp"
#include "allocation/pools.hpp"

namespace dcm::allocation {

// The device is what the request asks for, but its pool is unusable. Counts are for an incomplete
// pool, `why` for an invalid one.
struct PoolObstacle {
  Pool::State state;
  std::int64_t slices_found = 0;
  std::int64_t slices_expected = 0;
  std::string why = {};
};

// The device itself is for other nodes (perDeviceNodeSelection).
struct OtherNodeObstacle {};

// A selector is false, or fails. A failing selector blocks the pod on all nodes.
struct SelectorObstacle {
  std::string class_name;  // empty: a selector of the request
  std::size_t index;       // in its list
  std::string expression;
  std::string error = {};  // the text of kube-scheduler; empty: the selector is false
  // The term of the expression that decides; empty if it cannot be shown by itself.
  std::string part = {};
  // The values that the term saw: `device.attributes["gpu.example.com"].model` and `"A100"`.
  std::vector<std::pair<std::string, std::string>> met = {};
};

// Another claim has the device.
struct HeldObstacle {};

// The device needs a disabled feature, or one that the node has not declared.
struct UnsupportedObstacle {
  std::string feature;
};

// A capacity request that no device can satisfy: it blocks the pod on all nodes.
struct CapacityError {
  std::string text;
};

// The devices in use on a counter set and this one have no compatibility group in common.
struct GroupObstacle {};

struct TaintObstacle {
  Taint taint;
  std::string rule = {};  // the DeviceTaintRule; empty: set by the driver
};

// The device lacks the attribute of a constraint.
struct ConstraintObstacle {
  std::size_t index;  // in the claim
  std::string attribute;
  std::string error = {};  // for a derived attribute; empty: it is missing
};

// monostate: no obstacle; the request could get the device if it were alone. Properties of the
// device come first, what can change (held, tainted, …) last.
using Obstacle = std::variant<std::monostate, PoolObstacle, OtherNodeObstacle, SelectorObstacle,
                              HeldObstacle, UnsupportedObstacle, CapacityObstacle, CapacityError,
                              CounterShortage, GroupObstacle, TaintObstacle, ConstraintObstacle>;

// Whether the device has what the request asks for: only its present state can be in the way.
bool is_matching(const Obstacle& obstacle);

struct DeviceExplanation {
  api::DeviceId id;
  Obstacle obstacle = {};
  bool is_shared = false;  // several requests can get it
};

struct RequestExplanation {
  std::size_t claim;        // its index
  std::string name;         // "request" or "request/subrequest"
  std::int64_t wanted = 0;  // for a request for all devices: their number
  bool is_all = false;
  std::optional<RequestFault> fault = {};
  std::vector<DeviceExplanation> devices = {};
  // A counter that the usable devices would overdraw together.
  std::optional<CounterShortage> shortage = {};

  std::size_t usable() const;
  bool is_satisfied() const { return wanted > 0 && std::cmp_greater_equal(usable(), wanted); }
};

// The values that a constraint sees on devices without an obstacle for one of its requests.
struct ConstraintExplanation {
  std::size_t claim;
  std::size_t index;
  bool is_match;
  std::string attribute;
  std::vector<std::pair<api::DeviceId, std::string>> values = {};
};

struct NodeExplanation {
  bool fits = false;
  std::optional<AllocationError> error = {};
  bool is_cut_short = false;  // the time was up: without requests and constraints
  std::vector<RequestExplanation> requests = {};
  // If each request alone could get enough devices, the obstacle is one of these, the limit of
  // devices in a claim, or that requests compete for the same devices.
  std::vector<ConstraintExplanation> constraints = {};
};

NodeExplanation explain_node(Allocator& allocator, const Node& node, const Options& options = {});

// As shown in a sentence: `"A100"`, `3`, `true`, `[1, 2]`.
std::string describe(const cel::Attribute& attribute);

}  // namespace dcm::allocation
