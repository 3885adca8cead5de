// The client's own limits: requests per second, and concurrent requests.
//
// The order of admission, when several wait:
//  * work for live objects before the backlog; first come, first served within each;
//  * one grant in 8 goes to the backlog while both wait, so that nobody waits forever;
//  * events have their own budget: a tenth of the rate, and of the places, that work has.
//    So a storm of events (or a slow webhook on them) does not delay work, and requests for one
//    tenant's failing pods, even if they exhaust the budget for work, do not delay events;
//  * exempt requests (leases, reviews) pass at once and use up nothing.
#pragma once

#include <array>
#include <cstddef>
#include <list>
#include <optional>

#include "client/request/request.hpp"
#include "runtime/condition.hpp"
#include "runtime/error.hpp"
#include "runtime/task.hpp"
#include "runtime/token_bucket.hpp"

namespace dcm::client {

struct AdmissionLimits {
  double qps = 200;  // 0: no limit of the rate
  double burst = 400;
  std::size_t inflight_max = 100;
};

// Loop thread only. Must outlive its permits.
class Admission {
 public:
  // The right to send one request. Returns its slot on destruction.
  class Permit {
   public:
    Permit(Permit&& other) noexcept : owner_(other.owner_), priority_(other.priority_) {
      other.owner_ = nullptr;
    }
    Permit& operator=(Permit&&) = delete;
    ~Permit() {
      if (owner_ != nullptr) owner_->give_back(priority_);
    }

   private:
    friend class Admission;
    Permit(Admission* owner, PriorityLevel priority) : owner_(owner), priority_(priority) {}
    Admission* owner_;
    PriorityLevel priority_;
  };

  // `time` must outlive it.
  Admission(runtime::TimeSource& time, AdmissionLimits limits);
  ~Admission();
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  // Waits for its turn. Errors: too_many_requests (without an HTTP status) if the turn does not
  // come by the deadline; then nothing was sent.
  runtime::Task<runtime::Result<Permit>> admit(PriorityLevel priority, runtime::Deadline deadline);

  std::size_t in_flight() const noexcept { return in_flight_ + events_in_flight_; }
  std::size_t waiting() const noexcept;

 private:
  struct Waiter;
  struct QueuePlace;
  using Queue = std::list<Waiter*>;

  Queue& queue(PriorityLevel priority) { return queues_[static_cast<std::size_t>(priority)]; }
  bool may_grant_event(runtime::MonoTime now);
  std::optional<PriorityLevel> choose(runtime::MonoTime now);
  void take(PriorityLevel priority);
  void count_turns(PriorityLevel granted);
  void dispatch();
  void wake_later(runtime::MonoTime now);
  void give_back(PriorityLevel priority);

  runtime::TimeSource& time_;
  std::size_t inflight_max_;
  std::size_t events_inflight_max_;
  runtime::TokenBucket tokens_;
  runtime::TokenBucket event_tokens_;
  std::array<Queue, 3> queues_;
  std::size_t in_flight_ = 0;  // requests for work
  std::size_t events_in_flight_ = 0;
  int grants_since_backlog_ = 0;
  std::optional<runtime::TimerId> timer_;
};

}  // namespace dcm::client
