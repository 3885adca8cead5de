// How long a lease lasts, and how often it is renewed (client-go's LeaderElectionConfig).
#pragma once

#include <string>

#include "runtime/time.hpp"

namespace dcm::leader_election {

struct Timing {
  // How long others wait after each renewal.
  runtime::Duration lease_duration = std::chrono::seconds(15);
  // A leader that could not renew for this long stops. The rest of lease_duration is a margin for
  // clocks of different speed, and for requests in flight.
  runtime::Duration renew_deadline = std::chrono::seconds(10);
  // The time between a leader's renewals, and the minimum between other candidates' attempts.
  runtime::Duration retry_period = std::chrono::seconds(2);
};

// The largest random extension of a retry period, as a fraction of it, so that candidates do not
// act in lockstep.
inline constexpr double kJitterMax = 1.2;

// Why the three values are inconsistent, in one line; empty if they are consistent.
std::string why_invalid(const Timing& timing);

}  // namespace dcm::leader_election
