#include "runtime/http/tls_context.hpp"

#include <algorithm>
#include <ctime>
#include <new>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "runtime/http/tls_tickets.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::http {
namespace {

using runtime::fail;
using runtime::Reason;

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using PrivateKey = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

template <class T>
T* or_bad_alloc(T* pointer) {
  if (pointer == nullptr) throw std::bad_alloc();
  return pointer;
}

std::string last_error() {
  const unsigned long code = ERR_peek_last_error();
  const char* reason = ERR_reason_error_string(code);
  ERR_clear_error();
  return reason != nullptr ? reason : "unknown error";
}

std::unexpected<runtime::Error> refuse(std::string_view what) {
  return fail(Reason::configuration, fmt::format("{}: {}", what, last_error()));
}

Bio bio_of(const std::string& text) {
  return Bio(or_bad_alloc(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))), &BIO_free);
}

// An encrypted key would make OpenSSL ask for its password on the terminal. `was_asked` is a bool,
// or null.
int no_password(char*, int, int, void* was_asked) {
  if (was_asked != nullptr) *static_cast<bool*>(was_asked) = true;
  return 0;
}

Certificate next_certificate(BIO* bio) {
  return Certificate(PEM_read_bio_X509(bio, nullptr, no_password, nullptr), &X509_free);
}

bool is_at_end_of_pem() {
  return ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
}

// An unreadable certificate in a bundle: client-go skips it among servers' CAs.
enum class Unreadable { refused, skipped };

Result<> trust(SSL_CTX* context, const std::string& pem, Unreadable unreadable,
               std::string_view what) {
  const Bio bio = bio_of(pem);
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  int count = 0;
  while (true) {
    ERR_clear_error();
    const Certificate certificate = next_certificate(bio.get());
    if (!certificate && is_at_end_of_pem()) break;
    const bool is_added = certificate && X509_STORE_add_cert(store, certificate.get()) == 1;
    if (!is_added && unreadable == Unreadable::refused) return refuse(what);
    if (is_added) ++count;
  }
  ERR_clear_error();
  if (count == 0) {
    return fail(Reason::configuration, fmt::format("{}: holds no certificate", what));
  }
  return {};
}

// The certificate itself first, then the intermediates up to its CA.
Result<> show(SSL_CTX* context, const std::string& certificate_pem, const std::string& key_pem,
              std::string_view whose) {
  const std::string what_certificate = fmt::format("{} certificate", whose);
  const Bio certificates = bio_of(certificate_pem);
  ERR_clear_error();
  const Certificate own = next_certificate(certificates.get());
  if (!own || SSL_CTX_use_certificate(context, own.get()) != 1) return refuse(what_certificate);
  while (const Certificate between = next_certificate(certificates.get())) {
    if (SSL_CTX_add1_chain_cert(context, between.get()) != 1) return refuse(what_certificate);
  }
  if (!is_at_end_of_pem()) return refuse(what_certificate);

  ERR_clear_error();
  const Bio key_bio = bio_of(key_pem);
  bool is_encrypted = false;
  const PrivateKey key(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, no_password, &is_encrypted),
                       &EVP_PKEY_free);
  if (is_encrypted) {
    ERR_clear_error();
    return fail(Reason::configuration,
                fmt::format("{} key: is encrypted; expected one without a password", whose));
  }
  if (!key || SSL_CTX_use_PrivateKey(context, key.get()) != 1) {
    return refuse(fmt::format("{} key", whose));
  }
  return {};
}

TlsContext make_context(const SSL_METHOD* method) {
  TlsContext context(or_bad_alloc(SSL_CTX_new(method)), &SSL_CTX_free);
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  // Of TLS 1.2, forward secrecy and AEAD only.
  if (SSL_CTX_set_cipher_list(context.get(), "ECDHE+AESGCM:ECDHE+CHACHA20") != 1) {
    throw std::bad_alloc();
  }
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  return context;
}

constexpr std::string_view kCipherSuites[] = {
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
};

std::string full_name(std::string_view suite) {
  return std::string(suite) + (suite.ends_with("_POLY1305") ? "_SHA256" : "");
}

