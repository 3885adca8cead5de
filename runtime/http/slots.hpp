// A bound on how many may do something at the same time, first come first served.
#pragma once

#include <cstddef>
#include <list>
#include <utility>

#include "runtime/condition.hpp"
#include "runtime/deadline.hpp"
#include "runtime/error.hpp"

namespace dcm::http {

// Unlike a Condition alone, a slot that gets free is handed to whoever has waited longest: a
// newcomer cannot take it in between.
class Slots {
 public:
  // Given back when it is destroyed.
  class Slot {
   public:
    explicit Slot(Slots& slots) : slots_(&slots) {}
    Slot(Slot&& other) noexcept : slots_(std::exchange(other.slots_, nullptr)) {}
    Slot& operator=(Slot&& other) noexcept {
      std::swap(slots_, other.slots_);
      return *this;
    }
    ~Slot() {
      if (slots_ != nullptr) slots_->give_back();
    }

   private:
    Slots* slots_;
  };

  // `time` must outlive the slots, and they their Slot.
  Slots(runtime::TimeSource& time, std::size_t count) : time_(time), free_(count) {}

  // Errors: deadline_exceeded.
  runtime::Task<runtime::Result<Slot>> acquire(runtime::Deadline deadline);

  std::size_t waiting() const noexcept { return waiters_.size(); }

 private:
  struct Waiter;

  void give_back();

  runtime::TimeSource& time_;
  std::size_t free_;
  std::list<Waiter*> waiters_;
};

}  // namespace dcm::http
