// A TLS server that gives tickets, as API servers do; ours gives none.
#pragma once

#include "runtime/http/tls_context.hpp"

namespace dcm::test {

// From now on; one for each connection.
void give_tickets(const http::TlsContext& server);

// How many connections showed one that was good.
long good_tickets(const http::TlsContext& server);

}  // namespace dcm::test