// The suites of TLS 1.2 in the list, in OpenSSL's words.
std::string list_of_1_2(const std::vector<std::string>& suites) {
  std::string list;
  for (const std::string& suite : suites) {
    if (!suite.starts_with("TLS_ECDHE_")) continue;
    list += (list.empty() ? "" : ":") + std::string(OPENSSL_cipher_name(full_name(suite).c_str()));
  }
  return list;
}

Result<> apply(const TlsPolicy& policy, SSL_CTX* context) {
  const std::string list = list_of_1_2(policy.cipher_suites);
  const bool has_1_2 = policy.cipher_suites.empty() || !list.empty();
  if (policy.min_version == TlsVersion::v1_3 || !has_1_2) {
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
  } else if (!list.empty() && SSL_CTX_set_cipher_list(context, list.c_str()) != 1) {
    return refuse("cipher suites");
  }
  return {};
}

// Lets the handshake continue; the verdict stays with the session.
int go_on_unverified(int, X509_STORE_CTX*) {
  return 1;
}

std::vector<std::string> texts_of(const X509_NAME* name, int kind) {
  std::vector<std::string> texts;
  for (int at = -1; (at = X509_NAME_get_index_by_NID(name, kind, at)) >= 0;) {
    const ASN1_STRING* const value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at));
    unsigned char* utf8 = nullptr;
    const int length = ASN1_STRING_to_UTF8(&utf8, value);
    if (length < 0) continue;
    texts.emplace_back(reinterpret_cast<const char*>(utf8), static_cast<std::size_t>(length));
    OPENSSL_free(utf8);
  }
  return texts;
}

constexpr std::string_view kHttp2 = "h2";
constexpr std::string_view kOffered = "\x02h2\x08http/1.1";

// The server's choice: HTTP/2 if offered, otherwise HTTP/1.1; a client that offers neither gets no
// ALPN answer.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* chosen_size,
                    const unsigned char* offered, unsigned int offered_size, void*) {
  unsigned char* choice = nullptr;
  const int found = SSL_select_next_proto(
      &choice, chosen_size, reinterpret_cast<const unsigned char*>(kOffered.data()),
      static_cast<unsigned>(kOffered.size()), offered, offered_size);
  *chosen = choice;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

bool is_ip_address(const std::string& host) {
  in6_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

}  // namespace

std::optional<Validity> validity_of_certificate(const std::string& certificate_pem) {
  ERR_clear_error();
  const Certificate certificate = next_certificate(bio_of(certificate_pem).get());
  ERR_clear_error();
  std::tm from{};
  std::tm until{};
  if (!certificate || ASN1_TIME_to_tm(X509_get0_notBefore(certificate.get()), &from) != 1 ||
      ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &until) != 1) {
    return std::nullopt;
  }
  return Validity{runtime::time_of_seconds(timegm(&from)),
                  runtime::time_of_seconds(timegm(&until))};
}

Result<TlsContext> make_client_context(const TlsClientOptions& options) {
  TlsContext context = make_context(TLS_client_method());
  // RSA keys of 1,024 bits and more, as in Go; SHA-1 signatures are rejected at this level as well.
  SSL_CTX_set_security_level(context.get(), 1);
  keep_tickets(context.get());
  if (options.ca_pem.empty()) {
    SSL_CTX_set_default_verify_paths(context.get());
  } else if (Result<> trusted =
                 trust(context.get(), options.ca_pem, Unreadable::skipped, "certificate authority");
             !trusted) {
    return fail(std::move(trusted.error()));
  }
  // As in Go: every listed CA is trusted, even if it is an intermediate one or the server's own
  // certificate.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context.get()), X509_V_FLAG_PARTIAL_CHAIN);
  if (options.certificate_pem.empty() != options.key_pem.empty()) {
    return fail(Reason::configuration, "client certificate and key: want both or none");
  }
  if (!options.certificate_pem.empty()) {
    Result<> shown = show(context.get(), options.certificate_pem, options.key_pem, "client");
    if (!shown) return fail(std::move(shown.error()));
  }
  return context;
}

std::span<const std::string_view> cipher_suites() {
  return kCipherSuites;
}

bool is_cipher_suite(std::string_view name) {
  return std::ranges::find(kCipherSuites, full_name(name)) != std::end(kCipherSuites);
}

