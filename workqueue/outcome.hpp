// The outcome of an attempt: one vocabulary for decisions, handlers and the queue.
#pragma once

#include "runtime/time.hpp"

namespace dcm::workqueue {

// A handler's wish for its item.
class Outcome {
 public:
  // The more eager first.
  enum class Kind { retry, requeue_after, set_aside, done };

  // The item failed: it comes again with backoff, and not before `at_least` has passed.
  static constexpr Outcome retry(runtime::Duration at_least = {}) {
    return {Kind::retry, at_least};
  }
  // There is work after `delay`, and no event will say so; the backoff starts anew.
  static constexpr Outcome requeue_after(runtime::Duration delay) {
    return {Kind::requeue_after, delay};
  }
  // The attempt did nothing, because the item waits for an event: the code that sees the event adds
  // the item again. The backoff stays as it is.
  static constexpr Outcome set_aside() { return {Kind::set_aside, {}}; }
  // Nothing left to do until an event says otherwise; the backoff starts anew.
  static constexpr Outcome done() { return {Kind::done, {}}; }

  constexpr Kind kind() const noexcept { return kind_; }
  constexpr runtime::Duration delay() const noexcept { return delay_; }

  friend bool operator==(const Outcome&, const Outcome&) = default;
  // Orders by eagerness: what is less comes first. An item for which several things are wanted
  // gets the least of them.
  friend auto operator<=>(const Outcome&, const Outcome&) = default;

 private:
  constexpr Outcome(Kind kind, runtime::Duration delay) : kind_(kind), delay_(delay) {}

  Kind kind_;
  runtime::Duration delay_;
};

}  // namespace dcm::workqueue
