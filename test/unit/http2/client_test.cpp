#include "runtime/http2/client.hpp"

#include <deque>

#include "runtime/condition.hpp"
#include "runtime/http/pipe.hpp"
#include "runtime/http/server.hpp"
#include "runtime/http2/server.hpp"
#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"
#include "test/unit/http2/frames.hpp"

namespace dcm::http2 {
namespace {

using namespace std::chrono_literals;
using http::Method;
using http::Request;
using http::Response;
using runtime::Deadline;
using runtime::Reason;
using runtime::Result;
using runtime::Task;
using runtime::TaskGroup;
using runtime::VirtualLoop;

const http::Endpoint kOrigin{http::Security::plain, "server", 80};

Request get(std::string target) {
  return {.method = Method::get, .target = std::move(target)};
}
Request post(std::string body) {
  return {.method = Method::post, .target = "/", .body = std::move(body)};
}

std::string describe(const Result<Response>& response) {
  if (!response) return std::string(to_string(response.error().reason));
  return std::to_string(response->status) + " " + response->body;
}

// The client, and a server of ours that speaks both protocols.
struct Site {
  explicit Site(VirtualLoop& loop, http::Handler handler, http::ServerOptions options = {},
                Cleartext cleartext = Cleartext::http2)
      : loop(loop),
        network(loop.time()),
        listener(network.listen(kOrigin.host, kOrigin.port)),
        client(make_client(loop, network, {.origin = kOrigin}, cleartext)),
        group(loop.executor()),
        client_group(loop.executor()) {
    options.http2 = serve_connection;
    group.spawn("server", http::serve(*listener, loop.time(), options, std::move(handler), {}));
    client_group.spawn("client", client->run());
  }
  Task<> settle() { co_await runtime::sleep_for(loop.time(), 1ms); }
  Task<> stop() {
    client_group.cancel();
    co_await client_group.join();
    client->close_idle();
    group.cancel();
    co_await group.join();
  }

  VirtualLoop& loop;
  http::PipeNetwork network;
  std::unique_ptr<http::Listener> listener;
  std::unique_ptr<Client> client;
  TaskGroup group;
  TaskGroup client_group;
};

http::Handler echo() {
  return [](Request request, http::Responder& responder) -> Task<> {
    co_await responder.send({.status = 200,
                             .headers = {{"X-Host", std::string(*request.headers.find("host"))}},
                             .body = request.target + request.body});
  };
}

CO_TEST(Http2Client, returns_answer) {
  Site site(loop, echo());
  co_await site.settle();
  const auto response = co_await site.client->send(post("body"), {});
  EXPECT_EQ(describe(response), "200 /body");
  EXPECT_EQ(response->headers.find("x-host"), "server:80");
  EXPECT_EQ(response->headers.find(":status"), std::nullopt);
  co_await site.stop();
}

CO_TEST(Http2Client, carries_large_bodies_both_ways) {
  Site site(loop, echo(), {.body_bytes_max = 10'000'000});
  co_await site.settle();
  const std::string body(5'000'000, 'x');
  const auto response = co_await site.client->send(post(body), {});
  EXPECT_EQ(describe(response), "200 /" + body);
  const auto refused =
      co_await site.client->send(post(body), {.deadline = {}, .body_bytes_max = 1000});
  EXPECT_EQ(describe(refused), "body_too_large");
  co_await site.stop();
}

CO_TEST(Http2Client, rejects_large_request_and_keeps_connection) {
  Site site(loop, echo(), {.body_bytes_max = 1000});
  co_await site.settle();
  const auto refused = co_await site.client->send(post(std::string(5'000'000, 'x')), {});
  EXPECT_EQ(describe(refused), "413 the request's body is too large\n");
  const auto response = co_await site.client->send(get("/after"), {});
  EXPECT_EQ(describe(response), "200 /after");
  co_await site.stop();
}

CO_TEST(Http2Client, falls_back_to_HTTP1) {
  Site site(loop, echo(), {}, Cleartext::http1);
  co_await site.settle();
  const auto response = co_await site.client->send(post("body"), {});
  EXPECT_EQ(describe(response), "200 /body");
  const auto stream = co_await site.client->open(get("/stream"), {});
  CO_ASSERT_TRUE(stream);
  EXPECT_EQ((*stream)->status(), 200);
  co_await site.stop();
}

CO_TEST(Http2Client, uses_HTTP1_before_and_after_its_run) {
  Site site(loop, echo());
  co_await site.settle();
  site.client_group.cancel();
  co_await site.client_group.join();
  const auto response = co_await site.client->send(get("/late"), {});
  EXPECT_EQ(describe(response), "200 /late");
  co_await site.stop();
}

// A handler that streams what the test passes.
struct Feed {
  explicit Feed(VirtualLoop& loop) : more(loop.time()) {}
  http::Handler handler() {
    return [this](Request request, http::Responder& responder) -> Task<> {
      if (request.target != "/watch") {
        co_await responder.send({.status = 200, .body = "other"});
        co_return;
      }
      struct Count {
        int& count;
        explicit Count(int& c) : count(c) { ++count; }
        ~Count() { --count; }
      } const open(watchers);
      co_await responder.begin({.status = 200});
      while (true) {
        while (pieces.empty()) co_await more.wait();
        const std::string piece = pieces.front();
        pieces.pop_front();
        if (piece.empty()) break;
        co_await responder.write(piece);
      }
      co_await responder.end();
    };
  }
  void say(std::string piece) {
    pieces.push_back(std::move(piece));
    more.notify_all();
  }

