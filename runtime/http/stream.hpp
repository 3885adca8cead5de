// Byte streams and their factories: the interface between HTTP and the network.
//
// In production a stream is TCP or TLS, in a simulation an in-memory pipe; HTTP runs over either,
// so that parser, pool, gzip and retries are the same code in both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "runtime/deadline.hpp"
#include "runtime/error.hpp"
#include "runtime/http/message.hpp"
#include "runtime/task.hpp"

namespace dcm::http {

using runtime::Deadline;
using runtime::Result;
using runtime::Task;

// A connection. One reader and one writer may wait concurrently. Errors: disconnected,
// deadline_exceeded, tls. After an error the stream is unusable.
class Stream {
 public:
  virtual ~Stream() = default;  // closes

  // Waits for at least one byte; 0 means that the peer has closed its side cleanly.
  virtual Task<Result<std::size_t>> read_some(std::span<char> buffer, Deadline deadline) = 0;
  // Writes all of it.
  virtual Task<Result<>> write(std::string_view bytes, Deadline deadline) = 0;
  // Tells the peer that nothing more will be written; reading continues.
  virtual Task<Result<>> shutdown_send(Deadline deadline) = 0;
  // Ends both directions at once; pending reads and writes get `disconnected`. Idempotent.
  virtual void close() noexcept = 0;

  // Whether there is nothing to read: neither bytes nor the end of the stream. Does not wait. An
  // idle connection that is not quiet has been closed by the server, or is out of step.
  virtual bool is_quiet() noexcept = 0;
  // Frees memory kept for the next read or write. No read or write may be in progress.
  virtual void trim() noexcept {}

  // Whether both sides have agreed on HTTP/2 in the TLS handshake (ALPN).
  virtual bool speaks_http2() const noexcept { return false; }
  // On the server's side, after the first byte was read: the verified certificate of the client;
  // null if none.
  virtual std::shared_ptr<const ClientCertificate> client_certificate() const { return nullptr; }
  // The peer's address, without a port; empty if there is none, as for a pipe.
  virtual std::string peer_address() const { return {}; }
};

enum class Security { plain, tls };

// The protocols offered on a connection; with TLS the server chooses (ALPN, RFC 7301).
enum class Protocols { http1, http2_or_http1 };

// Where to connect to.
struct Endpoint {
  Security security = Security::tls;
  std::string host;  // a name or an IP address (IPv6 without brackets)
  std::uint16_t port = 0;
  Protocols protocols = Protocols::http1;

  // "host:port", as in a Host header
  std::string authority() const;
  // "https://host:port"
  std::string url() const;
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

// Opens streams. Further settings (trusted CAs, client certificate, proxy) are given to its
// constructor.
class Transport {
 public:
  virtual ~Transport() = default;
  // Errors: unreachable, tls, deadline_exceeded.
  virtual Task<Result<std::unique_ptr<Stream>>> connect(Endpoint endpoint, Deadline deadline) = 0;
};

// Accepts streams: the server's side of a Transport.
class Listener {
 public:
  virtual ~Listener() = default;
  // Waits for a connection. With TLS, the handshake happens in the first read or write, so that a
  // slow client holds up no other.
  virtual Task<Result<std::unique_ptr<Stream>>> accept() = 0;
  // "127.0.0.1:8080"
  virtual std::string address() const = 0;
};

}  // namespace dcm::http
