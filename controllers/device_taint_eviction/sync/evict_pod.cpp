#include "controllers/device_taint_eviction/sync/evict_pod.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace dcm::device_taint_eviction {
namespace {

constexpr std::string_view kComponent = "device-taint-eviction-controller";
constexpr std::string_view kReason = "DeviceTaintManagerEviction";

// From so many pods on it is a herd: its requests let those for single changes pass.
constexpr std::size_t kHerd = 100;

// The server knows better than the cache, which will follow. Should it not, we look again.
const workqueue::Outcome kGone = workqueue::Outcome::retry_after(std::chrono::minutes(5));

bool is_gone(const runtime::Error& error) {
  return runtime::is_object_gone(error) || runtime::is_conflict(error);
}

// How long the server asks to be left alone (the client bounds that); nothing: it does not.
std::optional<runtime::Duration> pause_after(const runtime::Error& error) {
  const bool is_busy = error.reason == runtime::Reason::service_unavailable ||
                       error.reason == runtime::Reason::too_many_requests;
  if (!is_busy || !error.retry_after) return std::nullopt;
  return error.retry_after;
}

// In the Eviction API, 429 is a budget's answer for this pod: others may go.
bool concerns_this_pod_alone(const runtime::Error& error, EvictionMode mode) {
  return mode == EvictionMode::evict && error.reason == runtime::Reason::too_many_requests;
}

std::string reasons_of(const Verdict& verdict) {
  constexpr std::size_t kNamedMax = 4;
  std::string text;
  for (std::size_t i = 0; i < verdict.reasons.size(); ++i) {
    if (i > 0) text += "; ";
    if (i == kNamedMax) return text + "…";
    text += verdict.reasons[i].str();
  }
  return text;
}

}  // namespace

Task<workqueue::Outcome> PodEviction::evict(PodRef pod) {
  bool has_begun = false;
  while (true) {
    PendingPod* pending = deps_.tracker.judge_again(pod);
    const EvictionStep step = next_step(pod, pending);
    if (step == EvictionStep::nothing) {
      conclude(pod);
      co_return workqueue::Outcome::done();
    }
    if (step == EvictionStep::wait) {
      deps_.tracker.pending().put_back(*pending);
      co_return workqueue::Outcome::done();
    }
    if (!has_begun && !begin(pod, *pending)) {
      deps_.tracker.pending().put_back(*pending);
      co_return workqueue::Outcome::set_aside();
    }
    has_begun = true;
    if (step == EvictionStep::remove || step == EvictionStep::evict) {
      const workqueue::Outcome outcome = co_await send_away(pod, step);
      co_return outcome;
    }
    const End end = co_await mark(pod, step == EvictionStep::mark ? api::TransitionTime::now
                                                                  : api::TransitionTime::unchanged);
    if (end) co_return *end;
  }
}

void PodEviction::stop() {
  is_stopped_ = true;
  stopped_.notify_all();
}

EvictionStep PodEviction::next_step(const PodRef& pod, const PendingPod* pending) const {
  EvictionSnapshot snapshot;
  snapshot.pod = deps_.tracker.lookup().find_pod(pod.key);
  snapshot.uid = pod.uid;
  snapshot.now = deps_.time.wall_now();
  snapshot.mode = mode_;
  if (pending != nullptr) {
    snapshot.due = pending->due;
    if (pending->is_marked) snapshot.mark = EvictionSnapshot::Mark::written;
  }
  return decide_eviction(snapshot);
}

// Before the first write of an attempt. False: the rate of evictions does not allow it now.
bool PodEviction::begin(const PodRef& pod, PendingPod& pending) {
  if (!std::exchange(pending.has_turn, false) && !deps_.pace.try_take(deps_.time.now())) {
    return false;
  }
  if (std::exchange(pending.is_announced, true)) return true;
  if (deps_.log.v(2)) {
    const PodPtr cached = deps_.tracker.lookup().find_pod(pod.key);
    deps_.log.info("Evicting pod", {{"pod", pod.key.str()},
                                    {"reasons", reasons_of(deps_.tracker.verdict(*cached))}});
  }
  report(pod, "Marking for deletion");
  return true;
}

