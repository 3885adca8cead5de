#include "client/request/watch_frames.hpp"

#include "runtime/assert.hpp"

namespace dcm::client {
namespace {

using runtime::Reason;
using runtime::Result;

// After a frame larger than this, its memory is given back.
constexpr std::size_t kKeptCapacity = 256 * 1024;

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
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

Result<> WatchFrames::finish() const {
  if (partial_was_handed_out_ || is_blank(partial_)) return {};
  return runtime::fail(Reason::disconnected, "the watch ended in the middle of an event");
}

}  // namespace dcm::client
