// Which item is handed out next, and when: the queue's rules without the items themselves, without
// I/O and without a clock (the time is passed to each call).
//
// Keeps the promises of client-go's workqueue: an item is in the queue once however often it is
// added, is never with two workers, and is delivered again if it was added during its processing.
// Adds two priorities with ageing, and fairness between namespaces.
//
// States of an item, and what the calls do:
//
//                    add               time comes       take              done
//   idle             waiting           -                -                 broken invariant
//   delayed          waiting (*)       waiting          -                 broken invariant
//   waiting          (**)              (**)             processing        broken invariant
//   processing       processing_dirty  processing_dirty -                 idle, or delayed
//   processing_dirty (**)              (**)             -                 waiting
//
//   (*)  A delay stays pending when its item is added before it ends, and adds the item again at
//        its time: something may be due then. But the delay of a retry is dropped when the item is
//        handed out earlier, by an add or another delay: that is the attempt for which it waits.
//        If that attempt fails, the next retry comes when the dropped one was due, and counts
//        once: useless events must not make the backoff longer, nor take tokens of the namespace's
//        bucket.
//   (**) Same state; a backlog item that is added as live moves up.
//   add_after: sets a delay in any state; an idle item becomes `delayed`. One delay per item: of
//        two, the earlier time and the more urgent priority apply. A delay of 0 or less is an add.
//   add_rate_limited: add_after with the longest of the item's backoff, its namespace's bucket, and
//        the delay that the caller gives (a server's Retry-After).
//   retry_now: a pending retry's time comes now, and the next backoff is the first one again. For
//        one item, or for all that are delayed, in slices; then the namespaces' buckets are reset
//        as well.
//   forget: the next backoff is the first one again. Changes nothing else.
//
// Order of picks:
//   1. An item that has waited longer than 60 s (since it could have been handed out) is live.
//   2. Live goes before backlog, but while both wait one pick in 8 goes to the backlog.
//   3. Within a priority, the namespaces that have items there take turns; within a namespace, the
//      order is first come, first served.
//   4. A namespace that has half of the workers (rounded up) is passed over, in both priorities,
//      while another one that has fewer has items in either. One that has eight times as many
//      workers as are idle is passed over in any case, so that the first items of other namespaces
//      find a worker even if all running items are slow: alone, a namespace gets 45 of 50 workers.
//      (The dynamic thresholds of Choudhury and Hahne, IEEE/ACM Transactions on Networking, 1998.)
//      A namespace that has more keeps its workers when others come; these others get the workers
//      that become free.
//   5. Of the items that were handed out in the last 250 ms, at most 32 are with workers at a time.
//      kube-apiserver ends a watch that is some 20 events behind. 50 concurrent writes put watches
//      that far behind, and were served no faster than 32. An item that takes longer than 250 ms
//      does not count, because it waits for something else. Behind slow webhooks of several
//      namespaces, for example, all workers may be busy.
//   A delay or retry without its own priority keeps the item's: while a worker has the item, that
//   is the one it was added with before it was handed out (ageing does not count); otherwise the
//   one it waits or is delayed with; live if the item is idle.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>

#include "workqueue/delays.hpp"
#include "workqueue/entry.hpp"
#include "workqueue/item_report.hpp"

namespace dcm::workqueue {

// Figures for metrics.
struct Load {
  std::size_t depth = 0;  // items that wait, or are dirty
  Duration unfinished{};  // total time of current work until now
  Duration longest{};     // time of the longest current work
  std::uint64_t adds = 0;
  std::uint64_t retries = 0;
};

// Keeps entries in order; the caller (Queue) knows which item each entry is for. Nothing here
// depends on addresses or on the order of a hash table.
class Scheduler {
 public:
  // `workers`: how many items may be handed out concurrently.
  explicit Scheduler(std::size_t workers, const Backoff& backoff = kItemBackoff);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // A new entry, idle. Its address must not change until detach().
  void attach(Entry& entry, const InternedString& namespace_, MonoTime now);
  // Requires is_forgettable().
  void detach(Entry& entry, MonoTime now);
  // Idle, and without remembered state.
  static bool is_forgettable(const Entry& entry);
  static ItemState state(const Entry& entry);
  static ItemReport report(const Entry& entry);

