#include "test/unit/workqueue/model.hpp"

#include <algorithm>
#include <tuple>

namespace dcm::workqueue {

using namespace std::chrono_literals;

void Model::add(const std::string& item, Priority priority, MonoTime now) {
  if (const auto found = waiting_.find(item); found != waiting_.end()) {
    found->second.added_as = more_urgent(found->second.added_as, priority);
  } else if (processing_.contains(item)) {
    const auto [dirty, is_new] = dirty_.try_emplace(item, priority);
    dirty->second = more_urgent(dirty->second, priority);
  } else {
    waiting_.emplace(item, Waiting{priority, now});
  }
  forget_turns(now);
}

Priority Model::kept_priority(const std::string& item) const {
  if (const auto found = processing_.find(item); found != processing_.end()) return found->second;
  if (const auto found = waiting_.find(item); found != waiting_.end()) {
    return found->second.added_as;
  }
  const auto found = pending_.find(item);
  return found == pending_.end() ? Priority::live : found->second.priority;
}

void Model::add_after(const std::string& item, Duration delay, std::optional<Priority> priority,
                      DelayKind kind, MonoTime now) {
  Pending wanted{now + delay, sequence_++, priority.value_or(kept_priority(item)), kind};
  if (delay <= 0s) return add(item, wanted.priority, now);
  const auto [found, is_new] = pending_.try_emplace(item, wanted);
  if (is_new) return;
  Pending& both = found->second;
  if (wanted.due < both.due) std::tie(both.due, both.sequence) = {wanted.due, wanted.sequence};
  both.priority = more_urgent(both.priority, wanted.priority);
  if (kind == DelayKind::requeue) both.kind = kind;
}

void Model::advance(MonoTime now) {
  while (true) {
    const auto next =
        std::min_element(pending_.begin(), pending_.end(), [](const auto& a, const auto& b) {
          return std::tie(a.second.due, a.second.sequence) <
                 std::tie(b.second.due, b.second.sequence);
        });
    if (next == pending_.end() || next->second.due > now) return;
    const auto [item, pending] = *next;
    pending_.erase(next);
    add(item, pending.priority, now);
  }
}

void Model::done(const std::string& item, MonoTime now) {
  processing_.erase(item);
  const auto dirty = dirty_.find(item);
  if (dirty == dirty_.end()) return;
  waiting_.emplace(item, Waiting{dirty->second, now});
  dirty_.erase(dirty);
}

std::string Model::take(const std::string& item, MonoTime now) {
  if (item.empty()) {
    const bool may_idle = std::ranges::all_of(
        waiting_, [this](const auto& one) { return has_most(namespace_of(one.first)); });
    return may_idle ? "" : "a worker idles while an item waits";
  }
  if (processing_.contains(item)) return "two workers on one item";
  if (!waiting_.contains(item)) return "an item that does not wait";
  const Priority taken = urgency(item, now);
  for (const std::string& wrong :
       {check_share(item), check_priority(taken, now), check_turns(item, taken, now)}) {
    if (!wrong.empty()) return wrong;
  }
  processing_.emplace(item, waiting_.at(item).added_as);
  waiting_.erase(item);
  const auto pending = pending_.find(item);
  if (pending != pending_.end() && pending->second.kind == DelayKind::retry) {
    pending_.erase(pending);
  }
  forget_turns(now);
  return "";
}

Priority Model::urgency(const std::string& item, MonoTime now) const {
  const Waiting& waiting = waiting_.at(item);
  return now - waiting.since > 60s ? Priority::live : waiting.added_as;
}

std::size_t Model::running(const std::string& namespace_) const {
  std::size_t count = 0;
  for (const auto& [item, priority] : processing_) count += namespace_of(item) == namespace_;
  return count;
}

bool Model::has_half(const std::string& namespace_) const {
  return running(namespace_) >= half_ || has_most(namespace_);
}

bool Model::has_most(const std::string& namespace_) const {
  return running(namespace_) >= 8 * (workers_ - processing_.size());
}

bool Model::may_take(Priority priority, MonoTime now) const {
  for (const auto& [item, waiting] : waiting_) {
    if (urgency(item, now) == priority && check_share(item).empty()) return true;
  }
  return false;
}

std::string Model::check_share(const std::string& item) const {
  if (has_most(namespace_of(item))) return "no worker is kept for others";
  if (!has_half(namespace_of(item))) return "";
  for (const auto& [candidate, waiting] : waiting_) {
    if (!has_half(namespace_of(candidate))) return "more than half of the workers, others wait";
  }
  return "";
}

std::string Model::check_priority(Priority taken, MonoTime now) {
  bool backlog_waits = false;
  for (const auto& [item, waiting] : waiting_) {
    backlog_waits = backlog_waits || urgency(item, now) == Priority::backlog;
  }
  if (taken == Priority::backlog) {
    if (may_take(Priority::live, now) && live_picks_ < 7) return "too early for the backlog";
    live_picks_ = live_picks_in_spite_ = 0;
    return "";
  }
  live_picks_ += backlog_waits;
  live_picks_in_spite_ += may_take(Priority::backlog, now);
  return live_picks_in_spite_ > 7 ? "the backlog did not get its eighth" : "";
}

// The namespaces with an item that waits at this priority and may be handed out.
std::set<std::string> Model::in_turn(Priority priority, MonoTime now) const {
  std::set<std::string> names;
  for (const auto& [item, waiting] : waiting_) {
    const std::string name = namespace_of(item);
    if (urgency(item, now) == priority && !has_half(name)) names.insert(name);
  }
  return names;
}

// Between two turns of a namespace, each other one that waited all the time has a turn.
std::string Model::check_turns(const std::string& item, Priority taken, MonoTime now) {
  auto& passed_over = passed_over_[index_of(taken)];
  const std::string turn = namespace_of(item);
  std::erase_if(passed_over, [&](const auto& one) { return one.first.first == turn; });
  for (const std::string& name : in_turn(taken, now)) {
    if (name == turn) continue;
    if (++passed_over[{name, turn}] > 1) return name + " was passed over twice for " + turn;
  }
  return "";
}

void Model::forget_turns(MonoTime now) {
  for (const Priority priority : {Priority::backlog, Priority::live}) {
    const std::set<std::string> names = in_turn(priority, now);
    std::erase_if(passed_over_[index_of(priority)],
                  [&](const auto& one) { return !names.contains(one.first.first); });
  }
}

ItemState Model::state(const std::string& item) const {
  if (waiting_.contains(item)) return ItemState::waiting;
  if (dirty_.contains(item)) return ItemState::processing_dirty;
  if (processing_.contains(item)) return ItemState::processing;
  return pending_.contains(item) ? ItemState::delayed : ItemState::idle;
}

std::optional<MonoTime> Model::next_due() const {
  std::optional<MonoTime> next;
  for (const auto& [item, pending] : pending_) {
    if (!next || pending.due < *next) next = pending.due;
  }
  return next;
}

}  // namespace dcm::workqueue
