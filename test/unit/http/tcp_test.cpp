// TLS and TCP over real loopback sockets. Nothing here depends on the machine's speed: where time
// matters, tls_stream_test.cpp uses virtual time.
#include "runtime/http/tcp.hpp"

#include <gmock/gmock.h>

#include "runtime/http/client.hpp"
#include "runtime/http/self_signed.hpp"
#include "runtime/http/server.hpp"
#include "runtime/loop.hpp"
#include "runtime/task_group.hpp"
#include "runtime/virtual_time.hpp"
#include "test/support/certificates.hpp"
#include "test/support/co_test.hpp"
#include "test/support/connect_proxy.hpp"

namespace dcm::http {
namespace {

using namespace std::chrono_literals;
using runtime::Reason;
using runtime::TaskGroup;
using test::CertificateAuthority;
using test::CertificateWishes;
using test::Identity;
using testing::HasSubstr;

std::uint16_t port_of(const Listener& listener) {
  const std::string address = listener.address();
  return static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
}

// Answers with the length of the request's body.
Handler count_body() {
  return [](Request request, Responder& responder) -> Task<> {
    Response response{.status = 200, .headers = {}, .body = std::to_string(request.body.size())};
    co_await responder.send(std::move(response));
  };
}

// Answers with the subject of the client's certificate.
Handler name_client() {
  return [](Request request, Responder& responder) -> Task<> {
    const auto client = request.client_certificate;
    std::string body = client == nullptr ? "nobody" : client->common_name;
    if (client != nullptr) {
      for (const std::string& organization : client->organizations) body += "+" + organization;
    }
    co_await responder.send({.status = 200, .headers = {}, .body = std::move(body)});
  };
}

// Posts 200 KB (more than a socket or a TLS record holds) to a server with `server_tls`.
Result<Response> exchange(const std::string& host, const TlsClientOptions& client_tls,
                          const std::optional<TlsServerOptions>& server_tls,
                          Handler handler = count_body()) {
  runtime::Loop loop;
  Result<Response> outcome = runtime::fail(Reason::configuration, "not run");
  const auto main = [&]() -> Task<> {
    auto listener = make_tcp_listener(loop.executor(), loop.time(), "127.0.0.1:0", server_tls);
    CO_ASSERT_TRUE(listener);
    auto transport = make_tcp_transport(loop.executor(), loop.time(), client_tls);
    CO_ASSERT_TRUE(transport);
    TaskGroup group(loop.executor());
    group.spawn("server", serve(**listener, loop.time(), {}, handler, {}));
    const auto client = make_client(
        **transport, loop.time(),
        {.origin = {server_tls ? Security::tls : Security::plain, host, port_of(**listener)}});
    const Request request{
        .method = Method::post, .target = "/", .headers = {}, .body = std::string(200 * 1024, 'x')};
    const ExchangeLimits limits{.deadline = Deadline::after(loop.time(), 30s)};
    for (int i = 0; i < 2; ++i) {  // on one connection
      Result<Response> response = co_await client->send(request, limits);
      outcome = std::move(response);
    }
    group.cancel();
    co_await group.join();
  };
  loop.run(main());
  return outcome;
}

TlsServerOptions server_with(const Identity& identity) {
  return {.certificate_pem = identity.certificate_pem,
          .key_pem = identity.key_pem,
          .client_ca_pem = {}};
}

TlsClientOptions client_trusting(const CertificateAuthority& authority) {
  TlsClientOptions options;
  options.ca_pem = authority.pem();
  return options;
}

void expect_ok(const Result<Response>& response) {
  ASSERT_TRUE(response) << to_string(response.error());
  EXPECT_EQ(response->body, "204800");
}

void expect_refused(const Result<Response>& response, const std::string& why) {
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().reason, Reason::tls) << response.error().message;
  EXPECT_THAT(response.error().message, HasSubstr(why));
}

class Tcp : public testing::Test {
 protected:
  CertificateAuthority authority{"test CA"};
  CertificateAuthority stranger{"another CA"};
  Identity localhost = authority.issue({.names = {"localhost"}, .addresses = {"127.0.0.1"}});
};

TEST_F(Tcp, exchanges_plain_bytes) {
  expect_ok(exchange("127.0.0.1", {}, std::nullopt));
}

TEST_F(Tcp, resolves_name_and_tries_every_address) {
  // "localhost" may be ::1 first, where nobody listens.
  expect_ok(exchange("localhost", {}, std::nullopt));
}

TEST_F(Tcp, accepts_name_in_certificate) {
  expect_ok(exchange("localhost", client_trusting(authority), server_with(localhost)));
}

TEST_F(Tcp, accepts_address_in_certificate) {
  expect_ok(exchange("127.0.0.1", client_trusting(authority), server_with(localhost)));
}

TEST_F(Tcp, rejects_unknown_ca) {
  expect_refused(exchange("localhost", client_trusting(stranger), server_with(localhost)),
                 "certificate verify failed: unable to get local issuer certificate");
}

TEST_F(Tcp, does_not_trust_test_ca_by_default) {
  expect_refused(exchange("localhost", {}, server_with(localhost)), "certificate verify failed");
}

TEST_F(Tcp, rejects_other_name) {
  const Identity other = authority.issue({.names = {"other.example"}});
  expect_refused(exchange("localhost", client_trusting(authority), server_with(other)),
                 "certificate verify failed: hostname mismatch");
}

TEST_F(Tcp, rejects_other_address_even_if_listed_as_name) {
  const Identity other = authority.issue({.names = {"127.0.0.1"}, .addresses = {"10.0.0.1"}});
  expect_refused(exchange("127.0.0.1", client_trusting(authority), server_with(other)),
                 "certificate verify failed: IP address mismatch");
}

TEST_F(Tcp, ignores_common_name) {
  const Identity nameless = authority.issue({});
  TlsClientOptions options = client_trusting(authority);
  options.server_name = "test";  // its common name
  expect_refused(exchange("localhost", options, server_with(nameless)), "hostname mismatch");
}

TEST_F(Tcp, rejects_expired_certificate) {
  const Identity expired =
      authority.issue({.names = {"localhost"}, .valid_from_days = -9, .valid_to_days = -2});
  expect_refused(exchange("localhost", client_trusting(authority), server_with(expired)),
                 "certificate verify failed: certificate has expired");
}

TEST_F(Tcp, rejects_certificate_not_yet_valid) {
  const Identity early =
      authority.issue({.names = {"localhost"}, .valid_from_days = 2, .valid_to_days = 9});
  expect_refused(exchange("localhost", client_trusting(authority), server_with(early)),
                 "certificate verify failed: certificate is not yet valid");
}

TEST_F(Tcp, verifies_server_name_instead_of_host) {
  const Identity other = authority.issue({.names = {"kubernetes.default.svc"}});
  TlsClientOptions options = client_trusting(authority);
  options.server_name = "kubernetes.default.svc";
  expect_ok(exchange("127.0.0.1", options, server_with(other)));
}

TEST_F(Tcp, accepts_anything_without_verification) {
  const Identity expired =
      stranger.issue({.names = {"other"}, .valid_from_days = -9, .valid_to_days = -2});
  TlsClientOptions options = client_trusting(authority);
  options.verification = Verification::none;
  expect_ok(exchange("localhost", options, server_with(expired)));
}

TEST_F(Tcp, accepts_server_certificate_as_trust_anchor) {
  TlsClientOptions options;
  options.ca_pem = localhost.certificate_pem;
  expect_ok(exchange("localhost", options, server_with(localhost)));
}

TEST_F(Tcp, skips_unreadable_certificate_in_bundle) {
  TlsClientOptions options = client_trusting(authority);
  options.ca_pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n" +
                   authority.pem() + "-----BEGIN CERTIFICATE-----\nAAAA\n";
  expect_ok(exchange("localhost", options, server_with(localhost)));
}

// Go takes RSA keys of 1,024 bits.
TEST_F(Tcp, accepts_client_key_of_1024_bits) {
  const Identity me = stranger.issue({.rsa_bits = 1024});
  TlsClientOptions options = client_trusting(authority);
  options.certificate_pem = me.certificate_pem;
  options.key_pem = me.key_pem;
  runtime::Loop loop;
  const auto made = make_tcp_transport(loop.executor(), loop.time(), options);
  EXPECT_TRUE(made) << to_string(made.error());
}

TEST_F(Tcp, presents_client_certificate) {
  TlsServerOptions server = server_with(localhost);
  server.client_ca_pem = stranger.pem();
  const Identity me = stranger.issue({});
  TlsClientOptions options = client_trusting(authority);
  options.certificate_pem = me.certificate_pem;
  options.key_pem = me.key_pem;
  expect_ok(exchange("localhost", options, server));
}

TEST_F(Tcp, is_rejected_without_required_client_certificate) {
  TlsServerOptions server = server_with(localhost);
  server.client_ca_pem = stranger.pem();
  const auto response = exchange("localhost", client_trusting(authority), server);
  ASSERT_FALSE(response);
  // The alert may be overtaken by the reset of the connection.
  EXPECT_THAT(response.error().reason, testing::AnyOf(Reason::tls, Reason::disconnected));
}

TEST_F(Tcp, names_user_of_verifiable_optional_client_certificate) {
  TlsServerOptions server = server_with(localhost);
  server.client_ca_pem = stranger.pem();
  server.client_certificates = ClientCertificates::optional;
  const test::CertificateWishes wishes{.common_names = {"first", "prometheus"},
                                       .organizations = {"monitoring", "readers"}};
  const std::vector<std::pair<Identity, std::string>> rows = {
      {stranger.issue(wishes), "prometheus+monitoring+readers"},
      {authority.issue(wishes), "nobody"},  // of a CA that the server does not trust with this
      {Identity{}, "nobody"},
      {stranger.issue({.common_names = {""}}), "nobody"},
      {stranger.issue({.common_names = {"prometheus", ""}}), "nobody"},
  };
  for (const auto& [identity, name] : rows) {
    TlsClientOptions options = client_trusting(authority);
    options.certificate_pem = identity.certificate_pem;
    options.key_pem = identity.key_pem;
    const auto response = exchange("localhost", options, server, name_client());
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->body, name);
  }
}

