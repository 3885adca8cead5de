// TLS above any other stream: OpenSSL handles the records, the stream below moves the bytes. It
// uses no sockets, so it runs over pipes and on virtual time as well as over TCP.
#pragma once

#include <memory>

#include "runtime/http/stream.hpp"
#include "runtime/http/tls_context.hpp"

namespace dcm::http {

// The server's side; the first read or write performs the handshake. Before the client's hello has
// arrived, the stream takes less than 1 KB in addition to `below`.
std::unique_ptr<Stream> make_tls_server_stream(std::unique_ptr<Stream> below,
                                               const TlsContext& context,
                                               runtime::TimeSource& time);
// The same, when the hello (at most 8 KB) was already read from `below`.
std::unique_ptr<Stream> make_tls_server_stream(std::unique_ptr<Stream> below,
                                               const TlsContext& context, runtime::TimeSource& time,
                                               std::string_view first_bytes);

// The client's side, after its handshake.
// Errors: tls (no trust), unreachable (closed meanwhile), deadline_exceeded.
Task<Result<std::unique_ptr<Stream>>> start_tls(std::unique_ptr<Stream> below, TlsSession session,
                                                runtime::TimeSource& time, Deadline deadline);

}  // namespace dcm::http
