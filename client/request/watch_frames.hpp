// Cuts the body of a watch into frames: bytes in, frames out, no I/O.
//
// In JSON, API servers write each watch event as one document and a line feed; JSON has no raw line
// feed inside a document that is not indented, and we never ask for indented ones. In protobuf, the
// length of each event goes before it, as four bytes in network order.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "client/api/format.hpp"
#include "runtime/error.hpp"

namespace dcm::client {

// Usage: put() some bytes, then next() until no frame is left; finish() at the end of the stream.
class WatchFrames {
 public:
  // etcd accepts objects of up to 1.5 MB by default, and of 10 MB where its limit was raised.
  static constexpr std::size_t kFrameBytesMax = 16 * 1024 * 1024;

  explicit WatchFrames(api::Format format = api::Format::json,
                       std::size_t frame_bytes_max = kFrameBytesMax)
      : format_(format), frame_bytes_max_(frame_bytes_max) {}

  // `bytes` must stay valid until next() has no frame left. Requires that no frame of the previous
  // bytes is left.
  void put(std::string_view bytes);

  // The next whole frame, never empty; nullopt: more bytes are needed. The view is valid until the
  // next call of next() or put(). Errors: body_too_large (a frame above the limit; the stream is
  // unusable from then on).
  runtime::Result<std::optional<std::string_view>> next();

  // Errors: disconnected if the stream ended within a frame.
  runtime::Result<> finish() const;

 private:
  runtime::Result<std::optional<std::string_view>> next_line();
  runtime::Result<std::optional<std::string_view>> next_with_length();
  // Moves bytes from the input until the partial frame has `size` bytes; returns whether it has.
  bool gather(std::size_t size);

  api::Format format_;
  std::size_t frame_bytes_max_;
  std::string_view input_;
  std::string partial_;  // the beginning of an incomplete frame
  bool partial_was_handed_out_ = false;
};

}  // namespace dcm::client
