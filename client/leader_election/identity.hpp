// The identity of a candidate.
#pragma once

#include <string>
#include <string_view>

#include "runtime/rng.hpp"

namespace dcm::leader_election {

// "<host>_<uuid>", another one at each call: a process that starts again must not take the lease of
// the one before for its own. `rng` is seeded by the operating system.
std::string make_identity(std::string_view host, runtime::Rng& rng);

}  // namespace dcm::leader_election