TEST_F(Tcp, serves_self_signed_certificate) {
  const auto server = make_self_signed("worker", "worker-7.example");
  ASSERT_TRUE(server) << server.error().message;
  TlsClientOptions options;
  options.ca_pem = server->certificate_pem;
  for (const char* name : {"worker-7.example", "localhost", "127.0.0.1"}) {
    options.server_name = name;
    expect_ok(exchange("localhost", options, *server));
  }
  options.server_name = "worker-8.example";
  EXPECT_FALSE(exchange("localhost", options, *server));
}

TEST_F(Tcp, uses_latest_certificate_for_new_connections) {
  const Identity expired =
      authority.issue({.names = {"localhost"}, .valid_from_days = -9, .valid_to_days = -2});
  runtime::Loop loop;
  const auto main = [&](runtime::Loop& l) -> Task<> {
    const auto listener =
        make_tcp_listener(l.executor(), l.time(), "127.0.0.1:0", server_with(expired));
    CO_ASSERT_TRUE(listener);
    const auto transport = make_tcp_transport(l.executor(), l.time(), client_trusting(authority));
    TaskGroup group(l.executor());
    group.spawn("server", serve(**listener, l.time(), {}, count_body(), {}));
    const Endpoint there{Security::tls, "localhost", port_of(**listener)};
    const auto before = co_await (*transport)->connect(there, Deadline::after(l.time(), 30s));
    EXPECT_FALSE(before);
    CO_ASSERT_TRUE((*listener)->set_tls(server_with(localhost)));
    TlsServerOptions broken = server_with(localhost);
    broken.key_pem = "no key";
    EXPECT_FALSE((*listener)->set_tls(broken));
    const auto after = co_await (*transport)->connect(there, Deadline::after(l.time(), 30s));
    EXPECT_TRUE(after);
    group.cancel();
    co_await group.join();
  };
  loop.run(main(loop));
}

