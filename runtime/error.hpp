// Errors, as values.
//
// Reason is a closed set: the status reasons of the Kubernetes API (apimachinery's
// metav1.StatusReason), refined where a caller must tell cases apart, and the ways a connection
// fails. One table (error.cpp) says how each is treated, and callers use the functions below, never
// the message. Exceptions are reserved for cancellation, out of memory and broken invariants.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/time.hpp"

namespace dcm::runtime {

enum class Reason : std::uint8_t {
  // Answers of the server.
  bad_request,                 // 400
  unauthorized,                // 401
  forbidden,                   // 403
  namespace_terminating,       // 403: nothing can be created in a namespace being deleted
  object_not_found,            // 404, and the answer names the object
  not_served,                  // 404 otherwise: the resource itself is not served
  method_not_allowed,          // 405
  not_acceptable,              // 406
  already_exists,              // 409
  conflict,                    // 409, changed meanwhile
  gone,                        // 410, the version or continue token is too old
  request_too_large,           // 413
  unsupported_media_type,      // 415
  invalid,                     // 422
  another_object,              // 409 or 422: the object with that UID is gone
  too_many_requests,           // 429
  disruption_budget,           // 429 (or 404, 409) of the Eviction API, naming a budget
  internal_error,              // 500
  service_unavailable,         // 503
  server_timeout,              // 504
  resource_version_too_large,  // 504, the server has not seen that version yet
  unexpected_status,           // any other error
  // No answer, or an invalid one.
  deadline_exceeded,
  unreachable,     // no connection: refused, no route, no such host
  tls,             // not trusted in the handshake: wrong CA, wrong name, expired certificate
  disconnected,    // reset, or broken within an answer
  malformed,       // not as expected (framing, JSON, a field of the wrong type)
  body_too_large,  // more bytes than allowed for this request
  shutting_down,   // we are stopping, or may no longer write
  configuration,   // one of our files, flags or credentials is unusable
};

inline constexpr std::size_t kReasonCount = static_cast<std::size_t>(Reason::configuration) + 1;

// The reason's name, as in logs: "object_not_found".
std::string_view to_string(Reason reason);

// A server's complaint about one field (metav1.StatusCause).
struct FieldCause {
  std::string field;    // "status.allocation"
  std::string message;  // one line
};

struct Error {
  Reason reason;
  std::string message;                            // one line, without secrets
  std::optional<std::uint16_t> http_status = {};  // set when there was an answer
  std::optional<Duration> retry_after = {};       // requested by the server
  // Set for `invalid`, as sent by the server: interpreting the fields is left to code that knows
  // the kind.
  std::vector<FieldCause> causes = {};
};

template <class T = void>
using Result = std::expected<T, Error>;

// Shorthand for `return fail(Reason::malformed, "…")`.
inline std::unexpected<Error> fail(Reason reason, std::string message) {
  return std::unexpected(Error{reason, std::move(message)});
}
inline std::unexpected<Error> fail(Error error) {
  return std::unexpected(std::move(error));
}

// "<reason>: <message>", for logs.
std::string to_string(const Error& error);

// The server said that the object is not there, which is final.
bool is_not_found(const Error& error);
// The object changed between our read and our write: wait for the watch.
bool is_conflict(const Error& error);
// The object of a write is gone, or another one has its name now: nothing is left to do.
bool is_object_gone(const Error& error);
// The version or continue token is too old: list again.
bool is_expired(const Error& error);
// May pass by itself within seconds: worth repeating an idempotent request.
bool is_transient(const Error& error);
// Certainly not executed: even a create may be repeated unchanged.
bool is_refused_untouched(const Error& error);
// The request may or may not have been executed: look before repeating a create.
bool is_outcome_unknown(const Error& error);

}  // namespace dcm::runtime
