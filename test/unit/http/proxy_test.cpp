// The tunnel through a proxy, over pipes and on virtual time. tcp_test.cpp has it with TLS inside.
#include "runtime/http/proxy.hpp"

#include <gmock/gmock.h>

#include "runtime/http/pipe.hpp"
#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"

namespace dcm::http {
namespace {

using namespace std::chrono_literals;
using runtime::Reason;
using testing::HasSubstr;

// The result of a client and a proxy that answers with `answer`, in pieces of this size.
struct Outcome {
  std::string asked;
  Result<> opened;
};

Task<> play_proxy(Listener& listener, std::string answer, std::size_t piece, std::string& asked) {
  Result<std::unique_ptr<Stream>> stream = co_await listener.accept();
  CO_ASSERT_TRUE(stream);
  while (!asked.ends_with("\r\n\r\n")) {
    std::array<char, 256> buffer{};
    const Result<std::size_t> size = co_await (*stream)->read_some(buffer, Deadline());
    if (!size || *size == 0) co_return;
    asked.append(buffer.data(), *size);
  }
  for (std::size_t sent = 0; sent < answer.size(); sent += piece) {
    const Result<> written = co_await (*stream)->write(answer.substr(sent, piece), Deadline());
    if (!written) co_return;
  }
  if (answer.empty()) co_await (*stream)->shutdown_send(Deadline());
  std::array<char, 1> rest{};
  co_await (*stream)->read_some(rest, Deadline());
}

Task<> ask(runtime::VirtualLoop& loop, std::string answer, std::size_t piece, Proxy proxy,
           Outcome& outcome) {
  PipeNetwork network(loop.time());
  const auto listener = network.listen("proxy", 3128);
  runtime::TaskGroup group(loop.executor());
  group.spawn("proxy", play_proxy(*listener, std::move(answer), piece, outcome.asked));
  {
    Result<std::unique_ptr<Stream>> stream =
        co_await network.connect({Security::plain, "proxy", 3128}, Deadline());
    CO_ASSERT_TRUE(stream);
    outcome.opened = co_await open_tunnel(**stream, proxy, {Security::tls, "api.example", 6443},
                                          Deadline::after(loop.time(), 10s));
  }
  group.cancel();
  co_await group.join();
}

Outcome ask(std::string answer, std::size_t piece = 1000, Proxy proxy = {}) {
  runtime::VirtualLoop loop;
  Outcome outcome;
  loop.run(ask(loop, std::move(answer), piece, std::move(proxy), outcome));
  return outcome;
}

TEST(OpenTunnel, requests_host_and_port) {
  const Outcome outcome = ask("HTTP/1.1 200 Connection established\r\n\r\n");
  EXPECT_TRUE(outcome.opened);
  EXPECT_EQ(outcome.asked, "CONNECT api.example:6443 HTTP/1.1\r\nHost: api.example:6443\r\n\r\n");
}

TEST(OpenTunnel, authenticates_if_configured) {
  const Outcome outcome =
      ask("HTTP/1.1 200 OK\r\n\r\n", 1000, {.endpoint = {}, .authorization = "Basic YTpi"});
  EXPECT_THAT(outcome.asked, HasSubstr("\r\nProxy-Authorization: Basic YTpi\r\n"));
}

struct Row {
  const char* name;
  const char* answer;
  std::optional<Reason> reason;
  const char* message;
};

TEST(OpenTunnel, accepts_only_2xx) {
  for (const Row& row : {
           Row{"200", "HTTP/1.1 200 OK\r\nVia: squid\r\n\r\n", {}, ""},
           Row{"a length that means nothing",
               "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
               {},
               ""},
           Row{"an old proxy", "HTTP/1.0 200 OK\r\n\r\n", {}, ""},
           Row{"forbidden", "HTTP/1.1 403 Forbidden\r\nContent-Length: 5\r\n\r\nsorry",
               Reason::unreachable, "status 403"},
           Row{"no credentials", "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
               Reason::unreachable, "(407)"},
           Row{"a redirect", "HTTP/1.1 302 Found\r\n\r\n", Reason::unreachable, "status 302"},
           Row{"bytes too early", "HTTP/1.1 200 OK\r\n\r\nhello", Reason::malformed, "after"},
           Row{"no HTTP", "SSH-2.0-OpenSSH_9.2\r\n\r\n", Reason::malformed, ""},
           Row{"the end", "", Reason::disconnected, "closed"},
           Row{"half an answer, then silence", "HTTP/1.1 200 OK\r\n", Reason::deadline_exceeded,
               ""},
       }) {
    for (const std::size_t piece : {1U, 1000U}) {
      if (piece == 1 && row.reason == Reason::malformed) continue;  // the tunnel is open before
      const Outcome outcome = ask(row.answer, piece);
      EXPECT_EQ(outcome.opened.has_value(), !row.reason) << row.name;
      if (outcome.opened || !row.reason) continue;
      EXPECT_EQ(outcome.opened.error().reason, *row.reason) << row.name;
      EXPECT_THAT(outcome.opened.error().message, HasSubstr(row.message)) << row.name;
    }
  }
}

TEST(OpenTunnel, cuts_off_endless_answer) {
  const Outcome outcome = ask("HTTP/1.1 200 OK\r\nX: " + std::string(100'000, 'x'));
  ASSERT_FALSE(outcome.opened);
  EXPECT_EQ(outcome.opened.error().reason, Reason::malformed);
}

// Plays a SOCKS proxy: answers each complete message with the next answer of the script, in pieces
// of this size. Bytes after the handshake are echoed.
struct SocksTurn {
  std::size_t reads;
  std::string answers;
};

Task<> play_socks(Listener& listener, std::vector<SocksTurn> turns, std::size_t piece,
                  std::string& asked) {
  Result<std::unique_ptr<Stream>> stream = co_await listener.accept();
  CO_ASSERT_TRUE(stream);
  std::array<char, 1> byte{};
  for (const SocksTurn& turn : turns) {
    for (std::size_t read = 0; read < turn.reads; ++read) {
      const Result<std::size_t> size = co_await (*stream)->read_some(byte, Deadline());
      if (!size || *size == 0) co_return;
      asked += byte[0];
    }
    for (std::size_t sent = 0; sent < turn.answers.size(); sent += piece) {
      const Result<> written =
          co_await (*stream)->write(turn.answers.substr(sent, piece), Deadline());
      if (!written) co_return;
    }
  }
  co_await (*stream)->read_some(byte, Deadline());
}

struct SocksOutcome {
  std::string asked;
  Result<> opened;
  std::string first_bytes;  // of the tunnel
};

Task<> ask_socks(runtime::VirtualLoop& loop, std::vector<SocksTurn> turns, std::size_t piece,
                 Proxy proxy, SocksOutcome& outcome) {
  PipeNetwork network(loop.time());
  const auto listener = network.listen("proxy", 1080);
  runtime::TaskGroup group(loop.executor());
  group.spawn("proxy", play_socks(*listener, std::move(turns), piece, outcome.asked));
  {
    Result<std::unique_ptr<Stream>> stream =
        co_await network.connect({Security::plain, "proxy", 1080}, Deadline());
    CO_ASSERT_TRUE(stream);
    const Deadline deadline = Deadline::after(loop.time(), 10s);
    outcome.opened =
        co_await open_tunnel(**stream, proxy, {Security::tls, "api.example", 6443}, deadline);
    std::array<char, 64> buffer{};
    if (outcome.opened && (*stream)->is_quiet() == false) {
      const Result<std::size_t> size = co_await (*stream)->read_some(buffer, deadline);
      if (size) outcome.first_bytes.assign(buffer.data(), *size);
    }
  }
  group.cancel();
  co_await group.join();
}

SocksOutcome ask_socks(std::vector<SocksTurn> turns, std::size_t piece = 1000,
                       std::optional<UrlUser> user = {}) {
  runtime::VirtualLoop loop;
  SocksOutcome outcome;
  const Proxy proxy{
      .endpoint = {}, .protocol = ProxyProtocol::socks5, .socks5_user = std::move(user)};
  loop.run(ask_socks(loop, std::move(turns), piece, proxy, outcome));
  return outcome;
}

const std::string kSocksConnected("\x05\0\0\x01\x0a\0\0\x01\x04\x38", 10);
const std::string kSocksNoAuthentication("\x05\0", 2);
constexpr std::size_t kSocksConnectBytes = 4 + 1 + 11 + 2;  // to api.example

TEST(OpenTunnel, leaves_name_resolution_to_socks5_proxy) {
  for (const std::size_t piece : {1U, 1000U}) {
    const SocksOutcome outcome =
        ask_socks({{3, kSocksNoAuthentication}, {kSocksConnectBytes, kSocksConnected}}, piece);
    EXPECT_TRUE(outcome.opened) << outcome.opened.error().message;
    EXPECT_EQ(outcome.asked, std::string("\x05\x01\0"
                                         "\x05\x01\0\x03\x0b"
                                         "api.example\x19\x2b",
                                         21));
  }
}

TEST(OpenTunnel, authenticates_to_socks5_proxy_on_demand) {
  const SocksOutcome outcome = ask_socks(
      {{4, "\x05\x02"}, {11, std::string("\x01\0", 2)}, {kSocksConnectBytes, kSocksConnected}},
      1000, UrlUser{"ada", "secret"});
  EXPECT_TRUE(outcome.opened) << outcome.opened.error().message;
  EXPECT_THAT(outcome.asked, HasSubstr("\x01\x03"
                                       "ada\x06secret"));
}

// Bytes that a hasty proxy sends after its answer belong to the tunnel, and stay in it.
TEST(OpenTunnel, consumes_no_tunnel_byte_with_socks5) {
  const SocksOutcome outcome =
      ask_socks({{3, kSocksNoAuthentication}, {kSocksConnectBytes, kSocksConnected + "hello"}});
  EXPECT_TRUE(outcome.opened);
  EXPECT_EQ(outcome.first_bytes, "hello");
}

TEST(OpenTunnel, gives_up_silent_socks5_proxy) {
  EXPECT_EQ(ask_socks({{3, "\x05"}}).opened.error().reason, Reason::deadline_exceeded);
  EXPECT_EQ(ask_socks({{3, "HTTP/1.1 400 Bad Request\r\n\r\n"}}).opened.error().reason,
            Reason::malformed);
}

}  // namespace
}  // namespace dcm::http
