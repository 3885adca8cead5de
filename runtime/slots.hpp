// Limits concurrency, or the sum of a resource in use, first come first served.
#pragma once

#include <cstddef>
#include <list>
#include <utility>

#include "runtime/condition.hpp"
#include "runtime/deadline.hpp"
#include "runtime/error.hpp"

namespace dcm::runtime {

// Unlike a plain Condition, hands free slots to the longest waiter: a newcomer cannot take them,
// and small requests do not overtake a large one forever.
class Slots {
 public:
  // Returns its slots on destruction.
  class Slot {
   public:
    Slot(Slots& slots, std::size_t count) : slots_(&slots), count_(count) {}
    Slot(Slot&& other) noexcept
        : slots_(std::exchange(other.slots_, nullptr)), count_(other.count_) {}
    Slot& operator=(Slot&& other) noexcept {
      std::swap(slots_, other.slots_);
      std::swap(count_, other.count_);
      return *this;
    }
    ~Slot() {
      if (slots_ != nullptr) slots_->give_back(count_);
    }

   private:
    Slots* slots_;
    std::size_t count_;
  };

  // `time` must outlive the slots, and the slots must outlive every Slot.
  Slots(TimeSource& time, std::size_t count) : time_(time), count_(count), free_(count) {}

  // `count` slots (bytes, if they are a budget), clamped to the capacity. Errors:
  // deadline_exceeded.
  Task<Result<Slot>> acquire(Deadline deadline, std::size_t count = 1);

  std::size_t waiting() const noexcept { return waiters_.size(); }

 private:
  struct Waiter;

  void give_back(std::size_t count);
  void grant();

  TimeSource& time_;
  std::size_t count_;
  std::size_t free_;
  std::list<Waiter*> waiters_;
};

}  // namespace dcm::runtime
