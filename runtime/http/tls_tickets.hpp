// Session tickets (RFC 8446, 2.2): a server gives one to a client to show at its next connection.
// That connection opens without certificates, which are most of the cost of opening one.
//
// A ticket stands for a server that was verified under one name, by what one context trusts and
// shows. It is used for that name and context only, and for as long as the server lets it be. A
// server that does not want it goes on with a whole handshake.
#pragma once

struct ssl_ctx_st;  // OpenSSL's SSL_CTX
struct ssl_st;      // OpenSSL's SSL

namespace dcm::http {

// From now on the context keeps the newest ticket for each verified name.
void keep_tickets(ssl_ctx_st* context);

// Before the handshake of a session whose server name is to be verified: presents the ticket for
// it, if any.
void show_ticket(ssl_st* session);

}  // namespace dcm::http
