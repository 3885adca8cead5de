// The bytes of a connection between the stream and the parser.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace dcm::http {

// A contiguous buffer that is filled at its end and consumed at its front. It starts with
// `first_bytes`, keeps its memory for the next message, and never grows beyond `bytes_max`.
class ReadBuffer {
 public:
  static constexpr std::size_t kCapacity = 16 * 1024;

  explicit ReadBuffer(std::size_t bytes_max, std::size_t first_bytes = kCapacity)
      : bytes_max_(bytes_max), first_bytes_(first_bytes) {}

  std::string_view data() const { return {memory_.get() + begin_, end_ - begin_}; }
  bool empty() const { return begin_ == end_; }
  bool is_full() const { return end_ - begin_ == bytes_max_; }

  // Consumed bytes stay readable until the next space().
  void consume(std::size_t bytes) { begin_ += bytes; }

  // Room for more; empty only when the buffer is full. Invalidates data().
  std::span<char> space() {
    if (empty()) begin_ = end_ = 0;
    const bool is_outgrown = capacity_ < least() && has_come_;
    if (end_ == capacity_ || is_outgrown) make_room();
    return {memory_.get() + end_, capacity_ - end_};
  }
  void commit(std::size_t bytes) {
    end_ += bytes;
    has_come_ = true;
  }
  // Requires fewer bytes than the buffer's capacity.
  void append(std::string_view bytes) {
    if (bytes.empty()) return;
    std::memcpy(space().data(), bytes.data(), bytes.size());
    commit(bytes.size());
  }

  // Frees its memory if it is empty; the next space() allocates again.
  void trim() {
    if (!empty()) return;
    memory_.reset();
    capacity_ = begin_ = end_ = 0;
  }

 private:
  std::size_t least() const { return std::min(bytes_max_, has_come_ ? kCapacity : first_bytes_); }

  void make_room() {
    const std::size_t size = end_ - begin_;
    if (begin_ > 0 && capacity_ >= least()) {
      std::memmove(memory_.get(), memory_.get() + begin_, size);
    } else {
      capacity_ = std::min(bytes_max_, std::max(least(), 2 * capacity_));
      auto larger = std::make_unique_for_overwrite<char[]>(capacity_);
      if (size > 0) std::memcpy(larger.get(), memory_.get() + begin_, size);
      memory_ = std::move(larger);
    }
    begin_ = 0;
    end_ = size;
  }

  std::size_t bytes_max_;
  std::size_t first_bytes_;
  bool has_come_ = false;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::unique_ptr<char[]> memory_;
};

}  // namespace dcm::http
