// How long a lease lasts, and how often it is renewed (client-go's LeaderElectionConfig).
#pragma once

#include <string>

#include "runtime/time.hpp"

namespace dcm::leader_election {

struct Timing {
  // Others leave a holder alone for so long after each sign of life.
  runtime::Duration lease_duration = std::chrono::seconds(15);
  // A leader that could not renew for so long stops. The difference between the two is the margin
  // for clocks of different speed, and for requests under way.
  runtime::Duration renew_deadline = std::chrono::seconds(10);
  // Between a leader's renewals, and the least time between the attempts of other candidates.
  runtime::Duration retry_period = std::chrono::seconds(2);
};

// The largest random addition to a retry period, as a share of it, so that candidates do not act in
// lockstep.
inline constexpr double kJitterMax = 1.2;

// Why the three do not go together, as one line; empty: they do.
std::string why_invalid(const Timing& timing);

}  // namespace dcm::leader_election