TEST_F(Tcp, reports_tls_error_with_plain_server) {
  runtime::Loop loop;
  loop.run([](runtime::Loop& l) -> Task<> {
    const auto listener = make_tcp_listener(l.executor(), l.time(), "127.0.0.1:0", std::nullopt);
    const auto transport = make_tcp_transport(l.executor(), l.time(), {});
    CO_ASSERT_TRUE(listener && transport);
    TaskGroup group(l.executor());
    group.spawn("server", serve(**listener, l.time(), {}, count_body(), {}));
    const auto stream = co_await (*transport)
                            ->connect({Security::tls, "127.0.0.1", port_of(**listener)},
                                      Deadline::after(l.time(), 30s));
    EXPECT_FALSE(stream);
    EXPECT_EQ(stream.error().reason, Reason::tls) << stream.error().message;
    group.cancel();
    co_await group.join();
  }(loop));
}

// Real sockets, but a clock that only the test moves.
TEST_F(Tcp, has_deadline_for_each_read) {
  runtime::Loop loop;
  runtime::VirtualTime time;
  loop.run([](runtime::Loop& l, runtime::VirtualTime& t) -> Task<> {
    const auto listener = make_tcp_listener(l.executor(), t, "127.0.0.1:0", std::nullopt);
    const auto transport = make_tcp_transport(l.executor(), t, {});
    CO_ASSERT_TRUE(listener && transport);
    const auto client = co_await (*transport)
                            ->connect({Security::plain, "127.0.0.1", port_of(**listener)},
                                      Deadline(runtime::MonoTime(5s)));
    const auto server = co_await (*listener)->accept();
    CO_ASSERT_TRUE(client && server);
    co_await (*server)->write("x", {});
    char byte = 0;
    const auto first = co_await (*client)->read_some({&byte, 1}, Deadline(runtime::MonoTime(10s)));
    EXPECT_EQ(first, 1U);

    Result<std::size_t> second = 0U;
    TaskGroup group(l.executor());
    group.spawn("read", [](Stream& stream, Result<std::size_t>& outcome) -> Task<> {
      char into = 0;
      outcome = co_await stream.read_some({&into, 1}, Deadline(runtime::MonoTime(60s)));
    }(**client, second));
    co_await runtime::yield();
    EXPECT_TRUE(t.advance_to_next(runtime::MonoTime(59s))) << "what the first read left";
    co_await runtime::yield();
    EXPECT_EQ(group.running(), 1U);
    EXPECT_FALSE(t.advance_to_next(runtime::MonoTime(59s)));
    EXPECT_TRUE(t.advance_to_next(runtime::MonoTime(60s)));
    co_await group.join();
    CO_ASSERT_TRUE(!second);
    EXPECT_EQ(second.error().reason, Reason::deadline_exceeded) << second.error().message;
  }(loop, time));
  EXPECT_EQ(time.pending(), 0U);
}

