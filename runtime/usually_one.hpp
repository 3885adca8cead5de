// A list that usually has one element.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <utility>
#include <variant>
#include <vector>

namespace dcm::runtime {

// A vector whose only element takes no allocation. It is as large as an element (of at least the
// size of a vector) and eight bytes. A change moves the elements, so it invalidates references.
template <class T>
class UsuallyOne {
 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  UsuallyOne() = default;
  UsuallyOne(std::initializer_list<T> elements) {
    for (const T& element : elements) push_back(element);
  }

  std::size_t size() const noexcept { return one() != nullptr ? 1 : many().size(); }
  bool empty() const noexcept { return size() == 0; }
  T* begin() noexcept { return one() != nullptr ? one() : many().data(); }
  T* end() noexcept { return begin() + size(); }
  const T* begin() const noexcept { return one() != nullptr ? one() : many().data(); }
  const T* end() const noexcept { return begin() + size(); }
  T& operator[](std::size_t index) { return begin()[index]; }
  const T& operator[](std::size_t index) const { return begin()[index]; }
  T& front() { return *begin(); }
  const T& front() const { return *begin(); }

  T& push_back(T element) {
    if (empty()) return elements_.template emplace<T>(std::move(element));
    if (T* const first = one()) {
      std::vector<T> both;
      both.reserve(2);
      both.push_back(std::move(*first));
      elements_ = std::move(both);
    }
    many().push_back(std::move(element));
    return many().back();
  }
  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    return push_back(T{std::forward<Arguments>(arguments)...});
  }
  void clear() noexcept { elements_ = std::vector<T>(); }
  void shrink_to_fit() {
    if (one() == nullptr) many().shrink_to_fit();
  }

  // The bytes that it has allocated.
  std::size_t heap_bytes() const noexcept {
    return one() != nullptr ? 0 : many().capacity() * sizeof(T);
  }

  friend bool operator==(const UsuallyOne&, const UsuallyOne&) = default;

 private:
  // Invariant: the vector, if there is one, does not have exactly one element.
  T* one() noexcept { return std::get_if<T>(&elements_); }
  const T* one() const noexcept { return std::get_if<T>(&elements_); }
  std::vector<T>& many() noexcept { return *std::get_if<std::vector<T>>(&elements_); }
  const std::vector<T>& many() const noexcept { return *std::get_if<std::vector<T>>(&elements_); }

  std::variant<std::vector<T>, T> elements_;
};

}  // namespace dcm::runtime
