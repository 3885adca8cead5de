// The outcome of an attempt: one vocabulary for decisions, handlers and the queue.
#pragma once

#include "runtime/time.hpp"

namespace dcm::workqueue {

// What the queue does next with the item.
class Outcome {
 public:
  // Most urgent first.
  enum class Kind { retry, requeue_after, set_aside, done };

  // The item failed: retry it with back-off, and not before `at_least` has passed.
  static constexpr Outcome retry(runtime::Duration at_least = {}) {
    return {Kind::retry, at_least};
  }
  // There is work after `delay` that no event will announce; resets the back-off.
  // Zero or less is done(), as in controller-runtime: otherwise it would be an endless loop.
  static constexpr Outcome requeue_after(runtime::Duration delay) {
    if (delay <= runtime::Duration::zero()) return done();
    return {Kind::requeue_after, delay};
  }
  // The attempt did nothing, because the item waits for an event: the code that sees the event adds
  // the item again. Keeps the back-off.
  static constexpr Outcome set_aside() { return {Kind::set_aside, {}}; }
  // Nothing left to do until an event; resets the back-off.
  static constexpr Outcome done() { return {Kind::done, {}}; }

  constexpr Kind kind() const noexcept { return kind_; }
  constexpr runtime::Duration delay() const noexcept { return delay_; }

  friend bool operator==(const Outcome&, const Outcome&) = default;
  // Orders by urgency, the more urgent one first. If several apply to an item, the first in this
  // order is used.
  friend auto operator<=>(const Outcome&, const Outcome&) = default;

 private:
  constexpr Outcome(Kind kind, runtime::Duration delay) : kind_(kind), delay_(delay) {}

  Kind kind_;
  runtime::Duration delay_;
};

}  // namespace dcm::workqueue
