// Which devices the nodes have, and which of them are free.
//
// Data and arithmetic only: the scheduler tells it what slices, taint rules and claims say. Devices
// are counted per node and driver, so that a full cluster is recognised without looking at each
// device.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
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
};

// The devices for each Need, in its order.
using Fit = std::vector<std::vector<api::DeviceId>>;

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

  // Nothing: they are not free on that node together. Takes nothing.
  std::optional<Fit> fit(const InternedString& node, std::span<const Need> needs) const;
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
  struct DriverOnNode {
    std::vector<api::DeviceId> devices;  // in the order of their slices
    std::size_t free = 0;
  };
  using Node = std::map<InternedString, DriverOnNode>;
  struct Pool {
    std::map<std::string, Slice> slices;  // by name
    std::vector<api::DeviceId> shown;     // those of its devices that count
  };

  void rebuild(Pool& pool);
  void add(const Slice& slice, Pool& pool);
  void drop(const api::DeviceId& id);
  void look_at_rules_again();
  bool is_free(const api::DeviceId& id) const;
  bool may_have(const Need& need, const api::DeviceId& id) const;
  bool is_kept_off(const api::DeviceId& id, const Device& device,
                   const std::vector<Toleration>& tolerated) const;
  bool fill(const DriverOnNode& driver, const Need& need, const Fit& taken,
            std::vector<api::DeviceId>& devices) const;

  std::map<PoolKey, Pool> pools_;
  std::map<std::string, api::DeviceTaintRule> rules_;  // by name; those that keep off
  std::unordered_map<api::DeviceId, Device> devices_;
  std::unordered_map<api::DeviceId, std::uint32_t> in_use_;
  std::unordered_map<InternedString, Node> nodes_;
};

}  // namespace dcm::playground