  std::deque<std::string> pieces;
  int watchers = 0;
  runtime::Condition more;
};

CO_TEST(Http2Client, streams_watch_and_its_end) {
  Feed feed(loop);
  Site site(loop, feed.handler());
  co_await site.settle();
  auto watch = co_await site.client->open(get("/watch"), {});
  CO_ASSERT_TRUE(watch);
  for (const char* const piece : {"first", "second", ""}) {
    feed.say(piece);
    const auto read = co_await (*watch)->read_some({});
    CO_ASSERT_TRUE(read);
    EXPECT_EQ(*read, piece);
  }
  co_await site.stop();
}

CO_TEST(Http2Client, leaves_silent_watch_at_deadline_and_resumes) {
  Feed feed(loop);
  Site site(loop, feed.handler());
  co_await site.settle();
  auto watch = co_await site.client->open(get("/watch"), {});
  CO_ASSERT_TRUE(watch);
  const auto nothing = co_await (*watch)->read_some(Deadline::after(loop.time(), 1min));
  EXPECT_EQ(nothing.error().reason, Reason::deadline_exceeded);
  feed.say("late");
  const auto late = co_await (*watch)->read_some(Deadline::after(loop.time(), 1min));
  CO_ASSERT_TRUE(late);
  EXPECT_EQ(*late, "late");
  co_await site.stop();
}

CO_TEST(Http2Client, cancels_watch_at_server_and_continues_others) {
  Feed feed(loop);
  Site site(loop, feed.handler());
  co_await site.settle();
  auto watch = co_await site.client->open(get("/watch"), {});
  auto other = co_await site.client->open(get("/watch"), {});
  EXPECT_EQ(feed.watchers, 2);
  watch->reset();
  co_await site.settle();
  EXPECT_EQ(feed.watchers, 1);
  EXPECT_EQ(describe(co_await site.client->send(get("/x"), {})), "200 other");
  other->reset();
  co_await site.stop();
}

// A stream that has agreed on HTTP/2, or on HTTP/1.1.
struct Agreed final : http::Stream {
  Agreed(std::unique_ptr<http::Stream> below, bool is_http2)
      : below(std::move(below)), is_http2(is_http2) {}
  Task<Result<std::size_t>> read_some(std::span<char> buffer, Deadline deadline) override {
    return below->read_some(buffer, deadline);
  }
  Task<Result<>> write(std::string_view bytes, Deadline deadline) override {
    return below->write(bytes, deadline);
  }
  Task<Result<>> shutdown_send(Deadline deadline) override {
    return below->shutdown_send(deadline);
  }
  void close() noexcept override { below->close(); }
  bool is_quiet() noexcept override { return below->is_quiet(); }
  bool speaks_http2() const noexcept override { return is_http2; }

