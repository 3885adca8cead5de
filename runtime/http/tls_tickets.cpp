#include "runtime/http/tls_tickets.hpp"

#include <map>
#include <memory>
#include <new>
#include <string>

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace dcm::http {
namespace {

using Ticket = std::unique_ptr<SSL_SESSION, decltype(&SSL_SESSION_free)>;
using Tickets = std::map<std::string, Ticket>;  // by name

void free_tickets(void*, void* tickets, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<Tickets*>(tickets);
}

// The index of a context's tickets in OpenSSL's extra data.
int place() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, free_tickets);
  return index;
}

Tickets* tickets_of(SSL* session) {
  return static_cast<Tickets*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(session), place()));
}

// Empty: no name is verified.
std::string verified_name(SSL* session) {
  if (SSL_get_verify_mode(session) == SSL_VERIFY_NONE) return {};
  X509_VERIFY_PARAM* const wanted = SSL_get0_param(session);
  if (const char* host = X509_VERIFY_PARAM_get0_host(wanted, 0)) return host;
  char* const address = X509_VERIFY_PARAM_get1_ip_asc(wanted);
  std::string name = address != nullptr ? address : "";
  OPENSSL_free(address);
  return name;
}

// A resumed session shows no certificate, so the one that was verified counts (as in Go).
bool has_expired_certificate(SSL_SESSION* session) {
  const X509* const certificate = SSL_SESSION_get0_peer(session);
  return certificate == nullptr || X509_cmp_current_time(X509_get0_notAfter(certificate)) <= 0;
}

// A copy: OpenSSL invalidates a session whose connection ends without close_notify.
int keep(SSL* session, SSL_SESSION* given) {
  const std::string name = verified_name(session);
  if (name.empty() || SSL_get_verify_result(session) != X509_V_OK) return 0;
  Ticket copy(SSL_SESSION_dup(given), &SSL_SESSION_free);
  if (copy != nullptr) tickets_of(session)->insert_or_assign(name, std::move(copy));
  return 0;  // `given` remains OpenSSL's
}

}  // namespace

void keep_tickets(SSL_CTX* context) {
  // The context's tickets, if it keeps any.
  Tickets* const tickets = std::make_unique<Tickets>().release();
  if (SSL_CTX_set_ex_data(context, place(), tickets) != 1) {
    delete tickets;
    throw std::bad_alloc();
  }
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context, keep);
}

void show_ticket(SSL* session) {
  const Tickets& tickets = *tickets_of(session);
  const auto found = tickets.find(verified_name(session));
  if (found != tickets.end() && !has_expired_certificate(found->second.get())) {
    SSL_set_session(session, found->second.get());
  }
}

}  // namespace dcm::http
