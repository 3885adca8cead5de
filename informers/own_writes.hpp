// The objects that a store shows as returned by our own writes, ahead of the watch.
#pragma once

#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "client/api/decoder.hpp"

namespace dcm::informers {

// What the watch shows for a name, without own writes.
template <class T>
struct Watched {
  api::ObjectPtr<T> object;  // null: nothing of interest
  enum class Absence { deleted, left } absence = Absence::deleted;
};

// The ledger of writes whose resourceVersion the watch has not passed yet. Each name has at most
// one entry: its newest write. No size limit: an entry is removed when the watch passes it, which
// the API's bookmarks guarantee.
template <class T>
class OwnWriteLedger {
 public:
  struct Entry {
    api::ResourceVersion version;
    Watched<T> watched;  // the state that applies if the watch never shows the write
    bool is_listed;      // in the relist that is going on, if one is
  };

  // `watched` and `is_listed` are used only for the first unseen write of a name.
  void add(const api::NamespacedName& name, const api::ResourceVersion& version, Watched<T> watched,
           bool is_listed) {
    const auto [entry, is_new] = entries_.try_emplace(name, version, std::move(watched), is_listed);
    if (!is_new) {
      by_version_.erase({entry->second.version, name});
      entry->second.version = version;
    }
    by_version_.emplace(version, name);
  }
  // Null if all writes of that name were seen.
  Entry* find(const api::NamespacedName& name) {
    const auto entry = entries_.find(name);
    return entry == entries_.end() ? nullptr : &entry->second;
  }
  void drop(const api::NamespacedName& name) {
    const auto entry = entries_.find(name);
    if (entry == entries_.end()) return;
    by_version_.erase({entry->second.version, name});
    entries_.erase(entry);
  }
  // Removes the oldest entry if the watch has passed it.
  std::optional<std::pair<api::NamespacedName, Watched<T>>> take_passed(
      const api::ResourceVersion& passed) {
    if (by_version_.empty() || by_version_.begin()->first > passed) return std::nullopt;
    return take_first();
  }
  // The oldest entry; nullopt if there is none.
  std::optional<std::pair<api::NamespacedName, Watched<T>>> take_first() {
    if (by_version_.empty()) return std::nullopt;
    auto name = by_version_.extract(by_version_.begin()).value().second;
    auto entry = entries_.extract(name);
    return std::pair(std::move(name), std::move(entry.mapped().watched));
  }
  std::size_t size() const noexcept { return entries_.size(); }

  void begin_relist() {
    for (auto& [name, entry] : entries_) entry.is_listed = false;
  }
  // What was not listed is gone, also where our write had hidden it.
  void end_relist() {
    for (auto& [name, entry] : entries_) {
      if (!entry.is_listed) entry.watched = {};
    }
  }

 private:
  std::unordered_map<api::NamespacedName, Entry> entries_;
  std::set<std::pair<api::ResourceVersion, api::NamespacedName>> by_version_;
};

// Objects that our own writes deleted, while the watch may still show them. An entry is removed
// when the watch shows the deletion, a later state, or another object of that name, and when a list
// begins: lists are consistent, so what one has is there, as after a restore of etcd.
template <class T>
class OwnDeletions {
 public:
  // `last`: the object in the store; `watched`: the object in the watch, null if none.
  void add(const api::ObjectMeta& last, api::ObjectPtr<T> watched) {
    entries_.insert_or_assign(last.key, Entry{last.uid, last.resource_version, std::move(watched)});
  }
  // Whether `seen` is out of date: a state of the object from before its deletion.
  bool hold_back(const api::Decoded<T>& seen) {
    const auto found = entries_.find(seen.meta.key);
    if (found == entries_.end()) return false;
    Entry& entry = found->second;
    const bool is_old = entry.uid == seen.meta.uid && seen.meta.resource_version <= entry.version;
    if (!is_old) {
      entries_.erase(found);
      return false;
    }
    entry.watched = seen.object;
    return true;
  }
  void drop(const api::NamespacedName& name) { entries_.erase(name); }
  // The last watched state of each object; null if none.
  api::ObjectPtr<T> take() {
    auto entry = entries_.extract(entries_.begin());
    return std::move(entry.mapped().watched);
  }
  bool empty() const noexcept { return entries_.empty(); }
  void clear() noexcept { entries_.clear(); }

 private:
  struct Entry {
    api::Uid uid;
    api::ResourceVersion version;
    api::ObjectPtr<T> watched;
  };
  std::unordered_map<api::NamespacedName, Entry> entries_;
};

}  // namespace dcm::informers
