// An item's place in its queue, for debugging and explaining; processing does not need it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/time.hpp"
#include "workqueue/priority.hpp"

namespace dcm::workqueue {

struct ItemReport {
  ItemState state = ItemState::idle;
  std::uint32_t failures = 0;  // attempts that failed since the last success
  // When it started waiting or processing; for a delayed item, when it was last with a worker.
  // nullopt: neither is known.
  std::optional<runtime::MonoTime> since;
  std::optional<runtime::MonoTime> due;  // the end of a pending delay
};

// Who can fix a Problem: the failure of an item's last attempt, or of the last ones in a row.
enum class Whose : std::uint8_t { ours, users };

struct Problem {
  // Problems that users can fix: a missing object, a quota.
  Whose whose = Whose::ours;
  std::string text;          // what failed in the last attempt; several are joined
  runtime::WallTime first;   // time of the first of the failed attempts in a row
  runtime::WallTime latest;  // time of the last failed attempt
};

// Two readings of the clocks at the same moment.
struct Now {
  runtime::MonoTime mono;
  runtime::WallTime wall;
};

// What comes next for the item, in sentences: "It has failed 3 times in a row; the next attempt is
// at …". nullopt if the item is idle.
std::optional<std::string> describe(const ItemReport& report, const Now& now);
// "The last attempt, at …, failed: …. It has been failing since …." nullopt if the problem is null.
std::optional<std::string> describe(const Problem* problem, const Now& now);

}  // namespace dcm::workqueue
