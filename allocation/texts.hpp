// Memory for the strings and lists of one object, freed with it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace dcm::allocation {

// Views stay valid when it is moved. Entries are never freed individually.
class Texts {
 public:
  std::string_view keep(std::string_view text) {
    if (text.empty()) return {};
    char* const place = static_cast<char*>(room(text.size(), 1));
    std::ranges::copy(text, place);
    return {place, text.size()};
  }

  template <class T>
    requires std::is_trivially_copyable_v<T>
  std::span<const T> keep_list(const std::vector<T>& items) {
    T* const place = static_cast<T*>(room(items.size() * sizeof(T), alignof(T)));
    return {place, std::ranges::copy(items, place).out};
  }

  std::size_t bytes() const { return bytes_; }

 private:
  void* room(std::size_t size, std::size_t alignment) {
    used_ = (used_ + alignment - 1) / alignment * alignment;
    if (chunks_.empty() || used_ + size > size_) {
      size_ = std::max(size, kChunk);
      chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size_));
      used_ = 0;
      bytes_ += size_;
    }
    used_ += size;
    return chunks_.back().get() + used_ - size;
  }

  static constexpr std::size_t kChunk = 1024;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::size_t size_ = 0;  // of the last chunk
  std::size_t used_ = 0;  // bytes used of it
  std::size_t bytes_ = 0;
};

}  // namespace dcm::allocation
