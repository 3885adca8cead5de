// Whether a failed request is sent again, and which error it ends with: for HTTP/1.1 and HTTP/2.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/error.hpp"
#include "runtime/http/message.hpp"

namespace dcm::http {

// How an attempt failed.
enum class Failure : std::uint8_t {
  not_sent,  // there was no connection, or the caller withheld the request
  refused,   // the server certainly has not processed it
  lost,      // the connection broke before a byte of the answer had come
  other      // a deadline, or an answer that is cut or invalid
};
// A connection that has carried requests before may have been closed while this one was being sent.
enum class ConnectionUse : std::uint8_t { first, reused };

struct FailedAttempt {
  Method method;
  Failure failure;
  ConnectionUse connection = ConnectionUse::first;
  // An earlier attempt was lost, so the request may have been carried out.
  bool was_lost_before = false;
  // Gives up on a server that refuses request after request.
  bool is_last = false;
  bool is_idempotent = true;  // of Request
};

enum class Replay : std::uint8_t { send_again, report, report_earlier };

// `report_earlier`: this failure says less than the earlier one, whose outcome is unknown.
//
//   failure  | condition                                                       | replay
//   ---------+-----------------------------------------------------------------+---------------
//   not_sent | was_lost_before                                                 | report_earlier
//            | otherwise                                                       | report
//   refused  | not is_last                                                     | send_again
//            | is_last                                                         | as not_sent
//   lost     | on a reused connection, for the first time, idempotent, not last | send_again
//            | otherwise                                                       | report
//   other    |                                                                 | report
Replay decide_replay(const FailedAttempt& attempt);

// The attempts to send one request.
class Attempts {
 public:
  explicit Attempts(const Request& request)
      : method_(request.method), is_idempotent_(request.is_idempotent) {}

  // nullopt: send it again. Otherwise the error that the request ends with.
  std::optional<runtime::Error> fail(Failure failure, ConnectionUse connection,
                                     runtime::Error error);

 private:
  Method method_;
  bool is_idempotent_;
  int failed_ = 0;
  std::optional<runtime::Error> lost_;
};

}  // namespace dcm::http
