#include "cmd/dra-playground/cluster/decide_life.hpp"

#include <algorithm>

namespace dcm::playground {
namespace {

using api::PodPhase;

LifeStep stop(const Pod& pod, Duration stopping) {
  const Duration needed = std::min<Duration>(pod.stop_after.value_or(Duration::zero()), pod.grace);
  if (stopping >= needed) return Remove{};
  return LookAgain{needed - stopping};
}

LifeStep run(const Pod& pod, Duration running) {
  if (pod.finish) return Finish{*pod.finish};
  if (!pod.run_for) return Idle{};
  if (running >= *pod.run_for) return Finish{PodPhase::succeeded};
  return LookAgain{*pod.run_for - running};
}

}  // namespace

LifeStep decide_life(const Pod& pod, ClaimsReady claims, const PodTimes& times) {
  if (pod.meta.is_being_deleted) return stop(pod, times.stopping);
  switch (pod.phase) {
    case PodPhase::pending:
      if (claims == ClaimsReady::yes) return Start{};
      return Idle{};
    case PodPhase::running:
      return run(pod, times.running);
    case PodPhase::succeeded:
    case PodPhase::failed:
    case PodPhase::unknown:
      break;
  }
  return Idle{};
}

}  // namespace dcm::playground
