#pragma once

#include <string>

namespace dcm::simulation {

// An invariant that does not hold.
struct Breach {
  std::string invariant;  // a short sentence, always the same
  std::string details;
};

}  // namespace dcm::simulation
