// The identity of a candidate.
#pragma once

#include <string>
#include <string_view>

#include "runtime/rng.hpp"
#include "runtime/uuid.hpp"

namespace dcm::leader_election {

// "<host>_<uuid>", different on each call: a restarted process must not mistake its predecessor's
// lease for its own. `rng` is seeded by the operating system.
inline std::string make_identity(std::string_view host, runtime::Rng& rng) {
  return std::string(host) + "_" + runtime::make_uuid(rng);
}

}  // namespace dcm::leader_election
