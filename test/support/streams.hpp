// A peer that speaks raw bytes on a stream: reads everything, writes in pieces.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "runtime/http/stream.hpp"
#include "runtime/task.hpp"

namespace dcm::support {

// Reads until the peer closes (or the stream fails).
inline runtime::Task<std::string> read_all(http::Stream& stream) {
  std::string all;
  char buffer[4096];
  while (true) {
    const auto count = co_await stream.read_some(buffer, {});
    if (!count || *count == 0) co_return all;
    all.append(buffer, *count);
  }
}

// Writes the pieces one by one, so that each is read before the next. `pieces` must stay valid
// while it runs. Errors: those of the failed write; the rest is then not written.
inline runtime::Task<runtime::Result<>> write_pieces(http::Stream& stream,
                                                     std::span<const std::string_view> pieces) {
  for (const std::string_view piece : pieces) {
    const runtime::Result<> written = co_await stream.write(piece, {});
    if (!written) co_return written;
    for (int turn = 0; turn < 5; ++turn) co_await runtime::yield();
  }
  co_return runtime::Result<>();
}

}  // namespace dcm::support