TEST_F(Tcp, listens_on_all_addresses_of_both_families) {
  runtime::Loop loop;
  if (!make_tcp_listener(loop.executor(), loop.time(), "[::1]:0", std::nullopt)) {
    GTEST_SKIP() << "no IPv6 here";
  }
  loop.run([](runtime::Loop& l) -> Task<> {
    const auto transport = make_tcp_transport(l.executor(), l.time(), {});
    for (const std::string all : {":0", "0.0.0.0:0", "[::]:0"}) {
      const auto listener = make_tcp_listener(l.executor(), l.time(), all, std::nullopt);
      CO_ASSERT_TRUE(transport && listener);
      for (const std::string host : {"127.0.0.1", "::1"}) {
        const auto stream = co_await (*transport)
                                ->connect({Security::plain, host, port_of(**listener)},
                                          Deadline::after(l.time(), 30s));
        EXPECT_TRUE(stream) << host << " of " << all;
      }
    }
  }(loop));
}

TEST_F(Tcp, reports_port_without_listener_as_unreachable) {
  runtime::Loop loop;
  loop.run([](runtime::Loop& l) -> Task<> {
    std::uint16_t port = 0;
    {
      const auto gone = make_tcp_listener(l.executor(), l.time(), "127.0.0.1:0", std::nullopt);
      port = port_of(**gone);
    }
    const auto transport = make_tcp_transport(l.executor(), l.time(), {});
    const auto stream =
        co_await (*transport)->connect({Security::tls, "127.0.0.1", port}, Deadline());
    EXPECT_FALSE(stream);
    EXPECT_EQ(stream.error().reason, Reason::unreachable);
    EXPECT_THAT(stream.error().message, HasSubstr("Connection refused"));
  }(loop));
}

TEST_F(Tcp, names_invalid_options) {
  const Identity me = authority.issue({});
  const Identity you = authority.issue({});
  const auto error_of = [](TlsClientOptions options) {
    runtime::Loop loop;
    const auto made = make_tcp_transport(loop.executor(), loop.time(), options);
    EXPECT_FALSE(made);
    return made ? "" : to_string(made.error());
  };
  TlsClientOptions options;
  options.ca_pem = "no pem";
  EXPECT_THAT(error_of(options), HasSubstr("configuration: certificate authority: holds no"));
  options.ca_pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  EXPECT_THAT(error_of(options), HasSubstr("certificate authority: "));
  options = client_trusting(authority);
  options.certificate_pem = me.certificate_pem;
  EXPECT_THAT(error_of(options), HasSubstr("want both or none"));
  options.key_pem = you.key_pem;
  EXPECT_THAT(error_of(options), HasSubstr("client key: key values mismatch"));
  options.key_pem = "x";
  EXPECT_THAT(error_of(options), HasSubstr("client key: "));
}

