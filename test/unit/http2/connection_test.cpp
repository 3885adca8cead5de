#include "runtime/http2/connection.hpp"

#include "runtime/http/pipe.hpp"
#include "test/support/co_test.hpp"
#include "test/unit/http2/frames.hpp"

namespace dcm::http2 {
namespace {

using namespace std::chrono_literals;
using runtime::Reason;
using runtime::TaskGroup;
using runtime::VirtualLoop;

const http::Headers kGet = {
    {":method", "GET"}, {":scheme", "http"}, {":authority", "host"}, {":path", "/"}};

// A client's connection to a server whose every byte the test controls.
struct Site {
  explicit Site(VirtualLoop& loop) : loop(loop), network(loop.time()), group(loop.executor()) {}

  Task<> open(ConnectionOptions options = {}) {
    const auto listener = network.listen("host", 1);
    auto connected = co_await network.connect({http::Security::plain, "host", 1}, {});
    auto accepted = co_await listener->accept();
    server = std::move(*accepted);
    client = std::make_unique<Connection>(loop, std::move(*connected), Side::client, options);
    group.spawn("client", client->run());
    co_await say(settings());
    co_await hear();
  }
  Task<> say(std::string bytes) {
    const auto written = co_await server->write(bytes, {});
    EXPECT_TRUE(written);
    co_await runtime::sleep_for(loop.time(), 1ms);
  }
  // The bytes from the client since the last call.
  Task<std::string> hear() {
    co_await runtime::sleep_for(loop.time(), 1ms);
    std::string all;
    while (!server->is_quiet()) {
      char buffer[4096];
      const auto read = co_await server->read_some(buffer, {});
      if (!read || *read == 0) break;
      all.append(buffer, *read);
    }
    co_return all;
  }
  Task<> stop() {
    client->close("over");
    co_await group.join();
  }

