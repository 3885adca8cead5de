// Which connections a gRPC server serves when there are too many.
#include "test/unit/grpc/grpc_site.hpp"

namespace dcm::grpc {
namespace {

Task<> call_and_note(GrpcSite& site, std::string method, Deadline deadline, std::string& note) {
  const auto answer = co_await site.channel->call(method, "hello", deadline);
  note = describe(answer);
}

Task<std::unique_ptr<http::Stream>> connect(GrpcSite& site) {
  auto stream = co_await site.network.connect(kPlugin, site.in(1s));
  EXPECT_TRUE(stream);
  co_return *std::move(stream);
}

// A preface, SETTINGS, and the headers of a call whose message never comes.
std::string call_without_a_message() {
  using std::literals::operator""sv;
  constexpr auto kFields =
      "\x83\x86\x01\6plugin\x04\x0f/test.Echo/Same\x0f\x10\x10"
      "application/grpc"sv;
  std::string bytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0\0\0"sv);
  bytes += static_cast<char>(kFields.size());
  bytes += "\1\4\0\0\0\1"sv;
  return bytes.append(kFields);
}

CO_TEST(GrpcServer, closes_silent_connections_for_caller) {
  GrpcSite site(loop);
  site.server_options.connections_max = 3;
  site.start_server();
  std::vector<std::unique_ptr<http::Stream>> silent;
  for (int i = 0; i < 20; ++i) silent.push_back(co_await connect(site));
  site.start_channel();
  const auto answer = co_await site.channel->call("/test.Echo/Same", "hello", site.in(20s));
  EXPECT_EQ(describe(answer), "hello");
  co_await site.stop();
}

CO_TEST(GrpcServer, closes_call_without_message_for_caller) {
  GrpcSite site(loop);
  site.server_options.connections_max = 1;
  site.start_server();
  const auto silent = co_await connect(site);
  CO_ASSERT_TRUE(co_await silent->write(call_without_a_message(), {}));
  co_await runtime::sleep_for(loop.time(), 1s);
  site.start_channel();
  const auto answer = co_await site.channel->call("/test.Echo/Same", "hello", site.in(20s));
  EXPECT_EQ(describe(answer), "hello");
  co_await site.stop();
}

CO_TEST(GrpcServer, keeps_connection_during_its_call) {
  GrpcSite site(loop);
  site.server_options.connections_max = 1;
  site.start();
  std::string note;
  site.group.spawn("call", call_and_note(site, "/test.Echo/Hang", site.in(48h), note));
  co_await runtime::sleep_for(loop.time(), 1s);
  const auto newcomer = co_await connect(site);
  co_await runtime::sleep_for(loop.time(), 1h);
  EXPECT_EQ(site.hanging, 1);
  EXPECT_EQ(note, "");
  co_await site.stop();
}

}  // namespace
}  // namespace dcm::grpc
