// Messages within the body of an HTTP/2 stream: a flag, four bytes of length, the message
// (doc/PROTOCOL-HTTP2.md). No I/O.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/deadline.hpp"
#include "runtime/grpc/status.hpp"
#include "runtime/http/message.hpp"

namespace dcm::grpc {

std::string encode_message(std::string_view message);

// Takes bytes as they arrive, returns messages. Holds at most one message and the bytes that came
// with it.
class MessageReader {
 public:
  explicit MessageReader(std::size_t message_bytes_max) : bytes_max_(message_bytes_max) {}

  void put(std::string_view bytes);
  // The next message; nullopt: more bytes are needed. Errors: resource_exhausted (a message that is
  // too large), unimplemented (a compressed one).
  Result<std::optional<std::string>> take();
  // Whether the stream may end here.
  bool is_between_messages() const { return taken_ == bytes_.size(); }

 private:
  std::size_t bytes_max_;
  std::string bytes_;
  std::size_t taken_ = 0;  // bytes of messages that were returned
};

// The "grpc-timeout" value for the time left until `deadline`; nullopt for an unreachable deadline.
std::optional<std::string> encode_timeout(runtime::Deadline deadline,
                                          const runtime::TimeSource& time);
// Errors: internal (not a gRPC timeout).
Result<runtime::Duration> decode_timeout(std::string_view text);

// Encoding of "grpc-message": '%' and bytes that are not printable ASCII become %XX.
std::string percent_encode(std::string_view message);
std::string percent_decode(std::string_view text);

// The status in `fields` (trailers, or the head of an answer without a body); nullopt: no status.
std::optional<Status> read_status(const http::Headers& fields);
// Cuts a long message.
void add_status(http::Headers& fields, const Status& status);

// Whether this is a gRPC content type.
bool is_grpc(std::optional<std::string_view> content_type);

}  // namespace dcm::grpc
