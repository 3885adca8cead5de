#include "runtime/http/open_port.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

#include "runtime/ascii.hpp"
#include "runtime/one_line.hpp"

namespace dcm::http {
namespace {

using boost::asio::ip::address;

constexpr std::size_t kShownMax = 100;

// "[::1]:80", "[::1]" → "::1"; "localhost:80" → "localhost"; "" for anything but an authority.
std::string_view without_port(std::string_view authority) {
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    return end == std::string_view::npos ? std::string_view() : authority.substr(1, end - 1);
  }
  const std::size_t colon = authority.find(':');
  const bool is_ambiguous = colon != authority.rfind(':');  // an IPv6 address without brackets
  return is_ambiguous ? std::string_view() : authority.substr(0, colon);
}

bool ends_with_without_case(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         equals_without_case(text.substr(text.size() - end.size()), end);
}

bool matches(std::string_view host, std::string_view accepted) {
  if (accepted == "*") return true;
  if (accepted.starts_with("*.")) return ends_with_without_case(host, accepted.substr(1));
  return equals_without_case(host, without_port(accepted)) || equals_without_case(host, accepted);
}

bool is_listed(std::string_view host, const OpenPort& port) {
  return std::ranges::any_of(port.accept_hosts,
                             [&](const std::string& accepted) { return matches(host, accepted); });
}

bool is_loopback(std::string_view host) {
  boost::system::error_code failed;
  const address parsed = boost::asio::ip::make_address(host, failed);
  return !failed && parsed.is_loopback();
}

bool is_address(std::string_view host) {
  boost::system::error_code failed;
  boost::asio::ip::make_address(host, failed);
  return !failed;
}

bool is_ours(std::string_view host, const OpenPort& port) {
  if (equals_without_case(host, "localhost") || is_listed(host, port)) return true;
  const std::string_view listens_on = without_port(port.address);
  const bool is_local = is_loopback(listens_on) || equals_without_case(listens_on, "localhost");
  return is_local ? is_loopback(host) : is_address(host);
}

// "http://localhost:80" → "localhost:80"; "" for "null", the origin of a page that has none.
std::string_view authority_of(std::string_view origin) {
  const std::size_t end = origin.find("://");
  return end == std::string_view::npos ? std::string_view() : origin.substr(end + 3);
}

bool is_own_origin(std::string_view origin, std::string_view host, const OpenPort& port) {
  const std::string_view authority = authority_of(origin);
  if (authority.empty()) return false;
  return equals_without_case(authority, host) || is_listed(without_port(authority), port);
}

// A foreign page may link to a page of ours, but may do nothing else.
bool is_from_elsewhere(const Request& request) {
  const std::string_view site = request.headers.find("Sec-Fetch-Site").value_or("");
  if (site != "cross-site" && site != "same-site") return false;
  const bool reads = request.method == Method::get || request.method == Method::head;
  return !reads || request.headers.find("Sec-Fetch-Mode") != "navigate";
}

bool is_from_browser(const Request& request) {
  const auto has = [&](const char* name) { return request.headers.find(name).has_value(); };
  return has("Origin") || has("Referer") || has("Sec-Fetch-Site") || has("Sec-Fetch-Mode") ||
         request.headers.find("User-Agent").value_or("").starts_with("Mozilla/");
}

OpenPortRefusal foreign(std::string_view header, std::string_view value) {
  return {403, fmt::format("{} \"{}\" is not answered on this port, which asks for no credentials; "
                           "its program has a flag to accept more hosts",
                           header, runtime::one_line(value.substr(0, kShownMax)))};
}

}  // namespace

bool is_accepted_host(std::string_view text) {
  if (is_address(text)) return true;
  if (text.starts_with("*.")) text.remove_prefix(2);
  const std::string_view host = without_port(text);
  const bool is_bracketed = text.starts_with('[');
  text.remove_prefix(std::min(text.size(), host.size() + (is_bracketed ? 2 : 0)));
  const bool has_good_end =
      text.empty() || (text.size() > 1 && text.front() == ':' &&
                       std::ranges::all_of(text.substr(1), runtime::is_digit));
  if (is_bracketed) return has_good_end && is_address(host);
  return has_good_end && !host.empty() && std::ranges::all_of(host, [](char c) {
           return runtime::is_alphanumeric(c) || c == '-' || c == '.' || c == '_';
         });
}

std::optional<OpenPortRefusal> check_open_port(const Request& request, const OpenPort& port) {
  const std::string_view host = request.headers.find("Host").value_or("");
  if (!is_ours(without_port(host), port)) return foreign("Host", host);
  const auto origin = request.headers.find("Origin");
  if (origin && !is_own_origin(*origin, host, port)) return foreign("Origin", *origin);
  if (!origin && is_from_elsewhere(request)) {
    return foreign("Sec-Fetch-Site", request.headers.find("Sec-Fetch-Site").value_or(""));
  }
  const bool untyped = request.headers.find("Content-Type").value_or("").empty();
  if (untyped && !request.body.empty() && is_from_browser(request)) {
    return OpenPortRefusal{415, "a body from a browser needs a Content-Type"};
  }
  return std::nullopt;
}

namespace {

Task<> send(Response response, Responder& responder) {
  [[maybe_unused]] const auto sent = co_await responder.send(std::move(response));
}

}  // namespace

Task<> serve_open(Listener& listener, runtime::TimeSource& time, ServerOptions options,
                  std::vector<std::string> accept_hosts, Handler handler, runtime::Logger log) {
  OpenPort port{listener.address(), std::move(accept_hosts)};
  Handler guarded = [port = std::move(port), refuse = options.refusal,
                     handler = std::move(handler)](Request request, Responder& responder) {
    const auto refusal = check_open_port(request, port);
    if (refusal) return send(refuse(refusal->status, refusal->why), responder);
    return handler(std::move(request), responder);
  };
  co_await serve(listener, time, std::move(options), std::move(guarded), std::move(log));
}

}  // namespace dcm::http
