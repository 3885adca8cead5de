// Remembers the failures of items whose last attempt failed: their messages, and since when.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "runtime/interned_string.hpp"
#include "runtime/time.hpp"
#include "workqueue/item_report.hpp"

namespace dcm::workqueue {

// A handler calls begin(), note() for each problem, end(); an attempt without problems clears those
// of the item. Bounded, as nothing depends on this memory: if too many items fail, the namespace
// with the most of them forgets the one that began to fail first, and of an item's many problems
// the first ones are kept. Attempts of one item never overlap. `NamespaceOf` is the queue's.
template <class Item, class NamespaceOf, class Hash>
class ProblemMemory {
 public:
  static constexpr std::size_t kCapacity = 4096;
  // Of an item's text; beyond that, its problems are counted.
  static constexpr std::size_t kTextMax = 4096;

  // `time` must outlive it.
  explicit ProblemMemory(const runtime::TimeSource& time) : time_(time) {}

  void begin(const Item& item) {
    const auto found = problems_.find(item);
    if (found != problems_.end()) found->second.is_of_this_attempt = false;
  }
  void note(const Item& item, std::string_view text, Whose whose = Whose::ours) {
    const runtime::WallTime now = time_.wall_now();
    auto found = problems_.find(item);
    if (found == problems_.end()) {
      if (problems_.size() >= kCapacity) forget_one();
      found = problems_.try_emplace(item).first;
      found->second.problem.first = now;
      change_order(item, [&](Order& order) {
        found->second.place = order.insert(order.end(), &found->first);
      });
    }
    Entry& entry = found->second;
    entry.problem.latest = now;
    entry.problem.whose = whose;
    if (!std::exchange(entry.is_of_this_attempt, true)) entry.kept = entry.left_out = 0;
    append(entry, text);
  }
  void end(const Item& item) {
    const auto found = problems_.find(item);
    if (found != problems_.end() && !found->second.is_of_this_attempt) erase(found);
  }
  // Call this for an item without further attempts.
  void forget(const Item& item) {
    const auto found = problems_.find(item);
    if (found != problems_.end()) erase(found);
  }

  // Null: the last attempt succeeded, or there was none.
  const Problem* find(const Item& item) const {
    const auto found = problems_.find(item);
    return found == problems_.end() ? nullptr : &found->second.problem;
  }
  std::size_t size() const noexcept { return problems_.size(); }
  // Calls `visit(const Item&)` for each item whose last attempt failed, in no particular order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [item, entry] : problems_) visit(item);
  }

 private:
  // Keys of problems_, oldest first.
  using Order = std::list<const Item*>;
  struct Entry {
    Problem problem;
    bool is_of_this_attempt = false;
    std::size_t kept = 0;      // the length of the text without "; and 3 more"
    std::size_t left_out = 0;  // problems of this attempt
    typename Order::iterator place;
  };

  // A first problem is kept whole: the messages of errors are bounded.
  static void append(Entry& entry, std::string_view text) {
    std::string& all = entry.problem.text;
    all.resize(entry.kept);
    if (!all.empty() && all.size() + text.size() > kTextMax) {
      all += fmt::format("; and {} more", ++entry.left_out);
      return;
    }
    if (!all.empty()) all += "; ";
    all += text;
    entry.kept = all.size();
  }
  void erase(typename std::unordered_map<Item, Entry, Hash>::iterator found) {
    change_order(found->first, [&](Order& order) { order.erase(found->second.place); });
    problems_.erase(found);
  }
  void forget_one() {
    const runtime::InternedString& largest = sizes_.rbegin()->second;
    erase(problems_.find(*orders_.find(largest)->second.front()));
  }
  template <class Change>
  void change_order(const Item& item, Change change) {
    const auto at = orders_.try_emplace(NamespaceOf{}(item)).first;
    auto& [name, order] = *at;
    sizes_.erase({order.size(), name});
    change(order);
    if (order.empty()) {
      orders_.erase(at);
    } else {
      sizes_.emplace(order.size(), name);
    }
  }

  const runtime::TimeSource& time_;
  std::unordered_map<Item, Entry, Hash> problems_;
  std::map<runtime::InternedString, Order> orders_;                  // by namespace
  std::set<std::pair<std::size_t, runtime::InternedString>> sizes_;  // of orders_
};

}  // namespace dcm::workqueue
