// The vocabulary of all parts of the queue. No logic.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace dcm::workqueue {

// Live: a user changed something and waits for the result. Backlog: work from a start, a takeover
// or a relist, for which no user waits. In order of urgency.
enum class Priority : std::uint8_t { backlog, live };

inline constexpr std::size_t kPriorities = 2;

constexpr std::size_t index_of(Priority priority) {
  return static_cast<std::size_t>(priority);
}
constexpr Priority other(Priority priority) {
  return priority == Priority::live ? Priority::backlog : Priority::live;
}
constexpr Priority more_urgent(Priority a, Priority b) {
  return std::max(a, b);
}

// The state of an item; scheduler.hpp has the transitions.
enum class ItemState : std::uint8_t {
  idle,              // not in the queue (its failures may be remembered)
  delayed,           // due at a later time
  waiting,           // ready to be handed out
  processing,        // with a worker
  processing_dirty,  // with a worker, and added meanwhile: waits again once it is done
};

// What happens to waiting items when the queue shuts down.
enum class ShutDown : std::uint8_t {
  drain,         // they are handed out; nothing new is accepted
  drop_waiting,  // they are dropped, for a quick stop
};

}  // namespace dcm::workqueue
