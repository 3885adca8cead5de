// A TLS server that issues tickets, like API servers; ours does not.
#pragma once

#include "runtime/http/tls_context.hpp"

namespace dcm::test {

// From now on, each connection gets a ticket.
void give_tickets(const http::TlsContext& server);

// How many connections presented a valid ticket.
long good_tickets(const http::TlsContext& server);

}  // namespace dcm::test
