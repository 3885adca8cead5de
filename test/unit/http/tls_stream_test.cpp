// TLS over pipes: the same stream as in production, on virtual time and with a network that can
// deliver byte by byte.
#include "runtime/http/tls_stream.hpp"

#include <boost/asio/this_coro.hpp>
#include <gmock/gmock.h>
#include <malloc.h>

#include "test/support/certificates.hpp"
#include "test/unit/http/http_site.hpp"

namespace dcm::http {
namespace {

using namespace std::string_literals;

const test::CertificateAuthority& authority() {
  static const test::CertificateAuthority made("test CA");
  return made;
}

TlsContext server_context() {
  static const test::Identity identity = authority().issue({.names = {"server"}});
  auto context = make_server_context({.certificate_pem = identity.certificate_pem,
                                      .key_pem = identity.key_pem,
                                      .client_ca_pem = {}});
  return *context;
}

TlsSession client_session(const std::string& server_name = "server") {
  TlsClientOptions options;
  options.ca_pem = authority().pem();
  const auto context = make_client_context(options);
  return make_client_session(*context, server_name, Verification::full).value();
}

// TLS on both sides of a pipe network.
class TlsOverPipes final : public Transport, public Listener {
 public:
  explicit TlsOverPipes(VirtualLoop& loop, std::size_t buffer_bytes = 64 * 1024)
      : network(loop.time(), buffer_bytes),
        time_(loop.time()),
        listener_(network.listen(kOrigin.host, kOrigin.port)) {}

  Task<Result<std::unique_ptr<Stream>>> connect(Endpoint endpoint, Deadline deadline) override {
    auto below = co_await network.connect(endpoint, deadline);
    co_return co_await start_tls(std::move(*below), client_session(server_name), time_, deadline);
  }

  Task<Result<std::unique_ptr<Stream>>> accept() override {
    auto below = co_await listener_->accept();
    accepted_below = below->get();
    co_return make_tls_server_stream(std::move(*below), server_context(), time_);
  }

  std::string address() const override { return listener_->address(); }

  PipeNetwork network;
  std::string server_name = "server";  // that the client expects
  Stream* accepted_below = nullptr;    // the stream below the last accepted one

