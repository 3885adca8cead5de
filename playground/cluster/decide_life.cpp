#include "playground/cluster/decide_life.hpp"

#include <algorithm>

#include "runtime/backoff.hpp"

namespace dcm::playground {
namespace {

using api::PodPhase;
using namespace std::chrono_literals;

constexpr runtime::Backoff kBackOff{10s, 5min};
constexpr Duration kGoodRun = 2 * kBackOff.most;

bool has_ended(const Pod& pod) {
  return pod.phase == PodPhase::succeeded || pod.phase == PodPhase::failed;
}

Ending told_ending(PodPhase phase) {
  return phase == PodPhase::succeeded ? Ending::completed : Ending::failed;
}

LifeStep stop(const Pod& pod, const PodTimes& times) {
  if (has_ended(pod)) return Remove{};
  if (pod.phase == PodPhase::pending) return Finish{Ending::never_started};
  const Duration wanted = pod.stop_after.value_or(Duration::zero());
  const Duration needed = std::min<Duration>(wanted, pod.grace);
  if (times.stopping < needed) return LookAgain{needed - times.stopping};
  if (pod.finish) return Finish{told_ending(*pod.finish)};
  return Finish{wanted > pod.grace ? Ending::killed : Ending::terminated};
}

// The time until its deadline has passed, plus the time that its containers take to stop.
std::optional<Duration> time_to_deadline(const Pod& pod, const PodTimes& times) {
  if (!pod.active_deadline || !pod.start_time) return std::nullopt;
  const bool has_started = pod.phase == PodPhase::running;
  const Duration stopping =
      std::min<Duration>(pod.stop_after.value_or(Duration::zero()), pod.termination_grace);
  return *pod.active_deadline + (has_started ? stopping : Duration::zero()) - times.active;
}

// The end determined by the pod's annotations and restart policy, and the time until then.
struct OwnEnd {
  Duration after;
  Ending ending;
};
std::optional<OwnEnd> own_end(const Pod& pod, Duration running) {
  if (pod.finish) return OwnEnd{Duration::zero(), told_ending(*pod.finish)};
  std::optional<OwnEnd> end;
  if (pod.run_for) end = OwnEnd{*pod.run_for - running, Ending::completed};
  const bool may_crash = pod.crash_after && pod.restart_policy == RestartPolicy::never;
  if (may_crash && (!pod.run_for || *pod.crash_after < *pod.run_for)) {
    end = OwnEnd{*pod.crash_after - running, Ending::failed};
  }
  return end;
}

LifeStep run(const Pod& pod, const PodTimes& times) {
  std::optional<Duration> next;
  if (const auto end = own_end(pod, times.running)) {
    if (end->after <= Duration::zero()) return Finish{end->ending};
    next = end->after;
  }
  const Containers containers = containers_after(times.running, pod.crash_after);
  if (containers.next) next = std::min(next.value_or(*containers.next), *containers.next);
  if (const auto left = time_to_deadline(pod, times)) next = std::min(next.value_or(*left), *left);
  return next ? LifeStep(LookAgain{*next}) : LifeStep(Idle{});
}

LifeStep wait_for_claims(const Pod& pod, const PodTimes& times) {
  const auto left = time_to_deadline(pod, times);
  return left ? LifeStep(LookAgain{*left}) : LifeStep(Idle{});
}

}  // namespace

Containers containers_after(Duration running, std::optional<Duration> crash_after) {
  Containers now;
  if (!crash_after) return now;
  const Duration life = std::max<Duration>(*crash_after, 1s);  // no container ends sooner here
  Duration back_off = Duration::zero();
  while (true) {
    const Duration end = now.started + life;
    if (running < end) {
      now.next = end - running;
      return now;
    }
    now.ended = end;
    if (life >= kGoodRun) back_off = Duration::zero();
    if (running < end + back_off) {
      now.waits_for = back_off;
      now.next = end + back_off - running;
      return now;
    }
    ++now.restarts;
    now.started = end + back_off;
    back_off = kBackOff.after(back_off);
  }
}

LifeStep decide_life(const Pod& pod, ClaimsReady claims, const PodTimes& times) {
  if (pod.meta.is_being_deleted) return stop(pod, times);
  const bool may_end = pod.phase == PodPhase::pending || pod.phase == PodPhase::running;
  const auto left = time_to_deadline(pod, times);
  if (may_end && left && *left <= Duration::zero()) return Finish{Ending::deadline_exceeded};
  switch (pod.phase) {
    case PodPhase::pending:
      if (claims == ClaimsReady::yes) return Start{};
      return wait_for_claims(pod, times);
    case PodPhase::running:
      return run(pod, times);
    case PodPhase::succeeded:
    case PodPhase::failed:
    case PodPhase::unknown:
      break;
  }
  return Idle{};
}

}  // namespace dcm::playground
