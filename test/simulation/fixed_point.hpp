// The state after a quiet time: all work has been done.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "test/simulation/safety.hpp"

namespace dcm::simulation {

// What is missing or left over.
struct Missing : Breach {
  Missing(std::string what, std::string of, bool is_held_up = false)
      : Breach{std::move(what), std::move(of)}, is_held_up_by_owner(is_held_up) {}

  // Whether a pod is not evicted yet, or a rule's status about evictions is wrong.
  bool is_about_evictions() const;

  bool is_held_up_by_owner;  // its owner requests something else that is unavailable
};

// What is missing now. At the fixed point, that is nothing but what owners block.
std::vector<Missing> missing_at_fixed_point(const Safety& world, runtime::WallTime now);

}  // namespace dcm::simulation
