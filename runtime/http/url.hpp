// The address of a server as people write it: "https://10.0.0.1:6443/clusters/a".
#pragma once

#include <string>
#include <string_view>

#include "runtime/http/stream.hpp"

namespace dcm::http {

struct ServerUrl {
  Endpoint endpoint;
  std::string path_prefix;  // encoded, no slash at its end: "" or "/clusters/a"
};

// Takes http and https, with the port that the scheme implies where none is given. User names,
// queries and fragments have no meaning here and are refused.
// Errors: configuration.
Result<ServerUrl> parse_url(std::string_view text);

// The address of a proxy: "http://ada:secret@proxy.example:3128".
struct ProxyUrl {
  Endpoint endpoint;
  bool has_user = false;  // a user name, maybe empty, and a password stand in it
  std::string username;   // decoded
  std::string password;
};

// Takes http and https. Errors: configuration; socks5 and other schemes are named, a user name or
// password never is.
Result<ProxyUrl> parse_proxy_url(std::string_view text);

}  // namespace dcm::http