Task<PodEviction::End> PodEviction::mark(PodRef pod, api::TransitionTime transition) {
  const Result<> marked =
      co_await deps_.api.mark(pod, deps_.time.wall_now(), transition, priority());
  if (!marked) {
    if (runtime::is_object_gone(marked.error())) {
      conclude_gone(pod);
      co_return kGone;
    }
    const workqueue::Outcome outcome = co_await fail(pod, marked.error());
    co_return outcome;
  }
  PendingPod* pending = deps_.tracker.pending().find(pod.uid);
  if (pending != nullptr) pending->is_marked = true;
  co_return std::nullopt;
}

Task<workqueue::Outcome> PodEviction::send_away(PodRef pod, EvictionStep step) {
  const PendingPod* pending = deps_.tracker.pending().find(pod.uid);
  const Unanswered eviction{pending->due, pending->rules, deps_.time.wall_now()};
  auto request = step == EvictionStep::evict ? deps_.api.evict(pod, priority())
                                             : deps_.api.remove(pod, priority());
  const Result<> accepted = co_await std::move(request);
  if (accepted) {
    succeed(pod, eviction);
    co_return workqueue::Outcome::done();
  }
  const runtime::Error& error = accepted.error();
  if (is_gone(error)) {
    conclude_gone(pod);
    co_return kGone;
  }
  if (runtime::is_outcome_unknown(error)) unanswered_.insert_or_assign(pod.uid, eviction);
  const workqueue::Outcome outcome = co_await fail(pod, error);
  co_return outcome;
}

void PodEviction::succeed(const PodRef& pod, const Unanswered& eviction) {
  deps_.tracker.record_evicted(pod, eviction.rules);
  deps_.metrics.count_eviction(eviction.due, eviction.sent);
  unanswered_.erase(pod.uid);
}

// The pod is gone, or going: if an eviction of ours was not answered, then that was it.
void PodEviction::conclude_gone(const PodRef& pod) {
  const auto found = unanswered_.find(pod.uid);
  if (found != unanswered_.end()) succeed(pod, Unanswered(found->second));
}

// There is nothing to do for the pod any more, as far as the caches know.
void PodEviction::conclude(const PodRef& pod) {
  const PodPtr cached = deps_.tracker.lookup().find_pod(pod.key);
  const bool stays = cached && cached->meta.uid == pod.uid && !cached->meta.is_being_deleted;
  if (!stays) return conclude_gone(pod);
  unanswered_.erase(pod.uid);
}

Task<workqueue::Outcome> PodEviction::fail(PodRef pod, runtime::Error error) {
  deps_.problems.note(Item::pod(pod), "it could not be evicted: " + error.message);
  PendingPod* pending = deps_.tracker.pending().find(pod.uid);
  if (pending != nullptr) deps_.tracker.pending().count_failure(*pending);
  const std::uint32_t failures = pending == nullptr ? 0 : pending->failures;
  if (failures <= 1 || failures > kFailuresOfBadLuck || deps_.log.v(4)) {
    deps_.log.warning(
        "Pod could not be evicted; it is tried again",
        {{"pod", pod.key.str()}, {"failures", failures}, {"error", runtime::to_string(error)}});
  }
  const std::optional<runtime::Duration> pause = pause_after(error);
  if (!pause) co_return workqueue::Outcome::retry();
  if (concerns_this_pod_alone(error, mode_)) co_return workqueue::Outcome::retry_after(*pause);
  // The worker itself waits: more requests would not help the server.
  if (!is_stopped_) co_await stopped_.wait(runtime::Deadline::after(deps_.time, *pause));
  co_return workqueue::Outcome::retry();
}

void PodEviction::report(const PodRef& pod, std::string_view message) {
  deps_.events.report({"v1", "Pod", pod.key, pod.uid, {}}, api::EventType::normal, kComponent,
                      kReason, message);
}

Priority PodEviction::priority() const {
  return deps_.tracker.pending().size() > kHerd ? Priority::backlog : Priority::live;
}

}  // namespace dcm::device_taint_eviction
