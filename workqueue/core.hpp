// The queue as a state machine: items in, items out, each call told what time it is. No waiting and
// no I/O; queue.hpp puts that around it. scheduler.hpp has the contract.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>

#include "workqueue/item_report.hpp"
#include "workqueue/scheduler.hpp"

namespace dcm::workqueue {

// Knows which item is which entry of a Scheduler, and keeps no item that nothing is known of.
//
// `NamespaceOf` gives an item's namespace as an InternedString; a copy of the item is kept while it
// is in the queue or its failures are remembered. About 130 bytes for a waiting item of 16.
template <class Item, class NamespaceOf, class Hash = std::hash<Item>>
class Core {
 public:
  struct Taken {
    Item item;
    Duration waited;
  };

  explicit Core(std::size_t workers, const Backoff& backoff = {}) : scheduler_(workers, backoff) {}

  void add(const Item& item, Priority priority, MonoTime now) {
    if (scheduler_.is_open()) scheduler_.add(slot_of(item, now), priority, now);
  }

  void add_after(const Item& item, Duration delay, std::optional<Priority> priority, MonoTime now) {
    if (scheduler_.is_open()) scheduler_.add_after(slot_of(item, now), delay, priority, now);
  }

  // Returns the delay.
  Duration add_rate_limited(const Item& item, std::optional<Priority> priority, MonoTime now,
                            Duration at_least = {}) {
    if (!scheduler_.is_open()) return Duration::zero();
    return scheduler_.add_rate_limited(slot_of(item, now), priority, now, at_least);
  }

  void forget(const Item& item, MonoTime now) {
    const auto found = slots_.find(item);
    if (found == slots_.end()) return;
    scheduler_.forget(found->second);
    drop_if_forgettable(found, now);
  }

  std::optional<Taken> take(MonoTime now) {
    const Entry* entry = scheduler_.take(now);
    if (entry == nullptr) return std::nullopt;
    return Taken{*static_cast<const Slot*>(entry)->item, now - entry->added};
  }

  // Returns how long the item was worked on. Requires that it was handed out and not done since.
  Duration done(const Item& item, MonoTime now) {
    const auto found = slots_.find(item);
    DCM_ASSERT(found != slots_.end());
    const Duration worked = scheduler_.done(found->second, now);
    drop_if_forgettable(found, now);
    return worked;
  }

  // With which priority the item was handed out. Requires that a worker has it.
  Priority running_priority(const Item& item) const {
    const auto found = slots_.find(item);
    DCM_ASSERT(found != slots_.end() && found->second.place == Place::processing);
    return found->second.taken_as;
  }

  void advance(MonoTime now) { scheduler_.advance(now); }
  void retry_now(MonoTime now) { scheduler_.retry_now(now); }
  void retry_now(const Item& item, MonoTime now) {
    const auto found = slots_.find(item);
    if (found == slots_.end()) return;
    scheduler_.retry_now(found->second, now);
    drop_if_forgettable(found, now);
  }
  void shut_down(ShutDown how) { scheduler_.shut_down(how); }

  ItemState state(const Item& item) const {
    const auto found = slots_.find(item);
    return found == slots_.end() ? ItemState::idle : Scheduler::state(found->second);
  }
  std::uint32_t failures(const Item& item) const {
    const auto found = slots_.find(item);
    return found == slots_.end() ? 0 : found->second.failures;
  }
  ItemReport report(const Item& item) const {
    const auto found = slots_.find(item);
    return found == slots_.end() ? ItemReport{} : Scheduler::report(found->second);
  }
  // Items of which anything is known.
  std::size_t known() const noexcept { return slots_.size(); }
  const Scheduler& scheduler() const noexcept { return scheduler_; }

 private:
  struct Slot : Entry {
    const Item* item = nullptr;
  };
  // Never iterated; its nodes keep their addresses.
  using Slots = std::unordered_map<Item, Slot, Hash>;

  Slot& slot_of(const Item& item, MonoTime now) {
    const auto [found, is_new] = slots_.try_emplace(item);
    if (is_new) {
      found->second.item = &found->first;
      scheduler_.attach(found->second, NamespaceOf{}(item), now);
    }
    return found->second;
  }

  void drop_if_forgettable(typename Slots::iterator slot, MonoTime now) {
    if (!Scheduler::is_forgettable(slot->second)) return;
    scheduler_.detach(slot->second, now);
    slots_.erase(slot);
  }

  Scheduler scheduler_;
  Slots slots_;
};

}  // namespace dcm::workqueue
