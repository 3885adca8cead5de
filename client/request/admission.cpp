#include "client/request/admission.hpp"

#include <algorithm>

#include "runtime/assert.hpp"

namespace dcm::client {
namespace {

using runtime::Deadline;
using runtime::MonoTime;
using runtime::Reason;
using runtime::Result;
using runtime::Task;

constexpr double kEventShare = 0.1;
constexpr int kBacklogTurn = 8;
constexpr int kEventTurn = 32;

std::size_t share_of(std::size_t places) {
  return std::max<std::size_t>(1,
                               static_cast<std::size_t>(kEventShare * static_cast<double>(places)));
}

}  // namespace

struct Admission::Waiter {
  explicit Waiter(runtime::TimeSource& time) : turn(time) {}
  runtime::Condition turn;
  bool granted = false;
};

// A waiter's place in its queue; also gives up the turn of a waiter that was cancelled.
struct Admission::QueuePlace {
  QueuePlace(Admission& owner, Priority priority, Waiter& waiter)
      : owner(owner), priority(priority), waiter(waiter) {
    owner.queue(priority).push_back(&waiter);
  }
  ~QueuePlace() {
    if (!waiter.granted) {
      std::erase(owner.queue(priority), &waiter);
      owner.wake_later(owner.time_.now());
    } else if (!used) {
      owner.give_back(priority);
    }
  }
  QueuePlace(const QueuePlace&) = delete;
  QueuePlace& operator=(const QueuePlace&) = delete;

  Admission& owner;
  Priority priority;
  Waiter& waiter;
  bool used = false;
};

Admission::Admission(runtime::TimeSource& time, AdmissionLimits limits)
    : time_(time),
      inflight_max_(std::max<std::size_t>(1, limits.inflight_max)),
      events_inflight_max_(share_of(inflight_max_)),
      tokens_(limits.qps, limits.burst, time.now()),
      event_tokens_(limits.qps * kEventShare, limits.burst * kEventShare, time.now()) {}

Admission::~Admission() {
  if (timer_) time_.cancel(*timer_);
}

Task<Result<Admission::Permit>> Admission::admit(Priority priority, Deadline deadline) {
  if (priority == Priority::exempt) co_return Permit(nullptr, priority);
  Waiter waiter(time_);
  QueuePlace place(*this, priority, waiter);
  dispatch();
  while (!waiter.granted) {
    const auto outcome = co_await waiter.turn.wait(deadline);
    if (outcome == runtime::Condition::Outcome::timed_out && !waiter.granted) {
      co_return runtime::fail(Reason::too_many_requests,
                              "the client's own limits (--kube-api-qps, --max-inflight-requests) "
                              "left no turn before the deadline");
    }
  }
  place.used = true;
  co_return Permit(this, priority);
}

std::size_t Admission::waiting() const noexcept {
  std::size_t sum = 0;
  for (const Queue& queue : queues_) sum += queue.size();
  return sum;
}

bool Admission::may_grant_event(MonoTime now) {
  return !queue(Priority::event).empty() && events_in_flight_ < events_inflight_max_ &&
         event_tokens_.has_token(now);
}

std::optional<Priority> Admission::choose(MonoTime now) {
  if (in_flight_ >= inflight_max_ || !tokens_.has_token(now)) return std::nullopt;
  const bool live = !queue(Priority::live).empty();
  const bool backlog = !queue(Priority::backlog).empty();
  const bool event = may_grant_event(now);
  if (event && grants_since_event_ >= kEventTurn - 1) return Priority::event;
  if (backlog && grants_since_backlog_ >= kBacklogTurn - 1) return Priority::backlog;
  if (live) return Priority::live;
  if (backlog) return Priority::backlog;
  if (event) return Priority::event;
  return std::nullopt;
}

// Turns are counted only while others wait.
void Admission::count_turns(Priority granted) {
  const bool skips_backlog = granted != Priority::backlog && !queue(Priority::backlog).empty();
  grants_since_backlog_ = skips_backlog ? grants_since_backlog_ + 1 : 0;
  const bool skips_event = granted != Priority::event && !queue(Priority::event).empty();
  grants_since_event_ = skips_event ? grants_since_event_ + 1 : 0;
}

void Admission::take(Priority priority) {
  tokens_.take();
  ++in_flight_;
  if (priority != Priority::event) return;
  event_tokens_.take();
  ++events_in_flight_;
}

void Admission::dispatch() {
  const MonoTime now = time_.now();
  while (const auto priority = choose(now)) {
    Waiter* const waiter = queue(*priority).front();
    queue(*priority).pop_front();
    take(*priority);
    count_turns(*priority);
    waiter->granted = true;
    waiter->turn.notify_one();
  }
  wake_later(now);
}

// Sets the timer for the next token, if a call waits for it.
void Admission::wake_later(MonoTime now) {
  if (timer_) time_.cancel(*timer_);
  timer_.reset();
  if (waiting() == 0 || in_flight_ >= inflight_max_) return;
  MonoTime when = tokens_.next_token(now);
  const bool only_events = queue(Priority::event).size() == waiting();
  if (only_events) {
    if (events_in_flight_ >= events_inflight_max_) return;
    when = std::max(when, event_tokens_.next_token(now));
  }
  timer_ = time_.schedule(when, [this] {
    timer_.reset();
    dispatch();
  });
}

void Admission::give_back(Priority priority) {
  DCM_ASSERT(in_flight_ > 0);
  --in_flight_;
  if (priority == Priority::event) --events_in_flight_;
  dispatch();
}

}  // namespace dcm::client
