#include "test/support/server_tickets.hpp"

#include <openssl/ssl.h>

namespace dcm::test {

void give_tickets(const http::TlsContext& server) {
  SSL_CTX_clear_options(server.get(), SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(server.get(), 1);
}

long good_tickets(const http::TlsContext& server) {
  return SSL_CTX_sess_hits(server.get());
}

}  // namespace dcm::test
