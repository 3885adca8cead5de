#include "runtime/http/url.hpp"

#include <charconv>
#include <optional>

#include <boost/url/parse.hpp>
#include <boost/url/scheme.hpp>
#include <boost/url/url_view.hpp>
#include <fmt/format.h>

#include "runtime/one_line.hpp"

namespace dcm::http {
namespace {

using runtime::fail;
using runtime::Reason;

// A password or token may precede an '@' or be in a query, even where parsing failed.
std::string shown(std::string_view text) {
  if (text.contains('@')) return "(not shown)";
  return runtime::one_line(std::string(text.substr(0, text.find_first_of("?#"))));
}

std::unexpected<runtime::Error> refuse(std::string_view text, std::string_view why) {
  return fail(Reason::configuration,
              fmt::format("\"{}\" is not a server URL: {}", shown(text), why));
}

// A password may be anywhere in an invalid URL: "http://user:secret", "user:secret:host".
std::unexpected<runtime::Error> refuse_proxy(std::string_view why) {
  return fail(Reason::configuration, fmt::format("\"(not shown)\" is not a proxy URL: {}", why));
}

// Boost 1.81 treats text after the bracket of an IPv6 address as a path ("[fd00::1]44:63").
bool is_path_loose(const boost::urls::url_view& url) {
  const auto path = url.encoded_path();
  return !path.empty() && path.front() != '/';
}

// "host:" has no port, as in Go.
bool is_port_given(const boost::urls::url_view& url) {
  return url.has_port() && !url.port().empty();
}

// The given port; nullopt if it is not 1 to 65535, which port_number() of Boost 1.81 does not
// check.
std::optional<std::uint16_t> port_of(const boost::urls::url_view& url) {
  const auto text = url.port();
  const char* const end = text.data() + text.size();
  std::uint16_t port = 0;
  const auto [parsed, failure] = std::from_chars(text.data(), end, port);
  if (failure != std::errc() || parsed != end || port == 0) return std::nullopt;
  return port;
}

bool is_port_bad(const boost::urls::url_view& url) {
  return is_port_given(url) && !port_of(url);
}

std::optional<UrlUser> user_of(const boost::urls::url_view& url) {
  if (!url.has_userinfo()) return std::nullopt;
  return UrlUser{url.user(), url.password()};
}

// The scheme's default port, if none is given.
Endpoint endpoint_of(const boost::urls::url_view& url, std::uint16_t port_of_http) {
  const bool is_https = url.scheme_id() == boost::urls::scheme::https;
  Endpoint endpoint{.security = is_https ? Security::tls : Security::plain,
                    .host = url.host_address(),
                    .port = is_https ? std::uint16_t{443} : port_of_http};
  if (is_port_given(url)) endpoint.port = port_of(url).value_or(endpoint.port);
  return endpoint;
}

bool is_socks5(const boost::urls::url_view& url) {
  const std::string_view scheme(url.scheme().data(), url.scheme().size());
  return equals_without_case(scheme, "socks5") || equals_without_case(scheme, "socks5h");
}

std::string without_slashes_at_end(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return std::string(path);
}

}  // namespace

Result<ServerUrl> parse_url(std::string_view text) {
  const auto url = boost::urls::parse_uri({text.data(), text.size()});
  if (!url) return refuse(text, "want http[s]://host[:port][/path]");
  const bool is_https = url->scheme_id() == boost::urls::scheme::https;
  if (!is_https && url->scheme_id() != boost::urls::scheme::http)
    return refuse(text, "the scheme is not http or https");
  if (url->host_address().empty()) return refuse(text, "the host is missing");
  if (is_path_loose(*url)) return refuse(text, "want a port or path after the host");
  if (is_port_bad(*url)) return refuse(text, "the port is not 1 to 65535");

  ServerUrl parsed{.user = user_of(*url)};
  parsed.endpoint = endpoint_of(*url, 80);
  const auto path = url->encoded_path();
  parsed.path_prefix = without_slashes_at_end({path.data(), path.size()});
  return parsed;
}

Result<ProxyUrl> parse_proxy_url(std::string_view text) {
  const auto url = boost::urls::parse_uri({text.data(), text.size()});
  if (!url) return refuse_proxy("want http[s]://[user:password@]host[:port], or socks5://…");
  const bool is_socks = is_socks5(*url);
  const bool is_http = url->scheme_id() == boost::urls::scheme::http;
  if (!is_socks && !is_http && url->scheme_id() != boost::urls::scheme::https) {
    return refuse_proxy("the scheme is not http, https, socks5 or socks5h");
  }
  if (url->host_address().empty()) return refuse_proxy("the host is missing");
  if (is_path_loose(*url)) return refuse_proxy("want a port or path after the host");
  if (is_port_bad(*url)) return refuse_proxy("the port is not 1 to 65535");
  constexpr std::uint16_t kSocksPort = 1080;
  return ProxyUrl{.protocol = is_socks ? ProxyProtocol::socks5 : ProxyProtocol::http_connect,
                  .endpoint = endpoint_of(*url, is_socks ? kSocksPort : std::uint16_t{80}),
                  .user = user_of(*url)};
}

}  // namespace dcm::http
