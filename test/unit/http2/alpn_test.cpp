// Which protocol TLS agrees on, over real loopback sockets.
#include <gtest/gtest.h>

#include "runtime/http/server.hpp"
#include "runtime/http/tcp.hpp"
#include "runtime/http2/client.hpp"
#include "runtime/http2/server.hpp"
#include "runtime/task_group.hpp"
#include "test/support/certificates.hpp"
#include "test/support/co_test.hpp"

namespace dcm::http2 {
namespace {

using namespace std::chrono_literals;
using runtime::Deadline;
using runtime::Task;
using runtime::TaskGroup;

struct Alpn : testing::Test {
  // The answer to a request, and the number of connections for ten concurrent requests.
  std::string run(http::Protocols server_protocols) {
    runtime::Loop loop;
    std::string outcome;
    loop.run(main(loop, server_protocols, outcome));
    return outcome;
  }

  Task<> main(runtime::Loop& loop, http::Protocols server_protocols, std::string& outcome) {
    const test::Identity identity = authority.issue({.names = {"localhost"}});
    auto listener =
        http::make_tcp_listener(loop.executor(), loop.time(), "127.0.0.1:0",
                                http::TlsServerOptions{.certificate_pem = identity.certificate_pem,
                                                       .key_pem = identity.key_pem,
                                                       .client_ca_pem = {},
                                                       .protocols = server_protocols});
    CO_ASSERT_TRUE(listener);
    const std::string address = (*listener)->address();
    const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
    http::TlsClientOptions tls;
    tls.ca_pem = authority.pem();
    auto transport = http::make_tcp_transport(loop.executor(), loop.time(), tls);
    CO_ASSERT_TRUE(transport);
    int http2_connections = 0;
    http::ServerOptions options;
    options.http2 = [&](http::UpgradedConnection upgraded) {
      ++http2_connections;
      return serve_connection(std::move(upgraded));
    };
    const auto handler = [](http::Request, http::Responder& responder) -> Task<> {
      co_await responder.send({.status = 200, .body = "hello"});
    };
    const auto client =
        make_client(loop, **transport, {.origin = {http::Security::tls, "localhost", port}});
    TaskGroup group(loop.executor());
    TaskGroup client_group(loop.executor());
    group.spawn("server", http::serve(**listener, loop.time(), options, handler, {}));
    client_group.spawn("client", client->run());
    co_await runtime::yield();
    for (int i = 0; i < 3; ++i) {
      const auto response =
          co_await client->send({.target = "/"}, {.deadline = Deadline::after(loop.time(), 30s)});
      outcome = response ? response->body : to_string(response.error());
    }
    outcome += " on " + std::to_string(http2_connections);
    client_group.cancel();
    co_await client_group.join();
    group.cancel();
    co_await group.join();
  }

  test::CertificateAuthority authority{"test CA"};
};

TEST_F(Alpn, selects_HTTP2_if_supported) {
  EXPECT_EQ(run(http::Protocols::http2_or_http1), "hello on 1");
}

TEST_F(Alpn, selects_HTTP1_otherwise) {
  EXPECT_EQ(run(http::Protocols::http1), "hello on 0");
}

}  // namespace
}  // namespace dcm::http2
