#include "allocation/counters.hpp"

#include <algorithm>

namespace dcm::allocation {
namespace {

template <class OnDevice>
void for_each_allocated(const Pool& pool, const Usage& usage, OnDevice&& on_device) {
  if (usage.is_empty()) return;
  for (const auto* const slices : {&pool.slices, &pool.elsewhere}) {
    for (const Slice* const slice : *slices) {
      for (const Device& device : slice->devices) {
        if (device.extras().counters.empty()) continue;
        if (is_allocated(slice->id_of(device), usage)) on_device(device);
      }
    }
  }
}

}  // namespace

CounterLedger::CounterLedger(const Pool& pool, const Usage& usage) {
  for (const CounterSet* const set : pool.counter_sets) {
    begins_.emplace(set->name, entries_.size());
    for (const Counter& counter : set->counters) {
      entries_.push_back({set->name, counter.name, counter.value});
    }
  }
  for (const Entry& entry : entries_) note_whether_overdrawn(entry);
  for_each_allocated(pool, usage, [this](const Device& device) {
    for_each_use(device, [](Entry& entry, const Quantity& amount) {
      entry.available = entry.available.sub(amount).value_or(entry.available);
    });
  });
}

CounterLedger::Entry* CounterLedger::find(const InternedString& set,
                                          const InternedString& counter) {
  const auto begin = begins_.find(set);
  if (begin == begins_.end()) return nullptr;
  for (std::size_t i = begin->second; i < entries_.size() && entries_[i].set == set; ++i) {
    if (entries_[i].counter == counter) return &entries_[i];
  }
  return nullptr;
}

template <class OnEntry>
void CounterLedger::for_each_use(const Device& device, OnEntry&& on_entry) {
  for (const CounterUse& use : device.extras().counters) {
    for (const Counter& counter : use.counters) {
      Entry* const entry = find(use.set, counter.name);
      if (entry == nullptr) continue;
      on_entry(*entry, counter.value);
      note_whether_overdrawn(*entry);
    }
  }
}

void CounterLedger::note_whether_overdrawn(const Entry& entry) {
  const auto index = static_cast<std::size_t>(&entry - entries_.data());
  if (entry.available < entry.taken) {
    overdrawn_.insert(index);
  } else {
    overdrawn_.erase(index);
  }
}

bool CounterLedger::has_counters_of(const Device& device) {
  return std::ranges::all_of(device.extras().counters, [this](const CounterUse& use) {
    return std::ranges::all_of(use.counters, [&](const Counter& counter) {
      return find(use.set, counter.name) != nullptr;
    });
  });
}

// Every counter of the pool is checked: an overdrawn counter blocks all devices that consume any.
std::optional<CounterShortage> CounterLedger::take(const Device& device) {
  for_each_use(device, [](Entry& entry, const Quantity& amount) {
    entry.taken = entry.taken.add(amount).value_or(entry.taken);
  });
  if (overdrawn_.empty()) return std::nullopt;
  const Entry& first = entries_[*overdrawn_.begin()];
  CounterShortage shortage{first.set, first.counter, first.available, first.taken};
  give_back(device);
  return shortage;
}

void CounterLedger::give_back(const Device& device) {
  for_each_use(device, [](Entry& entry, const Quantity& amount) {
    entry.taken = entry.taken.sub(amount).value_or(entry.taken);
  });
}

GroupLedger::GroupLedger(const Pool& pool, const Usage& usage) {
  for_each_allocated(pool, usage, [this](const Device& device) {
    for (const CounterUse& use : device.extras().counters) add(use);
  });
}

bool GroupLedger::admits(const Common& common, const CounterUse& use) {
  if (common.empty()) return true;
  const auto& groups = use.compatibility_groups;
  if (groups.empty() || common.back().empty()) return groups.empty() && common.back().empty();
  return std::ranges::find_first_of(common.back(), groups) != common.back().end();
}

// Allocated devices may contradict each other. Then no further device is compatible, which is
// expressed by a group that no device can have.
void GroupLedger::add(const CounterUse& use) {
  static const InternedString kNobody = "";
  Common& common = sets_[use.set];
  if (common.empty()) {
    common.push_back(use.compatibility_groups);
    return;
  }
  std::vector<InternedString> left = common.back();
  if (left.empty() || use.compatibility_groups.empty()) {
    common.push_back(std::move(left));
    return;
  }
  std::erase_if(left, [&](const InternedString& group) {
    return std::ranges::find(use.compatibility_groups, group) == use.compatibility_groups.end();
  });
  if (left.empty()) left.push_back(kNobody);
  common.push_back(std::move(left));
}

bool GroupLedger::take(const Device& device) {
  const auto& uses = device.extras().counters;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (admits(sets_[uses[i].set], uses[i])) {
      add(uses[i]);
      continue;
    }
    while (i-- > 0) sets_[uses[i].set].pop_back();
    return false;
  }
  return true;
}

void GroupLedger::give_back(const Device& device) {
  for (const CounterUse& use : device.extras().counters) sets_[use.set].pop_back();
}

}  // namespace dcm::allocation
