// The scheduler's records of an item and of a namespace. Only the Scheduler changes these;
// scheduler.hpp has the rules.
#pragma once

#include <cstdint>
#include <set>

#include "runtime/interned_string.hpp"
#include "runtime/time.hpp"
#include "workqueue/delays.hpp"
#include "workqueue/intrusive_list.hpp"
#include "workqueue/priority.hpp"
#include "workqueue/rate_limit.hpp"

namespace dcm::workqueue {

using runtime::Duration;
using runtime::InternedString;
using runtime::MonoTime;

struct Entry;
struct Lane;

using Delay = Wait<MonoTime, Entry>;

// A retry requests another attempt, a requeue an attempt at or after its time.
enum class DelayKind : std::uint8_t { retry, requeue, both };

enum class Place : std::uint8_t { outside, waiting, processing };

// An item. Owned by the queue at a fixed address, from attach() to detach(). Small: there may be
// hundreds of thousands.
struct Entry {
  Entry() = default;
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

  Lane* lane = nullptr;
  ListLink<Entry> link;      // in its row while waiting, in the running list while processing
  ListLink<Entry> age_link;  // only while it waits as backlog, or is new
  std::set<Delay>::iterator delay;  // only while `delayed`
  MonoTime since{};                 // when it arrived at its place
  MonoTime added{};                 // when the add that made it wait or dirty came
  std::uint32_t failures = 0;       // retries with back-off since the last forget
  std::uint32_t early_ms = 0;       // from `delay`, or else `since`, until its retry is due
  Place place = Place::outside;
  bool dirty : 1 = false;
  bool delayed : 1 = false;
  bool is_new : 1 = false;  // counts for rule 5
  DelayKind delay_kind = DelayKind::retry;
  Priority delay_priority = Priority::backlog;
  Priority added_as = Priority::backlog;   // while it waits or is dirty
  Priority listed_as = Priority::backlog;  // the row it waits in: differs after ageing
  Priority taken_as = Priority::backlog;   // added_as at the time of the hand-out
};

// The items of one namespace that wait at one priority.
struct Row {
  Lane* lane = nullptr;
  IntrusiveList<Entry, &Entry::link> items;
  ListLink<Row> link;  // in the rotation of its priority, while there are items
};

// A namespace: exists while it has entries or one of its buckets is not full.
struct Lane {
  Row rows[kPriorities];
  RetryBucket bucket;
  EarlyBucket early;
  InternedString name;
  std::uint32_t entries = 0;
  std::uint32_t processing = 0;
  ListLink<Lane> resting_link;  // only while it is kept for its buckets

  bool has_full_buckets(MonoTime now) const { return bucket.is_full(now) && early.is_full(now); }
};

}  // namespace dcm::workqueue
