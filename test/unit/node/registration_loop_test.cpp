// The registry on a real file system, with sockets that real servers listen on. Numbers in brackets
// are the cases of the node's specification.
#include "node/plugins/registration_loop.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/support/temp_folder.hpp"
#include "test/unit/node/fake_plugin.hpp"

namespace dcm::node {
namespace {

using namespace std::chrono_literals;
using runtime::Task;
namespace fs = std::filesystem;
using Paths = std::vector<std::string>;

class Registry : public testing::Test {
 protected:
  std::unique_ptr<http::Listener> listen(const std::string& path) {
    auto listener = http::make_unix_listener(loop.executor(), loop.time(), path);
    EXPECT_TRUE(listener) << to_string(listener.error());
    return listener ? *std::move(listener) : nullptr;
  }

  runtime::Loop loop;
  test::TempFolder temporary;
  std::string root = temporary.dir();
  std::string folder = root + "/plugins_registry";
};

TEST_F(Registry, creates_missing_folder) {  // [4]
  SocketFolderWatch watch(loop.executor(), folder);
  ASSERT_TRUE(watch.look());
  struct ::stat status{};
  ASSERT_EQ(::stat(folder.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0755U);
}

TEST_F(Registry, counts_only_sockets_in_folders_and_behind_links) {  // [2], [5]
  SocketFolderWatch watch(loop.executor(), folder);
  ASSERT_TRUE(watch.look());
  fs::create_directories(folder + "/sub/deep");
  const auto deep = listen(folder + "/sub/deep/a.sock");
  const auto hidden = listen(folder + "/.hidden.sock");
  const auto outside = listen(root + "/outside.sock");
  fs::create_symlink(root + "/outside.sock", folder + "/link.sock");
  std::ofstream(folder + "/file.sock") << "no socket";
  ASSERT_EQ(::mkfifo((folder + "/fifo.sock").c_str(), 0600), 0);
  EXPECT_EQ(watch.look()->created, (Paths{folder + "/link.sock", folder + "/sub/deep/a.sock"}));
  EXPECT_EQ(watch.look(), SocketFolderWatch::Change()) << "nothing has changed";
}

TEST_F(Registry, notices_moved_and_recreated_socket) {  // [6], [21]
  SocketFolderWatch watch(loop.executor(), folder);
  ASSERT_TRUE(watch.look());
  const std::string path = folder + "/a.sock";
  auto first = listen(path);
  EXPECT_EQ(watch.look()->created, Paths{path});
  EXPECT_GT(watch.changed_at(path), 0);
  EXPECT_EQ(watch.changed_at(path + "x"), 0);
  first.reset();
  const auto second = listen(path);
  EXPECT_EQ(watch.look(), (SocketFolderWatch::Change{{path}, {path}}));
  ASSERT_EQ(::chmod(path.c_str(), 0700), 0);
  EXPECT_EQ(watch.look(), SocketFolderWatch::Change()) << "permissions make no other socket of it";
  fs::rename(path, root + "/elsewhere.sock");
  EXPECT_EQ(watch.look()->removed, Paths{path});
}

TEST_F(Registry, watches_recreated_folder) {  // [7]
  SocketFolderWatch watch(loop.executor(), folder);
  ASSERT_TRUE(watch.look());
  fs::remove_all(folder);
  EXPECT_EQ(watch.look(), SocketFolderWatch::Change());
  EXPECT_TRUE(fs::is_directory(folder));
  const auto listener = listen(folder + "/a.sock");
  EXPECT_EQ(watch.look()->created, Paths{folder + "/a.sock"});
}

TEST_F(Registry, survives_queue_overflow) {  // [8]
  SocketFolderWatch watch(loop.executor(), folder);
  ASSERT_TRUE(watch.look());
  for (int i = 0; i < 20'000; ++i) std::ofstream(folder + "/" + std::to_string(i));
  const auto listener = listen(folder + "/among.sock");
  EXPECT_EQ(watch.look()->created, Paths{folder + "/among.sock"});
}

TEST_F(Registry, reports_missing_descriptor_and_retries) {
  SocketFolderWatch watch(loop.executor(), folder);
  struct ::rlimit usual{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &usual), 0);
  const struct ::rlimit none{0, usual.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto looked = watch.look();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &usual), 0);
  ASSERT_FALSE(looked);
  EXPECT_EQ(looked.error().message, "inotify: Too many open files");
  EXPECT_TRUE(watch.look());
}

// Lets this process open so many more files, until it is destroyed.
class FilesLeft {
 public:
  explicit FilesLeft(unsigned files) {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &usual_), 0);
    const int next = ::dup(STDIN_FILENO);
    ::close(next);
    const struct ::rlimit few{static_cast<::rlim_t>(next) + files, usual_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  }
  ~FilesLeft() { ::setrlimit(RLIMIT_NOFILE, &usual_); }

