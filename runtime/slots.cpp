#include "runtime/slots.hpp"

#include <algorithm>

namespace dcm::runtime {

// Lives in the waiter's frame. However that frame ends (deadline, cancellation), granted slots are
// passed on.
struct Slots::Waiter {
  Waiter(Slots& s, std::size_t n) : slots(s), count(n), granted(s.time_) {
    place = slots.waiters_.insert(slots.waiters_.end(), this);
  }
  ~Waiter() {
    if (!has_slot) {
      slots.waiters_.erase(place);
      slots.grant();  // waiters behind it may want less
    } else if (!is_taken) {
      slots.give_back(count);
    }
  }

  Slots& slots;
  std::size_t count;
  Condition granted;
  std::list<Waiter*>::iterator place;
  bool has_slot = false;
  bool is_taken = false;
};

Task<Result<Slots::Slot>> Slots::acquire(Deadline deadline, std::size_t count) {
  count = std::min(count, count_);
  if (waiters_.empty() && free_ >= count) {
    free_ -= count;
    co_return Slot(*this, count);
  }
  Waiter waiter(*this, count);
  co_await waiter.granted.wait(deadline);
  if (!waiter.has_slot) {
    co_return fail(Reason::deadline_exceeded, "no slot was free by the deadline");
  }
  waiter.is_taken = true;
  co_return Slot(*this, count);
}

void Slots::give_back(std::size_t count) {
  free_ += count;
  grant();
}

void Slots::grant() {
  while (!waiters_.empty() && waiters_.front()->count <= free_) {
    Waiter* const first = waiters_.front();
    waiters_.pop_front();
    free_ -= first->count;
    first->has_slot = true;
    first->granted.notify_one();
  }
}

}  // namespace dcm::runtime
