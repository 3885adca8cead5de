// A hash map that tracks the least recently used entry.
#pragma once

#include <cstddef>
#include <iterator>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "runtime/keyed_hash.hpp"

namespace dcm::runtime {

// Values do not move until they are erased.
template <class Value>
class LruMap {
 public:
  LruMap() = default;
  LruMap(const LruMap&) = delete;
  LruMap& operator=(const LruMap&) = delete;

  // The value, which becomes the most recently used; null if missing.
  Value* use(std::string_view key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return &found->second->second;
  }

  // Requires that `key` is not there.
  Value& insert(std::string key, Value value) {
    entries_.emplace_front(std::move(key), std::move(value));
    index_.emplace(entries_.front().first, entries_.begin());
    return entries_.front().second;
  }

  void erase(std::string_view key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return;
    const auto entry = found->second;
    index_.erase(found);
    entries_.erase(entry);
  }

  // Erases the least recently used entry that `is_expendable`. Those before it that are not count
  // as used now, so that the next calls do not examine them again.
  template <class Predicate>
  void erase_oldest(Predicate is_expendable) {
    for (std::size_t left = size(); left > 0; --left) {
      const auto oldest = std::prev(entries_.end());
      if (is_expendable(oldest->second)) {
        index_.erase(oldest->first);
        entries_.erase(oldest);
        return;
      }
      entries_.splice(entries_.begin(), entries_, oldest);
    }
  }

  void erase_oldest() {
    erase_oldest([](const Value&) { return true; });
  }

  std::size_t size() const noexcept { return index_.size(); }

 private:
  using Entries = std::list<std::pair<const std::string, Value>>;
  Entries entries_;  // most recently used first
  std::unordered_map<std::string_view, typename Entries::iterator, KeyedHash> index_;
};

}  // namespace dcm::runtime
