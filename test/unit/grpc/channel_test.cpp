#include <set>
#include <vector>

#include "runtime/http2/connection.hpp"
#include "test/unit/grpc/grpc_site.hpp"

namespace dcm::grpc {
namespace {

Task<> call_and_note(GrpcSite& site, std::string method, std::string request, Deadline deadline,
                     std::string& note) {
  const auto answer = co_await site.channel->call(method, request, deadline);
  note = describe(answer);
}

CO_TEST(Grpc, returns_answer_of_call) {
  GrpcSite site(loop);
  site.start();
  const auto answer = co_await site.channel->call("/test.Echo/Same", "hello", site.in(1s));
  EXPECT_EQ(describe(answer), "hello");
  EXPECT_TRUE(site.channel->is_connected());
  co_await site.stop();
}

CO_TEST(Grpc, accepts_empty_message) {
  GrpcSite site(loop);
  site.start();
  const auto answer = co_await site.channel->call("/test.Echo/Same", "", site.in(1s));
  EXPECT_EQ(describe(answer), "");
  co_await site.stop();
}

CO_TEST(Grpc, returns_code_and_message_of_refusal) {
  GrpcSite site(loop);
  site.start();
  const auto answer = co_await site.channel->call("/test.Echo/Refuse", "x", site.in(1s));
  EXPECT_EQ(describe(answer), "rpc error: code = FailedPrecondition desc = 100% ü\nx");
  co_await site.stop();
}

CO_TEST(Grpc, cuts_long_message_of_refusal) {
  GrpcSite site(loop);
  site.start();
  const auto answer =
      co_await site.channel->call("/test.Echo/Refuse", std::string(1'000'000, 'x'), site.in(1s));
  CO_ASSERT_TRUE(!answer);
  EXPECT_EQ(answer.error().code, Code::failed_precondition) << describe(answer);
  EXPECT_TRUE(answer.error().message.starts_with("100% ü\nxxx"));
  EXPECT_EQ(answer.error().message.size(), 8192U);
  co_await site.stop();
}

CO_TEST(Grpc, reports_missing_method_as_unimplemented) {
  GrpcSite site(loop);
  site.start();
  const auto answer = co_await site.channel->call("/test.Echo/None", "x", site.in(1s));
  EXPECT_EQ(describe(answer),
            "rpc error: code = Unimplemented desc = unknown method /test.Echo/None");
  co_await site.stop();
}

CO_TEST(Grpc, ends_call_at_deadline_known_to_server) {
  GrpcSite site(loop);
  site.start();
  const Deadline deadline = site.in(45s);
  const auto answer = co_await site.channel->call("/test.Echo/Hang", "", deadline);
  EXPECT_EQ(answer.error().code, Code::deadline_exceeded);
  EXPECT_EQ(loop.time().now(), deadline.time());
  EXPECT_EQ(site.deadline_told, deadline);
  co_await runtime::sleep_for(loop.time(), 1ms);
  EXPECT_EQ(site.hanging, 0) << "the server goes on for nobody";
  co_await site.stop();
}

CO_TEST(Grpc, cancels_one_call_at_server_and_continues_others) {
  GrpcSite site(loop);
  site.start();
  std::string note = "none";
  TaskGroup group(loop.executor());
  group.spawn("call", call_and_note(site, "/test.Echo/Hang", "", site.in(1h), note));
  co_await runtime::sleep_for(loop.time(), 1s);
  EXPECT_EQ(site.hanging, 1);
  group.cancel();
  co_await group.join();
  const auto answer = co_await site.channel->call("/test.Echo/Same", "still here", site.in(1s));
  EXPECT_EQ(describe(answer), "still here");
  EXPECT_EQ(site.hanging, 0);
  EXPECT_EQ(note, "none");
  co_await site.stop();
}

CO_TEST(Grpc, shares_connection_and_limits_concurrent_calls) {
  GrpcSite site(loop);
  site.server_options.calls_max = 2;
  site.start();
  CO_ASSERT_TRUE(co_await site.channel->wait_until_connected(site.in(1s)));
  std::string notes[3];
  TaskGroup group(loop.executor());
  for (std::string& note : notes) {
    group.spawn("call", call_and_note(site, "/test.Echo/Hang", "", site.in(10s), note));
  }
  co_await runtime::sleep_for(loop.time(), 5s);
  EXPECT_EQ(site.hanging, 2);
  co_await group.join();
  for (const std::string& note : notes) EXPECT_TRUE(note.contains("DeadlineExceeded")) << note;
  co_await site.stop();
}

CO_TEST(Grpc, accepts_message_of_4_MiB_and_no_larger) {
  GrpcSite site(loop);
  site.start();
  const std::string large(4 * 1024 * 1024, 'x');
  const auto answer = co_await site.channel->call("/test.Echo/Same", large, site.in(10s));
  EXPECT_EQ(describe(answer), large);
  const auto refused = co_await site.channel->call("/test.Echo/Same", large + "x", site.in(10s));
  EXPECT_EQ(refused.error().code, Code::resource_exhausted) << describe(refused);
  const auto after = co_await site.channel->call("/test.Echo/Same", "x", site.in(10s));
  EXPECT_EQ(describe(after), "x");
  co_await site.stop();
}

CO_TEST(Grpc, streams_messages_and_then_status) {
  GrpcSite site(loop);
  site.start();
  auto stream = co_await site.channel->open("/test.Echo/Count", "3", site.in(1s));
  CO_ASSERT_TRUE(stream);
  for (const char* const expected : {"0", "1", "2"}) {
    const auto message = co_await (*stream)->next(site.in(1s));
    CO_ASSERT_TRUE(message && *message);
    EXPECT_EQ(**message, expected);
  }
  const auto end = co_await (*stream)->next(site.in(1s));
  CO_ASSERT_TRUE(!end);
  EXPECT_EQ(to_string(end.error()), "rpc error: code = Aborted desc = counted");
  co_await site.stop();
}

CO_TEST(Grpc, stops_unread_stream_without_blocking_calls) {
  GrpcSite site(loop);
  site.message_size = 64 * 1024;
  site.start();
  auto stream = co_await site.channel->open("/test.Echo/Count", "1000", site.in(1s));
  CO_ASSERT_TRUE(stream);
  co_await runtime::sleep_for(loop.time(), 1min);
  EXPECT_LT(site.written_messages, 40);  // twice the window
  const auto answer = co_await site.channel->call("/test.Echo/Same", "x", site.in(1s));
  EXPECT_EQ(describe(answer), "x");
  for (int i = 0; i < 1000; ++i) {
    const auto message = co_await (*stream)->next(site.in(1s));
    CO_ASSERT_TRUE(message && *message);
  }
  co_await site.stop();
}

CO_TEST(Grpc, finds_server_that_starts_later_with_grpc_backoff) {
  GrpcSite site(loop);
  site.start_channel();
  const auto refused = co_await site.channel->call("/test.Echo/Same", "x", site.in(1h));
  EXPECT_EQ(refused.error().code, Code::unavailable);
  EXPECT_LT(loop.time().now().time_since_epoch(), 1s) << "it did not fail at once";
  co_await runtime::sleep_for(loop.time(), 10s);
  site.start_server();
  const auto began = loop.time().now();
  EXPECT_TRUE(co_await site.channel->wait_until_connected(site.in(1h)));
  EXPECT_LT(loop.time().now() - began, 8s);
  co_await site.stop();
}

CO_TEST(Grpc, reconnects_at_once_and_fails_current_call_as_unavailable) {
  GrpcSite site(loop);
  site.start();
  std::string note;
  TaskGroup group(loop.executor());
  group.spawn("call", call_and_note(site, "/test.Echo/Hang", "", site.in(1h), note));
  co_await runtime::sleep_for(loop.time(), 10s);
  site.network.cut_all();
  co_await group.join();
  EXPECT_TRUE(note.contains("Unavailable")) << note;
  const auto began = loop.time().now();
  const auto answer = co_await site.channel->call("/test.Echo/Same", "x", site.in(10s));
  EXPECT_EQ(describe(answer), "x");
  EXPECT_EQ(loop.time().now(), began);
  EXPECT_EQ(site.channel->changes(), 3U);
  co_await site.stop();
}

// The call comes in the turn in which its connection is lost; the next call opens another.
CO_TEST(Grpc, does_not_retry_on_lost_connection) {
  GrpcSite site(loop);
  site.start();
  co_await site.channel->call("/test.Echo/Same", "x", site.in(10s));
  site.network.cut_all();
  const auto lost = co_await site.channel->call("/test.Echo/Same", "x", site.in(10s));
  EXPECT_TRUE(describe(lost).contains("Unavailable")) << describe(lost);
  const auto began = loop.time().now();
  EXPECT_EQ(describe(co_await site.channel->call("/test.Echo/Same", "x", site.in(10s))), "x");
  EXPECT_EQ(loop.time().now(), began);
  co_await site.stop();
}

// Accepts one connection and sends its client a GOAWAY 100 ms later.
Task<> serve_for_a_moment(VirtualLoop& loop, http::Listener& listener) {
  auto stream = co_await listener.accept();
  http2::Connection connection(loop, std::move(*stream), http2::Side::server, {});
  TaskGroup group(loop.executor());
  group.spawn("connection", connection.run());
  co_await runtime::sleep_for(loop.time(), 100ms);
  connection.go_away();
  co_await group.join();
}

CO_TEST(Grpc, waits_for_reconnection_after_goaway) {
  GrpcSite site(loop);
  site.listener = site.network.listen("plugin", 1);
  site.start_channel();
  co_await serve_for_a_moment(loop, *site.listener);
  co_await runtime::sleep_for(loop.time(), 1ms);
  EXPECT_FALSE(site.channel->is_connected());
  site.listener.reset();
  site.start_server();
  const auto answer = co_await site.channel->call("/test.Echo/Same", "x", site.in(10s));
  EXPECT_EQ(describe(answer), "x");
  EXPECT_LT(loop.time().now().time_since_epoch(), 2s);
  co_await site.stop();
}

// SETTINGS, and a GOAWAY of a server that has processed no stream.
constexpr std::string_view kGoodbye("\0\0\0\4\0\0\0\0\0\0\0\x08\7\0\0\0\0\0\0\0\0\0\0\0\0\0", 26);

Task<> serve_nobody(http::Listener& listener, int& connections) {
  while (true) {
    const auto stream = co_await listener.accept();
    ++connections;
    (void)co_await (*stream)->write(kGoodbye, {});
    char byte = 0;
    while ((co_await (*stream)->read_some({&byte, 1}, {})).value_or(0) > 0) continue;
  }
}

CO_TEST(Grpc, backs_off_from_server_that_sends_goaway_to_all) {
  GrpcSite site(loop);
  site.listener = site.network.listen("plugin", 1);
  int connections = 0;
  site.server_group->spawn("nobody", serve_nobody(*site.listener, connections));
  site.start_channel();
  const auto answer = co_await site.channel->call("/test.Echo/Same", "x", site.in(1min));
  CO_ASSERT_TRUE(!answer);
  EXPECT_EQ(answer.error().code, Code::deadline_exceeded) << describe(answer);
  EXPECT_GT(connections, 30);
  EXPECT_LT(connections, 90);
  co_await site.stop();
}

CO_TEST(Grpc, fails_call_if_server_is_gone_after_accepting) {
  GrpcSite site(loop);
  site.listener = site.network.listen("plugin", 1);
  site.start_channel();
  co_await serve_for_a_moment(loop, *site.listener);
  site.listener.reset();
  const auto answer = co_await site.channel->call("/test.Echo/Same", "x", site.in(1h));
  EXPECT_EQ(answer.error().code, Code::unavailable);
  EXPECT_LT(loop.time().now().time_since_epoch(), 2s);
  co_await site.stop();
}

// Accepts one connection and resets its first call at `when`.
Task<> reset_call(VirtualLoop& loop, http::Listener& listener, http2::ErrorCode code,
                  Deadline when) {
  auto bytes = co_await listener.accept();
  std::unique_ptr<http2::Stream> call;
  runtime::Condition has_call(loop.time());
  http2::Connection connection(loop, std::move(*bytes), http2::Side::server, {}, [&](auto stream) {
    call = std::move(stream);
    has_call.notify_all();
  });
  TaskGroup group(loop.executor());
  group.spawn("connection", connection.run());
  while (!call) co_await has_call.wait({});
  while (!when.has_passed(loop.time())) co_await has_call.wait(when);
  call->reset(code);
  co_await group.join();
}

struct Reset {
  http2::ErrorCode code;
  Code expected;
  Sent sent = Sent::yes;
};

CO_TEST(Grpc, maps_reset_by_server_to_code) {
  for (const Reset& each : {Reset{http2::ErrorCode::no_error, Code::internal},
                            Reset{http2::ErrorCode::cancel, Code::cancelled},
                            Reset{http2::ErrorCode::internal_error, Code::internal},
                            Reset{http2::ErrorCode::enhance_your_calm, Code::resource_exhausted},
                            Reset{http2::ErrorCode::refused_stream, Code::unavailable, Sent::no}}) {
    GrpcSite site(loop);
    site.listener = site.network.listen("plugin", 1);
    site.server_group->spawn("reset", reset_call(loop, *site.listener, each.code, site.in(1s)));
    site.start_channel();
    const auto answer = co_await site.channel->call("/test.Echo/Same", "x", site.in(45s));
    CO_ASSERT_TRUE(!answer);
    EXPECT_EQ(answer.error().code, each.expected) << describe(answer);
    EXPECT_EQ(answer.error().sent, each.sent);
    co_await site.stop();
  }
}

CO_TEST(Grpc, says_that_deadline_has_passed_if_server_cancels_then) {
  GrpcSite site(loop);
  site.listener = site.network.listen("plugin", 1);
  const Deadline deadline = site.in(45s);
  site.server_group->spawn("reset",
                           reset_call(loop, *site.listener, http2::ErrorCode::cancel, deadline));
  site.start_channel();
  const auto stream = co_await site.channel->open("/test.Echo/Count", "1", site.in(1s));
  CO_ASSERT_TRUE(stream.has_value());
  co_await runtime::sleep_for(loop.time(), 46s);  // the reset is read before the clock
  const auto message = co_await (*stream)->next(deadline);
  CO_ASSERT_TRUE(!message);
  EXPECT_EQ(message.error().code, Code::deadline_exceeded) << to_string(message.error());
  co_await site.stop();
}

// Accepts one connection, sends nothing itself, and notes when the client sends something.
Task<> serve_silently(VirtualLoop& loop, http::Listener& listener,
                      std::set<runtime::MonoTime>& heard) {
  auto bytes = co_await listener.accept();
  std::vector<std::unique_ptr<http2::Stream>> calls;
  http2::Connection connection(loop, std::move(*bytes), http2::Side::server, {.ping_after = 24h},
                               [&](auto stream) { calls.push_back(std::move(stream)); });
  TaskGroup group(loop.executor());
  group.spawn("connection", connection.run());
  while (!connection.lost()) {
    if (!calls.empty()) heard.insert(connection.heard_at());
    co_await runtime::sleep_for(loop.time(), 1s);
  }
  calls.clear();
  co_await group.join();
}

// gRPC servers close a connection with more than one PING in 5 minutes ("too_many_pings").
CO_TEST(Grpc, sends_ping_on_silent_stream_at_most_every_5_minutes) {
  GrpcSite site(loop);
  site.listener = site.network.listen("plugin", 1);
  std::set<runtime::MonoTime> heard;
  site.server_group->spawn("silent", serve_silently(loop, *site.listener, heard));
  site.start_channel();
  const auto stream = co_await site.channel->open("/test.Echo/Count", "1", site.in(1s));
  CO_ASSERT_TRUE(stream.has_value());
  co_await runtime::sleep_for(loop.time(), 1h);
  EXPECT_LE(heard.size(), 1 + 1h / 5min);
  EXPECT_TRUE(site.channel->is_connected());
  EXPECT_EQ(site.channel->changes(), 1U);
  co_await site.stop();
}

CO_TEST(Grpc, fails_waiting_call_at_once_when_channel_ends) {
  for (const bool is_full : {false, true}) {  // the connection that it waits for
    GrpcSite site(loop);
    site.server_options.calls_max = 1;
    if (is_full) {
      site.start_server();
    } else {
      site.listener = site.network.listen("plugin", 1);  // accepts nobody
    }
    TaskGroup channel(loop.executor());
    channel.spawn("channel", site.channel->run());
    co_await runtime::sleep_for(loop.time(), 1ms);
    std::string note;
    TaskGroup calls(loop.executor());
    if (is_full) {
      calls.spawn("first", call_and_note(site, "/test.Echo/Hang", "", site.in(45s), note));
    }
    grpc::Result<std::string> answer;
    calls.spawn("waiting", [](GrpcSite& at, grpc::Result<std::string>& result) -> Task<> {
      result = co_await at.channel->call("/test.Echo/Same", "x", at.in(45s));
    }(site, answer));
    co_await runtime::sleep_for(loop.time(), 1s);
    channel.cancel();
    co_await channel.join();
    const auto ended = loop.time().now();
    co_await calls.join();
    EXPECT_EQ(loop.time().now(), ended);
    CO_ASSERT_TRUE(!answer);
    EXPECT_EQ(answer.error().code, Code::unavailable) << describe(answer);
    EXPECT_EQ(answer.error().sent, Sent::no);
    co_await site.stop();
  }
}

CO_TEST(Grpc, isolates_method_that_throws) {
  GrpcSite site(loop);
  site.methods.unary["/test.Echo/Throw"] = [](std::string, Deadline) -> Task<Result<std::string>> {
    throw std::runtime_error("oh");
    co_return "";
  };
  site.start();
  const auto answer = co_await site.channel->call("/test.Echo/Throw", "", site.in(1s));
  EXPECT_EQ(describe(answer), "rpc error: code = Unknown desc = oh");
  const auto after = co_await site.channel->call("/test.Echo/Same", "x", site.in(1s));
  EXPECT_EQ(describe(after), "x");
  co_await site.stop();
}

}  // namespace
}  // namespace dcm::grpc
