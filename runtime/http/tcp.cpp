#include "runtime/http/tcp.hpp"

#include <memory>

#include <boost/asio/ip/host_name.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <fmt/format.h>

#include "runtime/http/names.hpp"
#include "runtime/http/tcp_stream.hpp"
#include "runtime/http/tls_context.hpp"
#include "runtime/http/tls_stream.hpp"

namespace dcm::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using runtime::Executor;
using runtime::fail;
using runtime::Reason;
using runtime::TimeSource;

Result<Addresses> addresses_of(error_code error, const tcp::resolver::results_type& entries) {
  if (error) return fail(Reason::unreachable, error.message());
  Addresses addresses;
  for (const auto& entry : entries) addresses.push_back(entry.endpoint());
  return addresses;
}

// Asio cannot interrupt the system's resolver.
Names::LookUp look_up_with(Executor executor) {
  return [executor = std::move(executor)](const std::string& host, std::uint16_t port,
                                          Names::Done done) {
    const auto resolver = std::make_shared<tcp::resolver>(executor);
    resolver->async_resolve(host, std::to_string(port),
                            [resolver, done = std::move(done)](
                                error_code error, const tcp::resolver::results_type& found) {
                              done(addresses_of(error, found));
                            });
  };
}

// Tries each address until one answers. Each gets its share of the remaining time, as in Go, so
// that a silent address leaves some for the others.
Task<Result<std::unique_ptr<Stream>>> connect_to_any(Executor executor, Addresses addresses,
                                                     TimeSource& time, Deadline deadline) {
  Result<std::unique_ptr<Stream>> stream = fail(Reason::unreachable, "the name has no address");
  for (std::size_t tried = 0; tried < addresses.size(); ++tried) {
    const auto untried = static_cast<runtime::Duration::rep>(addresses.size() - tried);
    const Deadline own =
        deadline.is_reachable() ? Deadline::after(time, deadline.left(time) / untried) : deadline;
    stream = co_await connect_socket(executor, addresses[tried], time, own);
    if (stream) co_return stream;
  }
  co_return stream;
}

class TcpTlsTransport final : public TcpTransport {
 public:
  TcpTlsTransport(Executor executor, TimeSource& time, std::optional<Proxy> proxy)
      : executor_(std::move(executor)),
        time_(time),
        proxy_(std::move(proxy)),
        names_(time, look_up_with(executor_)) {}

  Result<> set_tls(const TlsClientOptions& options) override {
    if (options.ca_pem.empty() && options.certificate_pem.empty() && options.key_pem.empty()) {
      context_ = nullptr;
    } else {
      Result<TlsContext> context = make_client_context(options);
      if (!context) return fail(std::move(context.error()));
      context_ = std::move(*context);
    }
    server_name_ = options.server_name;
    verification_ = options.verification;
    return {};
  }

  Task<Result<std::unique_ptr<Stream>>> connect(Endpoint endpoint, Deadline deadline) override {
    Result<std::unique_ptr<Stream>> stream = co_await open(endpoint, deadline);
    if (!stream) {
      runtime::Error& error = stream.error();
      error.message = fmt::format("{}: {}", endpoint.authority(), error.message);
    }
    co_return stream;
  }

 private:
  // The references point into the frame of connect().
  Task<Result<std::unique_ptr<Stream>>> open(const Endpoint& endpoint, Deadline deadline) {
    Result<std::unique_ptr<Stream>> plain = co_await reach(endpoint, deadline);
    if (!plain || endpoint.security == Security::plain) co_return plain;
    co_return co_await secure(std::move(*plain),
                              server_name_.empty() ? endpoint.host : server_name_,
                              endpoint.protocols, deadline);
  }

  Task<Result<std::unique_ptr<Stream>>> reach(const Endpoint& endpoint, Deadline deadline) {
    return proxy_ ? open_through_proxy(endpoint, deadline) : dial(endpoint, deadline);
  }

  Task<Result<std::unique_ptr<Stream>>> open_through_proxy(const Endpoint& endpoint,
                                                           Deadline deadline) {
    Result<std::unique_ptr<Stream>> tunnel = co_await dial_proxy(deadline);
    if (tunnel) {
      const Result<> opened = co_await open_tunnel(**tunnel, *proxy_, endpoint, deadline);
      if (!opened) tunnel = fail(opened.error());
    }
    if (!tunnel) {
      runtime::Error& error = tunnel.error();
      error.message = fmt::format("proxy {}: {}", proxy_->endpoint.authority(), error.message);
    }
    co_return tunnel;
  }

  Task<Result<std::unique_ptr<Stream>>> dial_proxy(Deadline deadline) {
    Result<std::unique_ptr<Stream>> plain = co_await dial(proxy_->endpoint, deadline);
    if (!plain || proxy_->endpoint.security == Security::plain) co_return plain;
    co_return co_await secure(std::move(*plain), proxy_->endpoint.host, Protocols::http1, deadline);
  }

  Task<Result<std::unique_ptr<Stream>>> dial(const Endpoint& endpoint, Deadline deadline) {
    error_code not_literal;
    const auto literal = asio::ip::make_address(endpoint.host, not_literal);
    if (!not_literal) {
      co_return co_await connect_socket(executor_, tcp::endpoint(literal, endpoint.port), time_,
                                        deadline);
    }
    Result<Addresses> addresses = co_await names_.find(endpoint.host, endpoint.port, deadline);
    if (!addresses) co_return fail(std::move(addresses.error()));
    co_return co_await connect_to_any(executor_, std::move(*addresses), time_, deadline);
  }

  Task<Result<std::unique_ptr<Stream>>> secure(std::unique_ptr<Stream> plain, std::string name,
                                               Protocols protocols, Deadline deadline) {
    if (!context_) {
      Result<TlsContext> of_the_system = make_client_context({});
      if (!of_the_system) co_return fail(std::move(of_the_system.error()));
      context_ = std::move(*of_the_system);
    }
    Result<TlsSession> session = make_client_session(context_, name, verification_, protocols);
    if (!session) co_return fail(std::move(session.error()));
    co_return co_await start_tls(std::move(plain), std::move(*session), time_, deadline);
  }

  Executor executor_;
  TimeSource& time_;
  std::optional<Proxy> proxy_;
  Names names_;
  // Empty: the system's CAs, which take 20 ms to read, and are read when a connection uses TLS.
  TlsContext context_;
  std::string server_name_;
  Verification verification_ = Verification::full;
};

}  // namespace

std::string host_name() {
  error_code error;
  std::string name = asio::ip::host_name(error);
  return name.empty() ? "localhost" : name;
}

Result<std::unique_ptr<TcpTransport>> make_tcp_transport(Executor executor, TimeSource& time,
                                                         const TlsClientOptions& options,
                                                         const std::optional<Proxy>& proxy) {
  auto transport = std::make_unique<TcpTlsTransport>(std::move(executor), time, proxy);
  Result<> usable = transport->set_tls(options);
  if (!usable) return fail(std::move(usable.error()));
  return transport;
}

}  // namespace dcm::http
