// How a gRPC call ends: a code and a message.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "runtime/error.hpp"
#include "runtime/http2/session.hpp"

namespace dcm::grpc {

// In the order of their numbers on the wire.
enum class Code : std::uint8_t {
  ok,
  cancelled,
  unknown,
  invalid_argument,
  deadline_exceeded,
  not_found,
  already_exists,
  permission_denied,
  resource_exhausted,
  failed_precondition,
  aborted,
  out_of_range,
  unimplemented,
  internal,
  unavailable,
  data_loss,
  unauthenticated,
};

inline constexpr int kCodeCount = static_cast<int>(Code::unauthenticated) + 1;

// The code's name as Go writes it: "DeadlineExceeded".
std::string_view to_string(Code code);
// A number that gRPC does not define becomes `unknown`.
Code code_from_number(std::string_view decimal);
// The code for an answer without a gRPC status (doc/http-grpc-status-mapping.md).
Code code_from_http(int status);
// The code for a stream that was reset (doc/PROTOCOL-HTTP2.md).
Code code_from_reset(http2::ErrorCode code);
// The code for a call without an answer.
Code code_from(const runtime::Error& error);

// `no`: the server has certainly not seen the call, so it may be repeated.
enum class Sent : std::uint8_t { no, yes };

struct Status {
  Code code = Code::ok;
  std::string message = {};
  Sent sent = Sent::yes;
};

// Formatted like Go's errors: "rpc error: code = Unavailable desc = the connection was lost".
std::string to_string(const Status& status);

template <class T>
using Result = std::expected<T, Status>;

inline std::unexpected<Status> fail(Code code, std::string message) {
  return std::unexpected(Status{code, std::move(message)});
}

}  // namespace dcm::grpc
