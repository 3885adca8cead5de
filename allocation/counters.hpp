// The counters that the devices of one pool share, and compatibility groups (KEP-4815).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "allocation/pools.hpp"
#include "allocation/usage.hpp"

namespace dcm::allocation {

// A counter that would be overdrawn.
struct CounterShortage {
  InternedString set;
  InternedString counter;
  Quantity available;  // after what is allocated
  Quantity wanted;     // consumed by the device, and taken by this call
};

// Invariant: only taken amounts are given back.
class CounterLedger {
 public:
  // Starts with what is allocated, on all nodes.
  CounterLedger(const Pool& pool, const Usage& usage);

  // Whether the pool has each counter that the device consumes.
  bool has_counters_of(const Device& device);
  // Takes what the device consumes, or returns why that is impossible and takes nothing.
  std::optional<CounterShortage> take(const Device& device);
  void give_back(const Device& device);

 private:
  struct Entry {
    InternedString set;
    InternedString counter;
    Quantity available;
    Quantity taken = Quantity();
  };

  Entry* find(const InternedString& set, const InternedString& counter);
  // Calls it for each entry that the device uses, which it may change.
  template <class OnEntry>
  void for_each_use(const Device& device, OnEntry&& on_entry);
  void note_whether_overdrawn(const Entry& entry);

  // There may be many thousands, and each device uses few of them.
  std::vector<Entry> entries_;                              // set by set
  std::unordered_map<InternedString, std::size_t> begins_;  // of the sets
  std::set<std::size_t> overdrawn_;
};

// The groups that the devices on each counter set have in common. Devices without groups are
// compatible only with each other.
class GroupLedger {
 public:
  GroupLedger(const Pool& pool, const Usage& usage);

  // Returns false, and takes nothing, on conflict.
  bool take(const Device& device);
  // Call it in the reverse order of taking.
  void give_back(const Device& device);

 private:
  // Per set: the common groups after each device taken. Empty for devices without groups.
  using Common = std::vector<std::vector<InternedString>>;

  static bool admits(const Common& common, const CounterUse& use);
  void add(const CounterUse& use);

  std::map<InternedString, Common> sets_;
};

// Whether a device is allocated, as a whole or in part, and so already consumes its counters.
inline bool is_allocated(const api::DeviceId& id, const Usage& usage) {
  return usage.has_device(id) || usage.is_shared(id);
}

}  // namespace dcm::allocation
