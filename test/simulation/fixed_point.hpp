// What must be true when nothing has happened for a while: everything has been done.
#pragma once

#include <string>
#include <vector>

#include "test/simulation/safety.hpp"

namespace dcm::simulation {

// What is missing or left over, each as invariant and details; empty: the fixed point is reached.
std::vector<Breach> missing_at_fixed_point(const Safety& world, runtime::WallTime now);

}  // namespace dcm::simulation
