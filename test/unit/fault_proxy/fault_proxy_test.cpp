// The proxy between a client and a server, over pipes and on virtual time.
#include "test/support/fault_proxy.hpp"

#include "test/unit/fault_proxy/site.hpp"

namespace dcm::support {
namespace {

using http::Method;
using runtime::Reason;
using runtime::Task;

CO_TEST(FaultProxy, passes_and_records_requests_without_rules) {
  Site site(loop);
  const auto response = co_await site.send(Method::post, "/a?b=c", "hello");
  CO_ASSERT_TRUE(response);
  EXPECT_EQ(response->body, "/prefix/a?b=c");
  EXPECT_EQ(response->headers.find("Content-Type"), "application/json");
  EXPECT_EQ(site.seen.at(0).body, "hello");
  CO_ASSERT_EQ(site.proxy.records().size(), 1U);
  EXPECT_EQ(site.proxy.records()[0].status, 200);
  EXPECT_EQ(site.proxy.records()[0].body, "hello");
  co_await site.stop();
}

struct Row {
  const char* what;
  Fault fault;
  std::size_t reach_server;
  std::uint16_t status;  // 0: the connection was closed
};

CO_TEST(FaultProxy, shows_fault_to_client_and_server) {
  for (const Row& row : {
           Row{"reset", {.kind = FaultKind::reset}, 0, 0},
           Row{"the answer is dropped", {.kind = FaultKind::drop_answer}, 1, 0},
           Row{"the answer is cut", {.kind = FaultKind::cut_answer, .bytes = 3}, 1, 0},
           Row{"another answer", {.kind = FaultKind::answer, .answer = {.status = 503}}, 0, 503},
       }) {
    Site site(loop);
    site.proxy.add_rule({.fault = row.fault});
    const auto spoiled = co_await site.send(Method::post, "/a");
    EXPECT_EQ(site.seen.size(), row.reach_server) << row.what;
    EXPECT_EQ(spoiled ? spoiled->status : 0, row.status) << row.what;
    if (!spoiled) EXPECT_EQ(spoiled.error().reason, Reason::disconnected) << row.what;
    const auto next = co_await site.send(Method::post, "/a");
    EXPECT_TRUE(next) << row.what;
    co_await site.stop();
  }
}

CO_TEST(FaultProxy, answers_with_headers_and_body_of_rule) {
  Site site(loop);
  site.proxy.add_rule(
      {.fault = {.kind = FaultKind::answer,
                 .answer = {.status = 429, .headers = {{"Retry-After", "7"}}, .body = "later"}}});
  const auto response = co_await site.send(Method::get, "/a");
  CO_ASSERT_TRUE(response);
  EXPECT_EQ(response->headers.find("Retry-After"), "7");
  EXPECT_EQ(response->body, "later");
  co_await site.stop();
}

struct HoldRow {
  const char* what;
  FaultKind kind;
  FaultProxy::Release release;
  std::size_t reach_server_held, reach_server_released;
  bool is_answered;
};

CO_TEST(FaultProxy, holds_request_until_released) {
  using enum FaultProxy::Release;
  for (const HoldRow& row : {
           HoldRow{"before the server, then passed", FaultKind::hold, pass, 0, 1, true},
           HoldRow{"before the server, then lost", FaultKind::hold, lose, 0, 0, false},
           HoldRow{"after the server, then passed", FaultKind::hold_answer, pass, 1, 1, true},
           HoldRow{"after the server, then lost", FaultKind::hold_answer, lose, 1, 1, false},
       }) {
    Site site(loop);
    const std::size_t rule = site.proxy.add_rule({.fault = {.kind = row.kind}});
    std::optional<bool> answered;
    runtime::TaskGroup group(loop.executor());
    group.spawn("held", [](Site& s, std::optional<bool>& result) -> Task<> {
      const auto response = co_await s.send(Method::post, "/a");
      result = response.has_value();
    }(site, answered));
    co_await runtime::sleep_for(loop.time(), std::chrono::seconds(1));
    EXPECT_EQ(site.proxy.state(rule).held, 1U) << row.what;
    EXPECT_EQ(site.seen.size(), row.reach_server_held) << row.what;
    EXPECT_FALSE(answered) << row.what;
    site.proxy.release(rule, row.release);
    co_await group.join();
    EXPECT_EQ(answered, row.is_answered) << row.what;
    EXPECT_EQ(site.seen.size(), row.reach_server_released) << row.what;
    EXPECT_EQ(site.proxy.state(rule).held, 0U) << row.what;
    co_await site.stop();
  }
}

CO_TEST(FaultProxy, passes_watch_event_by_event) {
  Site site(loop);
  const auto watch = co_await site.client->open({Method::get, "/pods?watch=1", {}, {}}, {});
  CO_ASSERT_TRUE(watch);
  const std::string all = co_await site.read_watch(**watch);
  EXPECT_EQ(all, "{\"n\":1}\n{\"n\":2}\n");
  co_await site.stop();
}

struct WatchRow {
  const char* what;
  void (*act)(WatchRelay&);
  const char* arrives;
};

CO_TEST(FaultProxy, disturbs_open_watch) {
  for (const WatchRow& row : {
           WatchRow{"cut", [](WatchRelay& w) { w.cut(); }, "{\"n\":1}\n{\"n\":2}\n…"},
           WatchRow{"an event is put in", [](WatchRelay& w) { w.inject("{}"); },
                    "{\"n\":1}\n{\"n\":2}\n{}\n"},
           WatchRow{"stalled and resumed",
                    [](WatchRelay& w) {
                      w.stall();
                      w.inject("{}");
                      w.resume();
                    },
                    "{\"n\":1}\n{\"n\":2}\n{}\n"},
       }) {
    Site site(loop);
    const auto watch = co_await site.client->open({Method::get, "/pods?watch=1", {}, {}}, {});
    CO_ASSERT_TRUE(watch);
    co_await runtime::sleep_for(loop.time(), std::chrono::seconds(1));
    EXPECT_EQ(site.proxy.each_watch("/slices", row.act), 0U) << row.what;
    EXPECT_EQ(site.proxy.each_watch("/pods", row.act), 1U) << row.what;
    const std::string all = co_await site.read_watch(**watch);
    EXPECT_EQ(all, row.arrives) << row.what;
    co_await site.stop();
  }
}

CO_TEST(FaultProxy, stalls_watch_until_resumed) {
  Site site(loop);
  const auto watch = co_await site.client->open({Method::get, "/pods?watch=1", {}, {}}, {});
  CO_ASSERT_TRUE(watch);
  const auto first = co_await (*watch)->read_some({});
  CO_ASSERT_TRUE(first);
  site.proxy.each_watch("", [](WatchRelay& w) {
    w.stall();
    w.inject("{}");
  });
  const auto nothing =
      co_await (*watch)->read_some(runtime::Deadline::after(loop.time(), std::chrono::minutes(10)));
  CO_ASSERT_TRUE(!nothing);
  EXPECT_EQ(nothing.error().reason, Reason::deadline_exceeded);
  co_await site.stop();
}

CO_TEST(FaultProxy, cuts_watch_within_event) {
  Site site(loop);
  site.proxy.add_rule({.fault = {.kind = FaultKind::cut_answer, .bytes = 10}});
  const auto watch = co_await site.client->open({Method::get, "/pods?watch=1", {}, {}}, {});
  CO_ASSERT_TRUE(watch);
  const std::string all = co_await site.read_watch(**watch);
  EXPECT_EQ(all, "{\"n\":1}\n{\"…");
  co_await site.stop();
}

CO_TEST(FaultProxy, refuses_watch_by_answer) {
  Site site(loop);
  site.proxy.add_rule({.fault = {.kind = FaultKind::answer, .answer = {.status = 410}}});
  const auto watch = co_await site.client->open({Method::get, "/pods?watch=1", {}, {}}, {});
  CO_ASSERT_TRUE(watch);
  EXPECT_EQ((*watch)->status(), 410);
  co_await site.stop();
}

CO_TEST(FaultProxy, closes_connections_when_server_is_gone) {
  Site site(loop, "nobody-listens-here");
  const auto response = co_await site.send(Method::post, "/a");
  CO_ASSERT_TRUE(!response);
  EXPECT_EQ(response.error().reason, Reason::disconnected);
  co_await site.stop();
}

}  // namespace
}  // namespace dcm::support
