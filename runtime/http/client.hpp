// An HTTP/1.1 client for one origin (RFC 9112): a bounded pool of keep-alive connections.
//
// It handles no redirects, cookies, caches, retries or credentials; callers add what they need.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "runtime/http/message.hpp"
#include "runtime/http/stream.hpp"

namespace dcm::http {

struct ClientOptions {
  Endpoint origin;
  // How many connections may be open concurrently, not counting streams.
  std::size_t connections_max = 100;
  // An idle connection is closed after this long; the API server closes its side after 3 minutes or
  // more, and no request should coincide with that.
  runtime::Duration idle_max = std::chrono::seconds(90);
  runtime::Duration connect_timeout = std::chrono::seconds(10);
  std::size_t header_bytes_max = 64 * 1024;
};

// Bounds of one exchange.
struct ExchangeLimits {
  Deadline deadline;
  std::size_t body_bytes_max = 64 * 1024 * 1024;  // after decompression
  // Called right before the first byte of the request is written, on each attempt: getting a
  // connection may have taken a while. Its error ends the exchange and nothing is sent. Must stay
  // valid during the exchange. May be empty.
  std::function<Result<>()> before_send = {};
};

// A response whose body is read as it arrives, such as a watch. Owns its connection, and closes it
// on destruction.
class StreamingResponse {
 public:
  virtual ~StreamingResponse() = default;
  virtual std::uint16_t status() const = 0;
  virtual const Headers& headers() const = 0;
  // Waits for at least one byte of the (decompressed) body. An empty view means the end of the
  // body. The view is valid until the next call. Errors: disconnected (cut in the middle),
  // deadline_exceeded, malformed.
  virtual Task<Result<std::string_view>> read_some(Deadline deadline) = 0;
};

// Sends requests. Loop thread only. Must outlive its exchanges.
class Client {
 public:
  virtual ~Client() = default;

  // Makes one exchange, and reads the whole body. If the server has closed an idle connection, the
  // client replaces it once, provided that no byte of an answer has come. Errors: unreachable, tls,
  // disconnected, deadline_exceeded, malformed, body_too_large.
  virtual Task<Result<Response>> send(Request request, ExchangeLimits limits) = 0;

  // Sends on a separate connection and returns when the headers of the answer have arrived.
  // `deadline` applies only to the headers.
  virtual Task<Result<std::unique_ptr<StreamingResponse>>> open(Request request,
                                                                Deadline deadline) = 0;

  // Closes idle connections, so that new ones use new credentials or CAs.
  virtual void close_idle() = 0;
};

// `transport` and `time` must outlive the client.
std::unique_ptr<Client> make_client(Transport& transport, runtime::TimeSource& time,
                                    ClientOptions options);

}  // namespace dcm::http