 private:
  runtime::TimeSource& time_;
  std::unique_ptr<Listener> listener_;
};

CO_TEST(TlsStream, carries_requests_however_split) {
  for (const std::size_t buffer_bytes : {1U, 7U, 1000U, 64U * 1024U}) {
    TlsOverPipes network(loop, buffer_bytes);
    TaskGroup group(loop.executor());
    group.spawn("server", serve(network, loop.time(), {}, echo(), {}));
    const auto client = make_client(network, loop.time(), {.origin = kOrigin});
    for (int i = 0; i < 3; ++i) {
      const std::string body(20'000, 'x');
      const auto response = co_await client->send(make_request(Method::put, "/target", body), {});
      CO_ASSERT_TRUE(response);
      EXPECT_EQ(response->body, "/target");
    }
    client->close_idle();
    group.cancel();
    co_await group.join();
  }
}

// Of each of these names, OpenSSL checks less than the whole, or nothing.
TEST(TlsSession, rejects_name_that_no_certificate_can_have) {
  const TlsContext context = make_client_context({.ca_pem = authority().pem()}).value();
  for (const std::string& name : {""s, "."s, ".server"s, "\0server"s, "server\0.example"s}) {
    const auto session = make_client_session(context, name, Verification::full);
    EXPECT_FALSE(session) << name;
    if (!session) EXPECT_EQ(session.error().reason, runtime::Reason::configuration);
  }
}

CO_TEST(TlsStream, ignores_dot_of_fully_qualified_name) {
  TlsOverPipes network(loop);
  network.server_name = "server.";
  TaskGroup group(loop.executor());
  group.spawn("server", serve(network, loop.time(), {}, echo(), {}));
  const auto client = make_client(network, loop.time(), {.origin = kOrigin});
  EXPECT_TRUE(co_await client->send(make_request(Method::get, "/", ""), {}));
  client->close_idle();
  group.cancel();
  co_await group.join();
}

Task<> write_much(Stream& stream, std::size_t bytes) {
  const auto written = co_await stream.write(std::string(bytes, 'x'), {});
  EXPECT_TRUE(written);
}

Task<> read_much(Stream& stream, std::size_t bytes) {
  char buffer[10'000];
  while (bytes > 0) {
    const auto count = co_await stream.read_some(buffer, {});
    CO_ASSERT_TRUE(count && *count > 0);
    bytes -= *count;
  }
}

CO_TEST(TlsStream, does_not_block_with_both_directions_and_handshake) {
  constexpr std::size_t kBytes = 300'000;
  TlsOverPipes network(loop, 500);
  TaskGroup group(loop.executor());
  std::unique_ptr<Stream> server;
  group.spawn("server", [](TlsOverPipes& n, std::unique_ptr<Stream>& s) -> Task<> {
    auto accepted = co_await n.accept();
    s = std::move(*accepted);
    const runtime::Executor executor = co_await boost::asio::this_coro::executor;
    TaskGroup both(executor);
    both.spawn("write", write_much(*s, kBytes));
    both.spawn("read", read_much(*s, kBytes));
    co_await both.join();
  }(network, server));
  const auto client = co_await network.connect(kOrigin, {});
  CO_ASSERT_TRUE(client);
  group.spawn("write", write_much(**client, kBytes));
  group.spawn("read", read_much(**client, kBytes));
  co_await group.join();
}

// Thousands of connections may be open that send nothing, or one byte.
CO_TEST(TlsStream, costs_little_for_silent_client) {
  TlsOverPipes network(loop);
  constexpr std::size_t kClients = 100;
  std::vector<std::unique_ptr<Stream>> streams;
  TaskGroup readers(loop.executor());
  const auto read = [](Stream& stream) -> Task<> {
    std::array<char, 16> buffer{};
    co_await stream.read_some(buffer, {});
  };
  const auto accept_one = [&]() -> Task<> {
    auto client = co_await network.network.connect(kOrigin, {});
    streams.push_back(std::move(*client));
    auto server = co_await network.accept();
    streams.push_back(std::move(*server));
  };
  for (std::size_t i = 0; i < kClients; ++i) co_await accept_one();
  const std::size_t before = mallinfo2().uordblks;
  for (std::size_t i = 0; i < kClients; ++i) {
    co_await streams[2 * i]->write("\x16", {});
    readers.spawn("read", read(*streams[2 * i + 1]));
  }
  for (int turn = 0; turn < 20; ++turn) co_await runtime::yield();
  const std::size_t each = (mallinfo2().uordblks - before) / kClients;
  EXPECT_LT(each, 8192U);
  readers.cancel();
  co_await readers.join();
}

CO_TEST(TlsStream, ends_unanswered_handshake_at_deadline) {
  TlsOverPipes network(loop);
  const auto start = loop.time().now();
  const auto stream = co_await network.connect(kOrigin, Deadline(start + 3s));
  EXPECT_EQ(stream.error().reason, Reason::deadline_exceeded);
  EXPECT_EQ(loop.time().now() - start, 3s);
}

CO_TEST(TlsStream, reports_aborted_handshake_as_unreachable) {
  TlsOverPipes network(loop);
  TaskGroup group(loop.executor());
  group.spawn("server", [](TlsOverPipes& n) -> Task<> {
    auto accepted = co_await n.accept();
    accepted->reset();
  }(network));
  const auto stream = co_await network.connect(kOrigin, {});
  EXPECT_EQ(stream.error().reason, Reason::unreachable);
  co_await group.join();
}

CO_TEST(TlsStream, drops_client_without_handshake) {
  TlsOverPipes network(loop);
  TaskGroup group(loop.executor());
  group.spawn("server", serve(network, loop.time(), {}, echo(), {}));
  const auto plain = co_await network.network.connect(kOrigin, {});
  const auto start = loop.time().now();
  const std::string answer = co_await read_all(**plain);
  EXPECT_EQ(answer, "");
  EXPECT_EQ(loop.time().now() - start, 10s);
  group.cancel();
  co_await group.join();
}

// How a connection ends, seen from the client.
Task<Result<std::size_t>> read_after(VirtualLoop& loop, bool is_orderly) {
  TlsOverPipes network(loop);
  TaskGroup group(loop.executor());
  group.spawn("server", [](TlsOverPipes& n, bool orderly) -> Task<> {
    const auto accepted = co_await n.accept();
    co_await (*accepted)->write("x", {});
    if (orderly) co_await (*accepted)->shutdown_send({});
  }(network, is_orderly));
  const auto client = co_await network.connect(kOrigin, {});
  char buffer[10];
  co_await (*client)->read_some(buffer, {});
  Result<std::size_t> end = co_await (*client)->read_some(buffer, {});
  co_await group.join();
  co_return end;
}

CO_TEST(TlsStream, distinguishes_announced_end_from_cut) {
  const auto announced = co_await read_after(loop, true);
  CO_ASSERT_TRUE(announced);
  EXPECT_EQ(*announced, 0U);
  const auto cut = co_await read_after(loop, false);
  CO_ASSERT_TRUE(!cut);
  EXPECT_EQ(cut.error().reason, Reason::disconnected) << cut.error().message;
}

// A request may have been executed by then.
CO_TEST(TlsStream, reports_tls_error_after_handshake_as_cut) {
  TlsOverPipes network(loop);
  TaskGroup group(loop.executor());
  group.spawn("server", [](TlsOverPipes& n) -> Task<> {
    const auto accepted = co_await n.accept();
    co_await (*accepted)->write("x", {});
    co_await n.accepted_below->write("this is no record of TLS", {});
  }(network));
  const auto client = co_await network.connect(kOrigin, {});
  char buffer[10];
  co_await (*client)->read_some(buffer, {});
  for (int again = 0; again < 2; ++again) {
    const auto broken = co_await (*client)->read_some(buffer, {});
    CO_ASSERT_TRUE(!broken);
    EXPECT_EQ(broken.error().reason, Reason::disconnected) << broken.error().message;
  }
  co_await group.join();
}

// Of no use: its password is "x".
constexpr const char* kEncryptedKey = R"(-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAizgrx9BnJU2gICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEEI5StUubp/JhrWAd0snsRMEgZCc
VWKa+ZsdIv9SvPZScKQCKlLVS/h3msWP2Qa98CsddxBKkE00hgGdI4pbW9pFyaja
4m2vVTri+9cduPihgAitggoougBr9BTdmyM5IZW0qO5MEuEQDDJPcTRHrnW4f8g3
fvDeMgFQ89bW2yif3SUKkCPMLE0yitQAAGca9ZaW6O+XM+ClTYwRmX7O4Oz5f+I=
-----END ENCRYPTED PRIVATE KEY-----
)";

TEST(TlsContext, names_encrypted_key) {
  const test::Identity identity = authority().issue({.names = {"server"}});
  const auto context = make_server_context(
      {.certificate_pem = identity.certificate_pem, .key_pem = kEncryptedKey, .client_ca_pem = {}});
  ASSERT_FALSE(context);
  EXPECT_EQ(context.error().reason, Reason::configuration);
  EXPECT_THAT(context.error().message,
              testing::EndsWith("key: is encrypted; expected one without a password"));
}

CO_TEST(TlsStream, is_quiet_until_peer_sends) {
  TlsOverPipes network(loop);
  TaskGroup group(loop.executor());
  std::unique_ptr<Stream> server;
  group.spawn("server", [](TlsOverPipes& n, std::unique_ptr<Stream>& s) -> Task<> {
    auto accepted = co_await n.accept();
    s = std::move(*accepted);
    char buffer[10];
    co_await s->read_some(buffer, {});
  }(network, server));
  const auto client = co_await network.connect(kOrigin, {});
  co_await (*client)->write("x", {});
  co_await group.join();
  EXPECT_TRUE((*client)->is_quiet());
  co_await server->shutdown_send({});
  EXPECT_FALSE((*client)->is_quiet());
}

CO_TEST(TlsStream, continues_after_releasing_memory) {
  TlsOverPipes network(loop);
  TaskGroup servers(loop.executor());
  servers.spawn("server", serve(network, loop.time(), {}, echo(), {}));
  const auto client = co_await network.connect(kOrigin, {});
  for (int time = 0; time < 2; ++time) {
    co_await (*client)->write("GET /a HTTP/1.1\r\nHost: x\r\n\r\n", {});
    std::string answer;
    char buffer[7];  // so that part of a record is left, which must not be lost
    while (!answer.ends_with("/a")) {
      const auto read = co_await (*client)->read_some(buffer, {});
      CO_ASSERT_TRUE(read && *read > 0);
      answer.append(buffer, *read);
      (*client)->trim();
    }
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200"));
  }
  servers.cancel();
  co_await servers.join();
}

CO_TEST(TlsStream, ends_when_cancelled_during_handshake) {
  bool has_ended_by_itself = false;
  for (int steps = 0; !has_ended_by_itself; ++steps) {
    TlsOverPipes network(loop, 300);
    TaskGroup servers(loop.executor());
    servers.spawn("server", serve(network, loop.time(), {}, echo(), {}));
    TaskGroup group(loop.executor());
    group.spawn("client", [](TlsOverPipes& n, bool& ended) -> Task<> {
      const auto stream = co_await n.connect(kOrigin, {});
      EXPECT_TRUE(stream);
      ended = true;
    }(network, has_ended_by_itself));
    for (int step = 0; step < steps; ++step) co_await runtime::yield();
    group.cancel();
    co_await group.join();
    servers.cancel();
    co_await servers.join();
    CO_ASSERT_TRUE(steps < 1000);
  }
}

}  // namespace
}  // namespace dcm::http
