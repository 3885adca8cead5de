// A TLS server that issues tickets, like API servers; ours does not. A client that verified it
// earlier.
#pragma once

#include <chrono>

#include "runtime/http/tls_context.hpp"

namespace dcm::test {

// From now on, each connection gets a ticket.
void give_tickets(const http::TlsContext& server);

// How many connections presented a valid ticket.
long good_tickets(const http::TlsContext& server);

// The client verifies certificates as it would have done `ago`.
void verify_as_of(const http::TlsContext& client, std::chrono::seconds ago);

}  // namespace dcm::test
