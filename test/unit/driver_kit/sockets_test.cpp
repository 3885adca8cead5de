// Socket files and the lock file of drivers built with the kit: real files, real time.
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "node/driver_kit/plugin.hpp"
#include "runtime/task_group.hpp"

namespace dcm::driver_kit {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class NoDriver final : public Driver {
 public:
  Task<Prepared> prepare(AllocatedClaim) override { co_return Prepared(); }
  Task<Unprepared> unprepare(node::ClaimRef) override { co_return Unprepared(); }
};

class NoClaims final : public ClaimReader {
 public:
  Task<runtime::Result<std::string>> get(api::NamespacedName) override { co_return ""; }
};

struct DriverSockets : testing::Test {
  DriverSockets() : folder(fs::temp_directory_path() / ("kit-" + std::to_string(getpid()))) {
    fs::create_directories(folder);
  }
  ~DriverSockets() override { fs::remove_all(folder); }

  PluginOptions options(std::string pod_uid = {}) const {
    return {.driver = "gpu.example.com",
            .registry = folder / "registry",
            .data = folder / "data",
            .pod_uid = std::move(pod_uid)};
  }
  std::unique_ptr<Plugin> make(const PluginOptions& with) {
    return std::make_unique<Plugin>(loop, driver, claims, with, runtime::Logger());
  }

  fs::path folder;
  runtime::Loop loop;
  NoDriver driver;
  NoClaims claims;
};

TEST_F(DriverSockets, replace_stale_sockets_and_are_removed_at_the_end) {  // [82]
  const SocketPaths paths = socket_paths(options());
  EXPECT_EQ(paths.registration, folder / "registry/gpu.example.com-reg.sock");
  EXPECT_EQ(paths.endpoint, folder / "data/dra.sock");
  auto first = make(options());
  ASSERT_TRUE(first->open(listen_on_files(loop)));
  auto after_a_crash = make(options());  // the files exist
  ASSERT_TRUE(after_a_crash->open(listen_on_files(loop)));
  EXPECT_TRUE(fs::is_socket(paths.registration));
  after_a_crash.reset();
  EXPECT_FALSE(fs::exists(paths.registration));
  EXPECT_FALSE(fs::exists(paths.endpoint));
}

TEST_F(DriverSockets, coexist_for_two_pods) {  // [82]
  auto old_one = make(options("uid-1"));
  ASSERT_TRUE(old_one->open(listen_on_files(loop)));
  auto new_one = make(options("uid-2"));
  ASSERT_TRUE(new_one->open(listen_on_files(loop)));
  old_one.reset();
  EXPECT_FALSE(fs::exists(folder / "registry/gpu.example.com-uid-1-reg.sock"));
  EXPECT_TRUE(fs::exists(folder / "registry/gpu.example.com-uid-2-reg.sock"));
  EXPECT_TRUE(fs::exists(folder / "data/dra-uid-2.sock"));
}

// The names are those of the Go helper 0.37 for the same input.
TEST(DriverSocketNames, are_shortened_until_they_fit) {
  PluginOptions options{.driver = std::string(40, 'd') + ".example.com",
                        .registry = "/var/lib/kubelet/plugins_registry",
                        .data = "/data",
                        .pod_uid = "d9f1b8f4-8f0e-4c5c-9d5c-3c5b7f1d2a10"};
  EXPECT_EQ(socket_paths(options).registration, "/var/lib/kubelet/plugins_registry/" +
                                                    std::string(40, 'd') +
                                                    ".example.com-SqeCHp0igMU-reg.sock");
  options.driver = std::string(51, 'd') + ".example.com";
  options.registry = "/var/lib/kubelet/plugins_registry/deeper";
  EXPECT_EQ(socket_paths(options).registration,
            "/var/lib/kubelet/plugins_registry/deeper/dra-wzbPvAfIYtsQzzvhmRHAaA-reg.sock");
}

TEST(DriverSocketNames, fit_for_every_valid_driver_name) {
  for (std::size_t length = 1; length <= 63; ++length) {
    PluginOptions options{.driver = std::string(length, 'd'),
                          .data = "/var/lib/kubelet/plugins/" + std::string(length, 'd'),
                          .pod_uid = "d9f1b8f4-8f0e-4c5c-9d5c-3c5b7f1d2a10"};
    const SocketPaths one = socket_paths(options);
    EXPECT_LE(one.endpoint.size(), 107U) << one.endpoint;
    EXPECT_LE(one.registration.size(), 107U) << one.registration;
    if (length <= 36) EXPECT_TRUE(one.endpoint.ends_with("/dra-" + options.pod_uid + ".sock"));
    options.pod_uid = "d9f1b8f4-8f0e-4c5c-9d5c-3c5b7f1d2a11";
    EXPECT_NE(socket_paths(options).endpoint, one.endpoint);
  }
}

TEST_F(DriverSockets, reject_pod_uid_with_path) {
  for (const char* const uid : {"../../x", "a/b", ".."}) {
    const auto opened = make(options(uid))->open(listen_on_files(loop));
    ASSERT_FALSE(opened) << uid;
    EXPECT_EQ(opened.error().reason, runtime::Reason::configuration);
  }
  EXPECT_FALSE(fs::exists(folder / "registry"));
}

TEST_F(DriverSockets, keep_files_other_than_sockets) {
  fs::create_directories(folder / "data");
  std::ofstream(folder / "data/dra.sock") << "mine";
  const auto opened = make(options())->open(listen_on_files(loop));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().reason, runtime::Reason::configuration);
  EXPECT_TRUE(opened.error().message.contains("dra.sock")) << opened.error().message;
  EXPECT_FALSE(fs::exists(folder / "registry/gpu.example.com-reg.sock")) << "nothing is half there";
}

