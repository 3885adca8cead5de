// A doubly linked list whose links live in the elements: no allocation, and removing a known
// element costs O(1). An element is in at most one list per link, and is not owned by it.
#pragma once

#include "runtime/assert.hpp"

namespace dcm::workqueue {

template <class T>
struct ListLink {
  T* previous = nullptr;
  T* next = nullptr;
};

template <class T, ListLink<T> T::* kLink>
class IntrusiveList {
 public:
  IntrusiveList() = default;
  IntrusiveList(const IntrusiveList&) = delete;
  IntrusiveList& operator=(const IntrusiveList&) = delete;

  bool empty() const noexcept { return first_ == nullptr; }
  T* front() const noexcept { return first_; }
  T* next(const T& element) const noexcept { return (element.*kLink).next; }

  void push_back(T& element) {
    (element.*kLink) = {last_, nullptr};
    (last_ == nullptr ? first_ : (last_->*kLink).next) = &element;
    last_ = &element;
  }

  // Requires that the element is in this list.
  void remove(T& element) {
    const ListLink<T> link = element.*kLink;
    DCM_ASSERT(link.previous != nullptr ? (link.previous->*kLink).next == &element
                                        : first_ == &element);
    (link.previous == nullptr ? first_ : (link.previous->*kLink).next) = link.next;
    (link.next == nullptr ? last_ : (link.next->*kLink).previous) = link.previous;
    element.*kLink = {};
  }

 private:
  T* first_ = nullptr;
  T* last_ = nullptr;
};

}  // namespace dcm::workqueue
