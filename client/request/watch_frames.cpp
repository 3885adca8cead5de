#include "client/request/watch_frames.hpp"

#include <algorithm>

#include "runtime/assert.hpp"

namespace dcm::client {
namespace {

using runtime::Reason;
using runtime::Result;

// After a larger frame than this, its memory is freed.
constexpr std::size_t kKeptCapacity = 256 * 1024;

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

constexpr std::size_t kLengthBytes = 4;

// Requires that this many bytes are there.
std::size_t length_at(std::string_view bytes) {
  std::size_t length = 0;
  for (const char c : bytes.substr(0, kLengthBytes)) {
    length = length << 8 | static_cast<unsigned char>(c);
  }
  return length;
}

std::unexpected<runtime::Error> too_large(std::size_t bound) {
  return runtime::fail(Reason::body_too_large,
                       "a watch event of more than " + std::to_string(bound) + " bytes");
}

}  // namespace

void WatchFrames::put(std::string_view bytes) {
  DCM_ASSERT(input_.empty());
  input_ = bytes;
}

Result<std::optional<std::string_view>> WatchFrames::next() {
  if (partial_was_handed_out_) {
    partial_was_handed_out_ = false;
    if (partial_.capacity() > kKeptCapacity) partial_ = std::string();
    partial_.clear();
  }
  return format_ == api::Format::json ? next_line() : next_with_length();
}

Result<std::optional<std::string_view>> WatchFrames::next_line() {
  while (!input_.empty()) {
    const std::size_t end = input_.find('\n');
    const std::string_view line = input_.substr(0, end);
    if (partial_.size() + line.size() > frame_bytes_max_) return too_large(frame_bytes_max_);
    input_.remove_prefix(end == std::string_view::npos ? input_.size() : end + 1);
    if (end == std::string_view::npos) {
      partial_ += line;
      break;
    }
    if (partial_.empty()) {
      if (is_blank(line)) continue;
      return line;
    }
    partial_ += line;
    if (is_blank(partial_)) {
      partial_.clear();
      continue;
    }
    partial_was_handed_out_ = true;
    return partial_;
  }
  return std::nullopt;
}

Result<std::optional<std::string_view>> WatchFrames::next_with_length() {
  while (partial_.empty() && input_.size() >= kLengthBytes) {
    const std::size_t length = length_at(input_);
    if (length > frame_bytes_max_) return too_large(frame_bytes_max_);
    if (input_.size() - kLengthBytes < length) break;
    const std::string_view frame = input_.substr(kLengthBytes, length);
    input_.remove_prefix(kLengthBytes + length);
    if (!frame.empty()) return frame;
  }
  while (gather(kLengthBytes)) {
    const std::size_t length = length_at(partial_);
    if (length > frame_bytes_max_) return too_large(frame_bytes_max_);
    if (!gather(kLengthBytes + length)) break;
    if (length == 0) {
      partial_.clear();
      continue;
    }
    partial_was_handed_out_ = true;
    return std::string_view(partial_).substr(kLengthBytes);
  }
  return std::nullopt;
}

bool WatchFrames::gather(std::size_t size) {
  if (partial_.size() < size) {
    const std::size_t missing = std::min(size - partial_.size(), input_.size());
    partial_ += input_.substr(0, missing);
    input_.remove_prefix(missing);
  }
  return partial_.size() >= size;
}

Result<> WatchFrames::finish() const {
  const bool is_at_end = format_ == api::Format::json ? is_blank(partial_) : partial_.empty();
  if (partial_was_handed_out_ || is_at_end) return {};
  return runtime::fail(Reason::disconnected, "the watch ended in the middle of an event");
}

}  // namespace dcm::client