TEST_F(DriverSockets, reject_invalid_driver_name) {
  PluginOptions bad = options();
  bad.driver = "GPU!";
  const auto opened = make(bad)->open(listen_on_files(loop));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message,
            "driver \"GPU!\": expected a DNS subdomain in lower case, of at most 63 characters");
}

TEST_F(DriverSockets, say_what_to_do_about_long_path) {
  PluginOptions deep = options();
  deep.data = std::string("/").append(100, 'd');
  const auto message = [&] {
    const auto opened = make(deep)->open(listen_on_files(loop));
    return opened ? "" : opened.error().message;
  };
  const std::string why = ", and a socket's path at most 107: choose a shorter folder";
  EXPECT_EQ(message(),
            "\"" + deep.data + "/dra.sock\" has 110 bytes" + why + ", or pass --pod-uid");
  deep.pod_uid = "d9f1b8f4-8f0e-4c5c-9d5c-3c5b7f1d2a10";
  EXPECT_TRUE(message().ends_with("has 118 bytes" + why)) << message();
}

TEST_F(DriverSockets, reject_driver_name_that_metadata_cannot_have) {
  PluginOptions bad = options();
  bad.driver = "3d.example.com";
  EXPECT_TRUE(make(bad)->open(listen_on_files(loop)));
  bad.metadata = MetadataFiles::written;
  const auto opened = make(bad)->open(listen_on_files(loop));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message,
            "driver \"3d.example.com\": CDI specs need a name that begins with a letter");
}

Task<> hold_twice(runtime::Loop& loop, const std::string& file, std::vector<bool>& taken) {
  CallLock ours(loop.time(), file);
  CallLock theirs(loop.time(), file);  // another process's
  const auto in = [&](runtime::Duration limit) {
    return runtime::Deadline::after(loop.time(), limit);
  };
  {
    const auto first = co_await ours.take(in(1s));
    taken.push_back(bool(first));
    const auto second = co_await theirs.take(in(30ms));
    taken.push_back(bool(second));
  }
  const auto third = co_await theirs.take(in(10s));
  taken.push_back(bool(third));
}

TEST_F(DriverSockets, keep_instances_apart_by_lock_file) {
  std::vector<bool> taken;
  loop.run(hold_twice(loop, folder / "serialize.lock", taken));
  EXPECT_EQ(taken, (std::vector<bool>{true, false, true}));
}

// The lock of Kubernetes' helper in Go (etcd's fileutil).
TEST_F(DriverSockets, wait_for_lock_of_driver_in_go) {
  const std::string file = folder / "serialize.lock";
  std::vector<bool> taken;
  const auto take = [&]() -> Task<> {
    CallLock lock(loop.time(), file);
    const auto turn = co_await lock.take(runtime::Deadline::after(loop.time(), 30ms));
    taken.push_back(bool(turn));
  };
  const int theirs = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(theirs, 0);
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  ASSERT_EQ(::fcntl(theirs, F_OFD_SETLK, &whole), 0);
  loop.run(take());
  ::close(theirs);
  loop.run(take());
  EXPECT_EQ(taken, (std::vector<bool>{false, true}));
}

TEST_F(DriverSockets, fail_without_lock_file) {
  std::optional<runtime::Error> error;
  const auto take = [&]() -> Task<> {
    CallLock lock(loop.time(), folder / "none/serialize.lock");
    const auto turn = co_await lock.take({});
    if (!turn) error = turn.error();
  };
  loop.run(take());
  ASSERT_TRUE(error);
  EXPECT_EQ(error->reason, runtime::Reason::configuration);
}

}  // namespace
}  // namespace dcm::driver_kit
