// What ResourceClaims and DeviceClasses request, and what is allocated to a claim
// (resource.k8s.io/v1).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allocation/node_selector.hpp"
#include "allocation/taints.hpp"
#include "cel/kubernetes/quantity.hpp"
#include "client/api/meta.hpp"
#include "controllers/api/resource_claim.hpp"
#include "runtime/time.hpp"

namespace dcm::allocation {

using cel::Quantity;

// The most devices that one allocation may have (AllocationResultsMaxSize).
inline constexpr std::size_t kResultsMax = 32;
// How long kube-scheduler waits, by default, for binding conditions (KEP-5007, bindingTimeout).
inline constexpr std::chrono::minutes kBindingTimeout{10};

// Text of a CEL selector; nullopt: a kind of selector that is not known here.
using SelectorText = std::optional<std::string>;
using NamedQuantity = std::pair<std::string, Quantity>;

// JSON text that is passed through unread.
struct RawJson {
  std::string text;
  friend bool operator==(const RawJson&, const RawJson&) = default;
};

// One alternative of a request: its `exactly`, or an entry of its `firstAvailable`.
struct Ask {
  std::string name;  // of the request, or of the subrequest
  std::string device_class;
  std::string mode;  // "ExactCount" or "All"
  std::int64_t count = 0;
  std::optional<bool> admin_access = {};  // an empty list differs from a missing one
  std::vector<SelectorText> selectors = {};
  std::vector<Toleration> tolerations = {};
  std::vector<RawJson> toleration_texts = {};               // shared: allocations repeat them
  std::optional<std::vector<NamedQuantity>> capacity = {};  // from the field capacity.requests
  std::vector<std::pair<std::string, std::string>> derived_attributes = {};  // name, expression

  bool is_all() const { return mode == "All"; }
  bool has_admin_access() const { return admin_access.value_or(false); }
};

struct Request {
  std::string name;
  bool is_prioritized = false;  // has firstAvailable
  std::vector<Ask> asks = {};   // one entry unless the request is prioritized

  // "request", or "request/subrequest"
  std::string name_of(const Ask& ask) const {
    return is_prioritized ? name + "/" + ask.name : name;
  }
};

struct Constraint {
  enum class Kind : std::uint8_t { unknown, match_attribute, distinct_attribute };
  Kind kind = Kind::unknown;
  std::string attribute = {};              // fully qualified
  std::vector<std::string> requests = {};  // empty: all

  bool concerns(const Request& request, const Ask& ask) const;
};

// Configuration for drivers in a class or a claim.
struct DeviceConfig {
  std::optional<RawJson> opaque = {};
  std::vector<std::string> requests = {};  // of a claim; empty: all
};

struct ClaimSpec {
  std::vector<Request> requests = {};
  std::vector<Constraint> constraints = {};
  std::vector<DeviceConfig> config = {};
};

struct DeviceClass {
  api::ObjectMeta meta;
  std::vector<SelectorText> selectors = {};
  std::vector<DeviceConfig> config = {};
  std::string extended_resource_name = {};
  std::optional<runtime::WallTime> created = {};
};

// An entry of status.allocation.devices.results.
struct DeviceResult {
  std::string request;
  api::DeviceId id;
  bool has_admin_access = false;
  std::vector<RawJson> tolerations = {};
  std::vector<InternedString> binding_conditions = {};
  std::vector<InternedString> binding_failure_conditions = {};
  std::string share_id = {};  // empty: the device is not shared
  std::vector<NamedQuantity> consumed_capacity = {};
  std::vector<InternedString> skip_node_operations = {};
};

struct ConfigResult {
  enum class Source : std::uint8_t { from_class, from_claim };
  Source source = Source::from_class;
  std::vector<std::string> requests = {};  // empty: all
  std::optional<RawJson> opaque = {};
};

struct AllocationResult {
  std::vector<DeviceResult> devices = {};
  std::vector<ConfigResult> config = {};
  std::optional<NodeSelector> node_selector = {};  // nullopt: every node
  std::optional<runtime::WallTime> time = {};      // allocationTimestamp

  // Whether pods on the node can use what is allocated.
  bool is_available_on(const Node& node) const {
    return !node_selector || matches(*node_selector, node).value_or(false);
  }
};

struct Claim {
  api::ObjectMeta meta;
  ClaimSpec spec = {};
  std::optional<AllocationResult> allocation = {};
  std::vector<api::ConsumerReference> reserved_for = {};
};

// A claim to allocate; the objects that it refers to must outlive the call.
struct ClaimView {
  const api::NamespacedName& key;
  const ClaimSpec& spec;
};

}  // namespace dcm::allocation