 private:
  struct ::rlimit usual_{};
};

TEST_F(Registry, keeps_sockets_while_folder_cannot_be_listed) {
  SocketFolderWatch watch(loop.executor(), folder);
  ASSERT_TRUE(watch.look());
  const auto listener = listen(folder + "/a.sock");
  EXPECT_EQ(watch.look()->created, Paths{folder + "/a.sock"});
  auto looked = watch.look();
  {
    const FilesLeft none(0);
    looked = watch.look();
  }
  ASSERT_FALSE(looked);
  EXPECT_EQ(looked.error().message, folder + ": Too many open files");
  EXPECT_EQ(watch.look(), SocketFolderWatch::Change());
}

TEST_F(Registry, keeps_sockets_while_folder_below_cannot_be_listed) {
  SocketFolderWatch watch(loop.executor(), folder);
  fs::create_directories(folder + "/sub/deep");
  const auto gone = listen(folder + "/gone.sock");
  const auto listener = listen(folder + "/sub/deep/a.sock");
  EXPECT_EQ(watch.look()->created, (Paths{folder + "/gone.sock", folder + "/sub/deep/a.sock"}));
  fs::remove(folder + "/gone.sock");
  auto looked = watch.look();
  fs::remove(folder + "/sub/deep/a.sock");
  {
    const FilesLeft one(1);
    looked = watch.look();
  }
  EXPECT_EQ(looked, (SocketFolderWatch::Change{.problem = folder + "/sub: Too many open files"}));
  EXPECT_EQ(watch.look(), (SocketFolderWatch::Change{.removed = {folder + "/sub/deep/a.sock"}}));
}

// Exit code of a process that may have so many inotify watches; 77: it cannot be limited here.
int look_with_watches(const std::string& folder, const char* watches, const char* expected) {
  if (::unshare(CLONE_NEWUSER) != 0) return 77;
  std::ofstream limit("/proc/sys/user/max_inotify_watches");
  if (!(limit << watches << std::flush)) return 77;
  runtime::Loop loop;
  SocketFolderWatch watch(loop.executor(), folder);
  const auto looked = watch.look();
  const std::string why = looked ? looked->problem : looked.error().message;
  const bool is_expected = why == expected && looked && looked->created.size() == 1;
  if (!is_expected) std::cerr << why << '\n';
  return is_expected ? 0 : 1;
}

TEST_F(Registry, reports_missing_watches) {
  fs::create_directories(folder + "/sub");
  const auto listener = listen(folder + "/sub/a.sock");
  for (const auto& [watches, failing] : {std::pair("0", folder), std::pair("1", folder + "/sub")}) {
    const std::string expected = failing + ": No space left on device";
    const ::pid_t child = ::fork();
    if (child == 0) ::_exit(look_with_watches(folder, watches, expected.c_str()));
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "needs user namespaces";
    EXPECT_EQ(WEXITSTATUS(status), 0) << watches;
  }
}

Task<> come_and_go(runtime::Loop& loop, std::string folder,
                   std::function<std::unique_ptr<http::Listener>(std::string)> listen) {
  const auto transport = http::make_unix_transport(loop.executor(), loop.time());
  DriverConnections plugins(loop, *transport, runtime::Rng(1), ServiceChoice::first_named, {});
  RegistrationLoop manager(loop, plugins, folder, {});
  runtime::TaskGroup node(loop.executor());
  node.spawn("plugin manager", manager.run());
  co_await until(loop, [&] { return fs::exists(folder); });
  int registrations = 0;
  const grpc::Methods methods = driver_methods(registrations);
  for (int life = 1; life <= 2; ++life) {
    auto listener = listen(folder + "/gpu-reg.sock");
    runtime::TaskGroup driver(loop.executor());
    driver.spawn("driver", grpc::serve(loop, *listener, methods, {}, {}));
    co_await until(loop, [&] { return plugins.is_connected("gpu.example.com"); });
    co_await until(loop, [&] { return registrations == life; });
    driver.cancel();
    co_await driver.join();
    listener.reset();  // removes the file
    co_await until(loop, [&] { return !plugins.is_registered("gpu.example.com"); });
  }
  node.cancel();
  co_await node.join();
  co_await plugins.stop();
}

TEST_F(Registry, follows_driver_that_leaves_and_returns) {  // [1], [22]
  loop.run(come_and_go(loop, folder, [this](const std::string& path) { return listen(path); }));
}

}  // namespace
}  // namespace dcm::node
