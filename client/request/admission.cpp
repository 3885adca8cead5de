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

// A waiter's place in its queue; also returns the turn of a cancelled waiter.
struct Admission::QueuePlace {
  QueuePlace(Admission& owner, PriorityLevel priority, Waiter& waiter)
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
  PriorityLevel priority;
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

Task<Result<Admission::Permit>> Admission::admit(PriorityLevel priority, Deadline deadline) {
  if (priority == PriorityLevel::exempt) co_return Permit(nullptr, priority);
  Waiter waiter(time_);
  QueuePlace place(*this, priority, waiter);
  dispatch();
  while (!waiter.granted) {
    const auto outcome = co_await waiter.turn.wait(deadline);
    if (outcome == runtime::Condition::Wakeup::timed_out && !waiter.granted) {
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
  return !queue(PriorityLevel::event).empty() && events_in_flight_ < events_inflight_max_ &&
         event_tokens_.has_token(now);
}

std::optional<PriorityLevel> Admission::choose(MonoTime now) {
  if (may_grant_event(now)) return PriorityLevel::event;
  if (in_flight_ >= inflight_max_ || !tokens_.has_token(now)) return std::nullopt;
  const bool live = !queue(PriorityLevel::live).empty();
  const bool backlog = !queue(PriorityLevel::backlog).empty();
  if (backlog && grants_since_backlog_ >= kBacklogTurn - 1) return PriorityLevel::backlog;
  if (live) return PriorityLevel::live;
  if (backlog) return PriorityLevel::backlog;
  return std::nullopt;
}

// Turns are counted only while the backlog waits.
void Admission::count_turns(PriorityLevel granted) {
  if (granted == PriorityLevel::event) return;
  const bool skips_backlog =
      granted == PriorityLevel::live && !queue(PriorityLevel::backlog).empty();
  grants_since_backlog_ = skips_backlog ? grants_since_backlog_ + 1 : 0;
}

void Admission::take(PriorityLevel priority) {
  if (priority == PriorityLevel::event) {
    event_tokens_.take();
    ++events_in_flight_;
  } else {
    tokens_.take();
    ++in_flight_;
  }
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
  const bool has_events = !queue(PriorityLevel::event).empty();
  const bool has_work = waiting() > queue(PriorityLevel::event).size();
  std::optional<MonoTime> when;
  if (has_work && in_flight_ < inflight_max_) when = tokens_.next_token(now);
  if (has_events && events_in_flight_ < events_inflight_max_) {
    const MonoTime next = event_tokens_.next_token(now);
    when = std::min(when.value_or(next), next);
  }
  if (!when) return;
  timer_ = time_.schedule(*when, [this] {
    timer_.reset();
    dispatch();
  });
}

void Admission::give_back(PriorityLevel priority) {
  std::size_t& in_flight = priority == PriorityLevel::event ? events_in_flight_ : in_flight_;
  DCM_ASSERT(in_flight > 0);
  --in_flight;
  dispatch();
}

}  // namespace dcm::client
