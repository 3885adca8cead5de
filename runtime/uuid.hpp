// Random UUIDs.
#pragma once

#include <string>

#include "runtime/rng.hpp"

namespace dcm::runtime {

// Of version 4 (RFC 9562): "8f2b3c1e-5d7a-4e0b-9c41-0a1f2f3f4a5b".
std::string make_uuid(Rng& rng);

}  // namespace dcm::runtime
