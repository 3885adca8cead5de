// Delays in the order of their ends, and how all of them end early, in slices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

#include "runtime/time.hpp"

namespace dcm::workqueue {

// An entry that waits for a time. Ordered by time, then by order of arrival: each wait has a new
// sequence number, so that a run can be repeated.
template <class Time, class T>
struct Wait {
  Time due;
  std::uint64_t sequence;
  T* entry;

  friend bool operator<(const Wait& a, const Wait& b) {
    return a.due != b.due ? a.due < b.due : a.sequence < b.sequence;
  }
};

// A walk in slices over the delays that were there at its start. Delays may come and go meanwhile.
template <class T>
class DelayWalk {
 public:
  using Delay = Wait<runtime::MonoTime, T>;

  // `next`: the sequence number of the next delay to be added.
  void begin(runtime::MonoTime now, std::uint64_t next) {
    under_way_ = {.since = now, .end = next, .at = {runtime::MonoTime::min(), 0, nullptr}};
  }
  // When the walk that is under way began; nullopt: none is.
  std::optional<runtime::MonoTime> since() const {
    if (!under_way_) return std::nullopt;
    return under_way_->since;
  }
  // Calls `visit(T&)`, which may change the delays, for the next ones; returns how many delays it
  // has examined, `limit` at most.
  template <class Visit>
  std::size_t advance(const std::set<Delay>& delays, std::size_t limit, Visit visit) {
    if (!under_way_) return 0;
    auto next = delays.upper_bound(under_way_->at);
    for (std::size_t step = 0; step < limit; ++step) {
      if (next == delays.end()) {
        under_way_.reset();
        return step;
      }
      const Delay delay = under_way_->at = *next++;
      if (delay.sequence < under_way_->end) visit(*delay.entry);
    }
    return limit;
  }

 private:
  struct UnderWay {
    runtime::MonoTime since;
    std::uint64_t end;
    Delay at;  // the last one visited; it may be gone
  };
  std::optional<UnderWay> under_way_;
};

}  // namespace dcm::workqueue
