#include "runtime/grpc/status.hpp"

#include <array>
#include <charconv>

#include <fmt/format.h>

namespace dcm::grpc {
namespace {

constexpr std::array<std::string_view, kCodeCount> kNames = {
    "OK",       "Canceled",       "Unknown",          "InvalidArgument",   "DeadlineExceeded",
    "NotFound", "AlreadyExists",  "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
    "Aborted",  "OutOfRange",     "Unimplemented",    "Internal",          "Unavailable",
    "DataLoss", "Unauthenticated"};

}  // namespace

std::string_view to_string(Code code) {
  return kNames[static_cast<std::size_t>(code)];
}

std::string to_string(const Status& status) {
  return fmt::format("rpc error: code = {} desc = {}", to_string(status.code), status.message);
}

Code code_from_number(std::string_view decimal) {
  int number = 0;
  const char* const end = decimal.data() + decimal.size();
  const auto [parsed, failure] = std::from_chars(decimal.data(), end, number);
  const bool is_known =
      failure == std::errc() && parsed == end && number >= 0 && number < kCodeCount;
  return is_known ? static_cast<Code>(number) : Code::unknown;
}

Code code_from_http(int status) {
  switch (status) {
    case 400:
      return Code::internal;
    case 401:
      return Code::unauthenticated;
    case 403:
      return Code::permission_denied;
    case 404:
      return Code::unimplemented;
    case 429:
    case 502:
    case 503:
    case 504:
      return Code::unavailable;
    default:
      return Code::unknown;
  }
}

Code code_from_reset(http2::ErrorCode code) {
  switch (code) {
    case http2::ErrorCode::refused_stream:
      return Code::unavailable;
    case http2::ErrorCode::cancel:
      return Code::cancelled;
    case http2::ErrorCode::enhance_your_calm:
      return Code::resource_exhausted;
    default:
      return Code::internal;
  }
}

Code code_from(const runtime::Error& error) {
  switch (error.reason) {
    case runtime::Reason::deadline_exceeded:
      return Code::deadline_exceeded;
    case runtime::Reason::malformed:
      return Code::internal;
    case runtime::Reason::body_too_large:
      return Code::resource_exhausted;
    default:
      return Code::unavailable;
  }
}

}  // namespace dcm::grpc
