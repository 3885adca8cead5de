// Session tickets (RFC 8446, 2.2): a server gives one to a client to present on its next
// connection. That connection opens without certificates, which are most of the cost of opening. A
// ticket belongs to a server verified under one name, with the trust and identity of one context.
// It is used only for that name and context, until the server's certificate expires, and as long as
// the server allows. A server that does not accept it continues with a full handshake.
#pragma once

struct ssl_ctx_st;  // OpenSSL's SSL_CTX
struct ssl_st;      // OpenSSL's SSL

namespace dcm::http {

// From now on the context keeps the newest ticket for each verified name.
void keep_tickets(ssl_ctx_st* context);

// Call this before the handshake of a session whose server name is verified. It presents the ticket
// for that name, if there is one.
void show_ticket(ssl_st* session);

}  // namespace dcm::http
