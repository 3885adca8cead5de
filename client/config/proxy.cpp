#include "client/config/proxy.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <fmt/format.h>

#include "runtime/ascii.hpp"
#include "runtime/base64.hpp"
#include "runtime/http/socks5.hpp"
#include "runtime/http/url.hpp"

namespace dcm::client {
namespace {

namespace ip = boost::asio::ip;
using boost::system::error_code;
using runtime::fail;
using runtime::lower;
using runtime::Reason;
using runtime::Result;

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::optional<ip::address> address_of(std::string_view text) {
  error_code error;
  const ip::address address = ip::make_address(std::string(text), error);
  return error ? std::nullopt : std::optional(address);
}

// Whether `address` is in a network like "10.0.0.0/8"; nullopt if that is not a network.
std::optional<bool> is_in_network(std::string_view network, const ip::address& address) {
  error_code error;
  const std::string text(network);
  if (const auto v4 = ip::make_network_v4(text, error); !error) {
    return address.is_v4() &&
           ip::make_network_v4(address.to_v4(), v4.prefix_length()).canonical() == v4.canonical();
  }
  if (const auto v6 = ip::make_network_v6(text, error); !error) {
    return address.is_v6() &&
           ip::make_network_v6(address.to_v6(), v6.prefix_length()).canonical() == v6.canonical();
  }
  return std::nullopt;
}

// The parts of an entry: "host:port", "[::1]:port", "host". Port 0: any.
struct Entry {
  std::string host;
  int port = 0;
};
Entry split_port(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const bool is_bracketed = text.starts_with('[');
  const bool has_port = colon != std::string::npos &&
                        (is_bracketed ? text.find(']') < colon : text.find(':') == colon);
  Entry entry{.host = text.substr(0, has_port ? colon : text.size())};
  if (has_port) entry.port = std::atoi(text.c_str() + colon + 1);
  if (is_bracketed && entry.host.ends_with(']')) {
    entry.host = entry.host.substr(1, entry.host.size() - 2);
  }
  return entry;
}

bool names_host(std::string entry, const std::string& host) {
  if (entry.starts_with("*.")) entry.erase(0, 1);
  if (entry.starts_with('.')) return host.ends_with(entry) && host.size() > entry.size();
  return host == entry || host.ends_with("." + entry);
}

bool entry_names(std::string_view text, const http::Endpoint& server, const std::string& host,
                 const std::optional<ip::address>& address) {
  if (text == "*") return true;
  if (address && text.contains('/')) return is_in_network(text, *address).value_or(false);
  const Entry entry = split_port(lower(text));
  if (entry.host.empty() || (entry.port != 0 && entry.port != server.port)) return false;
  if (address) return address_of(entry.host) == address;
  return names_host(entry.host, host);
}

bool is_loopback(const std::string& host, const std::optional<ip::address>& address) {
  return address ? address->is_loopback() : host == "localhost";
}

// Looks for the name as written, then in lower case.
std::string variable(const Environment& environment, const std::string& name) {
  const auto value = environment.variable(name);
  if (value && !value->empty()) return *value;
  return environment.variable(lower(name)).value_or("");
}

}  // namespace

Result<http::Proxy> make_proxy(std::string_view url, std::string_view where) {
  auto parsed = http::parse_proxy_url(url);
  if (!parsed) {
    return fail(Reason::configuration, fmt::format("{}: {}", where, parsed.error().message));
  }
  http::Proxy proxy{.endpoint = std::move(parsed->endpoint), .protocol = parsed->protocol};
  if (!parsed->user) return proxy;
  if (proxy.protocol == http::ProxyProtocol::http_connect) {
    proxy.authorization =
        "Basic " + runtime::encode_base64(parsed->user->name + ":" + parsed->user->password);
  } else if (!http::is_socks5_user(*parsed->user)) {
    return fail(Reason::configuration,
                fmt::format("{}: a user name of a SOCKS proxy has 1 to 255 bytes, and a password "
                            "at most 255",
                            where));
  } else {
    proxy.socks5_user = std::move(parsed->user);
  }
  return proxy;
}

bool is_excluded(std::string_view no_proxy, const http::Endpoint& server) {
  const std::string host = lower(server.host);
  const auto address = address_of(host);
  while (!no_proxy.empty()) {
    const std::size_t comma = std::min(no_proxy.find(','), no_proxy.size());
    const std::string_view entry = trim(no_proxy.substr(0, comma));
    no_proxy.remove_prefix(std::min(comma + 1, no_proxy.size()));
    if (!entry.empty() && entry_names(entry, server, host, address)) return true;
  }
  return false;
}

Result<std::optional<http::Proxy>> proxy_of_environment(const http::Endpoint& server,
                                                        const Environment& environment) {
  const std::string name = server.security == http::Security::tls ? "HTTPS_PROXY" : "HTTP_PROXY";
  std::string url = variable(environment, name);
  if (url.empty()) return std::nullopt;
  const std::string host = lower(server.host);
  if (is_loopback(host, address_of(host))) return std::nullopt;
  if (is_excluded(variable(environment, "NO_PROXY"), server)) return std::nullopt;
  if (!url.contains("://")) url.insert(0, "http://");
  auto proxy = make_proxy(url, name);
  if (!proxy) return fail(std::move(proxy.error()));
  return std::move(*proxy);
}

}  // namespace dcm::client
