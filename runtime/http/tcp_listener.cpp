#include <charconv>
#include <expected>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include "runtime/http/tcp.hpp"
#include "runtime/http/tcp_stream.hpp"
#include "runtime/http/tls_context.hpp"
#include "runtime/http/tls_stream.hpp"

namespace dcm::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using runtime::fail;
using runtime::Reason;
using runtime::TimeSource;

std::unexpected<runtime::Error> refuse(const std::string& address, std::string_view why) {
  return fail(Reason::configuration, fmt::format("cannot listen on \"{}\": {}", address, why));
}

// "127.0.0.1:8080", "[::1]:8080", "localhost:8080", or ":8080" for every address of this machine.
// Or why it is none.
std::expected<tcp::endpoint, std::string_view> parse_address(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return std::unexpected("want host:port");
  std::string host = text.substr(0, colon);
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed, failure] = std::from_chars(text.data() + colon + 1, end, port);
  if (failure != std::errc() || parsed != end) {
    return std::unexpected("the port is not 0 to 65535");
  }
  if (host.empty()) host = "0.0.0.0";
  if (host == "localhost") host = "127.0.0.1";
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  error_code error;
  const auto address = asio::ip::make_address(host, error);
  if (error) return std::unexpected("the host is not an IP address");
  return tcp::endpoint(address, port);
}

class AsioListener final : public TcpListener {
 public:
  AsioListener(tcp::acceptor acceptor, TimeSource& time)
      : acceptor_(std::move(acceptor)), time_(time) {}

  Task<Result<std::unique_ptr<Stream>>> accept() override {
    auto [error, socket] = co_await acceptor_.async_accept(asio::as_tuple(asio::use_awaitable));
    if (error) {
      co_await throw_if_cancelled();
      co_return fail(Reason::unreachable, error.message());
    }
    std::unique_ptr<Stream> stream = make_tcp_stream(std::move(socket), time_);
    if (context_ == nullptr) co_return stream;
    co_return make_tls_server_stream(std::move(stream), context_, time_);
  }

  Result<> set_tls(const TlsServerOptions& options) override {
    Result<TlsContext> made = make_server_context(options);
    if (!made) return fail(std::move(made.error()));
    context_ = std::move(*made);
    return {};
  }

  std::string address() const override {
    error_code ignored;
    const tcp::endpoint local = acceptor_.local_endpoint(ignored);
    return Endpoint{Security::plain, local.address().to_string(), local.port()}.authority();
  }

 private:
  tcp::acceptor acceptor_;
  TlsContext context_;  // none: plain
  TimeSource& time_;
};

// The wildcard address always covers both families, as in Go's net.Listen: in an IPv6-only cluster,
// kubelet's probes reach the same "0.0.0.0".
error_code open(tcp::acceptor& acceptor, tcp::endpoint endpoint) {
  error_code error;
  if (endpoint.address().is_unspecified()) {
    acceptor.open(tcp::v6(), error);
    if (!error) acceptor.set_option(asio::ip::v6_only(false), error);
    if (!error) endpoint.address(asio::ip::address_v6::any());
  }
  // Without any IPv6, the wildcard is IPv4 only.
  if (!acceptor.is_open()) acceptor.open(endpoint.protocol(), error);
  // A restarted server must not wait until the connections of its predecessor have expired.
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(tcp::acceptor::max_listen_connections, error);
  return error;
}

}  // namespace

std::string why_no_address(const std::string& address) {
  const auto endpoint = parse_address(address);
  return endpoint ? "" : std::string(endpoint.error());
}

Result<std::unique_ptr<TcpListener>> make_tcp_listener(runtime::Executor executor, TimeSource& time,
                                                       const std::string& address,
                                                       const std::optional<TlsServerOptions>& tls) {
  const auto endpoint = parse_address(address);
  if (!endpoint) return refuse(address, endpoint.error());
  tcp::acceptor acceptor(std::move(executor));
  const error_code error = open(acceptor, *endpoint);
  if (error) return refuse(address, error.message());
  auto listener = std::make_unique<AsioListener>(std::move(acceptor), time);
  if (tls) {
    if (Result<> set = listener->set_tls(*tls); !set) return fail(std::move(set.error()));
  }
  return listener;
}

}  // namespace dcm::http
