// An HTTP/1.1 server over any Listener: for our own health and metrics, and for the API servers of
// tests.
//
// Bounded everywhere, so that a slow or greedy client harms no other: header and body size, time
// for a request to arrive, idle time, number of connections.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/http/message.hpp"
#include "runtime/http/stream.hpp"
#include "runtime/log.hpp"

namespace dcm::http {

struct UpgradedConnection;

// `why` as a line of plain text.
inline Response plain_refusal(std::uint16_t status, std::string why) {
  return text_response(status, std::move(why) + "\n");
}

struct ServerOptions {
  // At this many connections, of all or of one address, the next one to send a request replaces
  // another. One whose next request has stalled for two seconds goes first, then one of the address
  // with the most connections, then the oldest. A connection that is being answered stays until its
  // answer is sent, unless its client has stopped reading for a moment; it is closed then if the
  // next one still waits.
  std::size_t connections_max = 256;
  std::size_t connections_per_address_max = std::numeric_limits<std::size_t>::max();
  // Connections that have not sent a request yet cost 10 KB each, or 50 KB with TLS when its
  // handshake has begun, so there may be many. Above this limit, the next one replaces the oldest
  // one of the address with the most, if it is older than two seconds; otherwise the new one waits
  // in the system's queue.
  std::size_t new_connections_max = 2048;
  std::size_t header_bytes_max = 16 * 1024;
  std::size_t body_bytes_max = 1024 * 1024;
  runtime::Duration request_timeout = std::chrono::seconds(10);  // for headers and body to arrive
  runtime::Duration idle_max = std::chrono::seconds(90);
  // A connection older than this is closed after its next answer: a certificate presented in a
  // handshake must not count forever.
  runtime::Duration age_max = runtime::Duration::max();
  runtime::Duration write_timeout = std::chrono::seconds(30);  // for each piece of the answer
  // The answer to requests that reach no handler, because they are too large or not HTTP: its
  // status, and why.
  std::function<Response(std::uint16_t status, std::string why)> refusal = plain_refusal;
  // Serves a connection whose client speaks HTTP/2 (http2::serve_connection); empty: it is
  // rejected.
  std::function<Task<>(UpgradedConnection)> http2 = {};
};

// How a handler answers: whole, or as a stream (chunked). Date, Content-Length, Transfer-Encoding
// and Connection are added.
class Responder {
 public:
  virtual ~Responder() = default;
  virtual Task<Result<>> send(Response response) = 0;
  // For a stream: the headers first (the body is ignored), then any number of pieces, then the end,
  // after which the connection is closed. Without end() the client sees that the answer was cut.
  // The handler is cancelled if the client disconnects, so it may wait for events as long as it
  // likes.
  virtual Task<Result<>> begin(Response head) = 0;
  virtual Task<Result<>> write(std::string_view piece) = 0;
  virtual Task<Result<>> end() = 0;
  // Closes the connection silently, answered or not: for servers that test how a client reacts.
  virtual void abort() = 0;
};

// Answers one request. The responder is valid until the returned task ends. If the task ends
// without an answer, a 500 is sent.
using Handler = std::function<Task<>(Request request, Responder& responder)>;

// Calls the handler, and logs what it throws. Rethrows what concerns more than that request
// (runtime::is_isolated). All references must outlive the task.
Task<> run_handler(const Handler& handler, Request request, Responder& responder,
                   const runtime::Logger& log);

// A connection to be served by another protocol. The references outlive its task.
struct UpgradedConnection {
  std::unique_ptr<Stream> stream;
  std::string first_bytes;  // already read from it
  runtime::Executor executor;
  runtime::TimeSource& time;
  const ServerOptions& options;
  const Handler& handler;
  const runtime::Logger& log;
};

// Serves until it is cancelled; then closes every connection. `listener` and `time` must outlive
// it. An exception from a handler (except cancellation) becomes a 500 on its connection, and
// affects no other.
Task<> serve(Listener& listener, runtime::TimeSource& time, ServerOptions options, Handler handler,
             runtime::Logger log);

// The next connection. Failures of the listener, usually for want of file descriptors, are logged
// and waited out. All must outlive the task.
Task<std::unique_ptr<Stream>> accept_next(Listener& listener, runtime::TimeSource& time,
                                          const runtime::Logger& log);

}  // namespace dcm::http
