// Which devices the nodes have, and which of them are free.
//
// Data and arithmetic only: the scheduler tells it what slices, taint rules and claims say. Devices
// are counted per node and driver, so that a full cluster is recognised without looking at each
// device.
//
// The inventory never guesses. It offers no devices of pools with unknown fields, of incomplete
// pools, or of pools with a duplicate name. A request for such devices is told the reason.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cmd/dra-playground/objects/objects.hpp"
#include "controllers/api/device.hpp"
#include "controllers/api/device_taint_rule.hpp"

namespace dcm::playground {

// Devices for one request, from one driver's.
struct Need {
  InternedString driver;  // empty: any
  AllocationMode mode = AllocationMode::exact_count;
  std::size_t count = 1;
  std::vector<Toleration> tolerated = {};
  std::size_t claim = 0;  // which of the pod's claims it belongs to
};

// The devices for each Need, in its order.
using Fit = std::vector<std::vector<api::DeviceId>>;
// Why there is no Fit, if it is more than that devices are not free; else empty.
using NoFit = std::string;

// Why no pod gets devices of a pool.
struct PoolTrouble {
  enum class Kind : std::uint8_t {
    unknown,   // it has what is not known here: who might get such devices must not be guessed
    unusable,  // it is not to be used now, and other pools are
  };
  Kind kind;
  std::string what;
};

// Loop thread only. Invariant: a driver's `free` on a node is the number of its devices there that
// are neither tainted nor in use.
class Inventory {
 public:
  // A slice as it is now; replaces the one of its name. Of a pool only the slices of the highest
  // generation count.
  void set_slice(const Slice& slice);
  void remove_slice(const Slice& slice);

  // A DeviceTaintRule as it is now; replaces the one of its name.
  void set_rule(const api::DeviceTaintRule& rule);
  void remove_rule(const api::DeviceTaintRule& rule);

  // In use, once more or once less. The device need not be known.
  void take(const api::DeviceId& device);
  void give_back(const api::DeviceId& device);

  // The first devices that will do, by driver, pool, slice and place in the slice: those that
  // kube-scheduler finds. Takes nothing.
  std::expected<Fit, NoFit> fit(const InternedString& node, std::span<const Need> needs) const;
  // Where a device is; empty: not known.
  InternedString node_of(const api::DeviceId& device) const;

  std::size_t devices() const noexcept { return devices_.size(); }
  std::size_t in_use() const noexcept { return in_use_.size(); }

 private:
  struct PoolKey {
    InternedString driver;
    InternedString pool;
    friend auto operator<=>(const PoolKey&, const PoolKey&) = default;
  };
  struct Device {
    InternedString node;
    std::vector<api::DeviceTaint> taints;  // of its slice
    bool is_tainted = false;               // by its slice or by a rule
  };
  using Devices = std::vector<api::DeviceId>;
  struct DriverOnNode {
    std::map<InternedString, Devices> pools;        // in the order of their slices
    std::map<InternedString, PoolTrouble> trouble;  // by pool
    std::size_t devices = 0;                        // in all pools
    std::size_t free = 0;
  };
  using Node = std::map<InternedString, DriverOnNode>;
  struct Pool {
    std::map<std::string, Slice> slices;  // by name
    Devices shown;                        // those of its devices that count
    std::vector<InternedString> told;     // the nodes that have heard of its trouble
  };

  void rebuild(const PoolKey& key, Pool& pool);
  void add(const Slice& slice, Pool& pool);
  void drop(const api::DeviceId& id);
  void look_at_rules_again();
  bool is_free(const api::DeviceId& id) const;
  bool may_have(const Need& need, const api::DeviceId& id) const;
  bool is_kept_off(const api::DeviceId& id, const Device& device,
                   const std::vector<Toleration>& tolerated) const;
  // The node's devices that a need may have, and how many of them it must have.
  struct Choice {
    std::vector<const api::DeviceId*> devices;
    std::size_t wanted = 0;
  };
  std::expected<Choice, NoFit> choice_of(const InternedString& node, const Need& need) const;
  // Why a need cannot be met: the trouble of a pool of the node, or of a pool of no single node.
  NoFit trouble_of(const InternedString& node, const Need& need, PoolTrouble::Kind kind) const;
  template <class OnDriver>
  void for_each_driver(const InternedString& node, const InternedString& name,
                       OnDriver&& on_driver) const;
  class Search;

  std::map<PoolKey, Pool> pools_;
  std::map<std::string, api::DeviceTaintRule> rules_;  // by name; those that keep off
  std::unordered_map<api::DeviceId, Device> devices_;
  std::unordered_map<api::DeviceId, std::uint32_t> in_use_;
  // Under the empty name: what is not of one node, and so concerns all of them.
  std::unordered_map<InternedString, Node> nodes_;
};

}  // namespace dcm::playground