  std::unique_ptr<http::Stream> below;
  bool is_http2;
};

// The way to the server, which may be slow.
struct Way final : http::Transport {
  explicit Way(http::Transport& below, runtime::TimeSource& time) : below(below), time(time) {}
  Task<Result<std::unique_ptr<http::Stream>>> connect(http::Endpoint endpoint,
                                                      Deadline deadline) override {
    co_await runtime::sleep_for(time, length);
    auto stream = co_await below.connect(std::move(endpoint), deadline);
    if (!stream) co_return stream;
    co_return std::make_unique<Agreed>(std::move(*stream), ++made <= http2_connections);
  }
  http::Transport& below;
  runtime::TimeSource& time;
  runtime::Duration length{};
  int http2_connections = 1000;  // later ones have agreed on HTTP/1.1
  int made = 0;
};

// To a server whose bytes arrive together with the end of its handshake.
struct HastyServer final : http::Transport {
  HastyServer(http::PipeNetwork& network, std::string bytes)
      : network(network),
        bytes(std::move(bytes)),
        listener(network.listen(kOrigin.host, kOrigin.port)) {}
  Task<Result<std::unique_ptr<http::Stream>>> connect(http::Endpoint endpoint,
                                                      Deadline deadline) override {
    auto stream = co_await network.connect(std::move(endpoint), deadline);
    auto accepted = co_await listener->accept();
    EXPECT_TRUE(co_await (*accepted)->write(bytes, {}));
    servers.push_back(std::move(*accepted));
    co_return stream;
  }
  http::PipeNetwork& network;
  std::string bytes;
  std::unique_ptr<http::Listener> listener;
  std::vector<std::unique_ptr<http::Stream>> servers;
};

CO_TEST(Http2Client, survives_server_that_takes_no_request) {
  for (const std::string& bytes :
       {settings() + go_away(0), settings(setting(3, 0)), std::string("no frames of HTTP/2")}) {
    http::PipeNetwork network(loop.time());
    HastyServer server(network, bytes);
    const auto client = make_client(loop, server, {.origin = kOrigin}, Cleartext::http2);
    TaskGroup group(loop.executor());
    group.spawn("client", client->run());
    co_await runtime::sleep_for(loop.time(), 1ms);
    const Deadline deadline = Deadline::after(loop.time(), 10s);
    EXPECT_EQ(describe(co_await client->send(post("x"), {.deadline = deadline})), "unreachable");
    EXPECT_FALSE(co_await client->open(get("/"), deadline));
    group.cancel();
    co_await group.join();
  }
}

// A server that plays a script: for each connection, one answer each time that bytes arrive.
// "close" closes it.
struct Scripted {
  explicit Scripted(VirtualLoop& loop, std::deque<std::deque<std::string>> scripts,
                    http::ClientOptions options = {})
      : loop(loop),
        network(loop.time()),
        way(network, loop.time()),
        listener(network.listen(kOrigin.host, kOrigin.port)),
        scripts(std::move(scripts)),
        group(loop.executor()),
        client_group(loop.executor()) {
    options.origin = kOrigin;
    client = make_client(loop, way, options, Cleartext::http2);
    group.spawn("accept", accept_all());
    client_group.spawn("client", client->run());
  }
  Task<> accept_all() {
    while (true) {
      auto stream = co_await listener->accept();
      ++connections;
      group.spawn("play", play(std::move(*stream)));
    }
  }
  Task<> play(std::unique_ptr<http::Stream> stream) {
    std::deque<std::string> script;
    if (!scripts.empty()) {
      script = std::move(scripts.front());
      scripts.pop_front();
    }
    co_await stream->write(settings(), {});
    char buffer[10'000];
    while (true) {
      const auto read = co_await stream->read_some(buffer, {});
      if (!read || *read == 0) co_return;
      const std::string heard(buffer, *read);
      // Only headers are answered, not preface, settings and windows.
      bool has_head = false;
      for (std::size_t at = heard.starts_with("PRI") ? 24 : 0; at + 9 <= heard.size();) {
        const auto byte = [&](std::size_t i) {
          return std::size_t{static_cast<unsigned char>(heard[at + i])};
        };
        has_head |= byte(3) == 1;
        at += 9 + (byte(0) << 16 | byte(1) << 8 | byte(2));
      }
      if (!has_head || script.empty()) continue;
      ++requests;
      const std::string answer = std::move(script.front());
      script.pop_front();
      if (answer == "close") co_return;
      co_await stream->write(answer, {});
    }
  }
  Task<> stop() {
    client_group.cancel();
    co_await client_group.join();
    group.cancel();
    co_await group.join();
  }

  VirtualLoop& loop;
  http::PipeNetwork network;
  Way way;
  std::unique_ptr<http::Listener> listener;
  std::deque<std::deque<std::string>> scripts;
  std::unique_ptr<Client> client;
  int connections = 0;
  int requests = 0;
  TaskGroup group;
  TaskGroup client_group;
};

std::string answer(std::uint32_t stream) {
  return headers(stream, kStatus200) + data(stream, "ok", kEndStream);
}

struct RepeatRow {
  const char* name;
  Request request;
  std::deque<std::deque<std::string>> scripts;  // for each connection
  const char* outcome;
  int connections;
  int requests;
};

// The first answer of a script is for an earlier request, so that the connection is not new.
const std::vector<RepeatRow> kRepeats = {
    {"a POST that was refused", post("x"), {{answer(1), reset(3, 7), answer(5)}}, "200 ok", 1, 3},
    {"a POST above the last stream of a server that goes away",
     post("x"),
     {{answer(1), go_away(1)}, {answer(1)}},
     "200 ok",
     2,
     3},
    {"a POST below it is answered",
     post("x"),
     {{answer(1), go_away(3) + answer(3)}},
     "200 ok",
     1,
     2},
    {"a POST whose connection is lost",
     post("x"),
     {{answer(1), "close"}, {answer(1)}},
     "disconnected",
     1,
     2},
    {"a GET whose connection is lost",
     get("/"),
     {{answer(1), "close"}, {answer(1)}},
     "200 ok",
     2,
     3},
    {"a GET whose connections are lost",
     get("/"),
     {{answer(1), "close"}, {"close"}, {answer(1)}},
     "disconnected",
     2,
     3},
    {"a POST that was reset", post("x"), {{answer(1), reset(3, 2)}}, "disconnected", 1, 2},
    {"a POST that is refused again and again",
     post("x"),
     {{answer(1), reset(3, 7), reset(5, 7), reset(7, 7), answer(9)}},
     "unreachable",
     1,
     4},
    {"an answer that is cut",
     get("/"),
     {{answer(1), headers(3, kStatus200) + reset(3, 0)}},
     "disconnected",
     1,
     2},
};

CO_TEST(Http2Client, repeats_only_repeatable_requests) {
  for (const RepeatRow& row : kRepeats) {
    SCOPED_TRACE(row.name);
    Scripted site(loop, row.scripts);
    co_await runtime::sleep_for(loop.time(), 1ms);
    EXPECT_EQ(describe(co_await site.client->send(get("/first"), {})), "200 ok");
    const auto response =
        co_await site.client->send(row.request, {.deadline = Deadline::after(loop.time(), 10s)});
    EXPECT_EQ(describe(response), row.outcome);
    EXPECT_EQ(site.connections, row.connections);
    EXPECT_EQ(site.requests, row.requests);
    co_await site.stop();
  }
}

CO_TEST(Http2Client, reports_unknown_outcome_if_request_may_not_be_repeated) {
  Scripted site(loop, {{answer(1), "close"}, {answer(1)}});
  co_await runtime::sleep_for(loop.time(), 1ms);
  EXPECT_EQ(describe(co_await site.client->send(get("/first"), {})), "200 ok");
  int asked = 0;
  const auto response = co_await site.client->send(
      get("/"), {.deadline = {}, .before_send = [&]() -> Result<> {
                   if (++asked == 1) return {};
                   return runtime::fail(Reason::shutting_down, "no longer the leader");
                 }});
  EXPECT_EQ(describe(response), "disconnected");
  EXPECT_EQ(site.requests, 2);
  co_await site.stop();
}

CO_TEST(Http2Client, reports_unknown_outcome_if_later_attempts_are_refused) {
  Scripted site(loop, {{answer(1), "close"}, {reset(1, 7), reset(3, 7)}});
  co_await runtime::sleep_for(loop.time(), 1ms);
  EXPECT_EQ(describe(co_await site.client->send(get("/first"), {})), "200 ok");
  EXPECT_EQ(describe(co_await site.client->send(get("/"), {})), "disconnected");
  EXPECT_EQ(site.requests, 4);
  co_await site.stop();
}

Task<> send_and_note(Client& client, Request request, Deadline deadline, std::string& note) {
  const auto response = co_await client.send(std::move(request), {.deadline = deadline});
  note = describe(response);
}

CO_TEST(Http2Client, reports_unknown_outcome_if_HTTP1_may_not_repeat_request) {
  Scripted site(loop, {{answer(1), "close"}});
  site.way.http2_connections = 1;  // the server that is found next speaks only HTTP/1.1
  const http::Endpoint origin{http::Security::tls, kOrigin.host, kOrigin.port};
  const auto client = make_client(loop, site.way, {.origin = origin});
  TaskGroup group(loop.executor());
  group.spawn("client", client->run());
  co_await runtime::sleep_for(loop.time(), 1ms);
  EXPECT_EQ(describe(co_await client->send(get("/first"), {})), "200 ok");
  int asked = 0;
  const auto response = co_await client->send(
      get("/"), {.deadline = {}, .before_send = [&]() -> Result<> {
                   if (++asked == 1) return {};
                   return runtime::fail(Reason::shutting_down, "no leader any more");
                 }});
  EXPECT_EQ(describe(response), "disconnected");
  EXPECT_EQ(asked, 2);
  client->close_idle();
  group.cancel();
  co_await group.join();
  co_await site.stop();
}

CO_TEST(Http2Client, opens_at_most_four_connections_as_they_fill) {
  const std::string one_stream = settings(setting(0x3, 1));
  Scripted site(loop, {{one_stream}, {one_stream}, {one_stream}, {one_stream}, {one_stream}});
  co_await runtime::sleep_for(loop.time(), 1ms);
  TaskGroup group(loop.executor());
  std::string notes[6];
  for (std::string& note : notes) {
    group.spawn("send",
                send_and_note(*site.client, get("/"), Deadline::after(loop.time(), 10s), note));
    co_await runtime::sleep_for(loop.time(), 1ms);
  }
  EXPECT_EQ(site.connections, 4);
  co_await group.join();
  for (const std::string& note : notes) EXPECT_EQ(note, "deadline_exceeded");
  co_await site.stop();
}

CO_TEST(Http2Client, shares_connection_among_concurrent_requests) {
  Site site(loop, echo());
  co_await site.settle();
  TaskGroup group(loop.executor());
  std::string notes[50];
  for (std::string& note : notes)
    group.spawn("send", send_and_note(*site.client, get("/x"), {}, note));
  co_await group.join();
  for (const std::string& note : notes) EXPECT_EQ(note, "200 /x");
  co_await site.stop();
}

CO_TEST(Http2Client, fails_all_waiting_requests_if_server_is_unreachable) {
  Site site(loop, echo());
  co_await site.settle();
  site.group.cancel();
  co_await site.group.join();
  site.listener.reset();
  TaskGroup group(loop.executor());
  std::string notes[5];
  const auto began = loop.time().now();
  for (std::string& note : notes)
    group.spawn("send", send_and_note(*site.client, get("/x"), {}, note));
  co_await group.join();
  for (const std::string& note : notes) EXPECT_EQ(note, "unreachable");
  EXPECT_EQ(loop.time().now(), began);
  site.client_group.cancel();
  co_await site.client_group.join();
}

CO_TEST(Http2Client, opens_new_connection_for_new_credentials_and_keeps_watches) {
  Feed feed(loop);
  Scripted site(loop, {{headers(1, kStatus200)}, {answer(1)}});
  co_await runtime::sleep_for(loop.time(), 1ms);
  auto watch = co_await site.client->open(get("/watch"), {});
  CO_ASSERT_TRUE(watch);
  site.client->close_idle();
  EXPECT_EQ(describe(co_await site.client->send(get("/"), {})), "200 ok");
  EXPECT_EQ(site.connections, 2);
  const auto nothing = co_await (*watch)->read_some(Deadline::after(loop.time(), 1s));
  EXPECT_EQ(nothing.error().reason, Reason::deadline_exceeded);
  watch->reset();
  co_await site.stop();
}

CO_TEST(Http2Client, does_not_use_connection_with_old_credentials) {
  Scripted site(loop, {{}, {}, {answer(1)}});
  site.way.length = 1s;
  co_await runtime::sleep_for(loop.time(), 1ms);
  TaskGroup group(loop.executor());
  std::string note;
  group.spawn("send", send_and_note(*site.client, get("/"), {}, note));
  for (const auto until_they_change : {500ms, 1000ms}) {
    co_await runtime::sleep_for(loop.time(), until_they_change);
    site.client->close_idle();
  }
  co_await group.join();
  EXPECT_EQ(note, "200 ok");
  EXPECT_EQ(site.connections, 3);
  co_await site.stop();
}

CO_TEST(Http2Client, does_not_count_old_connection) {
  Scripted site(loop, {{headers(1, kStatus200)}, {answer(1)}},
                {.origin = kOrigin, .connections_max = 1});
  co_await runtime::sleep_for(loop.time(), 1ms);
  auto watch = co_await site.client->open(get("/watch"), {});
  CO_ASSERT_TRUE(watch);
  site.client->close_idle();
  const auto response =
      co_await site.client->send(get("/"), {.deadline = Deadline::after(loop.time(), 5s)});
  EXPECT_EQ(describe(response), "200 ok");
  watch->reset();
  co_await site.stop();
}

CO_TEST(Http2Client, does_not_use_connection_after_long_idleness) {
  Scripted site(loop, {{answer(1)}, {answer(1)}});
  co_await runtime::sleep_for(loop.time(), 1ms);
  EXPECT_EQ(describe(co_await site.client->send(get("/"), {})), "200 ok");
  co_await runtime::sleep_for(loop.time(), 2min);
  EXPECT_EQ(describe(co_await site.client->send(get("/"), {})), "200 ok");
  EXPECT_EQ(site.connections, 2);
  co_await site.stop();
}

CO_TEST(Http2Client, sends_nothing_more_on_connection_silent_until_deadline) {
  Scripted site(loop, {{answer(1), ""}, {answer(1)}});
  co_await runtime::sleep_for(loop.time(), 1ms);
  EXPECT_EQ(describe(co_await site.client->send(get("/"), {})), "200 ok");
  co_await runtime::sleep_for(loop.time(), 1s);
  const auto late =
      co_await site.client->send(get("/"), {.deadline = Deadline::after(loop.time(), 5s)});
  EXPECT_EQ(describe(late), "deadline_exceeded");
  EXPECT_EQ(describe(co_await site.client->send(get("/"), {})), "200 ok");
  EXPECT_EQ(site.connections, 2);
  co_await site.stop();
}

Task<> expect_replacement_after_three_timeouts(Scripted& site) {
  std::vector<std::string> told;
  for (int i = 0; i < 5; ++i) {
    const Deadline deadline = Deadline::after(site.loop.time(), 5s);
    const auto response = co_await site.client->send(get("/"), {.deadline = deadline});
    told.push_back(describe(response));
  }
  const std::string late = "deadline_exceeded";
  EXPECT_EQ(told, (std::vector<std::string>{"200 ok", late, late, late, "200 ok"}));
  EXPECT_EQ(site.connections, 2);
}

// A proxy may answer PINGs for a server that has gone.
CO_TEST(Http2Client, leaves_connection_that_lives_but_answers_no_request) {
  const std::string sign_of_life = window(0, 1);
  Scripted site(loop, {{answer(1), sign_of_life, sign_of_life, sign_of_life}, {answer(1)}});
  co_await runtime::sleep_for(loop.time(), 1ms);
  co_await expect_replacement_after_three_timeouts(site);
  co_await site.stop();
}

// Flow control holds back data, not headers: as if the server's window had leaked.
CO_TEST(Http2Client, leaves_connection_whose_answers_have_headers_only) {
  Scripted site(
      loop, {{answer(1), headers(3, kStatus200), headers(5, kStatus200), headers(7, kStatus200)},
             {answer(1)}});
  co_await runtime::sleep_for(loop.time(), 1ms);
  co_await expect_replacement_after_three_timeouts(site);
  co_await site.stop();
}

CO_TEST(Http2Client, leaves_connection_whose_watches_are_silent) {
  Scripted site(loop,
                {{headers(1, kStatus200), headers(3, kStatus200), headers(5, kStatus200)}, {}});
  co_await runtime::sleep_for(loop.time(), 1ms);
  std::vector<std::unique_ptr<http::StreamingResponse>> watches;
  for (int i = 0; i < 3; ++i) {
    auto watch = co_await site.client->open(get("/"), Deadline::after(loop.time(), 5s));
    CO_ASSERT_TRUE(watch);
    watches.push_back(std::move(*watch));
    const auto nothing = co_await watches.back()->read_some(Deadline::after(loop.time(), 5s));
    CO_ASSERT_TRUE(!nothing);
    EXPECT_EQ(nothing.error().reason, Reason::deadline_exceeded);
    EXPECT_EQ(site.connections, 1);
  }
  co_await site.client->send(get("/"), {.deadline = Deadline::after(loop.time(), 5s)});
  EXPECT_EQ(site.connections, 2);
  watches.clear();
  co_await site.stop();
}

// Requests without a body still work there, so their answers say nothing of the others.
CO_TEST(Http2Client, leaves_connection_that_takes_no_body) {
  Scripted site(loop, {{answer(1), window(0, 1)}, {answer(1)}});
  co_await runtime::sleep_for(loop.time(), 1ms);
  EXPECT_EQ(describe(co_await site.client->send(get("/"), {})), "200 ok");
  const auto late = co_await site.client->send(post(std::string(100'000, 'x')),
                                               {.deadline = Deadline::after(loop.time(), 5s)});
  EXPECT_EQ(describe(late), "deadline_exceeded");
  EXPECT_EQ(describe(co_await site.client->send(get("/"), {})), "200 ok");
  EXPECT_EQ(site.connections, 2);
  co_await site.stop();
}

CO_TEST(Http2Client, keeps_connection_that_answers_others_of_late_requests) {
  const std::string sign_of_life = window(0, 1);
  Scripted site(loop, {{sign_of_life, sign_of_life, answer(5), sign_of_life, answer(9)}});
  co_await runtime::sleep_for(loop.time(), 1ms);
  for (int i = 0; i < 5; ++i) {
    co_await site.client->send(get("/"), {.deadline = Deadline::after(loop.time(), 5s)});
  }
  EXPECT_EQ(site.connections, 1);
  EXPECT_EQ(site.requests, 5);
  co_await site.stop();
}

CO_TEST(Http2Client, rejects_large_head_for_good_and_keeps_connection) {
  Site site(loop, echo());
  co_await site.settle();
  Request request = get("/");
  request.headers.add("X-Large", std::string(70'000, 'x'));
  const auto response = co_await site.client->send(request, {});
  EXPECT_EQ(describe(response), "configuration");
  EXPECT_TRUE(response.error().message.contains("at most 65536")) << response.error().message;
  EXPECT_EQ(describe(co_await site.client->send(get("/after"), {})), "200 /after");
  co_await site.stop();
}

CO_TEST(Http2Client, keeps_connection_when_request_is_cancelled) {
  Site site(loop, [&loop](Request request, http::Responder& responder) -> Task<> {
    co_await runtime::sleep_for(loop.time(), 5ms);
    co_await responder.send({.status = 200, .body = request.target});
  });
  co_await site.settle();
  for (int wait = 0; wait < 8; ++wait) {
    TaskGroup group(loop.executor());
    std::string note = "cancelled";
    group.spawn("send", send_and_note(*site.client, get("/gone"), {}, note));
    for (int turn = 0; turn < wait; ++turn) co_await runtime::sleep_for(loop.time(), 1ms);
    group.cancel();
    co_await group.join();
    EXPECT_EQ(describe(co_await site.client->send(get("/other"), {})), "200 /other");
  }
  co_await site.stop();
}

CO_TEST(Http2Client, rejects_header_with_line_break_without_showing_it) {
  Site site(loop, echo());
  co_await site.settle();
  Request request = get("/");
  request.headers.add("Authorization", "Bearer secret\r\nX: y");
  const auto response = co_await site.client->send(request, {});
  EXPECT_EQ(describe(response), "configuration");
  EXPECT_FALSE(response.error().message.contains("secret"));
  co_await site.stop();
}

}  // namespace
}  // namespace dcm::http2
