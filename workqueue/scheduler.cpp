#include "workqueue/scheduler.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace dcm::workqueue {

using namespace std::chrono_literals;

namespace {

constexpr Duration kMaxBacklogWait = 60s;
constexpr std::uint32_t kLivePicksPerBacklogPick = 7;
constexpr std::size_t kWorkersPerIdleWorker = 8;  // rule 4
constexpr Duration kNew = 250ms;                  // rule 5
constexpr std::size_t kMostNew = 32;
// Limits the work of one call, so that 100,000 due items do not block the loop.
constexpr std::size_t kStepsPerCall = 256;

MonoTime saturated_sum(MonoTime now, Duration delay) {
  return delay >= MonoTime::max() - now ? MonoTime::max() : now + delay;
}

// The range of an entry's field: 49 days.
std::uint32_t to_milliseconds(Duration duration) {
  using std::chrono::milliseconds;
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  const auto count = std::chrono::duration_cast<milliseconds>(duration).count();
  return static_cast<std::uint32_t>(std::clamp<decltype(count)>(count, 0, kMost));
}

bool is_retry_pending(const Entry& entry) {
  return entry.delayed && entry.delay_kind != DelayKind::requeue;
}

// In the past unless an attempt would be early.
MonoTime retry_due(const Entry& entry) {
  return (is_retry_pending(entry) ? entry.delay->due : entry.since) +
         std::chrono::milliseconds(entry.early_ms);
}

Priority kept_priority(const Entry& entry) {
  if (entry.place == Place::processing) return entry.taken_as;
  if (entry.place == Place::waiting) return entry.added_as;
  return entry.delayed ? entry.delay_priority : Priority::live;
}

}  // namespace

Scheduler::Scheduler(std::size_t workers, const Backoff& backoff)
    : workers_(workers), backoff_(backoff) {
  DCM_ASSERT(workers > 0);
  DCM_ASSERT(backoff.first > Duration::zero() && backoff.most > Duration::zero());
}

void Scheduler::attach(Entry& entry, const InternedString& namespace_, MonoTime now) {
  Lane& lane = lane_of(namespace_, now);
  ++lane.entries;
  entry.lane = &lane;
}

void Scheduler::detach(Entry& entry, MonoTime now) {
  DCM_ASSERT(is_forgettable(entry));
  Lane& lane = *std::exchange(entry.lane, nullptr);
  if (--lane.entries > 0) return;
  if (lane.has_full_buckets(now)) {
    lanes_.erase(InternedString(lane.name));  // a copy: the key is destroyed with the lane
  } else {
    resting_.push_back(lane);
  }
}

bool Scheduler::is_forgettable(const Entry& entry) {
  return entry.place == Place::outside && !entry.delayed && entry.failures == 0;
}

ItemState Scheduler::state(const Entry& entry) {
  switch (entry.place) {
    case Place::waiting:
      return ItemState::waiting;
    case Place::processing:
      return entry.dirty ? ItemState::processing_dirty : ItemState::processing;
    case Place::outside:
      break;
  }
  return entry.delayed ? ItemState::delayed : ItemState::idle;
}

ItemReport Scheduler::report(const Entry& entry) {
  ItemReport report;
  report.state = state(entry);
  report.failures = entry.failures;
  if (entry.since != MonoTime{}) report.since = entry.since;
  if (entry.delayed) report.due = entry.delay->due;
  return report;
}

Lane& Scheduler::lane_of(const InternedString& namespace_, MonoTime now) {
  const auto [found, is_new] = lanes_.try_emplace(namespace_);
  Lane& lane = found->second;
  if (is_new) {
    lane.name = namespace_;
    for (Row& row : lane.rows) row.lane = &lane;
    drop_full_buckets(now);
  } else if (lane.entries == 0) {
    resting_.remove(lane);
  }
  return lane;
}

// Drops two for each new one, so that idle lanes are removed faster than they are created.
void Scheduler::drop_full_buckets(MonoTime now) {
  for (int looked_at = 0; looked_at < 2 && !resting_.empty(); ++looked_at) {
    Lane& lane = *resting_.front();
    resting_.remove(lane);
    if (lane.has_full_buckets(now)) {
      lanes_.erase(InternedString(lane.name));
    } else {
      resting_.push_back(lane);
    }
  }
}

void Scheduler::add(Entry& entry, Priority priority, MonoTime now) {
  if (!is_open()) return;
  if (entry.place == Place::waiting || entry.dirty) {
    entry.added_as = more_urgent(entry.added_as, priority);
    if (entry.place == Place::waiting && priority > entry.listed_as) move_up(entry);
    return;
  }
  ++adds_;
  entry.added = now;
  entry.added_as = priority;
  if (entry.place == Place::processing) {
    entry.dirty = true;
    ++dirty_;
  } else {
    enqueue(entry, priority, now);
  }
}

