#include "test/support/server_tickets.hpp"

#include <ctime>

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

namespace dcm::test {

void give_tickets(const http::TlsContext& server) {
  SSL_CTX_clear_options(server.get(), SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(server.get(), 1);
}

long good_tickets(const http::TlsContext& server) {
  return SSL_CTX_sess_hits(server.get());
}

void verify_as_of(const http::TlsContext& client, std::chrono::seconds ago) {
  X509_VERIFY_PARAM_set_time(SSL_CTX_get0_param(client.get()), std::time(nullptr) - ago.count());
}

}  // namespace dcm::test
