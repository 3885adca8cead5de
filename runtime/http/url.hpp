// The address of a server as people write it: "https://10.0.0.1:6443/clusters/a".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/http/stream.hpp"

namespace dcm::http {

// The user in a URL, decoded. Secret.
struct UrlUser {
  std::string name = {};
  std::string password = {};
  friend bool operator==(const UrlUser&, const UrlUser&) = default;
};

enum class ProxyProtocol { http_connect, socks5 };

struct ServerUrl {
  Endpoint endpoint = {};
  std::string path_prefix = {};  // encoded, without a trailing slash: "" or "/clusters/a"
  std::optional<UrlUser> user = {};
};

// Accepts http and https; the port defaults to the scheme's. Queries and fragments have no meaning
// here and are ignored, as in client-go. Errors: configuration; a user name or password is never
// shown.
Result<ServerUrl> parse_url(std::string_view text);

// The address of a proxy: "http://ada:secret@proxy.example:3128".
struct ProxyUrl {
  ProxyProtocol protocol = ProxyProtocol::http_connect;
  Endpoint endpoint = {};
  std::optional<UrlUser> user = {};
};

// Accepts http and https, and socks5 and socks5h, which are equivalent: the proxy resolves names.
// Errors: configuration; a user name or password is never shown.
Result<ProxyUrl> parse_proxy_url(std::string_view text);

}  // namespace dcm::http