void Scheduler::add_after(Entry& entry, Duration delay, std::optional<Priority> priority,
                          MonoTime now) {
  delay_or_add(entry, delay, priority.value_or(kept_priority(entry)), DelayKind::requeue, now);
}

Duration Scheduler::add_rate_limited(Entry& entry, std::optional<Priority> priority, MonoTime now,
                                     Duration at_least) {
  if (!is_open()) return Duration::zero();
  // An early attempt that failed leaves its retry unchanged.
  const MonoTime due = retry_due(entry);
  const bool is_early = !is_retry_pending(entry) && due > now;
  const Duration backoff = is_early ? due - now : backoff_.after_failures(entry.failures);
  Duration turn{};
  if (!is_early) {
    ++entry.failures;
    turn = entry.lane->bucket.reserve(now);
  }
  const Duration delay = std::max({backoff, turn, at_least});
  delay_or_add(entry, delay, priority.value_or(kept_priority(entry)), DelayKind::retry, now);
  return delay;
}

void Scheduler::delay_or_add(Entry& entry, Duration delay, Priority priority, DelayKind kind,
                             MonoTime now) {
  if (!is_open()) return;
  ++retries_;
  if (delay <= Duration::zero()) return add(entry, priority, now);
  set_delay(entry, saturated_sum(now, delay), priority, kind);
}

void Scheduler::set_delay(Entry& entry, MonoTime due, Priority priority, DelayKind kind) {
  MonoTime retry = is_retry_pending(entry) ? retry_due(entry) : MonoTime::max();
  if (kind == DelayKind::retry) retry = std::min(retry, due);
  if (entry.delayed) {
    due = std::min(due, entry.delay->due);
    priority = more_urgent(priority, entry.delay_priority);
    if (kind != entry.delay_kind) kind = DelayKind::both;
    if (due < entry.delay->due) drop_delay(entry);
  }
  if (!entry.delayed) {
    entry.delay = delays_.insert(Delay{due, delay_sequence_++, &entry}).first;
    entry.delayed = true;
  }
  entry.delay_priority = priority;
  entry.delay_kind = kind;
  if (is_retry_pending(entry)) entry.early_ms = to_milliseconds(retry - entry.delay->due);
}

void Scheduler::drop_delay(Entry& entry) {
  delays_.erase(entry.delay);
  entry.delayed = false;
}

void Scheduler::retry_now(Entry& entry, MonoTime now) {
  forget(entry);
  if (!entry.delayed || entry.delay_kind == DelayKind::requeue) return;
  drop_delay(entry);
  set_delay(entry, now, entry.delay_priority, DelayKind::retry);
}

void Scheduler::retry_now(MonoTime now) {
  for (auto& [name, lane] : lanes_) lane.bucket = {};
  ending_.begin(now, delay_sequence_);
}

bool Scheduler::may_go_early(Entry& entry, MonoTime now) {
  return !is_retry_pending(entry) || entry.lane->early.try_take(now);
}

void Scheduler::advance(MonoTime now) {
  age_new(now);
  if (!is_open()) return;
  ending_.advance(delays_, kStepsPerCall, [&](Entry& entry) { retry_now(entry, now); });
  for (std::size_t step = 0; step < kStepsPerCall; ++step) {
    if (delays_.empty() || delays_.begin()->due > now) return;
    Entry& entry = *delays_.begin()->entry;
    const MonoTime retry = retry_due(entry);
    drop_delay(entry);
    add(entry, entry.delay_priority, now);
    if (entry.place == Place::waiting) entry.early_ms = to_milliseconds(retry - entry.since);
  }
}

std::optional<MonoTime> Scheduler::next_due() const {
  std::optional<MonoTime> due;
  if (is_open() && ending_.since()) return ending_.since();
  if (is_open() && !delays_.empty()) due = delays_.begin()->due;
  if (waiting() == 0 || new_count_ < kMostNew) return due;
  const MonoTime aged = new_.front()->since + kNew;
  return std::min(due.value_or(aged), aged);
}

void Scheduler::enqueue(Entry& entry, Priority priority, MonoTime now) {
  entry.place = Place::waiting;
  entry.since = now;
  ++waiting_;
  list(entry, priority);
}

void Scheduler::list(Entry& entry, Priority priority) {
  Row& row = entry.lane->rows[index_of(priority)];
  if (row.items.empty()) rounds_[index_of(priority)].push_back(row);
  row.items.push_back(entry);
  entry.listed_as = priority;
  if (priority == Priority::backlog) ageing_.push_back(entry);
}

