// A bound on how many may do something at the same time, or on what they take together, first come
// first served.
#pragma once

#include <algorithm>
#include <cstddef>
#include <list>
#include <utility>

#include "runtime/condition.hpp"
#include "runtime/deadline.hpp"
#include "runtime/error.hpp"

namespace dcm::runtime {

// Unlike a Condition alone, hands free slots to the task that has waited longest: a newcomer cannot
// take them, and small requests do not overtake a large one for ever.
class Slots {
 public:
  // Given back when it is destroyed.
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

  // `time` must outlive the slots, and they their Slot.
  Slots(TimeSource& time, std::size_t count) : time_(time), count_(count), free_(count) {}

  // `count` of them (bytes, where they are a budget); all there are for who asks for more.
  // Errors: deadline_exceeded.
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
