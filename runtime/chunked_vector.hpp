// A vector for as many elements as a cluster has objects.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace dcm::runtime {

// Grows by a chunk of 512 elements at a time: never copies an element, and needs no more memory
// than a chunk too much. References stay valid. (The chunks of a std::deque are so small that each
// access costs a second cache miss.)
template <class T>
class ChunkedVector {
 public:
  T& operator[](std::size_t index) { return chunks_[index / kChunk][index % kChunk]; }
  const T& operator[](std::size_t index) const { return chunks_[index / kChunk][index % kChunk]; }

  void push_back(T value) {
    if (size_ % kChunk == 0) chunks_.push_back(std::make_unique<T[]>(kChunk));
    (*this)[size_++] = std::move(value);
  }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }

 private:
  static constexpr std::size_t kChunk = 512;

  std::vector<std::unique_ptr<T[]>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace dcm::runtime
