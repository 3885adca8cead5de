// The state after a quiet time: all work has been done.
#pragma once

#include <string>
#include <vector>

#include "test/simulation/safety.hpp"

namespace dcm::simulation {

// Missing and leftover parts, as invariant and details; empty: the fixed point is reached.
std::vector<Breach> missing_at_fixed_point(const Safety& world, runtime::WallTime now);

}  // namespace dcm::simulation
