// Remembers the failures of items whose last attempt failed: their messages, and since when.
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <unordered_map>
#include <utility>

#include "runtime/time.hpp"
#include "workqueue/item_report.hpp"

namespace dcm::workqueue {

// A handler calls begin(), note() for each problem, end(); an attempt without problems clears those
// of the item. Bounded: if too many items fail, the ones that began to fail first are forgotten, as
// nothing depends on this memory. Attempts of one item never overlap.
template <class Item, class Hash>
class ProblemMemory {
 public:
  static constexpr std::size_t kCapacity = 4096;

  // `time` must outlive it.
  explicit ProblemMemory(const runtime::TimeSource& time) : time_(time) {}

  void begin(const Item& item) {
    const auto found = problems_.find(item);
    if (found != problems_.end()) found->second.is_of_this_attempt = false;
  }
  void note(const Item& item, std::string text, Whose whose = Whose::ours) {
    const runtime::WallTime now = time_.wall_now();
    auto found = problems_.find(item);
    if (found == problems_.end()) {
      if (problems_.size() >= kCapacity) erase(problems_.find(*order_.front()));
      found = problems_.try_emplace(item).first;
      found->second.problem.first = now;
      found->second.place = order_.insert(order_.end(), &found->first);
    }
    Entry& entry = found->second;
    entry.problem.latest = now;
    entry.problem.whose = whose;
    if (std::exchange(entry.is_of_this_attempt, true)) {
      entry.problem.text += "; " + text;
    } else {
      entry.problem.text = std::move(text);
    }
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
  struct Entry {
    Problem problem;
    bool is_of_this_attempt = false;
    typename std::list<const Item*>::iterator place;
  };

  void erase(typename std::unordered_map<Item, Entry, Hash>::iterator found) {
    order_.erase(found->second.place);
    problems_.erase(found);
  }

  const runtime::TimeSource& time_;
  std::unordered_map<Item, Entry, Hash> problems_;
  std::list<const Item*> order_;  // keys of problems_, oldest first
};

}  // namespace dcm::workqueue
