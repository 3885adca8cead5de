// The pools of devices that a node reaches.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "allocation/features.hpp"
#include "allocation/slice_index.hpp"

namespace dcm::allocation {

struct Pool {
  enum class State : std::uint8_t {
    usable,
    obsolete,    // a newer generation is being published elsewhere: treated as absent
    incomplete,  // some slices are missing: the pool gives no devices
    invalid,     // inconsistent: the pool gives no devices
  };
  PoolId id;
  State state = State::usable;
  std::string why_invalid = {};
  std::int64_t slices_found = 0;     // for incomplete pools: number of slices found
  std::int64_t slices_expected = 0;  // number of slices expected
  // The slices with devices that reach the node, by name; of the pool's newest generation there.
  std::vector<const Slice*> slices = {};
  // The pool's other slices with devices; not searched if all slices reach the node.
  std::vector<const Slice*> elsewhere = {};
  std::vector<const CounterSet*> counter_sets = {};

  bool has_binding_conditions() const;
};

// In the order in which devices are tried: by driver and name, pools that have devices with binding
// conditions last. Refers to the slices of `index`. An error ends the search on all nodes.
std::expected<std::vector<Pool>, std::string> gather_pools(const SliceIndex& index,
                                                           const Node& node,
                                                           const Features& features);

}  // namespace dcm::allocation
