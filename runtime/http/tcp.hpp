// The real network: TCP, and TLS 1.2 or newer above it (OpenSSL).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/http/proxy.hpp"
#include "runtime/http/stream.hpp"
#include "runtime/time.hpp"

namespace dcm::http {

// This machine's name; "localhost" if it has none.
std::string host_name();

enum class Verification { full, none };

// The trust and identity of a TLS client. PEM texts, not file names: other code reads (and watches)
// the files.
struct TlsClientOptions {
  std::string ca_pem = {};           // empty: the system's CAs
  std::string certificate_pem = {};  // empty: no client certificate
  std::string key_pem = {};
  std::string server_name = {};  // expected in the certificate; empty: the endpoint's host
  Verification verification = Verification::full;
  friend bool operator==(const TlsClientOptions&, const TlsClientOptions&) = default;
};

struct Validity {
  runtime::WallTime from;
  runtime::WallTime until;
};
// Of the first certificate in a PEM text; nullopt: it holds none that can be read.
std::optional<Validity> validity_of_certificate(const std::string& certificate_pem);

// A Transport for both kinds of endpoint.
// Errors of make_tcp_transport(): configuration (an unusable PEM; the message says which).
class TcpTransport : public Transport {
 public:
  // New connections use these; open ones continue.
  virtual Result<> set_tls(const TlsClientOptions& options) = 0;
};
// Connections go through `proxy`, if given. A TLS connection to the proxy itself is verified by the
// same CAs as the server (as in Go).
Result<std::unique_ptr<TcpTransport>> make_tcp_transport(
    runtime::Executor executor, runtime::TimeSource& time, const TlsClientOptions& options,
    const std::optional<Proxy>& proxy = std::nullopt);

// The treatment of a client without a trusted certificate: a failed handshake, or an ordinary
// connection without a name (Stream::client_certificate).
enum class ClientCertificates { required, optional };

enum class TlsVersion : std::uint8_t { v1_2, v1_3 };

// What a server accepts.
struct TlsPolicy {
  TlsVersion min_version = TlsVersion::v1_2;
  // Cipher suites of TLS 1.2 (those of 1.3 are always on), each one accepted by is_cipher_suite().
  // Empty: all. If only suites of 1.3 are given, 1.2 is off.
  std::vector<std::string> cipher_suites = {};
  friend bool operator==(const TlsPolicy&, const TlsPolicy&) = default;
};

// The IANA names of the supported suites: each has forward secrecy and authenticated encryption.
// Go's short names, without "_SHA256", are accepted as well.
std::span<const std::string_view> cipher_suites();
bool is_cipher_suite(std::string_view name);

struct TlsServerOptions {
  std::string certificate_pem;
  std::string key_pem;
  std::string client_ca_pem;  // verifies clients; empty: no certificate is requested
  ClientCertificates client_certificates = ClientCertificates::required;
  Protocols protocols = Protocols::http1;
  TlsPolicy policy = {};
  friend bool operator==(const TlsServerOptions&, const TlsServerOptions&) = default;
};

// A Listener that does the handshake if TLS options were given.
class TcpListener : public Listener {
 public:
  // New connections use these; open ones continue. Errors: configuration (an unusable PEM); then
  // the previous ones remain.
  virtual Result<> set_tls(const TlsServerOptions& options) = 0;
};

// Why a text is not a "host:port" for make_tcp_listener(), in a few words; empty if it is one.
std::string why_no_address(const std::string& address);

// Listens on "host:port" ("127.0.0.1:0" takes a free port). "0.0.0.0", "[::]" and no host at all
// are every address of this machine, IPv4 and IPv6. Errors: configuration (address in use or not
// ours, bad PEM).
Result<std::unique_ptr<TcpListener>> make_tcp_listener(runtime::Executor executor,
                                                       runtime::TimeSource& time,
                                                       const std::string& address,
                                                       const std::optional<TlsServerOptions>& tls);

}  // namespace dcm::http
