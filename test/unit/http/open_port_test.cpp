#include "runtime/http/open_port.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/http/client.hpp"
#include "runtime/http/pipe.hpp"
#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"

namespace dcm::http {
namespace {

constexpr std::string_view kLoopback = "127.0.0.1:6443";
constexpr std::string_view kAnywhere = "0.0.0.0:8080";

std::uint16_t status_of(Request request, std::string_view address,
                        std::vector<std::string> accept_hosts = {}) {
  const auto refusal = check_open_port(request, {std::string(address), std::move(accept_hosts)});
  return refusal ? refusal->status : 0;
}

Request from(std::string host, Method method = Method::get) {
  return {.method = method, .target = "/", .headers = {{"Host", std::move(host)}}, .body = {}};
}

TEST(CheckOpenPort, accepts_only_loopback_hosts_on_loopback) {
  for (const auto* host : {"localhost", "LocalHost:6443", "127.0.0.1:6443", "127.0.0.1",
                           "127.1.2.3", "[::1]:6443", "[::1]"}) {
    EXPECT_EQ(status_of(from(host), kLoopback), 0) << host;
  }
  for (const auto* host :
       {"", "evil.example", "evil.example:6443", "10.0.0.1:6443", "127.0.0.1.evil.example",
        "localhost.evil.example", "[::2]", "[::1", "127.0.0.1@evil.example", "::1:6443", "*"}) {
    for (const Method method : {Method::get, Method::post, Method::delete_}) {
      EXPECT_EQ(status_of(from(host, method), kLoopback), 403) << host;
    }
  }
}

TEST(CheckOpenPort, accepts_any_address_but_no_name_elsewhere) {
  for (const auto* host : {"10.0.0.1:8080", "[fd00::7]:8080", "localhost:8080"}) {
    EXPECT_EQ(status_of(from(host), kAnywhere), 0) << host;
  }
  EXPECT_EQ(status_of(from("manager.kube-system.svc:8080"), kAnywhere), 403);
}

TEST(CheckOpenPort, accepts_configured_hosts) {
  EXPECT_EQ(status_of(from("dev.example:80"), kLoopback, {"dev.example"}), 0);
  EXPECT_EQ(status_of(from("DEV.example"), kLoopback, {"dev.example:80"}), 0);
  EXPECT_EQ(status_of(from("a.dev.example"), kLoopback, {"*.dev.example"}), 0);
  EXPECT_EQ(status_of(from("a.dev.example"), kLoopback, {"dev.example"}), 403);
  EXPECT_EQ(status_of(from("evildev.example"), kLoopback, {"*.dev.example"}), 403);
  EXPECT_EQ(status_of(from("whatever"), kLoopback, {"*"}), 0);
}

TEST(IsAcceptedHost, knows_names_and_addresses) {
  for (const char* host : {"dev", "dev.example", "*.dev.example", "dev.example:80", "10.0.0.1",
                           "10.0.0.1:80", "fd00::7", "[fd00::7]", "[fd00::7]:80"}) {
    EXPECT_TRUE(is_accepted_host(host)) << host;
  }
  for (const char* host : {"", "*", "*.", "a b", "http://x", "a:", "a:b", "[a]", "[fd00::7", "a/b",
                           "a.*", "[fd00::7]x"}) {
    EXPECT_FALSE(is_accepted_host(host)) << host;
  }
}

struct BrowserRow {
  const char* sentence;
  Method method;
  Headers headers;
  std::string body;
  std::uint16_t status;
};

TEST(CheckOpenPort, rejects_requests_of_foreign_pages) {
  const auto own = std::pair<std::string, std::string>{"Host", "127.0.0.1:6443"};
  const BrowserRow rows[] = {
      {"the own page",
       Method::post,
       {own, {"Origin", "http://127.0.0.1:6443"}, {"Content-Type", "application/json"}},
       "{}",
       0},
      {"another page",
       Method::post,
       {own, {"Origin", "https://evil.example"}, {"Content-Type", "application/json"}},
       "{}",
       403},
      {"another program's page on this machine",
       Method::delete_,
       {own, {"Origin", "http://127.0.0.1:3000"}},
       "",
       403},
      {"a page without an origin", Method::post, {own, {"Origin", "null"}}, "{}", 403},
      {"a reading page", Method::get, {own, {"Origin", "https://evil.example"}}, "", 403},
      {"a form",
       Method::post,
       {own, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "navigate"}},
       "",
       403},
      {"an image",
       Method::get,
       {own, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "no-cors"}},
       "",
       403},
      {"a link",
       Method::get,
       {own, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "navigate"}},
       "",
       0},
      {"an address that was typed", Method::get, {own, {"Sec-Fetch-Site", "none"}}, "", 0},
      {"a body of no type from a browser",
       Method::post,
       {own, {"Origin", "http://127.0.0.1:6443"}},
       "{}",
       415},
      {"the same from an old browser",
       Method::post,
       {own, {"User-Agent", "Mozilla/5.0"}},
       "{}",
       415},
      {"a body of no type from another program",
       Method::post,
       {own, {"User-Agent", "curl/8"}},
       "{}",
       0},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(
        status_of({.method = row.method, .target = "/", .headers = row.headers, .body = row.body},
                  kLoopback),
        row.status)
        << row.sentence;
  }
}

TEST(CheckOpenPort, accepts_pages_of_configured_hosts) {
  const Request request{.method = Method::get,
                        .target = "/",
                        .headers = {{"Host", "127.0.0.1"}, {"Origin", "https://dev.example"}},
                        .body = {}};
  EXPECT_EQ(status_of(request, kLoopback), 403);
  EXPECT_EQ(status_of(request, kLoopback, {"dev.example"}), 0);
}

TEST(CheckOpenPort, shows_bad_host_on_one_line) {
  const auto refusal = check_open_port(from("a\x1b[2J" + std::string(5000, 'x')), {"127.0.0.1:1"});
  EXPECT_EQ(refusal->why.find('\x1b'), std::string::npos);
  EXPECT_LT(refusal->why.size(), 300U);
}

Task<> answer(Responder& responder) {
  [[maybe_unused]] const auto sent =
      co_await responder.send({.status = 200, .headers = {}, .body = "secret"});
}

CO_TEST(ServeOpen, keeps_foreign_requests_from_handler) {
  PipeNetwork network(loop.time());
  const auto listener = network.listen("evil.example", 80);
  const auto client =
      make_client(network, loop.time(), {.origin = {Security::plain, "evil.example", 80}});
  runtime::TaskGroup group(loop.executor());
  group.spawn("serve",
              serve_open(*listener, loop.time(), {}, {},
                         [](Request, Responder& responder) { return answer(responder); }, {}));
  const auto refused =
      co_await client->send({.method = Method::get, .target = "/", .headers = {}, .body = {}}, {});
  CO_ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 403);
  EXPECT_THAT(refused->body, testing::HasSubstr("Host \"evil.example:80\""));
  client->close_idle();
  group.cancel();
  co_await group.join();
}

}  // namespace
}  // namespace dcm::http