Result<TlsContext> make_server_context(const TlsServerOptions& options) {
  TlsContext context = make_context(TLS_server_method());
  if (Result<> applied = apply(options.policy, context.get()); !applied) {
    return fail(std::move(applied.error()));
  }
  // Clients may be many and idle: allocating for each record is cheaper than keeping a buffer for
  // each client.
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  Result<> shown = show(context.get(), options.certificate_pem, options.key_pem, "server");
  if (!shown) return fail(std::move(shown.error()));
  // No client resumes a session here, so none needs a ticket.
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context.get(), 0);
  if (options.protocols == Protocols::http2_or_http1) {
    SSL_CTX_set_alpn_select_cb(context.get(), choose_protocol, nullptr);
  }
  if (!options.client_ca_pem.empty()) {
    Result<> trusted = trust(context.get(), options.client_ca_pem, Unreadable::refused,
                             "client certificate authority");
    if (!trusted) return fail(std::move(trusted.error()));
    if (options.client_certificates == ClientCertificates::required) {
      SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    } else {
      SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, go_on_unverified);
    }
  }
  return context;
}

Result<TlsSession> make_client_session(const TlsContext& context, const std::string& server_name,
                                       Verification verification, Protocols protocols) {
  TlsSession session(or_bad_alloc(SSL_new(context.get())), &SSL_free);
  SSL_set_connect_state(session.get());
  // Certificates have names without the dot of a fully qualified name, as SNI does (RFC 6066, 3).
  const std::string name = server_name.substr(0, server_name.size() - server_name.ends_with('.'));
  // For these, OpenSSL would check nothing, accept any subdomain, or stop at the NUL.
  if (name.empty() || name.starts_with('.') || name.contains('\0')) {
    return fail(Reason::configuration, fmt::format("\"{}\" is not a server name", server_name));
  }
  const bool is_address = is_ip_address(name);
  if (protocols == Protocols::http2_or_http1) {
    const auto* const offered = reinterpret_cast<const unsigned char*>(kOffered.data());
    // OpenSSL returns 0 for success here.
    if (SSL_set_alpn_protos(session.get(), offered, static_cast<unsigned>(kOffered.size())) != 0) {
      throw std::bad_alloc();
    }
  }
  if (!is_address) SSL_set_tlsext_host_name(session.get(), name.c_str());
  if (verification == Verification::none) {
    SSL_set_verify(session.get(), SSL_VERIFY_NONE, nullptr);
    return session;
  }
  SSL_set_verify(session.get(), SSL_VERIFY_PEER, nullptr);
  X509_VERIFY_PARAM* const wanted = SSL_get0_param(session.get());
  X509_VERIFY_PARAM_set_hostflags(
      wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  const int set = is_address ? X509_VERIFY_PARAM_set1_ip_asc(wanted, name.c_str())
                             : X509_VERIFY_PARAM_set1_host(wanted, name.c_str(), 0);
  if (set != 1) throw std::bad_alloc();
  show_ticket(session.get());
  return session;
}

TlsSession make_server_session(const TlsContext& context) {
  TlsSession session(or_bad_alloc(SSL_new(context.get())), &SSL_free);
  SSL_set_accept_state(session.get());
  return session;
}

std::shared_ptr<const ClientCertificate> read_client_certificate(const ssl_st* session) {
  const X509* const certificate = SSL_get0_peer_certificate(session);
  if (certificate == nullptr || SSL_get_verify_result(session) != X509_V_OK) return nullptr;
  const X509_NAME* const subject = X509_get_subject_name(certificate);
  const std::vector<std::string> names = texts_of(subject, NID_commonName);
  // Of several names the last one, as in API servers (Go's pkix.Name). An empty name identifies
  // nobody.
  if (names.empty() || names.back().empty()) return nullptr;
  return std::make_shared<ClientCertificate>(
      ClientCertificate{names.back(), texts_of(subject, NID_organizationName)});
}

bool has_chosen_http2(const ssl_st* session) {
  const unsigned char* chosen = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(session, &chosen, &size);
  return std::string_view(reinterpret_cast<const char*>(chosen), size) == kHttp2;
}

std::string describe_tls_failure(const ssl_st* session) {
  const long verdict = SSL_get_verify_result(session);
  if (verdict == X509_V_OK || SSL_get_verify_mode(session) == SSL_VERIFY_NONE) return last_error();
  ERR_clear_error();
  return fmt::format("certificate verify failed: {}", X509_verify_cert_error_string(verdict));
}

}  // namespace dcm::http
