// A port without authentication: whoever reaches it may use it, except a web page of somebody else
// in the browser of somebody who does. Such a page has two ways in. It sends requests across
// origins, and says so in Origin or Sec-Fetch-Site; or its own name is made to resolve to this
// address (DNS rebinding), and then that name is in Host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/http/server.hpp"

namespace dcm::http {

// Hosts are compared without their port and without case.
struct OpenPort {
  // Where it listens, as host:port. On a loopback address, it answers to loopback addresses;
  // elsewhere to every IP address, because nobody can make a browser take one for a name.
  // `localhost` is answered everywhere.
  std::string address = {};
  // Further hosts, as users give them: a name, "*.example.com" for all names below one, "*" for
  // every host. Pages of these hosts may send requests, too.
  std::vector<std::string> accept_hosts = {};
};

// Why a request is not answered: 403 for a foreign Host or Origin, 415 for a body from a browser
// without Content-Type, which browsers send across origins without asking. Status 0: it is
// answered.
struct OpenPortRefusal {
  std::uint16_t status = 0;
  std::string why = {};
};
OpenPortRefusal check_open_port(const Request& request, const OpenPort& port);

// serve(), for a port without authentication. `options.refusal` words the refusals. Every port
// that asks for no credentials is served by this function: the lint holds programs to it.
Task<> serve_open(Listener& listener, runtime::TimeSource& time, ServerOptions options,
                  std::vector<std::string> accept_hosts, Handler handler, runtime::Logger log);

}  // namespace dcm::http
