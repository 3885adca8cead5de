// The server against clients that speak raw bytes, slowly, wrongly or not at all.
#include "runtime/http/server.hpp"

#include <gmock/gmock.h>

#include "test/unit/http/http_site.hpp"

namespace dcm::http {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kGet = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";
constexpr std::string_view kLastGet = "GET /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

// Sends `bytes` in pieces and reads until the server closes.
Task<std::string> talk(Site& site, std::string bytes, std::size_t piece_bytes = 100'000) {
  const auto stream = co_await site.connect();
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const std::string_view piece = rest.substr(0, piece_bytes);
    rest.remove_prefix(piece.size());
    const auto written = co_await stream->write(piece, {});
    if (!written) break;
    for (int turn = 0; turn < 5; ++turn) co_await runtime::yield();
  }
  co_return co_await read_all(*stream);
}

// Answers with method, target and body.
Handler describe() {
  return [](Request request, Responder& responder) -> Task<> {
    std::string text(to_string(request.method));
    text += " " + request.target + " " + request.body;
    co_await responder.send(ok(std::move(text)));
  };
}

CO_TEST(HttpServer, reads_requests_however_split) {
  const std::string bytes =
      "PUT /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
      "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
  for (const std::size_t piece : {1U, 2U, 3U, 17U, 1000U}) {
    Site site(loop, describe());
    const std::string answer = co_await talk(site, bytes, piece);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\nDate: "));
    EXPECT_THAT(answer, EndsWith("Connection: close\r\n\r\nPUT /a abcde"));
    co_await site.stop();
  }
}

CO_TEST(HttpServer, dates_its_answers) {
  Site site(loop, describe());
  const std::string answer = co_await talk(site, std::string(kLastGet));
  EXPECT_THAT(answer, HasSubstr("Date: Fri, 04 Oct 2024 00:00:00 GMT\r\n"));
  co_await site.stop();
}

CO_TEST(HttpServer, answers_pipelined_requests_in_order) {
  Site site(loop, describe());
  const std::string answer = co_await talk(site, std::string(kGet) + std::string(kLastGet));
  EXPECT_THAT(answer, HasSubstr("\r\n\r\nGET /a HTTP/1.1 200 OK"));
  EXPECT_THAT(answer, EndsWith("GET /b "));
  co_await site.stop();
}

