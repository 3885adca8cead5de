// The client against servers that answer strangely, late, or not at all.
#include "runtime/http/client.hpp"

#include <gmock/gmock.h>

#include "runtime/condition.hpp"
#include "test/support/gzip.hpp"
#include "test/unit/http/http_site.hpp"

namespace dcm::http {
namespace {

using testing::HasSubstr;
using Then = Scripted::Then;

std::string answer(std::string_view body, std::string_view fields = "") {
  return "HTTP/1.1 200 OK\r\n" + std::string(fields) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

std::string chunked(const std::vector<std::string>& chunks, std::string_view fields = "") {
  std::string bytes = "HTTP/1.1 200 OK\r\n" + std::string(fields);
  bytes += "Transfer-Encoding: chunked\r\n\r\n";
  for (const auto& chunk : chunks) {
    char size[20];
    std::snprintf(size, sizeof size, "%zx\r\n", chunk.size());
    bytes += size + chunk + "\r\n";
  }
  return bytes + "0\r\n\r\n";
}

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

constexpr std::string_view kGzip = "Content-Encoding: gzip\r\n";

// ---- answers
// --------------------------------------------------------------------------------------

struct Answer {
  std::string what;
  Scripted scripted;
  std::string body;
};

std::vector<Answer> good_answers() {
  return {
      {"a length", {answer("hello")}, "hello"},
      {"chunks", {chunked({"hel", "lo"})}, "hello"},
      {"up to the end", {"HTTP/1.1 200 OK\r\n\r\nhello", Then::close}, "hello"},
      {"after interim answers",
       {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" +
        answer("hello")},
       "hello"},
      {"gzip with a length", {answer(test::gzip("hello"), kGzip)}, "hello"},
      {"gzip in members, one a chunk",
       {chunked({test::gzip("hel"), test::gzip("lo")}, kGzip)},
       "hello"},
      {"gzip of nothing", {answer("", kGzip)}, ""},
      {"identity", {answer("hello", "Content-Encoding: identity\r\n")}, "hello"},
  };
}

CO_TEST(HttpClient, reads_answers_however_split) {
  for (const auto& row : good_answers()) {
    for (const std::size_t piece : {1U, 2U, 3U, 10U, 100'000U}) {
      SCOPED_TRACE(row.what + ", pieces of " + std::to_string(piece));
      Scripted scripted = row.scripted;
      scripted.piece_bytes = piece;
      ScriptedSite site(loop, {scripted});
      const auto response = co_await site.client->send(get("/"), {});
      EXPECT_TRUE(response) << to_string(response.error());
      if (response) EXPECT_EQ(response->body, row.body);
      co_await site.stop();
    }
  }
}

CO_TEST(HttpClient, reads_same_answers_as_stream) {
  for (const auto& row : good_answers()) {
    for (const std::size_t piece : {1U, 7U, 100'000U}) {
      SCOPED_TRACE(row.what + ", pieces of " + std::to_string(piece));
      Scripted scripted = row.scripted;
      scripted.piece_bytes = piece;
      ScriptedSite site(loop, {scripted});
      const auto stream = co_await site.client->open(get("/"), {});
      CO_ASSERT_TRUE(stream);
      std::string body;
      while (true) {
        const auto more = co_await (*stream)->read_some({});
        CO_ASSERT_TRUE(more);
        if (more->empty()) break;
        body.append(*more);
      }
      EXPECT_EQ(body, row.body);
      co_await site.stop();
    }
  }
}

// 16 KB on the wire; all of it is there before the client reads.
CO_TEST(HttpClient, yields_while_inflating_bomb) {
  constexpr std::size_t kBytes = 16 * 1024 * 1024;
  ScriptedSite site(loop, {{answer(test::gzip(std::string(kBytes, 'x')), kGzip)}});
  std::size_t turns = 0;
  TaskGroup group(loop.executor());
  group.spawn("other", [](std::size_t& count) -> Task<> {
    while (true) {
      co_await runtime::yield();
      ++count;
    }
  }(turns));
  const auto response =
      co_await site.client->send(get("/"), {.deadline = {}, .body_bytes_max = kBytes});
  CO_ASSERT_TRUE(response);
  EXPECT_EQ(response->body.size(), kBytes);
  EXPECT_GE(turns, kBytes / (256 * 1024) - 1);
  group.cancel();
  co_await group.join();
  co_await site.stop();
}

CO_TEST(HttpClient, delivers_each_gzip_member_on_arrival) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n";
  ScriptedSite site(loop, {{head + test::gzip("event 1\n"), Then::stall}});
  const auto stream = co_await site.client->open(get("/watch"), {});
  CO_ASSERT_TRUE(stream);
  const auto first = co_await (*stream)->read_some({});
  CO_ASSERT_TRUE(first);
  EXPECT_EQ(*first, "event 1\n");
  const Deadline deadline = Deadline::after(loop.time(), 5s);
  const auto second = co_await (*stream)->read_some(deadline);
  EXPECT_EQ(second.error().reason, Reason::deadline_exceeded);
  co_await site.stop();
}

CO_TEST(HttpClient, expects_no_body_for_head) {
  ScriptedSite site(loop, {{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"}, {answer("next")}});
  const auto head = co_await site.client->send(make_request(Method::head, "/"), {});
  CO_ASSERT_TRUE(head);
  EXPECT_EQ(head->body, "");
  const auto next = co_await site.client->send(get("/"), {});
  CO_ASSERT_TRUE(next);
  EXPECT_EQ(next->body, "next");
  EXPECT_EQ(site.connections, 1);
  co_await site.stop();
}

CO_TEST(HttpClient, reports_truncated_answer_as_disconnected) {
  const std::string rows[] = {answer("hello"), chunked({"hel", "lo"}),
                              chunked({test::gzip("hello")}, kGzip)};
  for (const auto& whole : rows) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      ScriptedSite site(loop, {{whole.substr(0, size), Then::close}});
      const auto response = co_await site.client->send(get("/"), {});
      CO_ASSERT_TRUE(!response);
      EXPECT_EQ(response.error().reason, Reason::disconnected) << response.error().message;
      EXPECT_EQ(site.requests.size(), 1U) << "a fresh connection is no stale one";
      co_await site.stop();
    }
  }
}

struct BadAnswer {
  std::string what;
  std::string bytes;
  Reason reason;
  std::string part;
};

CO_TEST(HttpClient, rejects_bad_answers_by_name_and_drops_connection) {
  const BadAnswer rows[] = {
      {"no HTTP", "hello there\r\n\r\n", Reason::malformed, "at byte"},
      {"2 GB", "HTTP/1.1 200 OK\r\nContent-Length: 2147483648\r\n\r\nx", Reason::body_too_large,
       "body limit"},
      {"too many chunks", chunked({std::string(600, 'x'), std::string(600, 'x')}),
       Reason::body_too_large, "body limit"},
      {"a bomb", answer(test::gzip(std::string(100'000, 'x')), kGzip), Reason::body_too_large,
       "exceeds 1000 bytes"},
      {"no gzip", answer("hello", kGzip), Reason::malformed, "gzip is broken at byte"},
      {"half a gzip", answer(test::gzip("hello").substr(0, 15), kGzip), Reason::malformed,
       "middle of its gzip"},
      {"another encoding", answer("x", "Content-Encoding: br\r\n"), Reason::malformed, "\"br\""},
      {"another protocol", "HTTP/1.1 101 Switching Protocols\r\n\r\n", Reason::malformed, "101"},
      {"interim answers without end", repeated("HTTP/1.1 100 Continue\r\n\r\n", 50),
       Reason::malformed, "unexpected answer 100"},
      {"a head without end", "HTTP/1.1 200 OK\r\nA: " + std::string(70'000, 'x'), Reason::malformed,
       "header limit"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.what);
    ScriptedSite site(loop, {{row.bytes}, {answer("next")}});
    const ExchangeLimits limits{.deadline = {}, .body_bytes_max = 1000};
    const auto response = co_await site.client->send(get("/api"), limits);
    CO_ASSERT_TRUE(!response);
    EXPECT_EQ(response.error().reason, row.reason) << response.error().message;
    EXPECT_THAT(response.error().message, HasSubstr("GET http://server:80/api: "));
    EXPECT_THAT(response.error().message, HasSubstr(row.part));
    const auto next = co_await site.client->send(get("/"), limits);
    EXPECT_TRUE(next);
    EXPECT_EQ(site.connections, 2);
    co_await site.stop();
  }
}

CO_TEST(HttpClient, accepts_answer_before_request_was_read) {
  PipeNetwork network(loop.time(), 1000);
  const auto listener = network.listen(kOrigin.host, kOrigin.port);
  TaskGroup group(loop.executor());
  group.spawn("server", [](Listener& l) -> Task<> {
    const auto stream = co_await l.accept();
    char buffer[10];
    co_await (*stream)->read_some(buffer, {});
    co_await (*stream)->write("HTTP/1.1 413 \r\nContent-Length: 0\r\n\r\n", {});
  }(*listener));
  const auto client = make_client(network, loop.time(), {.origin = kOrigin});
  const auto response =
      co_await client->send(make_request(Method::put, "/", std::string(10'000, 'x')), {});
  CO_ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 413);
  co_await group.join();
}

CO_TEST(HttpClient, rejects_token_with_line_break_without_showing_it) {
  ScriptedSite site(loop, {});
  Request request = get("/");
  request.headers.add("Authorization", "Bearer secret\nX: y");
  const auto response = co_await site.client->send(request, {});
  EXPECT_EQ(response.error().reason, Reason::configuration);
  EXPECT_THAT(response.error().message, HasSubstr("Authorization"));
  EXPECT_THAT(response.error().message, testing::Not(HasSubstr("secret")));
  EXPECT_EQ(site.connections, 0);
  co_await site.stop();
}

// ---- deadlines
// ------------------------------------------------------------------------------------

CO_TEST(HttpClient, leaves_stalling_server_at_deadline) {
  const std::string whole = chunked({"hel", "lo"});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ScriptedSite site(loop, {{whole.substr(0, size), Then::stall}, {answer("next")}});
    const auto start = loop.time().now();
    const auto response = co_await site.client->send(get("/"), {.deadline = Deadline(start + 7s)});
    CO_ASSERT_TRUE(!response);
    EXPECT_EQ(response.error().reason, Reason::deadline_exceeded);
    EXPECT_EQ(loop.time().now() - start, 7s);
    const auto next = co_await site.client->send(get("/"), {});
    EXPECT_TRUE(next);
    EXPECT_EQ(site.connections, 2);
    co_await site.stop();
  }
}

CO_TEST(HttpClient, leaves_server_that_does_not_read_at_deadline) {
  PipeNetwork network(loop.time());
  const auto listener = network.listen(kOrigin.host, kOrigin.port);
  const auto client = make_client(network, loop.time(), {.origin = kOrigin});
  const auto start = loop.time().now();
  const auto response =
      co_await client->send(make_request(Method::post, "/", std::string(100'000, 'x')),
                            {.deadline = Deadline(start + 3s)});
  EXPECT_EQ(response.error().reason, Reason::deadline_exceeded);
  EXPECT_EQ(loop.time().now() - start, 3s);
}

// Connecting takes forever.
class NoRoute final : public Transport {
 public:
  explicit NoRoute(runtime::TimeSource& time) : time_(time) {}
  Task<Result<std::unique_ptr<Stream>>> connect(Endpoint, Deadline deadline) override {
    co_await runtime::sleep_until(time_, deadline.time());
    co_return runtime::fail(Reason::deadline_exceeded, "no answer");
  }

 private:
  runtime::TimeSource& time_;
};

CO_TEST(HttpClient, times_out_connecting_with_nothing_sent) {
  NoRoute transport(loop.time());
  const auto client = make_client(transport, loop.time(), {.origin = kOrigin});
  const auto start = loop.time().now();
  const auto own = co_await client->send(get("/"), {.deadline = Deadline(start + 1min)});
  EXPECT_EQ(own.error().reason, Reason::unreachable);
  EXPECT_EQ(loop.time().now() - start, 10s);
  const Deadline earlier = Deadline::after(loop.time(), 2s);
  const auto callers = co_await client->send(get("/"), {.deadline = earlier});
  EXPECT_EQ(callers.error().reason, Reason::deadline_exceeded);
  const auto stream = co_await client->open(get("/"), Deadline::after(loop.time(), 2s));
  EXPECT_EQ(stream.error().reason, Reason::deadline_exceeded);
}

// ---- the pool
// -------------------------------------------------------------------------------------

CO_TEST(HttpClient, reuses_connection_for_sequential_requests) {
  ScriptedSite site(loop, {{answer("a")}, {chunked({"b"})}, {answer("c")}});
  for (const std::string body : {"a", "b", "c"}) {
    const auto response = co_await site.client->send(post("/"), {});
    CO_ASSERT_TRUE(response);
    EXPECT_EQ(response->body, body);
  }
  EXPECT_EQ(site.connections, 1);
  co_await site.stop();
}

CO_TEST(HttpClient, closes_connection_on_server_request) {
  const std::string bytes = answer("a", "Connection: close\r\n");
  ScriptedSite site(loop, {{bytes}, {answer("b") + "left over"}, {answer("c")}});
  for (int i = 0; i < 3; ++i) {
    const auto response = co_await site.client->send(get("/"), {});
    EXPECT_TRUE(response);
  }
  EXPECT_EQ(site.connections, 3) << "nor is one used again that holds bytes nobody asked for";
  co_await site.stop();
}

CO_TEST(HttpClient, closes_idle_connection) {
  ScriptedSite site(loop, {{answer("a")}, {answer("b")}, {answer("c")}});
  co_await site.client->send(get("/"), {});
  co_await runtime::sleep_for(loop.time(), 89s);
  co_await site.client->send(get("/"), {});
  EXPECT_EQ(site.connections, 1);
  co_await runtime::sleep_for(loop.time(), 90s);
  co_await site.client->send(get("/"), {});
  EXPECT_EQ(site.connections, 2);
  co_await site.stop();
}

CO_TEST(HttpClient, retires_connections_in_use_after_close_idle) {
  ScriptedSite site(loop, {{answer("a")}, {answer("b")}});
  TaskGroup group(loop.executor());
  group.spawn("request", [](Client& client) -> Task<> {
    const auto response = co_await client.send(get("/"), {});
    EXPECT_TRUE(response);
  }(*site.client));
  while (site.requests.empty()) co_await runtime::yield();
  site.client->close_idle();
  co_await group.join();
  co_await site.client->send(get("/"), {});
  EXPECT_EQ(site.connections, 2);
  co_await site.stop();
}

// A handler that answers on command.
struct Gate {
  explicit Gate(VirtualLoop& loop) : opened(loop.time()) {}

  Handler handler() {
    return [this](Request request, Responder& responder) -> Task<> {
      arrived.push_back(request.target);
      most_at_once = std::max(most_at_once, ++at_once);
      co_await opened.wait();
      --at_once;
      co_await responder.send(ok(request.target));
    };
  }

  std::vector<std::string> arrived;
  std::size_t at_once = 0;
  std::size_t most_at_once = 0;
  runtime::Condition opened;
};

CO_TEST(HttpClient, bounds_pool_in_fifo_order) {
  Gate gate(loop);
  Site site(loop, gate.handler(), {}, {.origin = kOrigin, .connections_max = 3});
  TaskGroup group(loop.executor());
  std::vector<std::string> wanted;
  for (int i = 0; i < 10; ++i) {
    wanted.push_back("/" + std::to_string(i));
    group.spawn("request", [](Client& client, std::string target) -> Task<> {
      const auto response = co_await client.send(get(target), {});
      CO_ASSERT_TRUE(response);
      EXPECT_EQ(response->body, target);
    }(*site.client, wanted.back()));
  }
  while (group.running() > 0) {
    for (int turn = 0; turn < 50; ++turn) co_await runtime::yield();
    gate.opened.notify_one();
  }
  co_await group.join();
  EXPECT_EQ(gate.arrived, wanted);
  EXPECT_EQ(gate.most_at_once, 3U);
  co_await site.stop();
}

CO_TEST(HttpClient, stops_waiting_for_connection_at_deadline_or_cancellation) {
  Gate gate(loop);
  Site site(loop, gate.handler(), {}, {.origin = kOrigin, .connections_max = 1});
  TaskGroup holder(loop.executor());
  TaskGroup leaver(loop.executor());
  const auto expect_answer = [](Client& client, std::string target) -> Task<> {
    const auto response = co_await client.send(get(target), {});
    EXPECT_TRUE(response);
  };
  holder.spawn("holder", expect_answer(*site.client, "/holder"));
  co_await runtime::yield();
  leaver.spawn("leaver", expect_answer(*site.client, "/leaver"));
  const Deadline deadline = Deadline::after(loop.time(), 4s);
  const auto late = co_await site.client->send(get("/late"), {.deadline = deadline});
  EXPECT_EQ(late.error().reason, Reason::deadline_exceeded);
  EXPECT_THAT(late.error().message, HasSubstr("all connections were still in use"));
  leaver.cancel();
  co_await leaver.join();
  holder.spawn("next", expect_answer(*site.client, "/next"));
  while (holder.running() > 0) {
    gate.opened.notify_all();
    co_await runtime::yield();
  }
  co_await holder.join();
  EXPECT_EQ(gate.arrived, (std::vector<std::string>{"/holder", "/next"}));
  co_await site.stop();
}

CO_TEST(HttpClient, excludes_stream_from_pool) {
  Gate gate(loop);
  Site site(loop, gate.handler(), {}, {.origin = kOrigin, .connections_max = 1});
  TaskGroup group(loop.executor());
  group.spawn("opener", [](Client& client) -> Task<> {
    const auto stream = co_await client.open(get("/watch"), {});
    EXPECT_TRUE(stream);
  }(*site.client));
  group.spawn("sender", [](Client& client) -> Task<> {
    const auto response = co_await client.send(get("/other"), {});
    EXPECT_TRUE(response);
  }(*site.client));
  while (gate.arrived.size() < 2) co_await runtime::yield();
  gate.opened.notify_all();
  co_await group.join();
  co_await site.stop();
}

// ---- stale connections
// ----------------------------------------------------------------------------

CO_TEST(HttpClient, does_not_reuse_closed_idle_connection) {
  ScriptedSite site(loop, {{answer("a"), Then::close}, {answer("b")}});
  co_await site.client->send(get("/"), {});
  co_await runtime::sleep_for(loop.time(), 1s);
  const auto response = co_await site.client->send(post("/"), {});
  EXPECT_TRUE(response);
  EXPECT_EQ(site.requests.size(), 2U);
  co_await site.stop();
}

CO_TEST(HttpClient, repeats_repeatable_request_when_idle_connection_closes) {
  for (const Method method : {Method::get, Method::put, Method::patch, Method::delete_}) {
    ScriptedSite site(loop, {{answer("a")}, {"", Then::close}, {answer("b")}});
    co_await site.client->send(get("/"), {});
    const auto response = co_await site.client->send(make_request(method, "/x"), {});
    CO_ASSERT_TRUE(response);
    EXPECT_EQ(response->body, "b");
    CO_ASSERT_EQ(site.requests.size(), 3U);
    EXPECT_EQ(site.requests[1], site.requests[2]);
    co_await site.stop();
  }
}

CO_TEST(HttpClient, closes_idle_connections_after_one_stays_silent) {
  ScriptedSite site(loop, {{answer("a")}, {answer("b")}, {"", Then::stall}, {answer("c")}});
  TaskGroup group(loop.executor());
  for (int i = 0; i < 2; ++i) {
    group.spawn("request", [](Client& client) -> Task<> {
      const auto response = co_await client.send(get("/"), {});
      EXPECT_TRUE(response);
    }(*site.client));
  }
  co_await group.join();
  EXPECT_EQ(site.connections, 2);
  const auto lost =
      co_await site.client->send(post("/"), {.deadline = Deadline::after(loop.time(), 5s)});
  CO_ASSERT_TRUE(!lost);
  EXPECT_EQ(lost.error().reason, Reason::deadline_exceeded);
  co_await site.client->send(get("/"), {});
  EXPECT_EQ(site.connections, 3);
  co_await site.stop();
}

CO_TEST(HttpClient, never_sends_post_twice) {
  ScriptedSite site(loop, {{answer("a")}, {"", Then::close}, {answer("b")}});
  co_await site.client->send(get("/"), {});
  const auto response = co_await site.client->send(post("/x"), {});
  EXPECT_EQ(response.error().reason, Reason::disconnected);
  EXPECT_EQ(site.requests.size(), 2U);
  co_await site.stop();
}

CO_TEST(HttpClient, sends_nothing_a_third_time_or_after_answer_begins) {
  ScriptedSite twice(loop, {{answer("a")}, {"", Then::close}, {"", Then::close}, {answer("b")}});
  co_await twice.client->send(get("/"), {});
  const auto refused = co_await twice.client->send(get("/x"), {});
  EXPECT_EQ(refused.error().reason, Reason::disconnected);
  EXPECT_EQ(twice.requests.size(), 3U);
  co_await twice.stop();

  ScriptedSite once(loop, {{answer("a")}, {"H", Then::close}, {answer("b")}});
  co_await once.client->send(get("/"), {});
  const auto cut = co_await once.client->send(get("/x"), {});
  EXPECT_EQ(cut.error().reason, Reason::disconnected);
  EXPECT_EQ(once.requests.size(), 2U);
  co_await once.stop();
}

// ---- before_send
// ----------------------------------------------------------------------------------

CO_TEST(HttpClient, keeps_connection_of_forbidden_request) {
  ScriptedSite site(loop, {{answer("a")}});
  const auto forbid = []() -> Result<> {
    return runtime::fail(Reason::shutting_down, "the lease is lost");
  };
  const ExchangeLimits limits{.deadline = {}, .body_bytes_max = 1000, .before_send = forbid};
  const auto forbidden = co_await site.client->send(post("/"), limits);
  EXPECT_EQ(forbidden.error().reason, Reason::shutting_down);
  const auto allowed = co_await site.client->send(get("/"), {});
  EXPECT_TRUE(allowed);
  EXPECT_EQ(site.requests.size(), 1U);
  EXPECT_EQ(site.connections, 1);
  co_await site.stop();
}

CO_TEST(HttpClient, reports_unknown_outcome_if_request_may_not_be_repeated) {
  ScriptedSite site(loop, {{answer("a")}, {"", Then::close}, {answer("b")}});
  co_await site.client->send(get("/"), {});
  int asked = 0;
  const auto only_once = [&asked]() -> Result<> {
    if (++asked == 1) return {};
    return runtime::fail(Reason::shutting_down, "the lease is lost");
  };
  const ExchangeLimits limits{.deadline = {}, .body_bytes_max = 1000, .before_send = only_once};
  const auto response = co_await site.client->send(make_request(Method::patch, "/"), limits);
  EXPECT_EQ(response.error().reason, Reason::disconnected);
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(site.requests.size(), 2U);
  co_await site.stop();
}

// Allows one connection.
struct OneConnection final : Transport {
  explicit OneConnection(Transport& b) : below(b) {}
  Task<Result<std::unique_ptr<Stream>>> connect(Endpoint endpoint, Deadline deadline) override {
    if (std::exchange(is_made, true)) co_return runtime::fail(Reason::unreachable, "refused");
    co_return co_await below.connect(endpoint, deadline);
  }
  Transport& below;
  bool is_made = false;
};

CO_TEST(HttpClient, reports_unknown_outcome_if_second_attempt_finds_no_server) {
  ScriptedSite site(loop, {{answer("a")}, {"", Then::close}});
  OneConnection transport(site.network);
  const auto client = make_client(transport, loop.time(), {.origin = kOrigin});
  co_await client->send(get("/"), {});
  const auto response = co_await client->send(make_request(Method::patch, "/"), {});
  EXPECT_EQ(response.error().reason, Reason::disconnected);
  EXPECT_EQ(site.requests.size(), 2U);
  client->close_idle();
  co_await site.stop();
}

// ---- at every step
// --------------------------------------------------------------------------------

CO_TEST(HttpClient, leaves_no_dirty_connection_when_cancelled) {
  bool has_ended_by_itself = false;
  for (int steps = 0; !has_ended_by_itself; ++steps) {
    Site site(loop, echo(), {}, {.origin = kOrigin, .connections_max = 1});
    TaskGroup group(loop.executor());
    co_await site.client->send(get("/warm"), {});
    group.spawn("cancelled", [](Client& client, bool& ended) -> Task<> {
      const auto first = co_await client.send(get("/cancelled"), {});
      EXPECT_TRUE(first);
      const auto stream = co_await client.open(get("/stream"), {});
      CO_ASSERT_TRUE(stream);
      const auto piece = co_await (*stream)->read_some({});
      EXPECT_TRUE(piece);
      ended = true;
    }(*site.client, has_ended_by_itself));
    for (int step = 0; step < steps; ++step) co_await runtime::yield();
    group.cancel();
    co_await group.join();
    const Deadline soon = Deadline::after(loop.time(), 1s);
    const auto response = co_await site.client->send(get("/next"), {.deadline = soon});
    CO_ASSERT_TRUE(response);
    EXPECT_EQ(response->body, "/next") << "after " << steps << " steps";
    co_await site.stop();
    CO_ASSERT_TRUE(steps < 1000);
  }
}

// Fails the n-th operation over all its streams, and later ones on the same stream.
struct FailingTransport final : Transport {
  struct FailingStream final : Stream {
    FailingStream(std::unique_ptr<Stream> b, FailingTransport& o) : below(std::move(b)), owner(o) {}
    Task<Result<std::size_t>> read_some(std::span<char> buffer, Deadline deadline) override {
      if (owner.is_next_to_fail()) below->close();
      co_return co_await below->read_some(buffer, deadline);
    }
    Task<Result<>> write(std::string_view bytes, Deadline deadline) override {
      if (owner.is_next_to_fail()) below->close();
      co_return co_await below->write(bytes, deadline);
    }
    Task<Result<>> shutdown_send(Deadline deadline) override {
      co_return co_await below->shutdown_send(deadline);
    }
    void close() noexcept override { below->close(); }
    bool is_quiet() noexcept override { return below->is_quiet(); }
    std::unique_ptr<Stream> below;
    FailingTransport& owner;
  };

  FailingTransport(Transport& b, int n) : below(b), countdown(n) {}
  bool is_next_to_fail() { return countdown-- == 0; }
  Task<Result<std::unique_ptr<Stream>>> connect(Endpoint endpoint, Deadline deadline) override {
    if (is_next_to_fail()) co_return runtime::fail(Reason::unreachable, "made to fail");
    auto stream = co_await below.connect(endpoint, deadline);
    if (!stream) co_return stream;
    co_return std::make_unique<FailingStream>(std::move(*stream), *this);
  }

  Transport& below;
  int countdown;
};

Task<> keep(Client& client, std::string target, std::vector<Response>& kept) {
  auto response = co_await client.send(get(target), {});
  CO_ASSERT_TRUE(response);
  kept.push_back(std::move(*response));
}

// Fifty workers may request fifty objects of the maximum size, created by a tenant.
CO_TEST(HttpClient, limits_concurrent_large_answers_to_two) {
  const auto large_or_small = [](Request request, Responder& responder) -> Task<> {
    const std::size_t size = request.target == "/large" ? 1'000'000 : 100'000;
    co_await responder.send({.status = 200, .headers = {}, .body = std::string(size, 'x')});
  };
  Site site(loop, large_or_small);
  std::vector<Response> kept;
  kept.reserve(10);
  runtime::TaskGroup group(loop.executor());
  for (int i = 0; i < 3; ++i) group.spawn("large", keep(*site.client, "/large", kept));
  for (int i = 0; i < 3; ++i) group.spawn("small", keep(*site.client, "/small", kept));
  co_await runtime::sleep_for(loop.time(), std::chrono::seconds(1));
  EXPECT_EQ(kept.size(), 5U);
  std::erase_if(kept, [](const Response& response) { return response.body.size() > 500'000; });
  co_await group.join();
  EXPECT_EQ(kept.size(), 4U) << "the third goes on as soon as another is gone";
  kept.clear();
  site.client->close_idle();
  co_await site.stop();
}

CO_TEST(HttpClient, reports_or_hides_failure_at_any_step_and_recovers) {
  for (int step = 0; step < 12; ++step) {
    Site site(loop, echo());
    FailingTransport transport(site.network, step);
    const auto client = make_client(transport, loop.time(), {.origin = kOrigin});
    int failures = 0;
    for (const std::string target : {"/a", "/b", "/c"}) {
      const Request request = target == "/b" ? post(target) : get(target);
      const auto response = co_await client->send(request, {});
      if (response) {
        EXPECT_EQ(response->body, target);
      } else {
        ++failures;
        EXPECT_THAT(response.error().reason,
                    testing::AnyOf(Reason::unreachable, Reason::disconnected));
      }
    }
    EXPECT_LE(failures, 1) << "step " << step;
    const auto after = co_await client->send(get("/after"), {});
    EXPECT_TRUE(after);
    client->close_idle();
    co_await site.stop();
  }
}

}  // namespace
}  // namespace dcm::http