void Scheduler::unlist(Entry& entry) {
  Row& row = entry.lane->rows[index_of(entry.listed_as)];
  row.items.remove(entry);
  if (row.items.empty()) rounds_[index_of(entry.listed_as)].remove(row);
  if (entry.listed_as == Priority::backlog) ageing_.remove(entry);
}

void Scheduler::move_up(Entry& entry) {
  unlist(entry);
  list(entry, Priority::live);
}

void Scheduler::promote_aged(MonoTime now) {
  for (std::size_t step = 0; step < kStepsPerCall; ++step) {
    Entry* oldest = ageing_.front();
    if (oldest == nullptr || now - oldest->since <= kMaxBacklogWait) return;
    move_up(*oldest);
  }
}

Entry* Scheduler::take(MonoTime now) {
  if (waiting() == 0) return nullptr;
  promote_aged(now);
  age_new(now);
  Row* chosen = choose_row();
  if (chosen == nullptr) return nullptr;
  Row& row = *chosen;
  Entry& entry = *row.items.front();
  count_pick(entry.listed_as);

  unlist(entry);
  if (!row.items.empty()) {  // the next turn belongs to another namespace
    Round& round = rounds_[index_of(entry.listed_as)];
    round.remove(row);
    round.push_back(row);
  }
  // This is the attempt that a retry requested.
  entry.early_ms = to_milliseconds(retry_due(entry) - now);
  if (entry.delayed && entry.delay_kind == DelayKind::retry) drop_delay(entry);
  entry.delay_kind = DelayKind::requeue;
  entry.place = Place::processing;
  entry.since = now;
  entry.taken_as = entry.added_as;
  running_.push_back(entry);
  new_.push_back(entry);
  entry.is_new = true;
  ++new_count_;
  ++row.lane->processing;
  --waiting_;
  ++processing_;
  return &entry;
}

void Scheduler::age_new(MonoTime now) {
  while (!new_.empty() && now - new_.front()->since >= kNew) drop_new(*new_.front());
}

void Scheduler::drop_new(Entry& entry) {
  new_.remove(entry);
  entry.is_new = false;
  --new_count_;
}

Row* Scheduler::choose_row() const {
  const std::size_t idle = workers_ - std::min(processing_, workers_);
  // Without an idle worker, first_row() would pass over every namespace that waits.
  if (idle == 0 || new_count_ >= kMostNew) return nullptr;
  const bool live_had_its_share = live_picks_ >= kLivePicksPerBacklogPick;
  const Priority first = live_had_its_share ? Priority::backlog : Priority::live;
  const std::size_t half = (workers_ + 1) / 2;
  const std::size_t most = kWorkersPerIdleWorker * idle;
  for (const std::size_t limit : {std::min(half, most), most}) {
    for (const Priority priority : {first, other(first)}) {
      if (Row* row = first_row(priority, limit)) return row;
    }
  }
  return nullptr;
}

// Skips the namespaces that have reached the limit (above 0): `workers` / `limit` at most.
Row* Scheduler::first_row(Priority priority, std::size_t limit) const {
  const Round& round = rounds_[index_of(priority)];
  Row* row = round.front();
  while (row != nullptr && row->lane->processing >= limit) row = round.next(*row);
  return row;
}

void Scheduler::count_pick(Priority priority) {
  if (priority == Priority::backlog) {
    live_picks_ = 0;
  } else if (!ageing_.empty()) {
    ++live_picks_;
  }
}

Duration Scheduler::done(Entry& entry, MonoTime now) {
  DCM_ASSERT(entry.place == Place::processing);
  const Duration worked = now - entry.since;
  running_.remove(entry);
  if (entry.is_new) drop_new(entry);
  --entry.lane->processing;
  --processing_;
  entry.place = Place::outside;
  if (!is_retry_pending(entry)) entry.early_ms = 0;
  if (entry.dirty) {
    entry.dirty = false;
    --dirty_;
    enqueue(entry, entry.added_as, now);
  }
  return worked;
}

void Scheduler::shut_down(ShutDown how) {
  if (mode_ == Mode::stopped) return;
  mode_ = how == ShutDown::drain ? Mode::draining : Mode::stopped;
}

Load Scheduler::load(MonoTime now) const {
  Load load{.depth = waiting() + dirty_, .adds = adds_, .retries = retries_};
  for (Entry* entry = running_.front(); entry != nullptr; entry = running_.next(*entry)) {
    load.unfinished += now - entry->since;
  }
  if (!running_.empty()) load.longest = now - running_.front()->since;
  return load;
}

}  // namespace dcm::workqueue
