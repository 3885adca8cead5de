// The trust and identity of one side of TLS, checked and prepared for OpenSSL once, and used by
// many connections.
#pragma once

#include <memory>
#include <string>

#include "runtime/http/tcp.hpp"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX
struct ssl_st;      // OpenSSL's SSL

namespace dcm::http {

// TLS 1.2 or newer, no renegotiation. A server's connections release their buffers while they are
// idle; a client's, which are few and busy, keep them.
using TlsContext = std::shared_ptr<ssl_ctx_st>;
using TlsSession = std::unique_ptr<ssl_st, void (*)(ssl_st*)>;

// Errors of both: configuration; the message says which text cannot be used and why.
Result<TlsContext> make_client_context(const TlsClientOptions& options);
Result<TlsContext> make_server_context(const TlsServerOptions& options);

// One connection's state. A client session requires a verified certificate for `server_name`, a
// host name or an IP address, or resumes an earlier session (tls_tickets.hpp). Errors:
// configuration: no certificate can have this name.
Result<TlsSession> make_client_session(const TlsContext& context, const std::string& server_name,
                                       Verification verification,
                                       Protocols protocols = Protocols::http1);
TlsSession make_server_session(const TlsContext& context);

// The subject of the peer's certificate; null if it presented none, or none that could be verified.
std::shared_ptr<const ClientCertificate> read_client_certificate(const ssl_st* session);

// Whether the handshake has chosen HTTP/2.
bool has_chosen_http2(const ssl_st* session);

// Why the last OpenSSL operation failed, in one line; empties its error queue. For a failed
// verification: which check failed.
std::string describe_tls_failure(const ssl_st* session);

}  // namespace dcm::http
