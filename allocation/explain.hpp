// Why a pod's claims get no devices on a node: for each request and device the first obstacle.
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

// The device's pool gives no devices. Counts are of an incomplete pool, `why` of an invalid one.
struct PoolObstacle {
  Pool::State state;
  std::int64_t slices_found = 0;
  std::int64_t slices_expected = 0;
  std::string why = {};
};

// The device itself is for other nodes (perDeviceNodeSelection).
struct OtherNodeObstacle {};

// A selector is false, or fails: then it holds up the pod on all nodes.
struct SelectorObstacle {
  std::string class_name;  // empty: a selector of the request
  std::size_t index;       // in its list
  std::string expression;
  std::string error = {};  // the text of kube-scheduler; empty: it is false
  // The term of the expression that decides; empty: it has no text of its own.
  std::string part = {};
  // What that met on the device: `device.attributes["gpu.example.com"].model` and `"A100"`.
  std::vector<std::pair<std::string, std::string>> met = {};
};

// Another claim has the device.
struct HeldObstacle {};

// The device needs something that is switched off, or that the node has not declared.
struct UnsupportedObstacle {
  std::string feature;
};

// A capacity request that no device can take: it holds up the pod on all nodes.
struct CapacityError {
  std::string text;
};

// The devices that are in use on a counter set, and this one, have no group in common.
struct GroupObstacle {};

struct TaintObstacle {
  Taint taint;
  std::string rule = {};  // the DeviceTaintRule; empty: the driver
};

// The device lacks the attribute of a constraint.
struct ConstraintObstacle {
  std::size_t index;  // in the claim
  std::string attribute;
  std::string error = {};  // of a derived attribute; empty: it is missing
};

// monostate: none, the request could have the device if it were the only one.
using Obstacle = std::variant<std::monostate, PoolObstacle, OtherNodeObstacle, SelectorObstacle,
                              HeldObstacle, UnsupportedObstacle, CapacityObstacle, CapacityError,
                              CounterShortage, GroupObstacle, TaintObstacle, ConstraintObstacle>;

struct DeviceExplanation {
  api::DeviceId id;
  Obstacle obstacle = {};
};

struct RequestExplanation {
  std::size_t claim;        // its index
  std::string name;         // "request" or "request/subrequest"
  std::int64_t wanted = 0;  // of a request for all: as many as it is for
  bool is_all = false;
  std::string fault = {};  // an error of the request itself; empty: none
  std::vector<DeviceExplanation> devices = {};

  std::size_t usable() const;
};

// The values that a constraint meets on devices which are no obstacle to one of its requests.
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
  std::vector<RequestExplanation> requests = {};
  // If each request could have enough devices, these, the limit of devices in a claim, or that
  // requests want the same devices, are in the way.
  std::vector<ConstraintExplanation> constraints = {};
};

NodeExplanation explain_node(Allocator& allocator, const Node& node, const Options& options = {});

// As in a sentence: `"A100"`, `3`, `true`, `[1, 2]`.
std::string describe(const cel::Attribute& attribute);

}  // namespace dcm::allocation
