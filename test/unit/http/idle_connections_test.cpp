// The memory and sockets of idle connections.
#include "runtime/http/idle_connections.hpp"

#include <gtest/gtest.h>

#include "runtime/virtual_time.hpp"

namespace dcm::http {
namespace {

// Counts requests to free memory.
struct IdleStream final : Stream {
  explicit IdleStream(int& t) : trims(t) {}
  Task<Result<std::size_t>> read_some(std::span<char>, Deadline) override {
    co_return std::size_t{0};
  }
  Task<Result<>> write(std::string_view, Deadline) override { co_return Result<>(); }
  Task<Result<>> shutdown_send(Deadline) override { co_return Result<>(); }
  void close() noexcept override {}
  bool is_quiet() noexcept override { return true; }
  void trim() noexcept override { ++trims; }
  int& trims;
};

std::unique_ptr<Connection> connection(int& trims) {
  auto made = std::make_unique<Connection>(std::make_unique<IdleStream>(trims), ReadBuffer(1024));
  made->buffer.space();
  return made;
}

bool has_memory(const Connection& connection) {
  return connection.buffer.data().data() != nullptr;
}

TEST(IdleConnections, release_memory_except_next_to_be_used) {
  runtime::VirtualTime time;
  IdleConnections idle(time, std::chrono::seconds(90));
  int first_trims = 0;
  int second_trims = 0;
  idle.put(connection(first_trims));
  EXPECT_EQ(first_trims, 0);
  idle.put(connection(second_trims));
  EXPECT_EQ(first_trims, 1);
  EXPECT_EQ(second_trims, 0);
  EXPECT_TRUE(has_memory(*idle.take()));
  EXPECT_FALSE(has_memory(*idle.take()));
}

TEST(ReadBuffer, keeps_content_when_releasing_memory) {
  ReadBuffer buffer(1024);
  buffer.space()[0] = 'x';
  buffer.commit(1);
  buffer.trim();
  EXPECT_EQ(buffer.data(), "x");
  buffer.consume(1);
  buffer.trim();
  EXPECT_EQ(buffer.data().data(), nullptr);
  EXPECT_EQ(buffer.space().size(), 1024u);
}

}  // namespace
}  // namespace dcm::http