  VirtualLoop& loop;
  http::PipeNetwork network;
  std::unique_ptr<http::Stream> server;
  std::unique_ptr<Connection> client;
  TaskGroup group;
};

Task<> read_whole(Stream& stream, std::string& note) {
  const Result<> headed = co_await stream.wait_for_head({});
  if (!headed) {
    note = to_string(headed.error());
    co_return;
  }
  note = stream.head().find(":status").value_or("?");
  while (true) {
    const Result<std::string_view> piece = co_await stream.read_some({});
    if (!piece) {
      note += " " + to_string(piece.error());
      co_return;
    }
    if (piece->empty()) {
      note += " end";
      co_return;
    }
    note += " " + std::string(*piece);
  }
}

struct HostileRow {
  const char* name;
  std::string bytes;
  const char* note;
};

// The result of one request; a server may send it all at once.
const std::vector<HostileRow> kHostile = {
    {"a whole answer", headers(1, kStatus200) + data(1, "body", kEndStream), "200 body end"},
    {"refused", reset(1, 7),
     "unreachable: the server has refused the stream before it did anything"},
    {"below the last stream", go_away(0),
     "unreachable: the server has refused the stream before it did anything"},
    {"reset in the middle", headers(1, kStatus200) + data(1, "body") + reset(1, 2),
     "200 body disconnected: the stream was reset: INTERNAL_ERROR"},
    {"a reset without an error is no end", headers(1, kStatus200) + data(1, "body") + reset(1, 0),
     "200 body disconnected: the stream was reset: NO_ERROR"},
    {"goaway with the answer still to come",
     go_away(1) + headers(1, kStatus200, kEndHeaders | kEndStream), "200 end"},
};

CO_TEST(Http2Connection, distinguishes_ends_of_answer) {
  for (const HostileRow& row : kHostile) {
    SCOPED_TRACE(row.name);
    Site site(loop);
    co_await site.open();
    std::string note;
    {
      const auto stream = site.client->open(kGet, "");
      TaskGroup group(loop.executor());
      group.spawn("read", read_whole(*stream, note));
      co_await site.hear();
      co_await site.say(row.bytes);
      co_await runtime::sleep_for(loop.time(), 1ms);
      EXPECT_EQ(note, row.note);
      group.cancel();
      co_await group.join();
    }
    co_await site.stop();
  }
}

CO_TEST(Http2Connection, distinguishes_sent_from_unsent_requests_when_lost) {
  Site site(loop);
  co_await site.open();
  co_await site.say(settings(setting(0x3, 2)));
  co_await site.hear();
  std::string sent;
  std::string unsent;
  {
    const auto first = site.client->open(kGet, "");
    TaskGroup group(loop.executor());
    group.spawn("first", read_whole(*first, sent));
    co_await site.hear();
    const auto second = site.client->open(kGet, "");
    group.spawn("second", read_whole(*second, unsent));
    site.client->close("cut");
    co_await group.join();
  }
  EXPECT_EQ(sent, "disconnected: cut");
  EXPECT_EQ(unsent, "unreachable: cut");
  co_await site.stop();
}

CO_TEST(Http2Connection, fails_open_streams_when_cancelled) {
  Site site(loop);
  co_await site.open();
  std::string note;
  const auto stream = site.client->open(kGet, "");
  TaskGroup group(loop.executor());
  group.spawn("read", read_whole(*stream, note));
  co_await site.hear();
  site.group.cancel();
  co_await site.group.join();
  co_await group.join();
  EXPECT_EQ(note, "disconnected: the connection is no longer read");
}

CO_TEST(Http2Connection, asks_gate_right_before_first_byte) {
  Site site(loop);
  co_await site.open();
  std::string note;
  {
    bool was_asked = false;
    const auto stream = site.client->open(kGet, "", [&] {
      was_asked = true;
      return Result<>(runtime::fail(Reason::shutting_down, "no longer the leader"));
    });
    EXPECT_FALSE(was_asked);
    co_await read_whole(*stream, note);
    EXPECT_TRUE(was_asked);
  }
  EXPECT_EQ(note, "shutting_down: no longer the leader");
  EXPECT_EQ(co_await site.hear(), "");
  const auto next = site.client->open(kGet, "");
  EXPECT_NE(co_await site.hear(), "");
  co_await site.stop();
}

CO_TEST(Http2Connection, asks_no_gate_while_earlier_bytes_are_stuck) {
  Site site(loop);
  co_await site.open();
  co_await site.say(window(0, 10'000'000) + settings(setting(0x4, 10'000'000)));
  const auto large = site.client->open(kGet, std::string(1'000'000, 'x'));
  co_await runtime::sleep_for(loop.time(), 1ms);  // the pipe is full
  int asked = 0;
  const auto gated = site.client->open(kGet, "", [&] {
    ++asked;
    return Result<>();
  });
  co_await runtime::sleep_for(loop.time(), 1s);
  EXPECT_EQ(asked, 0);
  std::size_t heard = 0;
  for (int i = 0; i < 1000 && asked == 0; ++i) heard += (co_await site.hear()).size();
  EXPECT_EQ(asked, 1);
  EXPECT_GT(heard, 100'000U);
  co_await site.stop();
}

CO_TEST(Http2Connection, gives_up_peer_without_PING_answer) {
  Site site(loop);
  co_await site.open();
  const auto began = loop.time().now();
  std::string note;
  const auto stream = site.client->open(kGet, "");
  co_await read_whole(*stream, note);
  EXPECT_EQ(note, "disconnected: the peer does not answer a PING");
  EXPECT_GE(loop.time().now() - began, 44s);
  EXPECT_LE(loop.time().now() - began, 61s);
  co_await site.stop();
}

CO_TEST(Http2Connection, keeps_peer_that_answers_PINGs) {
  Site site(loop);
  co_await site.open();
  const auto stream = site.client->open(kGet, "");
  for (int i = 0; i < 100; ++i) {
    const std::string heard = co_await site.hear();
    if (const auto at = heard.find(std::string("\0\0\x8\x6\0", 5)); at != std::string::npos) {
      co_await site.say(frame(0x6, kAck, 0, heard.substr(at + 9, 8)));
    }
    co_await runtime::sleep_for(loop.time(), 5s);
  }
  EXPECT_FALSE(site.client->lost());
  co_await site.stop();
}

CO_TEST(Http2Connection, gives_up_peer_that_accepts_no_bytes) {
  Site site(loop);
  co_await site.open();
  co_await site.say(window(0, 10'000'000) + settings(setting(0x4, 10'000'000)));
  std::string note;
  const auto stream = site.client->open(kGet, std::string(1'000'000, 'x'));
  co_await read_whole(*stream, note);
  EXPECT_TRUE(note.starts_with("disconnected: ")) << note;
  co_await site.stop();
}

CO_TEST(Http2Connection, resets_abandoned_stream_and_continues) {
  Site site(loop);
  co_await site.open();
  auto stream = site.client->open(kGet, "");
  co_await site.hear();
  stream.reset();
  EXPECT_TRUE((co_await site.hear()).contains(reset(1, 8)));
  co_await site.say(headers(1, kStatus200) + data(1, "late", kEndStream));
  EXPECT_FALSE(site.client->lost());
  EXPECT_TRUE(site.client->can_open());
  co_await site.stop();
}

CO_TEST(Http2Connection, never_sends_stream_abandoned_before_sending) {
  Site site(loop);
  co_await site.open();
  auto stream = site.client->open(kGet, "");
  stream.reset();
  EXPECT_EQ(co_await site.hear(), "");
  co_await site.stop();
}

}  // namespace
}  // namespace dcm::http2
