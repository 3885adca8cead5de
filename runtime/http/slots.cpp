#include "runtime/http/slots.hpp"

namespace dcm::http {

// Lives in the frame of the one who waits. However that frame ends (deadline, cancellation), a slot
// that was already granted is passed on.
struct Slots::Waiter {
  explicit Waiter(Slots& s) : slots(s), granted(s.time_) {
    place = slots.waiters_.insert(slots.waiters_.end(), this);
  }
  ~Waiter() {
    if (!has_slot) {
      slots.waiters_.erase(place);
    } else if (!is_taken) {
      slots.give_back();
    }
  }

  Slots& slots;
  runtime::Condition granted;
  std::list<Waiter*>::iterator place;
  bool has_slot = false;
  bool is_taken = false;
};

runtime::Task<runtime::Result<Slots::Slot>> Slots::acquire(runtime::Deadline deadline) {
  if (free_ > 0) {
    --free_;
    co_return Slot(*this);
  }
  Waiter waiter(*this);
  co_await waiter.granted.wait(deadline);
  if (!waiter.has_slot) {
    co_return runtime::fail(runtime::Reason::deadline_exceeded,
                            "all connections were in use until the deadline");
  }
  waiter.is_taken = true;
  co_return Slot(*this);
}

void Slots::give_back() {
  if (waiters_.empty()) {
    ++free_;
    return;
  }
  Waiter* const first = waiters_.front();
  waiters_.pop_front();
  first->has_slot = true;
  first->granted.notify_one();
}

}  // namespace dcm::http
