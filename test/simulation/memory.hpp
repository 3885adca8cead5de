// Limits the caches of a manager, whatever users put into their objects.
#pragma once

#include <optional>
#include <string>

#include "test/simulation/safety.hpp"

namespace dcm::simulation {

// `metrics`: a manager's, in the text format.
std::optional<Breach> memory_breach(const std::string& metrics);

}  // namespace dcm::simulation
