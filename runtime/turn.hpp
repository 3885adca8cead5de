// One task's turn at what only one may do at a time.
#pragma once

#include "runtime/condition.hpp"

namespace dcm::runtime {

// Sets a flag while it lives, and then wakes the tasks that wait for the end, however it came.
class [[nodiscard]] Turn {
 public:
  // Both must outlive it.
  Turn(bool& is_taken, Condition& is_over) : is_taken_(is_taken), is_over_(is_over) {
    is_taken_ = true;
  }
  ~Turn() {
    is_taken_ = false;
    is_over_.notify_all();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  bool& is_taken_;
  Condition& is_over_;
};

}  // namespace dcm::runtime