CO_TEST(HttpServer, accepts_absolute_form_of_target) {
  Site site(loop, describe());
  const std::string answer =
      co_await talk(site, "GET http://x:80/a?b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answer, EndsWith("GET /a?b "));
  co_await site.stop();
}

CO_TEST(HttpServer, answers_head_with_length_without_body) {
  Site site(loop, describe());
  const std::string answer =
      co_await talk(site, "HEAD /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("Content-Length: 8\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
  co_await site.stop();
}

CO_TEST(HttpServer, sends_neither_body_nor_length_with_204) {
  Site site(loop, [](Request, Responder& responder) -> Task<> {
    co_await responder.send(Response{.status = 204, .headers = {}, .body = "never sent"});
  });
  const std::string answer = co_await talk(site, std::string(kLastGet));
  EXPECT_THAT(answer, testing::Not(HasSubstr("Content-Length")));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
  co_await site.stop();
}

CO_TEST(HttpServer, closes_without_chunks_for_http_1_0) {
  Site site(loop, [](Request, Responder& responder) -> Task<> {
    co_await responder.begin(ok(""));
    co_await responder.write("piece");
    co_await responder.end();
  });
  const std::string answer = co_await talk(site, "GET / HTTP/1.0\r\n\r\n");
  EXPECT_THAT(answer, EndsWith("Connection: close\r\n\r\npiece"));
  EXPECT_THAT(answer, testing::Not(HasSubstr("chunked")));
  co_await site.stop();
}

CO_TEST(HttpServer, streams_in_chunks) {
  Site site(loop, [](Request, Responder& responder) -> Task<> {
    co_await responder.begin(ok(""));
    co_await responder.write("0123456789abcdef");
    co_await responder.write("");  // must not look like the end
    co_await responder.write("x");
    co_await responder.end();
  });
  const std::string answer = co_await talk(site, std::string(kGet));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n10\r\n0123456789abcdef\r\n1\r\nx\r\n0\r\n\r\n"));
  co_await site.stop();
}

CO_TEST(HttpServer, answers_expect_continue) {
  Site site(loop, describe());
  const auto stream = co_await site.connect();
  co_await stream->write(
      "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n"
      "Connection: close\r\n\r\n",
      {});
  char buffer[1000];
  const auto count = co_await stream->read_some(buffer, {});
  EXPECT_EQ(std::string(buffer, *count), "HTTP/1.1 100 Continue\r\n\r\n");
  co_await stream->write("hi", {});
  const std::string answer = co_await read_all(*stream);
  EXPECT_THAT(answer, EndsWith("POST / hi"));
  co_await site.stop();
}

struct Refused {
  std::string what;
  std::string bytes;
  int status;
};

CO_TEST(HttpServer, rejects_invalid_requests_and_closes) {
  const Refused rows[] = {
      {"garbage", "\x16\x03\x01 hello\r\n\r\n", 400},
      {"no host", "GET / HTTP/1.1\r\n\r\n", 400},
      {"two hosts", "GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", 400},
      {"two ideas of where the body ends",
       "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
       501},
      {"a broken chunk",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n", 400},
      {"a body beyond the bound",
       "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2147483648\r\n\r\nxxxx", 413},
      {"a large body that asks first",
       "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2147483648\r\n\r\n",
       413},
      {"another expectation", "GET / HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n", 417},
      {"a large head", "GET / HTTP/1.1\r\nHost: x\r\nA: " + std::string(20'000, 'x'), 431},
      {"a long target", "GET /" + std::string(20'000, 'x'), 431},
      {"an unknown method", "BREW / HTTP/1.1\r\nHost: x\r\n\r\n", 501},
      {"an unknown transfer encoding",
       "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501},
      {"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.what);
    Site site(loop, [](Request, Responder&) -> Task<> {
      ADD_FAILURE() << "reached the handler";
      co_return;
    });
    const std::string answer = co_await talk(site, row.bytes);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 " + std::to_string(row.status) + " "));
    EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
    co_await site.stop();
  }
}

CO_TEST(HttpServer, drains_rejected_body_so_that_answer_arrives) {
  Site site(loop, describe(), {.body_bytes_max = 10});
  const auto stream = co_await site.connect();
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 150000\r\n\r\n";
  const auto written = co_await stream->write(head + std::string(150'000, 'x'), {});
  EXPECT_TRUE(written);
  const std::string answer = co_await read_all(*stream);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 413 "));
  co_await site.stop();
}

// ---- slow clients
// ---------------------------------------------------------------------------------

CO_TEST(HttpServer, answers_408_to_slow_request) {
  for (const std::string_view part :
       {kGet.substr(0, 10),
        std::string_view("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx")}) {
    Site site(loop, describe());
    const auto start = loop.time().now();
    const std::string answer = co_await talk(site, std::string(part));
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 408 "));
    EXPECT_LE(loop.time().now() - start, 12s) << "and the connection is closed";
    co_await site.stop();
  }
}

CO_TEST(HttpServer, limits_total_time_of_request) {
  Site site(loop, describe());
  const auto stream = co_await site.connect();
  const auto start = loop.time().now();
  bool is_open = true;
  for (std::size_t i = 0; is_open; i = (i + 1) % kGet.size()) {
    co_await runtime::sleep_for(loop.time(), 3s);
    const auto written = co_await stream->write(kGet.substr(i, 1), {});
    is_open = written.has_value();
  }
  EXPECT_LE(loop.time().now() - start, 20s);
  co_await site.stop();
}

CO_TEST(HttpServer, closes_silent_connection_without_answer) {
  Site site(loop, describe());
  const auto start = loop.time().now();
  const std::string from_the_start = co_await talk(site, "");
  EXPECT_EQ(from_the_start, "");
  EXPECT_EQ(loop.time().now() - start, 10s);
  const auto later = loop.time().now();
  const std::string after_an_answer = co_await talk(site, std::string(kGet));
  EXPECT_THAT(after_an_answer, EndsWith("GET /a "));
  EXPECT_EQ(loop.time().now() - later, 90s);
  co_await site.stop();
}

CO_TEST(HttpServer, drops_client_that_stops_reading) {
  Result<> sent;
  Site site(loop, [&sent](Request, Responder& responder) -> Task<> {
    Result<> result = co_await responder.send(ok(std::string(1'000'000, 'x')));
    sent = std::move(result);
  });
  const auto start = loop.time().now();
  const auto stream = co_await site.connect();
  co_await stream->write(kGet, {});
  co_await runtime::sleep_for(loop.time(), 1h);
  EXPECT_EQ(sent.error().reason, Reason::deadline_exceeded);
  const std::string rest = co_await read_all(*stream);
  EXPECT_LT(rest.size(), 100'000U);
  EXPECT_EQ(loop.time().now() - start, 1h);
  co_await site.stop();
}

CO_TEST(HttpServer, serves_slow_but_steady_reader) {
  Site site(loop, [](Request, Responder& responder) -> Task<> {
    co_await responder.send(ok(std::string(2'000'000, 'x')));
  });
  const auto start = loop.time().now();
  const auto stream = co_await site.connect();
  co_await stream->write(kLastGet, {});
  std::string answer;
  char buffer[16 * 1024];
  while (true) {
    co_await runtime::sleep_for(loop.time(), 1s);
    const auto count = co_await stream->read_some(buffer, {});
    CO_ASSERT_TRUE(count);
    if (*count == 0) break;
    answer.append(buffer, *count);
  }
  EXPECT_GT(answer.size(), 2'000'000U);
  EXPECT_GT(loop.time().now() - start, 100s);
  co_await site.stop();
}

CO_TEST(HttpServer, closes_old_connection_after_answer) {
  Site site(loop, describe(), {.age_max = 1min});
  const auto stream = co_await site.connect();
  co_await stream->write(kGet, {});
  char buffer[1000];
  const auto young = co_await stream->read_some(buffer, {});
  CO_ASSERT_TRUE(young);
  EXPECT_THAT(std::string(buffer, *young), testing::Not(HasSubstr("Connection: close")));
  co_await runtime::sleep_for(loop.time(), 1min);
  co_await stream->write(kGet, {});
  const std::string old = co_await read_all(*stream);
  EXPECT_THAT(old, EndsWith("Connection: close\r\n\r\nGET /a "));
  co_await site.stop();
}

// ---- handlers
// -------------------------------------------------------------------------------------

CO_TEST(HttpServer, answers_500_if_handler_throws) {
  Site site(loop, [](Request request, Responder& responder) -> Task<> {
    if (request.target == "/throw") throw std::runtime_error("secret detail");
    co_await responder.send(ok("fine"));
  });
  const std::string answer = co_await talk(site, "GET /throw HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(answer, testing::Not(HasSubstr("secret")));
  const auto other = co_await site.client->send(get("/"), {});
  EXPECT_TRUE(other);
  co_await site.stop();
}

CO_TEST(HttpServer, answers_500_if_handler_does_not_answer) {
  Site site(loop, [](Request, Responder&) -> Task<> { co_return; });
  const auto response = co_await site.client->send(get("/"), {});
  CO_ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 500);
  co_await site.stop();
}

CO_TEST(HttpServer, closes_connection_of_aborted_answer) {
  Site site(loop, [](Request, Responder& responder) -> Task<> {
    responder.abort();
    co_return;
  });
  const auto response = co_await site.client->send(get("/"), {});
  CO_ASSERT_TRUE(!response);
  EXPECT_EQ(response.error().reason, Reason::disconnected);
  co_await site.stop();
}

CO_TEST(HttpServer, shows_unfinished_stream_as_cut) {
  for (const std::string how : {"/returns", "/throws"}) {
    Site site(loop, [](Request request, Responder& responder) -> Task<> {
      co_await responder.begin(ok(""));
      co_await responder.write("half");
      if (request.target == "/throws") throw std::runtime_error("oh");
    });
    const auto response = co_await site.client->send(get(how), {});
    EXPECT_EQ(response.error().reason, Reason::disconnected);
    co_await site.stop();
  }
}

CO_TEST(HttpServer, cancels_streaming_handler_when_client_disconnects) {
  bool has_ended = false;
  Site site(loop, [&](Request, Responder& responder) -> Task<> {
    struct OnExit {
      bool& flag;
      ~OnExit() { flag = true; }
    } const on_exit{has_ended};
    co_await responder.begin(ok(""));
    co_await runtime::sleep_for(loop.time(), 24h);
    ADD_FAILURE() << "no client was left";
  });
  const auto start = loop.time().now();
  {
    const auto stream = co_await site.client->open(get("/watch"), {});
    EXPECT_TRUE(stream);
    co_await runtime::sleep_for(loop.time(), 1h);
    EXPECT_FALSE(has_ended);
  }
  co_await runtime::sleep_for(loop.time(), 1s);
  EXPECT_TRUE(has_ended);
  EXPECT_EQ(loop.time().now() - start, 1h + 1s);
  co_await site.stop();
}

// ---- many connections
// -----------------------------------------------------------------------------

Task<bool> read_answer(Stream& stream) {
  std::array<char, 1024> buffer{};
  const auto size = co_await stream.read_some(buffer, {});
  co_return size && *size > 0;
}

CO_TEST(HttpServer, closes_idle_connection_for_new_one) {
  Site site(loop, describe(), {.connections_max = 2});
  const auto start = loop.time().now();
  const auto first = co_await site.connect();
  co_await first->write(kGet, {});
  CO_ASSERT_TRUE(co_await read_answer(*first));
  co_await runtime::sleep_for(loop.time(), 1s);
  const auto second = co_await site.connect();
  co_await second->write(kGet, {});
  CO_ASSERT_TRUE(co_await read_answer(*second));
  co_await runtime::sleep_for(loop.time(), 1s);
  const std::string third = co_await talk(site, std::string(kLastGet));
  EXPECT_THAT(third, EndsWith("GET /b "));
  EXPECT_EQ(loop.time().now() - start, 2s) << "it does not wait for a timeout";
  EXPECT_FALSE(first->is_quiet()) << "the one that was idle longest is closed";
  EXPECT_TRUE(second->is_quiet());
  co_await site.stop();
}

// A pipe's end with an address.
struct FromAddress final : Stream {
  FromAddress(std::unique_ptr<Stream> b, std::string a)
      : below(std::move(b)), address(std::move(a)) {}
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
  std::string peer_address() const override { return address; }
  std::unique_ptr<Stream> below;
  std::string address;
};

// Accepts connections with addresses chosen by the test.
struct AddressedSite {
  AddressedSite(VirtualLoop& loop, ServerOptions options)
      : network(loop.time()), listener(*this), group(loop.executor()) {
    group.spawn("server", serve(listener, loop.time(), options, describe(), {}));
  }
  Task<std::unique_ptr<Stream>> connect_from(std::string address) {
    next_address = std::move(address);
    auto stream = co_await network.connect(kOrigin, {});
    for (int turn = 0; turn < 20; ++turn) co_await runtime::yield();
    co_return std::move(*stream);
  }
  Task<std::string> ask_from(std::string address) {
    const auto stream = co_await connect_from(std::move(address));
    co_await stream->write(kLastGet, {});
    co_return co_await read_all(*stream);
  }
  Task<> stop() {
    group.cancel();
    co_await group.join();
  }

  struct Accepting final : Listener {
    explicit Accepting(AddressedSite& s)
        : site(s), below(s.network.listen(kOrigin.host, kOrigin.port)) {}
    Task<Result<std::unique_ptr<Stream>>> accept() override {
      auto stream = co_await below->accept();
      if (!stream) co_return stream;
      co_return std::make_unique<FromAddress>(std::move(*stream), site.next_address);
    }
    std::string address() const override { return below->address(); }
    AddressedSite& site;
    std::unique_ptr<Listener> below;
  };

  PipeNetwork network;
  std::string next_address;
  Accepting listener;
  TaskGroup group;
};

Task<> write_and_forget(Stream& stream, std::string bytes) {
  co_await stream.write(bytes, {});
}

// The attack: connections that never finish a request. They come from the prober's own address, as
// from a pod in its host's network, and each is reopened when it is closed.
CO_TEST(HttpServer, does_not_count_connections_without_request) {
  AddressedSite site(loop, {.connections_max = 16, .connections_per_address_max = 4});
  std::vector<std::unique_ptr<Stream>> half_open;
  for (int i = 0; i < 1000; ++i) {
    half_open.push_back(co_await site.connect_from("10.0.0.1"));
    co_await half_open.back()->write("G", {});
  }
  const auto start = loop.time().now();
  for (int probe = 0; probe < 17; ++probe) {
    EXPECT_THAT(co_await site.ask_from("10.0.0.1"), EndsWith("GET /b "));
  }
  EXPECT_EQ(loop.time().now(), start);
  EXPECT_TRUE(std::ranges::all_of(half_open, [](const auto& each) { return each->is_quiet(); }));
  co_await site.stop();
}

CO_TEST(HttpServer, closes_oldest_connections_without_request) {
  AddressedSite site(loop, {.new_connections_max = 16});
  std::vector<std::unique_ptr<Stream>> half_open;
  const auto open = [&](int count, std::string address) -> Task<> {
    for (int i = 0; i < count; ++i) half_open.push_back(co_await site.connect_from(address));
  };
  co_await open(4, "192.168.0.1");
  co_await open(8, "10.0.0.1");
  co_await runtime::sleep_for(loop.time(), 2s);
  co_await open(8, "10.0.0.1");
  const auto is_open = [&](std::size_t at) { return half_open[at]->is_quiet(); };
  for (std::size_t i = 0; i < half_open.size(); ++i) {
    EXPECT_EQ(is_open(i), i < 4 || i >= 8) << i << ": the oldest of the address with the most";
  }
  co_await site.stop();
}

CO_TEST(HttpServer, makes_newcomer_wait_while_all_are_young) {
  AddressedSite site(loop, {.new_connections_max = 4});
  std::vector<std::unique_ptr<Stream>> half_open;
  for (int i = 0; i < 4; ++i) half_open.push_back(co_await site.connect_from("10.0.0.1"));
  const auto start = loop.time().now();
  EXPECT_THAT(co_await site.ask_from("192.168.0.1"), EndsWith("GET /b "));
  EXPECT_GE(loop.time().now() - start, 2s);
  EXPECT_LE(loop.time().now() - start, 2s + 250ms);
  co_await site.stop();
}

CO_TEST(HttpServer, isolates_client_that_finishes_no_request) {
  AddressedSite site(
      loop, {.connections_max = 16, .connections_per_address_max = 4, .new_connections_max = 16});
  std::vector<std::unique_ptr<Stream>> half_open;
  for (const int attacker : {1, 2, 3, 4, 5, 6}) {
    for (int i = 0; i < 6; ++i) {
      half_open.push_back(co_await site.connect_from("10.0.0." + std::to_string(attacker)));
      if (i % 2 == 0) co_await half_open.back()->write("GET / HT", {});
    }
  }
  co_await runtime::sleep_for(loop.time(), 7s);
  const auto start = loop.time().now();
  EXPECT_THAT(co_await site.ask_from("192.168.0.1"), EndsWith("GET /b "));
  EXPECT_THAT(co_await site.ask_from("10.0.0.1"), EndsWith("GET /b ")) << "nor a neighbour";
  EXPECT_EQ(loop.time().now(), start);
  co_await site.stop();
}

CO_TEST(HttpServer, isolates_client_that_reads_no_answer) {
  std::string many_requests(kGet);
  while (many_requests.size() < 1'000'000) many_requests += kGet;
  for (const std::string& sent : {std::string(kGet) + "G", many_requests}) {
    AddressedSite site(loop, {.connections_max = 16, .connections_per_address_max = 4});
    std::vector<std::unique_ptr<Stream>> held;
    TaskGroup writers(loop.executor());
    for (const int attacker : {1, 2, 3, 4}) {
      for (int i = 0; i < 4; ++i) {
        held.push_back(co_await site.connect_from("10.0.0." + std::to_string(attacker)));
        writers.spawn("write", write_and_forget(*held.back(), sent));
      }
    }
    co_await runtime::sleep_for(loop.time(), 3s);
    const auto start = loop.time().now();
    EXPECT_THAT(co_await site.ask_from("192.168.0.1"), EndsWith("GET /b "));
    EXPECT_THAT(co_await site.ask_from("10.0.0.1"), EndsWith("GET /b ")) << "nor a neighbour";
    EXPECT_EQ(loop.time().now(), start);
    writers.cancel();
    co_await writers.join();
    co_await site.stop();
  }
}

// Each connection has been answered once, and has the next request under way.
CO_TEST(HttpServer, isolates_client_that_always_has_next_request_under_way) {
  AddressedSite site(loop, {.connections_max = 4, .connections_per_address_max = 2});
  std::vector<std::unique_ptr<Stream>> held;
  for (const int attacker : {1, 1, 2, 2}) {
    held.push_back(co_await site.connect_from("10.0.0." + std::to_string(attacker)));
    co_await held.back()->write(std::string(kGet) + "GET / HT", {});
    CO_ASSERT_TRUE(co_await read_answer(*held.back()));
  }
  const auto start = loop.time().now();
  EXPECT_THAT(co_await site.ask_from("192.168.0.1"), EndsWith("GET /b "));
  EXPECT_THAT(co_await site.ask_from("10.0.0.1"), EndsWith("GET /b ")) << "nor a neighbour";
  EXPECT_EQ(loop.time().now(), start);
  co_await site.stop();
}

CO_TEST(HttpServer, closes_pipelining_connection_after_answer_for_waiting_one) {
  Site site(loop,
            [&](Request, Responder& responder) -> Task<> {
              co_await runtime::sleep_for(loop.time(), 1s);
              co_await responder.send(ok("answered"));
            },
            {.connections_max = 1});
  const auto start = loop.time().now();
  const auto greedy = co_await site.connect();
  std::string requests;
  for (int i = 0; i < 20; ++i) requests += kGet;
  co_await greedy->write(requests, {});
  co_await runtime::sleep_for(loop.time(), 500ms);
  EXPECT_THAT(co_await talk(site, std::string(kLastGet)), EndsWith("answered"));
  EXPECT_EQ(loop.time().now() - start, 2s);
  EXPECT_THAT(co_await read_all(*greedy), HasSubstr("Connection: close"));
  co_await site.stop();
}

CO_TEST(HttpServer, limits_connections_of_one_address) {
  AddressedSite site(loop, {.connections_max = 16, .connections_per_address_max = 4});
  const auto scraper = co_await site.connect_from("192.168.0.1");
  co_await scraper->write(kGet, {});
  co_await runtime::sleep_for(loop.time(), 1s);
  std::vector<std::unique_ptr<Stream>> many;
  for (int i = 0; i < 40; ++i) {
    many.push_back(co_await site.connect_from("10.0.0.1"));
    co_await many.back()->write(kGet, {});
    CO_ASSERT_TRUE(co_await read_answer(*many.back()));
    co_await runtime::sleep_for(loop.time(), 300ms);
  }
  co_await scraper->write(kLastGet, {});
  EXPECT_THAT(co_await read_all(*scraper), EndsWith("GET /b ")) << "it is idle, but not greedy";
  EXPECT_EQ(std::ranges::count_if(many, [](const auto& each) { return each->is_quiet(); }), 4);
  co_await site.stop();
}

CO_TEST(HttpServer, serves_waiting_connection_when_another_becomes_idle) {
  Site site(loop,
            [&](Request, Responder& responder) -> Task<> {
              co_await runtime::sleep_for(loop.time(), 1s);
              co_await responder.send(ok("answered"));
            },
            {.connections_max = 2});
  const auto start = loop.time().now();
  const auto first = co_await site.connect();
  const auto second = co_await site.connect();
  co_await first->write(kGet, {});
  co_await second->write(kGet, {});
  co_await runtime::sleep_for(loop.time(), 500ms);
  const std::string third = co_await talk(site, std::string(kLastGet));
  EXPECT_THAT(third, EndsWith("answered"));
  EXPECT_EQ(loop.time().now() - start, 2s) << "served as soon as there is an idle one";
  co_await site.stop();
}

CO_TEST(HttpServer, limits_concurrent_connections) {
  int at_once = 0;
  int most_at_once = 0;
  Site site(loop,
            [&](Request, Responder& responder) -> Task<> {
              most_at_once = std::max(most_at_once, ++at_once);
              co_await runtime::sleep_for(loop.time(), 1s);
              --at_once;
              co_await responder.send(ok(""));
            },
            {.connections_max = 4});
  TaskGroup group(loop.executor());
  int answered = 0;
  for (int i = 0; i < 50; ++i) {
    group.spawn("client", [](Site& s, int& count) -> Task<> {
      const std::string answer = co_await talk(s, std::string(kGet));
      EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 "));
      ++count;
    }(site, answered));
  }
  co_await group.join();
  EXPECT_EQ(answered, 50);
  EXPECT_EQ(most_at_once, 4);
  co_await site.stop();
}

CO_TEST(HttpServer, closes_everything_when_cancelled_at_any_step) {
  std::string whole;
  for (int steps = 60; steps >= 0; --steps) {
    Site site(loop, [](Request request, Responder& responder) -> Task<> {
      if (request.target == "/a") {
        co_await responder.send(ok("x"));
      } else {
        co_await responder.begin(ok(""));
        co_await responder.write("x");
        co_await responder.end();
      }
    });
    const auto stream = co_await site.connect();
    co_await stream->write(std::string(kGet) + std::string(kLastGet), {});
    for (int step = 0; step < steps; ++step) co_await runtime::yield();
    co_await site.stop();
    site.listener.reset();
    const std::string sent = co_await read_all(*stream);
    if (whole.empty()) whole = sent;
    EXPECT_TRUE(whole.starts_with(sent)) << "after " << steps << " steps: " << sent;
  }
  EXPECT_THAT(whole, EndsWith("0\r\n\r\n"));
}

}  // namespace
}  // namespace dcm::http
