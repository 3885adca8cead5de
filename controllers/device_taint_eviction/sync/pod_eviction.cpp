#include "controllers/device_taint_eviction/sync/pod_eviction.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "controllers/common/explanation.hpp"

namespace dcm::device_taint_eviction {
namespace {

constexpr std::string_view kComponent = "device-taint-eviction-controller";
constexpr std::string_view kReason = "DeviceTaintManagerEviction";

// Above this, send at backlog priority, so that requests for single changes pass.
constexpr std::size_t kHerd = 100;

// The server knows better than the cache, which will catch up. If it does not, we look again.
constexpr runtime::Duration kLookAgain = std::chrono::minutes(5);

// An eviction without an answer was executed soon, or never: a pod that ends later ends for another
// reason.
constexpr runtime::Duration kCarriedOutWithin = std::chrono::minutes(1);

// The same as `kubectl drain`, with jitter. If budgets hold very many pods, at most 50 of them ask
// per second.
constexpr runtime::Duration kAskBudgetEvery = std::chrono::seconds(5);
constexpr runtime::Duration kAskSpread = std::chrono::seconds(1);
constexpr runtime::Duration kAskOneByOne = std::chrono::milliseconds(20);

// How long the server asks us to wait (bounded by the client).
runtime::Duration pause_after(const runtime::Error& error) {
  const bool is_busy = error.reason == runtime::Reason::service_unavailable ||
                       error.reason == runtime::Reason::too_many_requests;
  return is_busy ? error.retry_after.value_or(runtime::Duration::zero())
                 : runtime::Duration::zero();
}

// An answer of 500 means that the eviction was not executed: something before the storage failed.
bool may_be_carried_out(const runtime::Error& error) {
  return runtime::is_outcome_unknown(error) && error.reason != runtime::Reason::internal_error;
}

std::string list_of(const std::vector<Reason>& reasons) {
  std::vector<std::string> texts;
  for (const Reason& reason : reasons) texts.push_back(reason.str());
  return common::enumerate(texts, 4);
}

}  // namespace

Task<> PodEviction::evict(PodRef pod) {
  const End end = co_await attempt(pod);
  if (end == End::not_evicted) deps_.pace.give_back(deps_.time.now());
}

Task<PodEviction::End> PodEviction::attempt(PodRef pod) {
  EvictionSnapshot::Mark marked{};  // in this attempt
  while (true) {
    PendingPod* pending = deps_.tracker.judge_again(pod);
    // A pod that was released and became pending again has its own turn.
    if (pending == nullptr || !pending->is_with_worker()) co_return End::not_evicted;
    const EvictionStep step = next_step(*pending, marked);
    switch (step) {
      case EvictionStep::nothing:
      case EvictionStep::wait:
        deps_.pending.put_back(*pending);
        co_return End::not_evicted;
      case EvictionStep::remove:
      case EvictionStep::evict: {
        co_return co_await send_away(*pending, step);
      }
      case EvictionStep::mark:
      case EvictionStep::mark_too:
        break;
    }
    const bool is_marked = co_await mark(pod, step);
    if (!is_marked) co_return End::not_evicted;
    marked = EvictionSnapshot::Mark::written;
  }
}

Task<bool> PodEviction::mark(PodRef pod, EvictionStep step) {
  const auto transition =
      step == EvictionStep::mark ? api::TransitionTime::now : api::TransitionTime::unchanged;
  Result<api::Decoded<api::Pod>> marked =
      co_await deps_.api.mark(pod, Mark{deps_.time.wall_now(), transition}, priority());
  if (!marked) {
    settle_refusal(pod, marked.error());
    co_return false;
  }
  announce(pod);
  deps_.record(*std::move(marked));
  co_return true;
}

EvictionStep PodEviction::next_step(const PendingPod& pending, EvictionSnapshot::Mark mark) const {
  EvictionSnapshot snapshot;
  snapshot.pod = deps_.tracker.lookup().find_pod(pending.pod.key);
  snapshot.uid = pending.pod.uid;
  snapshot.due = pending.due;
  snapshot.now = deps_.time.wall_now();
  snapshot.mode = mode_;
  snapshot.mark = mark;
  return decide_eviction(snapshot);
}

// Call only after the server confirmed the pod.
void PodEviction::announce(const PodRef& pod) {
  PendingPod* pending = deps_.pending.find(pod.uid);
  if (pending == nullptr || std::exchange(pending->is_announced, true)) return;
  if (pending->unanswered) pending->unanswered->is_announced = true;
  report_eviction(pod);
}

void PodEviction::report_eviction(const PodRef& pod) {
  const PodPtr cached = deps_.tracker.lookup().find_pod(pod.key);
  if (cached && deps_.log.v(2)) {
    const auto reasons = reasons_for(*cached, deps_.tracker.lookup(), deps_.tracker.taints());
    deps_.log.info("Evicting pod", {{"pod", pod.key.str()}, {"reasons", list_of(reasons)}});
  }
  report(pod, "Marking for deletion");
}

Task<PodEviction::End> PodEviction::send_away(PendingPod& pending, EvictionStep step) {
  const PodRef pod = pending.pod;
  const SentEviction eviction{pending.due, pending.rules, deps_.time.wall_now(),
                              pending.is_announced};
  // The last eviction without an answer; if a pod goes from now on, this one may be the reason.
  std::optional<SentEviction> unanswered = std::exchange(pending.unanswered, std::nullopt);
  const PodWrite write = step == EvictionStep::evict ? PodWrite(Evict()) : Remove();
  const Result<> accepted = co_await deps_.api.write(pod, write, priority());
  if (accepted) {
    succeed(pod, eviction, deps_.time.wall_now());
    co_return End::evicted;
  }
  if (may_be_carried_out(accepted.error())) unanswered = eviction;
  if (PendingPod* found = deps_.pending.find(pod.uid)) {
    found->unanswered = std::move(unanswered);
  } else if (is_recent(unanswered) && is_going(pod)) {
    succeed(pod, *unanswered, unanswered->sent);
    co_return End::evicted;
  }
  settle_refusal(pod, accepted.error());
  co_return End::not_evicted;
}

// As far as the cache knows, the pod is being deleted or gone.
bool PodEviction::is_going(const PodRef& pod) const {
  const PodPtr cached = deps_.tracker.lookup().find_pod(pod.key);
  return !cached || cached->meta.uid != pod.uid || cached->meta.is_being_deleted;
}

// The watch may have shown the pod's deletion first: then it is no longer pending.
void PodEviction::succeed(const PodRef& pod, const SentEviction& eviction, WallTime accepted) {
  const bool is_pending = deps_.pending.find(pod.uid) != nullptr;
  if (is_pending) announce(pod);
  if (!is_pending && !eviction.is_announced) report_eviction(pod);
  deps_.tracker.record_evicted(pod, eviction.rules, deps_.time.now());
  deps_.metrics.count_eviction(eviction.due, accepted);
  // The budget had capacity; try the next.
  if (mode_ == EvictionMode::evict) deps_.pending.stir(pod.key.namespace_);
}

bool PodEviction::is_recent(const std::optional<SentEviction>& eviction) const {
  return eviction && deps_.time.wall_now() - eviction->sent <= kCarriedOutWithin;
}

void PodEviction::conclude(const Released& released) {
  deps_.problems.forget(Item::pod(released.pod));
  if (released.why == Released::Why::may_stay) return report(released.pod, "Cancelling deletion");
  if (!is_recent(released.unanswered)) return;
  succeed(released.pod, *released.unanswered, released.unanswered->sent);
}

// The cache still shows a pod that is gone from the server.
void PodEviction::conclude_gone(PendingPod& pending) {
  if (!is_recent(pending.unanswered)) {
    return deps_.pending.put_off(pending, deps_.time.now() + kLookAgain);
  }
  const SentEviction sent = *pending.unanswered;
  succeed(PodRef(pending.pod), sent, sent.sent);
}

// A PDB rejection is not a failure.
void PodEviction::hold(PendingPod& pending, const runtime::Error& error) {
  const runtime::Duration spread(static_cast<runtime::Duration::rep>(
      deps_.rng.below(static_cast<std::uint64_t>(kAskSpread.count()))));
  // Each namespace has as many turns as any other, however many of its pods wait.
  const std::size_t turns = deps_.pending.held_by_budgets(pending.pod.key.namespace_) *
                            deps_.pending.namespaces_held_by_budgets();
  const auto queue = kAskOneByOne * static_cast<runtime::Duration::rep>(turns);
  const runtime::Duration wish = error.retry_after.value_or(kAskBudgetEvery);
  deps_.pending.hold(pending, deps_.time.now() + std::max({kAskBudgetEvery, wish, queue}) + spread);
  if (deps_.log.v(4)) {
    deps_.log.info("A PodDisruptionBudget holds a pod",
                   {{"pod", pending.pod.key.str()}, {"answer", error.message}});
  }
}

void PodEviction::settle_refusal(const PodRef& pod, const runtime::Error& error) {
  PendingPod* pending = deps_.pending.find(pod.uid);
  const bool is_ours = pending != nullptr && pending->is_with_worker();
  if (runtime::is_object_gone(error)) {
    if (is_ours) conclude_gone(*pending);
    return;
  }
  announce(pod);
  if (error.reason == runtime::Reason::disruption_budget) {
    if (is_ours) hold(*pending, error);
    return;
  }
  if (pending != nullptr) {
    deps_.problems.note(Item::pod(pod), "it could not be evicted: " + error.message);
  }
  // Only this pod waits, not the worker: a webhook may request a pause for one pod, and not for its
  // neighbours.
  if (is_ours) deps_.pending.fail(*pending, deps_.time.now(), pause_after(error));
  const std::uint32_t failures = is_ours ? pending->failures : 0;
  deps_.log.warning(
      "Pod could not be evicted; retrying",
      {{"pod", pod.key.str()}, {"failures", failures}, {"error", runtime::to_string(error)}});
}

void PodEviction::report(const PodRef& pod, std::string_view message) {
  deps_.events.report({"v1", "Pod", pod.key, pod.uid, {}}, api::EventType::normal, kComponent,
                      kReason, message);
}

Priority PodEviction::priority() const {
  return deps_.pending.size() > kHerd ? Priority::backlog : Priority::live;
}

}  // namespace dcm::device_taint_eviction