TEST_F(Tcp, reports_taken_address_as_configuration_error) {
  runtime::Loop loop;
  const auto first = make_tcp_listener(loop.executor(), loop.time(), "127.0.0.1:0", std::nullopt);
  ASSERT_TRUE(first);
  const auto second =
      make_tcp_listener(loop.executor(), loop.time(), (*first)->address(), std::nullopt);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().reason, Reason::configuration);
  EXPECT_THAT(second.error().message, HasSubstr("in use"));
  for (const std::string bad : {"127.0.0.1", "127.0.0.1:", "nowhere:1", "127.0.0.1:65536"}) {
    EXPECT_FALSE(make_tcp_listener(loop.executor(), loop.time(), bad, std::nullopt)) << bad;
  }
}

// A request to a TLS server through a proxy, with or without TLS to the proxy.
struct Proxied {
  Result<Response> response = runtime::fail(Reason::configuration, "not run");
  std::vector<std::string> seen;  // by the proxy
};
Proxied through_proxy(const std::optional<TlsServerOptions>& proxy_tls,
                      const TlsServerOptions& server_tls, const std::string& ca_pem,
                      const std::string& authorization) {
  runtime::Loop loop;
  Proxied proxied;
  const auto main = [&]() -> Task<> {
    auto server = make_tcp_listener(loop.executor(), loop.time(), "127.0.0.1:0", server_tls);
    auto proxy = make_tcp_listener(loop.executor(), loop.time(), "127.0.0.1:0", proxy_tls);
    auto beyond = make_tcp_transport(loop.executor(), loop.time(), {});
    auto transport =
        make_tcp_transport(loop.executor(), loop.time(), {.ca_pem = ca_pem},
                           Proxy{.endpoint = {proxy_tls ? Security::tls : Security::plain,
                                              "localhost", port_of(**proxy)},
                                 .authorization = authorization});
    CO_ASSERT_TRUE(server && proxy && beyond && transport);
    TaskGroup group(loop.executor());
    group.spawn("server", serve(**server, loop.time(), {}, count_body(), {}));
    group.spawn("proxy", support::serve_connect(loop.executor(), **proxy, **beyond,
                                                {.authorization = "Basic YTpi",
                                                 .report = [&](const std::string& line) {
                                                   proxied.seen.push_back(line);
                                                 }}));
    const auto client = make_client(**transport, loop.time(),
                                    {.origin = {Security::tls, "127.0.0.1", port_of(**server)}});
    const Request request{
        .method = Method::post, .target = "/", .headers = {}, .body = std::string(200 * 1024, 'x')};
    const ExchangeLimits limits{.deadline = Deadline::after(loop.time(), 30s)};
    proxied.response = co_await client->send(request, limits);
    group.cancel();
    co_await group.join();
  };
  loop.run(main());
  return proxied;
}

TEST(TcpProxy, carries_tls_to_server) {
  const CertificateAuthority authority("proxied");
  const Identity identity = authority.issue({.names = {"localhost"}, .addresses = {"127.0.0.1"}});
  const TlsServerOptions tls{identity.certificate_pem, identity.key_pem, {}};
  for (const auto& proxy_tls : {std::optional<TlsServerOptions>(), std::optional(tls)}) {
    const Proxied proxied = through_proxy(proxy_tls, tls, authority.pem(), "Basic YTpi");
    ASSERT_TRUE(proxied.response) << proxied.response.error().message;
    EXPECT_EQ(proxied.response->body, "204800");
    ASSERT_EQ(proxied.seen.size(), 1U);
    EXPECT_THAT(proxied.seen.front(), testing::StartsWith("CONNECT 127.0.0.1:"));
  }
}

TEST(TcpProxy, is_named_without_credentials_when_it_refuses) {
  const CertificateAuthority authority("proxied");
  const Identity identity = authority.issue({.addresses = {"127.0.0.1"}});
  const TlsServerOptions tls{identity.certificate_pem, identity.key_pem, {}};
  const Proxied proxied = through_proxy(std::nullopt, tls, authority.pem(), "Basic c2VjcmV0");
  ASSERT_FALSE(proxied.response);
  EXPECT_EQ(proxied.response.error().reason, Reason::unreachable);
  EXPECT_THAT(proxied.response.error().message, HasSubstr("proxy localhost:"));
  EXPECT_THAT(proxied.response.error().message, HasSubstr("(407)"));
  EXPECT_THAT(proxied.response.error().message, testing::Not(HasSubstr("c2VjcmV0")));
}

}  // namespace
}  // namespace dcm::http
