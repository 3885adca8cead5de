// A port without authentication: everyone who reaches it may use it, except a foreign web page in a
// user's browser. Such a page has two ways in. It sends requests across origins, and says so in
// Origin or Sec-Fetch-Site; or its own name is made to resolve to this address (DNS rebinding), and
// then that name is in Host.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/http/server.hpp"

namespace dcm::http {

// Hosts are compared without their port and without case.
struct OpenPort {
  // The port's own address, as host:port. On a loopback address, it accepts loopback addresses as
  // Host; elsewhere every IP address, because no browser can be made to treat one as a name.
  // `localhost` is accepted everywhere.
  std::string address = {};
  // Further hosts, as configured: a name, "*.example.com" for all names below one, "*" for every
  // host. Pages of these hosts may send requests as well.
  std::vector<std::string> accept_hosts = {};
};

// Whether a text can be one of `accept_hosts`, other than "*": a name or an IP address, with a port
// or without, or "*.example.com".
bool is_accepted_host(std::string_view text);

// Why a request is rejected: 403 for a foreign Host or Origin, 415 for a body from a browser
// without Content-Type, which browsers send across origins without a preflight.
struct OpenPortRefusal {
  std::uint16_t status;
  std::string why;
};
// nullopt: it is accepted.
std::optional<OpenPortRefusal> check_open_port(const Request& request, const OpenPort& port);

// serve(), for a port without authentication. `options.refusal` formats the refusals. Every port
// without authentication must use this function; the lint checks that.
Task<> serve_open(Listener& listener, runtime::TimeSource& time, ServerOptions options,
                  std::vector<std::string> accept_hosts, Handler handler, runtime::Logger log);

}  // namespace dcm::http
