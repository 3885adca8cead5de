// A binary heap of due times. It knows where each of its elements is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "runtime/assert.hpp"

namespace dcm::device_taint_eviction {

// The base of an element, which is in at most one heap. Of two elements that are due at the same
// time, the one with the lower `sequence` goes first, so that a run can be repeated.
struct DueEntry {
  static constexpr std::size_t kNotInHeap = std::numeric_limits<std::size_t>::max();

  std::uint64_t sequence = 0;
  std::size_t position = kNotInHeap;
};

// Ordered by the member `kDue`. Does not own its elements, which must not move. All changes O(log
// n).
template <class Entry, auto kDue>
class DueHeap {
 public:
  bool empty() const noexcept { return heap_.empty(); }
  std::size_t size() const noexcept { return heap_.size(); }

  // The earliest. Requires !empty().
  Entry& top() const { return *heap_.front(); }

  // Requires that it is in no heap. Its time must not change until it is taken out.
  void push(Entry& entry) {
    DCM_ASSERT(entry.position == DueEntry::kNotInHeap);
    heap_.push_back(&entry);
    place(heap_.size() - 1, entry);
    sift_up(heap_.size() - 1);
  }

  // Requires that it is in this heap.
  void erase(Entry& entry) {
    const std::size_t position = entry.position;
    DCM_ASSERT(position < heap_.size() && heap_[position] == &entry);
    entry.position = DueEntry::kNotInHeap;
    Entry& last = *heap_.back();
    heap_.pop_back();
    if (&last == &entry) return;
    place(position, last);
    sift_down(position);
    sift_up(last.position);
  }

 private:
  static bool is_before(const Entry& a, const Entry& b) {
    return std::pair(a.*kDue, a.sequence) < std::pair(b.*kDue, b.sequence);
  }
  void place(std::size_t position, Entry& entry) {
    heap_[position] = &entry;
    entry.position = position;
  }
  void sift_up(std::size_t position) {
    Entry& entry = *heap_[position];
    while (position > 0) {
      const std::size_t parent = (position - 1) / 2;
      if (!is_before(entry, *heap_[parent])) break;
      place(position, *heap_[parent]);
      position = parent;
    }
    place(position, entry);
  }
  void sift_down(std::size_t position) {
    Entry& entry = *heap_[position];
    while (true) {
      std::size_t child = 2 * position + 1;
      if (child >= heap_.size()) break;
      if (child + 1 < heap_.size() && is_before(*heap_[child + 1], *heap_[child])) ++child;
      if (!is_before(*heap_[child], entry)) break;
      place(position, *heap_[child]);
      position = child;
    }
    place(position, entry);
  }

  std::vector<Entry*> heap_;
};

}  // namespace dcm::device_taint_eviction
