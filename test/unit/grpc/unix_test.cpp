// The one test of gRPC on real sockets and real time.
#include "runtime/http/unix.hpp"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "runtime/grpc/channel.hpp"
#include "runtime/grpc/server.hpp"
#include "runtime/task_group.hpp"

namespace dcm::grpc {
namespace {

using namespace std::chrono_literals;

struct UnixGrpc : testing::Test {
  UnixGrpc()
      : folder(std::filesystem::temp_directory_path() / ("grpc-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder);
  }
  ~UnixGrpc() override { std::filesystem::remove_all(folder); }

  std::string path(const char* name) const { return folder / name; }

  std::filesystem::path folder;
  runtime::Loop loop;
};

Task<> call_over(UnixGrpc& site, std::string& answer) {
  auto listener =
      http::make_unix_listener(site.loop.executor(), site.loop.time(), site.path("a.sock"));
  EXPECT_TRUE(listener) << to_string(listener.error());
  Methods methods;
  methods.unary["/test.Echo/Same"] =
      [](std::string request, Deadline) -> Task<Result<std::string>> { co_return request; };
  const auto transport = http::make_unix_transport(site.loop.executor(), site.loop.time());
  const auto channel = make_channel(site.loop, *transport, runtime::Rng(1),
                                    {.endpoint = {http::Security::plain, site.path("a.sock"), 0}});
  runtime::TaskGroup group(site.loop.executor());
  group.spawn("serve", serve(site.loop, **listener, methods, {}, {}));
  group.spawn("channel", channel->run());
  const auto got =
      co_await channel->call("/test.Echo/Same", "hello", Deadline::after(site.loop.time(), 10s));
  answer = got ? *got : to_string(got.error());
  group.cancel();
  co_await group.join();
}

TEST_F(UnixGrpc, calls_over_socket_file_and_removes_it) {
  std::string answer;
  loop.run(call_over(*this, answer));
  EXPECT_EQ(answer, "hello");
  EXPECT_FALSE(std::filesystem::exists(path("a.sock")));
}

TEST_F(UnixGrpc, keeps_existing_file) {
  std::ofstream(path("taken")) << "mine";
  const auto listener = http::make_unix_listener(loop.executor(), loop.time(), path("taken"));
  EXPECT_FALSE(listener);
  EXPECT_TRUE(std::filesystem::exists(path("taken")));
}

TEST_F(UnixGrpc, replaces_stale_socket_only) {
  const std::string left = path("new/left.sock");
  {
    const auto first = http::replace_unix_listener(loop.executor(), loop.time(), left);
    ASSERT_TRUE(first) << to_string(first.error());
    std::filesystem::rename(left, path("kept"));
  }
  std::filesystem::rename(path("kept"), left);
  EXPECT_FALSE(http::make_unix_listener(loop.executor(), loop.time(), left));
  EXPECT_TRUE(http::replace_unix_listener(loop.executor(), loop.time(), left));
  std::ofstream(path("taken")) << "mine";
  EXPECT_FALSE(http::replace_unix_listener(loop.executor(), loop.time(), path("taken")));
}

TEST_F(UnixGrpc, leaves_socket_of_successor) {
  auto first = http::replace_unix_listener(loop.executor(), loop.time(), path("a.sock"));
  ASSERT_TRUE(first) << to_string(first.error());
  auto second = http::replace_unix_listener(loop.executor(), loop.time(), path("a.sock"));
  ASSERT_TRUE(second) << to_string(second.error());
  first->reset();
  EXPECT_TRUE(std::filesystem::exists(path("a.sock")));
  second->reset();
  EXPECT_FALSE(std::filesystem::exists(path("a.sock")));
}

TEST_F(UnixGrpc, reports_path_that_is_too_long) {
  const std::string long_path = path(std::string(120, 'x').c_str());
  const auto listener = http::make_unix_listener(loop.executor(), loop.time(), long_path);
  ASSERT_FALSE(listener);
  EXPECT_EQ(listener.error().message,
            fmt::format("\"{}\" has {} bytes: a socket's path has 1 to 107", long_path,
                        long_path.size()));
}

Task<> connect_to(UnixGrpc& site, std::string path, std::string& error) {
  const auto transport = http::make_unix_transport(site.loop.executor(), site.loop.time());
  const auto stream = co_await transport->connect({http::Security::plain, path, 0},
                                                  Deadline::after(site.loop.time(), 10s));
  error = stream ? "" : to_string(stream.error());
}

TEST_F(UnixGrpc, reports_missing_socket_as_unreachable) {
  std::string error;
  loop.run(connect_to(*this, path("none.sock"), error));
  EXPECT_EQ(error, "unreachable: unix " + path("none.sock") + ": No such file or directory");
}

}  // namespace
}  // namespace dcm::grpc
