// Which objects a store shows as our own writes returned them, ahead of the watch.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "client/api/decoder.hpp"

namespace dcm::informers {

// The watch's own view of a name, without own writes.
template <class T>
struct Watched {
  api::ObjectPtr<T> object;  // null: nothing of interest
  enum class Absence { deleted, left } absence = Absence::deleted;
};

// The ledger of writes whose resourceVersion the watch has not passed yet. Each name has at most
// one entry: its newest write. No size limit: an entry goes when the watch passes it, which the
// API's bookmarks guarantee.
template <class T>
class OwnWriteLedger {
 public:
  struct Entry {
    api::ResourceVersion version;
    Watched<T> watched;  // what the name falls back to, if the watch never shows the write
  };

  // `watched` counts only for the first unseen write of a name.
  void add(const api::NamespacedName& name, const api::ResourceVersion& version,
           Watched<T> watched) {
    const auto [entry, is_new] = entries_.try_emplace(name, version, std::move(watched));
    if (!is_new) {
      by_version_.erase({entry->second.version, name});
      entry->second.version = version;
    }
    by_version_.emplace(version, name);
  }
  // Null: all writes of that name were seen.
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
  // Takes the oldest entry out, if the watch has passed it.
  std::optional<std::pair<api::NamespacedName, Watched<T>>> take_passed(
      const api::ResourceVersion& passed) {
    if (by_version_.empty() || by_version_.begin()->first > passed) return std::nullopt;
    return take_first();
  }
  // The oldest. Nothing: there is none.
  std::optional<std::pair<api::NamespacedName, Watched<T>>> take_first() {
    if (by_version_.empty()) return std::nullopt;
    auto name = by_version_.extract(by_version_.begin()).value().second;
    auto entry = entries_.extract(name);
    return std::pair(std::move(name), std::move(entry.mapped().watched));
  }
  std::size_t size() const noexcept { return entries_.size(); }

 private:
  std::unordered_map<api::NamespacedName, Entry> entries_;
  std::set<std::pair<api::ResourceVersion, api::NamespacedName>> by_version_;
};

}  // namespace dcm::informers
