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

// Use: put() some bytes, then next() until it has no frame left; finish() at the end of the stream.
class WatchFrames {
 public:
  // etcd takes objects of up to 1.5 MB by default, and of 10 MB where people have raised it.
  static constexpr std::size_t kFrameBytesMax = 16 * 1024 * 1024;

  explicit WatchFrames(api::Format format = api::Format::json,
                       std::size_t frame_bytes_max = kFrameBytesMax)
      : format_(format), frame_bytes_max_(frame_bytes_max) {}

  // `bytes` must stay valid until next() has no frame left. Requires that this is so for the bytes
  // before.
  void put(std::string_view bytes);

  // The next whole frame, never empty; nothing: more bytes are needed. The view is good until the
  // next call of next() or put().
  // Errors: body_too_large (a frame above the bound; the stream is of no use any more).
  runtime::Result<std::optional<std::string_view>> next();

  // Errors: disconnected, when the stream ended in the middle of a frame.
  runtime::Result<> finish() const;

 private:
  runtime::Result<std::optional<std::string_view>> next_line();
  runtime::Result<std::optional<std::string_view>> next_with_length();
  // Moves up to `size` bytes in all from the input to the partial frame; whether it has them then.
  bool gather(std::size_t size);

  api::Format format_;
  std::size_t frame_bytes_max_;
  std::string_view input_;
  std::string partial_;  // the beginning of a frame whose end has not come
  bool partial_was_handed_out_ = false;
};

}  // namespace dcm::client
