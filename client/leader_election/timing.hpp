// How long a lease lasts, and how often it is renewed (client-go's LeaderElectionConfig).
#pragma once

#include <string>

#include "runtime/time.hpp"

namespace dcm::leader_election {

struct Timing {
  // Others leave a holder alone for so long after each sign of life.
  runtime::Duration lease_duration = std::chrono::seconds(15);
  // A leader that could not renew for so long stops. What lies between the two is the margin for
  // clocks that do not run alike, and for what is on its way.
  runtime::Duration renew_deadline = std::chrono::seconds(10);
  // Between the renewals of a leader, and the least between the attempts of everybody else.
  runtime::Duration retry_period = std::chrono::seconds(2);
};

// What is added to a retry period at random, as a share of it, so that candidates do not march in
// step.
inline constexpr double kJitterMax = 1.2;

// Why the three do not go together, as one line; empty: they do.
std::string why_invalid(const Timing& timing);

}  // namespace dcm::leader_election
