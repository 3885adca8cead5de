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
  std::string path_prefix = {};  // encoded, no slash at its end: "" or "/clusters/a"
  std::optional<UrlUser> user = {};
};

// Takes http and https, with the port that the scheme implies where none is given. Queries and
// fragments have no meaning here and are ignored, as in client-go.
// Errors: configuration; a user name or password is never named.
Result<ServerUrl> parse_url(std::string_view text);

// The address of a proxy: "http://ada:secret@proxy.example:3128".
struct ProxyUrl {
  ProxyProtocol protocol = ProxyProtocol::http_connect;
  Endpoint endpoint = {};
  std::optional<UrlUser> user = {};
};

// Takes http and https, and socks5 and socks5h, which are the same: the proxy resolves names.
// Errors: configuration; a user name or password is never named.
Result<ProxyUrl> parse_proxy_url(std::string_view text);

}  // namespace dcm::http
