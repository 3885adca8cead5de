#include "runtime/http2/session.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "test/unit/http2/frames.hpp"

namespace dcm::http2 {
namespace {

std::string describe(const http::Headers& fields) {
  std::string text;
  for (const auto& [name, value] : fields) text += fmt::format(" {}={}", name, value);
  return text;
}
std::string describe(const HeadEvent& e) {
  return fmt::format("head {}{}", e.stream, describe(e.fields));
}
std::string describe(const DataEvent& e) {
  return fmt::format("data {} {}", e.stream, e.bytes);
}
std::string describe(const TrailersEvent& e) {
  return fmt::format("trailers {}{}", e.stream, describe(e.fields));
}
std::string describe(const EndEvent& e) {
  return fmt::format("end {}", e.stream);
}
std::string describe(const ClosedEvent& e) {
  return fmt::format("closed {} {}", e.stream, to_string(e.code));
}
std::string describe(const SettingsEvent&) {
  return "settings";
}
std::string describe(const GoAwayEvent& e) {
  return fmt::format("goaway {}", to_string(e.code));
}

std::string describe(const std::vector<Event>& events) {
  std::string text;
  for (const Event& event : events) {
    if (!text.empty()) text += "; ";
    text += std::visit([](const auto& each) { return describe(each); }, event);
  }
  return text;
}

std::string all_output(Session& session) {
  std::string bytes;
  while (true) {
    const std::string_view next = session.next_output();
    if (next.empty()) return bytes;
    bytes.append(next);
  }
}

const http::Headers kGet = {
    {":method", "GET"}, {":scheme", "http"}, {":authority", "host"}, {":path", "/"}};

// Both sides, and the events of each.
struct Pair {
  explicit Pair(SessionOptions options = {})
      : client(Side::client, options), server(Side::server, options) {}

  // Transfers bytes until neither side has any; returns the events.
  std::string exchange() {
    std::string told;
    for (bool is_moving = true; is_moving;) {
      const std::string to_server = all_output(client);
      server.receive(to_server);
      const std::string at_server = describe(server.take_events());
      const std::string to_client = all_output(server);
      client.receive(to_client);
      const std::string at_client = describe(client.take_events());
      if (!at_server.empty()) told += "server: " + at_server + "\n";
      if (!at_client.empty()) told += "client: " + at_client + "\n";
      is_moving = !to_server.empty() || !to_client.empty();
    }
    return told;
  }

