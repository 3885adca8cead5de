#include "runtime/http/pipe.hpp"

#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"

namespace dcm::http {
namespace {

using namespace std::chrono_literals;
using runtime::Reason;
using runtime::TaskGroup;
using runtime::VirtualLoop;

// Both ends of one connection.
struct Ends {
  explicit Ends(VirtualLoop& loop, std::size_t buffer_bytes = 8)
      : network(loop.time(), buffer_bytes), listener(network.listen("host", 1)) {}

  Task<> open() {
    auto connected = co_await network.connect({Security::plain, "host", 1}, {});
    auto accepted = co_await listener->accept();
    client = std::move(*connected);
    server = std::move(*accepted);
  }

  PipeNetwork network;
  std::unique_ptr<Listener> listener;
  std::unique_ptr<Stream> client;
  std::unique_ptr<Stream> server;
};

Task<std::string> read_to_end(Stream& stream) {
  std::string all;
  char buffer[5];
  while (true) {
    const auto count = co_await stream.read_some(buffer, {});
    if (!count) co_return all + " then " + std::string(to_string(count.error().reason));
    if (*count == 0) co_return all;
    all.append(buffer, *count);
  }
}

Task<> write_and_close(Stream& stream, std::string bytes) {
  const auto written = co_await stream.write(bytes, {});
  EXPECT_TRUE(written);
  stream.close();
}

CO_TEST(Pipe, carries_more_than_its_buffer_in_order) {
  Ends ends(loop);
  co_await ends.open();
  TaskGroup group(loop.executor());
  const std::string sent = "a text that is longer than eight bytes";
  group.spawn("writer", write_and_close(*ends.client, sent));
  const std::string read = co_await read_to_end(*ends.server);
  EXPECT_EQ(read, sent);
  co_await group.join();
}

CO_TEST(Pipe, ends_waiting_reader_and_writer_at_deadlines) {
  Ends ends(loop);
  co_await ends.open();
  const auto start = loop.time().now();
  char buffer[1];
  const auto read = co_await ends.client->read_some(buffer, Deadline(start + 2s));
  EXPECT_EQ(read.error().reason, Reason::deadline_exceeded);
  EXPECT_EQ(loop.time().now() - start, 2s);
  const auto written = co_await ends.client->write("more than fits", Deadline(start + 5s));
  EXPECT_EQ(written.error().reason, Reason::deadline_exceeded);
  EXPECT_EQ(loop.time().now() - start, 5s);
}

CO_TEST(Pipe, reads_available_bytes_after_deadline) {
  Ends ends(loop);
  co_await ends.open();
  co_await ends.client->write("x", {});
  char buffer[1];
  const auto read = co_await ends.server->read_some(buffer, Deadline(loop.time().now()));
  EXPECT_TRUE(read);
}

CO_TEST(Pipe, continues_other_direction_after_half_close) {
  Ends ends(loop);
  co_await ends.open();
  co_await ends.client->shutdown_send({});
  const std::string request = co_await read_to_end(*ends.server);
  EXPECT_EQ(request, "");
  const auto answered = co_await ends.server->write("answer", {});
  EXPECT_TRUE(answered);
  char buffer[10];
  const auto read = co_await ends.client->read_some(buffer, {});
  EXPECT_EQ(*read, 6U);
}

CO_TEST(Pipe, fails_write_to_closed_peer) {
  Ends ends(loop);
  co_await ends.open();
  ends.server.reset();
  const auto written = co_await ends.client->write("x", {});
  EXPECT_EQ(written.error().reason, Reason::disconnected);
}

CO_TEST(Pipe, wakes_tasks_on_close) {
  Ends ends(loop);
  co_await ends.open();
  loop.time().schedule(loop.time().now() + 1s, [&] { ends.client->close(); });
  const std::string read = co_await read_to_end(*ends.client);
  EXPECT_EQ(read, " then disconnected");
}

CO_TEST(Pipe, drops_bytes_in_flight_when_cut) {
  Ends ends(loop);
  co_await ends.open();
  co_await ends.client->write("lost", {});
  ends.network.cut_all();
  const std::string read = co_await read_to_end(*ends.server);
  EXPECT_EQ(read, " then disconnected");
  const auto written = co_await ends.client->write("x", {});
  EXPECT_EQ(written.error().reason, Reason::disconnected);
  Ends later(loop);
  co_await later.open();
  EXPECT_TRUE(later.client->is_quiet()) << "new connections are not cut";
}

CO_TEST(Pipe, is_quiet_until_data_or_end) {
  Ends ends(loop);
  co_await ends.open();
  EXPECT_TRUE(ends.client->is_quiet());
  co_await ends.server->write("x", {});
  EXPECT_FALSE(ends.client->is_quiet());
  EXPECT_TRUE(ends.server->is_quiet());
  ends.client->close();
  EXPECT_FALSE(ends.server->is_quiet());
}

CO_TEST(Pipe, is_unreachable_without_listener) {
  PipeNetwork network(loop.time());
  const Endpoint endpoint{Security::plain, "host", 1};
  const auto before = co_await network.connect(endpoint, {});
  EXPECT_EQ(before.error().reason, Reason::unreachable);
  {
    const auto listener = network.listen("host", 1);
  }
  const auto after = co_await network.connect(endpoint, {});
  EXPECT_EQ(after.error().reason, Reason::unreachable);
}

CO_TEST(Pipe, ends_unaccepted_connection_with_listener) {
  PipeNetwork network(loop.time());
  auto listener = network.listen("host", 1);
  const auto client = co_await network.connect({Security::plain, "host", 1}, {});
  listener.reset();
  const std::string read = co_await read_to_end(**client);
  EXPECT_EQ(read, "");
}

CO_TEST(Pipe, stays_usable_after_cancelled_read) {
  Ends ends(loop);
  co_await ends.open();
  TaskGroup group(loop.executor());
  group.spawn("reader", [](Stream& stream) -> Task<> {
    char buffer[1];
    co_await stream.read_some(buffer, {});
    ADD_FAILURE() << "should have been cancelled";
  }(*ends.client));
  co_await runtime::yield();
  group.cancel();
  co_await group.join();
  co_await ends.server->write("x", {});
  char buffer[1];
  const auto read = co_await ends.client->read_some(buffer, {});
  EXPECT_EQ(*read, 1U);
}

}  // namespace
}  // namespace dcm::http
