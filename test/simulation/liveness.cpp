#include "test/simulation/liveness.hpp"

#include <algorithm>

namespace dcm::simulation {
namespace {

// The longest back-off of client-go's work queues.
constexpr runtime::Duration kBackoffMax = std::chrono::seconds(1000);

}  // namespace

bool Liveness::is_late(const Wait& wait, runtime::MonoTime now) const {
  if (!wait.held_up_until) return now - wait.since > prompt_;
  const runtime::Duration held_up = *wait.held_up_until - wait.since;
  const auto backoff = wait.meets_fault ? std::min(held_up, kBackoffMax) : runtime::Duration{};
  return now - *wait.held_up_until > backoff + prompt_;
}

std::optional<Breach> Liveness::look(runtime::MonoTime now, const std::vector<Missing>& missing,
                                     const Obstacle& obstacle) {
  std::optional<Breach> late;
  std::map<std::string, Wait> waits;
  is_served_ = true;
  for (const Missing& each : missing) {
    // A condition may change and remain wrong.
    const std::string what = each.invariant + each.details.substr(0, each.details.find(": "));
    const auto known = waits_.find(what);
    const bool meets_obstacle = obstacle.holds_up(each);
    const bool is_held_up = meets_obstacle || each.is_held_up_by_owner;
    // It may have been missing, and blocked, since the last check.
    const runtime::MonoTime begin = is_held_up ? last_look_ : now;
    Wait wait = known == waits_.end() ? Wait{begin} : known->second;
    if (is_held_up) wait.held_up_until = now;
    // An event ends what its owner blocks, whatever back-off is left.
    if (each.is_held_up_by_owner && !meets_obstacle) wait.meets_fault = false;
    wait.meets_fault = wait.meets_fault || (meets_obstacle && obstacle.grows_backoff);
    is_served_ = is_served_ && is_held_up;
    if (!late && is_late(wait, now)) late = each;
    waits.emplace(what, wait);
  }
  waits_ = std::move(waits);
  last_look_ = now;
  return late;
}

}  // namespace dcm::simulation
