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
#include <string_view>

#include "runtime/http/message.hpp"
#include "runtime/http/stream.hpp"
#include "runtime/log.hpp"

namespace dcm::http {

struct UpgradedConnection;

struct ServerOptions {
  // At this many connections, of all or of one address, the next one to send a request takes the
  // place of another: the oldest that has not finished its next request, otherwise the oldest that
  // is idle; of equal ones, one of the address with the most. A connection that is being answered
  // stays, unless it has read nothing of its answer for a moment. If no connection may go, the next
  // one waits.
  std::size_t connections_max = 256;
  std::size_t connections_per_address_max = std::numeric_limits<std::size_t>::max();
  // Connections that have not sent a request yet cost 4 KB each, or 60 KB with TLS when its
  // handshake has begun, so there may be many. Above, the next one takes the place of the oldest of
  // the address with the most; none that has come in the last two seconds has to go. A newcomer
  // waits in the system's queue then.
  std::size_t new_connections_max = 2048;
  std::size_t header_bytes_max = 16 * 1024;
  std::size_t body_bytes_max = 1024 * 1024;
  runtime::Duration request_timeout = std::chrono::seconds(10);  // for head and body to arrive
  runtime::Duration idle_max = std::chrono::seconds(90);
  // An older connection is closed after its next answer: a certificate shown in a handshake must
  // not count for ever.
  runtime::Duration age_max = runtime::Duration::max();
  runtime::Duration write_timeout = std::chrono::seconds(30);  // for each piece of the answer
  // The answer to what no handler sees, because it is too large or no HTTP: its status, and why.
  // By default plain text.
  std::function<Response(std::uint16_t status, std::string why)> refusal = {};
  // Serves a connection whose client speaks HTTP/2 (http2::serve_connection); empty: it is refused.
  std::function<Task<>(UpgradedConnection)> http2 = {};
};

// How a handler answers: whole, or as a stream (chunked). Date, Content-Length, Transfer-Encoding
// and Connection are added.
class Responder {
 public:
  virtual ~Responder() = default;
  virtual Task<Result<>> send(Response response) = 0;
  // For a stream: the head first (its body is ignored), then any number of pieces, then the end,
  // after which the connection is closed. Without end() the client sees that the answer was cut.
  // The handler is cancelled when the client goes away meanwhile, so it may wait for news as long
  // as it likes.
  virtual Task<Result<>> begin(Response head) = 0;
  virtual Task<Result<>> write(std::string_view piece) = 0;
  virtual Task<Result<>> end() = 0;
  // Closes the connection without another word, answered or not: for servers that test what a
  // client makes of it.
  virtual void abort() = 0;
};

// Answers one request. The responder is good until the returned task ends. A task that ends without
// an answer has sent a 500.
using Handler = std::function<Task<>(Request request, Responder& responder)>;

// A connection that is to be served by another protocol. The references outlive its task.
struct UpgradedConnection {
  std::unique_ptr<Stream> stream;
  std::string first_bytes;  // read from it already
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

}  // namespace dcm::http
