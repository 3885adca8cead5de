// Memory of one evaluation: values live in it until the evaluation ends; nothing is freed
// individually.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace dcm::cel {

// The first kilobytes are stored inline, so a typical evaluation on the stack allocates nothing.
// Holds only trivially destructible types.
class Arena {
 public:
  // Upper limits of one evaluation; exceeding them ends it with an error.
  static constexpr std::size_t kLimit = std::size_t{64} << 20;

  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void* allocate(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) {
    const std::size_t start = (used_ + alignment - 1) & ~(alignment - 1);
    if (start + size <= capacity_) {
      used_ = start + size;
      return current_ + start;
    }
    return allocate_block(size);
  }

  template <typename T, typename... Arguments>
  const T* make(Arguments&&... arguments) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (allocate(sizeof(T), alignof(T))) T{std::forward<Arguments>(arguments)...};
  }

  template <typename T>
  T* array(std::size_t size) {
    static_assert(std::is_trivially_destructible_v<T> && std::is_trivially_copyable_v<T>);
    return static_cast<T*>(allocate(size * sizeof(T), alignof(T)));
  }

  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    char* bytes = array<char>(text.size());
    std::memcpy(bytes, text.data(), text.size());
    return {bytes, text.size()};
  }

  // Steps that no cost counts, such as compiling a pattern, or comparing list elements: one list
  // can be an element of another many times. All of them take about a second at most.
  static constexpr std::size_t kStepsMax = 4'000'000;
  bool take_steps(std::size_t steps) {
    steps_ += steps;
    return steps_ <= kStepsMax;
  }

  bool is_exhausted() const { return total_ > kLimit || steps_ > kStepsMax; }

 private:
  void* allocate_block(std::size_t size) {
    const std::size_t block = size > kBlock ? size : kBlock;
    total_ += block;
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(block));
    current_ = blocks_.back().get();
    capacity_ = block;
    used_ = size;
    return current_;
  }

  static constexpr std::size_t kInside = 1536;
  static constexpr std::size_t kBlock = 16 << 10;

  alignas(std::max_align_t) std::byte inside_[kInside];
  std::byte* current_ = inside_;
  std::size_t used_ = 0;
  std::size_t capacity_ = kInside;
  std::size_t total_ = 0;
  std::size_t steps_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
};

}  // namespace dcm::cel