  // The calls of the table above. Adds are ignored after shut_down().
  void add(Entry& entry, Priority priority, MonoTime now);
  void add_after(Entry& entry, Duration delay, std::optional<Priority> priority, MonoTime now);
  // Returns the delay.
  Duration add_rate_limited(Entry& entry, std::optional<Priority> priority, MonoTime now,
                            Duration at_least);
  void forget(Entry& entry) { entry.failures = entry.early_ms = 0; }
  // Ends a back-off whose cause has ended; advance() releases the item.
  void retry_now(Entry& entry, MonoTime now);
  // Ends all back-offs, whose common cause has ended: a few hundred per advance().
  void retry_now(MonoTime now);
  // Whether an event that concerns many items may add this one: if it waits for a retry, only at
  // the limited rate of its namespace's early attempts. Otherwise one change, repeated, would make
  // thousands of failing items try again each time.
  bool may_go_early(Entry& entry, MonoTime now);
  // The next item to process; nullptr if none waits, or rules 4 and 5 hold back all that wait.
  Entry* take(MonoTime now);
  // Whether take() would return one, at the time of the last take() or advance().
  bool can_take() const { return waiting() > 0 && choose_row() != nullptr; }
  // Returns how long it was processed.
  Duration done(Entry& entry, MonoTime now);

  // Applies delays that have ended, at most a few hundred per call; if more have, next_due() is in
  // the past too.
  void advance(MonoTime now);
  // When the next delay ends, or rule 5 no longer holds back what waits; in the past while
  // back-offs remain to be ended.
  std::optional<MonoTime> next_due() const;

  // Pending delays never end. In a drain, a dirty item waits again after it is done.
  void shut_down(ShutDown how);
  bool is_open() const noexcept { return mode_ == Mode::open; }

  std::size_t waiting() const noexcept { return mode_ == Mode::stopped ? 0 : waiting_; }
  std::size_t processing() const noexcept { return processing_; }
  std::size_t namespaces() const noexcept { return lanes_.size(); }
  Load load(MonoTime now) const;

 private:
  enum class Mode : std::uint8_t { open, draining, stopped };
  using Round = IntrusiveList<Row, &Row::link>;

  Lane& lane_of(const InternedString& namespace_, MonoTime now);
  void drop_full_buckets(MonoTime now);

  void enqueue(Entry& entry, Priority priority, MonoTime now);
  void list(Entry& entry, Priority priority);
  void unlist(Entry& entry);
  void move_up(Entry& entry);
  void promote_aged(MonoTime now);
  void set_delay(Entry& entry, MonoTime due, Priority priority, DelayKind kind);
  void drop_delay(Entry& entry);
  void delay_or_add(Entry& entry, Duration delay, Priority priority, DelayKind kind, MonoTime now);

  void age_new(MonoTime now);
  void drop_new(Entry& entry);
  Row* choose_row() const;
  Row* first_row(Priority priority, std::size_t limit) const;
  void count_pick(Priority priority);

  const std::size_t workers_;
  Backoff backoff_;
  Mode mode_ = Mode::open;
  std::unordered_map<InternedString, Lane> lanes_;
  IntrusiveList<Lane, &Lane::resting_link> resting_;
  Round rounds_[kPriorities];
  IntrusiveList<Entry, &Entry::age_link> ageing_;  // backlog, longest wait first
  IntrusiveList<Entry, &Entry::link> running_;     // longest processing first
  IntrusiveList<Entry, &Entry::age_link> new_;     // those of running_ that rule 5 counts
  std::size_t new_count_ = 0;
  std::set<Delay> delays_;
  std::uint64_t delay_sequence_ = 0;
  DelayWalk<Entry> ending_;       // under way while retry_now() has work left
  std::uint32_t live_picks_ = 0;  // picks since the backlog's last, while backlog waited
  std::size_t waiting_ = 0;
  std::size_t processing_ = 0;
  std::size_t dirty_ = 0;
  std::uint64_t adds_ = 0;
  std::uint64_t retries_ = 0;
};

}  // namespace dcm::workqueue