  Session client;
  Session server;
};

TEST(Http2Session, exchanges_request_and_answer_with_trailers) {
  Pair pair;
  pair.exchange();
  const StreamId id = pair.client.open(kGet);
  pair.client.write(id, "question");
  pair.client.end(id);
  EXPECT_EQ(
      pair.exchange(),
      "server: head 1 :method=GET :scheme=http :authority=host :path=/; data 1 question; end 1\n");
  pair.server.respond(id, {{":status", "200"}});
  pair.server.write(id, "answer");
  pair.server.end(id, {{"X-Sum", "7"}});
  EXPECT_EQ(
      pair.exchange(),
      "client: head 1 :status=200; data 1 answer; trailers 1 x-sum=7; end 1; closed 1 NO_ERROR\n"
      "server: closed 1 NO_ERROR\n");
}

TEST(Http2Session, ends_message_without_body_with_its_head) {
  Pair pair;
  pair.exchange();
  const StreamId id = pair.client.open(kGet, Body::none);
  const std::string request = all_output(pair.client);
  EXPECT_EQ(request[4], kEndHeaders | kEndStream);
  pair.server.receive(request);
  pair.server.respond(id, {{":status", "204"}}, Body::none);
  const std::string answer = all_output(pair.server);
  EXPECT_EQ(answer[4], kEndHeaders | kEndStream);
  pair.client.receive(answer);
  EXPECT_EQ(describe(pair.client.take_events()), "head 1 :status=204; end 1; closed 1 NO_ERROR");
}

TEST(Http2Session, shares_bandwidth_among_streams) {
  Pair pair;
  pair.exchange();
  const std::string large(200'000, 'x');
  for (int i = 0; i < 2; ++i) {
    const StreamId id = pair.client.open(kGet);
    pair.client.write(id, large);
    pair.client.end(id);
  }
  std::string order;
  for (int i = 0; i < 12; ++i) {
    const std::string_view next = pair.client.next_output();
    if (next.size() > 9 && next[3] == 0) order.push_back(static_cast<char>('0' + next[8]));
  }
  EXPECT_TRUE(order.contains("13") && order.contains("31")) << order;
}

TEST(Http2Session, limits_unread_stream_to_its_own_window) {
  Pair pair({.stream_window = 100'000, .connection_window = 150'000});
  pair.exchange();
  const StreamId unread = pair.client.open(kGet);
  const StreamId read = pair.client.open(kGet);
  pair.exchange();
  for (const StreamId id : {unread, read}) {
    pair.server.respond(id, {{":status", "200"}});
    pair.server.write(id, std::string(1'000'000, 'x'));
    pair.server.end(id);
  }
  for (int i = 0; i < 100; ++i) {
    pair.exchange();
    pair.client.consume(read, 100'000 - pair.server.unsent(unread) % 2);
  }
  EXPECT_EQ(pair.server.unsent(unread), 900'000U);
  EXPECT_EQ(pair.server.unsent(read), 0U);
}

TEST(Http2Session, opens_no_more_streams_than_server_accepts) {
  Pair pair({.peer_streams_max = 2});
  pair.exchange();
  EXPECT_TRUE(pair.client.can_open(1));
  EXPECT_FALSE(pair.client.can_open(2));
  pair.client.open(kGet);
  const StreamId second = pair.client.open(kGet);
  EXPECT_FALSE(pair.client.can_open());
  pair.exchange();
  pair.client.reset(second, ErrorCode::cancel);
  EXPECT_EQ(pair.exchange(), "server: closed 3 CANCEL\nclient: closed 3 CANCEL\n");
  EXPECT_TRUE(pair.client.can_open());
}

TEST(Http2Session, ends_after_last_stream_when_server_goes_away) {
  Pair pair;
  pair.exchange();
  const StreamId id = pair.client.open(kGet);
  pair.client.end(id);
  pair.exchange();
  pair.server.go_away();
  EXPECT_EQ(pair.exchange(), "client: goaway NO_ERROR\n");
  EXPECT_FALSE(pair.client.can_open());
  EXPECT_FALSE(pair.client.is_over());
  pair.server.respond(id, {{":status", "200"}});
  pair.server.end(id);
  pair.exchange();
  EXPECT_TRUE(pair.client.is_over());
  EXPECT_TRUE(pair.server.is_over());
}

TEST(Http2Session, keeps_tokens_out_of_compression_table) {
  Pair pair;
  http::Headers fields = kGet;
  fields.add("Authorization", "Bearer a-token-that-is-long-enough");
  pair.client.end(pair.client.open(fields));
  pair.exchange();
  const std::size_t first = [&] {
    pair.client.end(pair.client.open(fields));
    return all_output(pair.client).size();
  }();
  fields.add("X-Other", "Bearer a-token-that-is-long-enough");
  pair.client.end(pair.client.open(kGet));
  EXPECT_GT(first, all_output(pair.client).size() + 20);
}

TEST(Http2Session, rejects_large_head_for_its_stream_alone) {
  Pair pair({.header_bytes_max = 1000});
  pair.exchange();
  http::Headers large = kGet;
  large.add("x", std::string(1000, 'x'));
  pair.client.end(pair.client.open(large));
  EXPECT_EQ(pair.exchange(), "client: closed 1 INTERNAL_ERROR\nserver: closed 1 INTERNAL_ERROR\n");
  pair.client.end(pair.client.open(kGet));
  EXPECT_TRUE(pair.exchange().contains("head 3"));
}

struct Row {
  const char* name;
  Side side;           // ours
  std::string bytes;   // what the peer sends after its settings
  const char* events;  // the events after them
  bool is_over;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.name;
}

std::string many(int count, const std::string& bytes) {
  std::string all;
  for (int i = 0; i < count; ++i) all += bytes;
  return all;
}

// A client's streams 1, 3, …, each reset at once.
std::string resets(int count) {
  std::string all;
  for (int i = 0; i < count; ++i) {
    const auto id = static_cast<std::uint32_t>(2 * i + 1);
    all += headers(id, kGetRoot, kEndHeaders) + reset(id, 8);
  }
  return all;
}

const std::vector<Row> kRows = {
    // A client with streams 1 and 3 open, and its server.
    {"an_answer", Side::client, headers(1, kStatus200, kEndHeaders | kEndStream),
     "head 1 :status=200; end 1", false},
    {"an_interim_answer_is_passed_over", Side::client,
     headers(1, literal(":status", "103")) + headers(1, kStatus200), "head 1 :status=200", false},
    {"a_flood_of_interim_answers", Side::client, many(9, headers(1, literal(":status", "103"))), "",
     true},
    {"a_flood_of_empty_data", Side::client, headers(1, kStatus200) + many(101, data(1, "")), "",
     true},
    {"empty_data_between_others", Side::client,
     headers(1, kStatus200) + many(3, many(100, data(1, "")) + data(1, "x")),
     "head 1 :status=200; data 1 x; data 1 x; data 1 x", false},
    {"a_refused_stream", Side::client, reset(1, 7), "closed 1 REFUSED_STREAM", false},
    {"a_goaway_below_a_stream_refuses_that", Side::client, go_away(1),
     "goaway NO_ERROR; closed 3 REFUSED_STREAM", false},
    {"a_goaway_below_all_ends_it", Side::client, go_away(0),
     "goaway NO_ERROR; closed 3 REFUSED_STREAM; closed 1 REFUSED_STREAM", true},
    {"a_goaway_that_goes_up_again", Side::client, go_away(1) + go_away(3),
     "goaway NO_ERROR; closed 3 REFUSED_STREAM", true},
    {"data_before_the_head", Side::client, data(1, "x"), "", true},
    {"a_stream_that_nobody_opened", Side::client, headers(5, kStatus200), "", true},
    {"a_push", Side::client, frame(0x5, kEndHeaders, 1, big_endian(2, 4) + kGetRoot), "", true},
    {"a_frame_that_is_too_large", Side::client, frame(0x0, 0, 1, std::string(16385, 'x')), "",
     true},
    {"a_window_that_overflows", Side::client, window(0, 0x7fffffff), "", true},
    {"garbage_instead_of_a_header_block", Side::client, headers(1, "\xff\xff\xff\xff\xff\xff"), "",
     true},
    {"a_flood_of_continuations", Side::client,
     headers(1, kStatus200, 0) + many(20, continuation(1, "")), "", true},
    {"a_flood_of_pings", Side::client, many(2000, ping()), "", true},
    {"a_flood_of_settings", Side::client, many(2000, settings()), "", true},
    {"settings_of_33_fields", Side::client, settings(many(33, setting(0xf0, 1))), "", true},
    // A server and its client.
    {"a_request", Side::server, headers(1, kGetRoot, kEndHeaders | kEndStream),
     "head 1 :method=GET :scheme=http :path=/ :authority=h; end 1", false},
    {"a_request_without_a_path", Side::server, headers(1, "\x82\x86"), "closed 1 PROTOCOL_ERROR",
     false},
    {"an_even_stream", Side::server, headers(2, kGetRoot), "", true},
    {"a_flood_of_resets", Side::server, resets(3000), "", true},
};

struct Http2Peer : testing::TestWithParam<Row> {};

TEST_P(Http2Peer, is_tolerated_or_rejected) {
  const Row& row = GetParam();
  Session session(row.side, {});
  session.receive(std::string(row.side == Side::server ? kPreface : "") + settings());
  if (row.side == Side::client) {
    session.open(kGet);
    session.open(kGet);
  }
  all_output(session);
  session.receive(frame(0x4, kAck, 0, ""));
  session.take_events();
  session.receive(row.bytes);
  std::string events = describe(session.take_events());
  all_output(session);
  events += describe(session.take_events());
  if (*row.events != '\0') EXPECT_EQ(events, row.events);
  EXPECT_EQ(session.is_over(), row.is_over) << session.fault();
}

INSTANTIATE_TEST_SUITE_P(Rows, Http2Peer, testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

// A client that never acknowledges the limit of streams, and reads nothing.
TEST(Http2Session, bounds_frames_that_peer_does_not_read) {
  Session server(Side::server, {.peer_streams_max = 1});
  server.receive(std::string(kPreface) + settings());
  for (std::uint32_t id = 1; id < 1'000'000; id += 2) server.receive(headers(id, kGetRoot));
  EXPECT_EQ(server.fault(), "the peer does not read the frames that it causes");
  EXPECT_LT(all_output(server).size(), 1'000'000U);
  EXPECT_TRUE(server.is_over());
}

TEST(Http2Session, reports_fault_of_connection_and_not_of_stream) {
  Session server(Side::server, {});
  server.receive(std::string(kPreface) + settings() + headers(1, "\x82\x86"));
  EXPECT_TRUE(server.fault().starts_with("frame of type 1 on stream 1")) << server.fault();
  server.receive(headers(3, kGetRoot, 0) + many(20, continuation(3, "")));
  EXPECT_TRUE(server.fault().contains("CONTINUATION")) << server.fault();
}

TEST(Http2Session, ends_if_peer_speaks_no_HTTP2) {
  Session client(Side::client, {});
  client.receive("HTTP/1.1 400 Bad Request\r\n\r\n");
  all_output(client);
  EXPECT_TRUE(client.is_over());
  Session server(Side::server, {});
  server.receive("GET / HTTP/1.1\r\nHost: host\r\n\r\n");
  all_output(server);
  EXPECT_TRUE(server.is_over());
}

TEST(Http2Session, behaves_the_same_however_bytes_are_split) {
  const std::string bytes =
      settings() + headers(1, kStatus200) + data(1, "abcdef") + data(1, "gh", kEndStream);
  for (std::size_t piece = 1; piece < bytes.size(); ++piece) {
    Session client(Side::client, {});
    const StreamId id = client.open(kGet);
    client.end(id);
    all_output(client);
    std::string body;
    bool is_closed = false;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      const std::string some = bytes.substr(at, piece);
      client.receive(some);
      for (const Event& event : client.take_events()) {
        if (const auto* const part = std::get_if<DataEvent>(&event)) body += part->bytes;
        is_closed |= std::holds_alternative<ClosedEvent>(event);
      }
    }
    EXPECT_EQ(body, "abcdefgh");
    EXPECT_TRUE(is_closed);
  }
}

}  // namespace
}  // namespace dcm::http2
