// A driver's program: its flags, and what it serves.
#include "node/driver_kit/program.hpp"

#include <cstdlib>
#include <filesystem>
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>
#include <unistd.h>

#include "test/support/memory_files.hpp"
#include "test/unit/driver_kit/api_site.hpp"

namespace dcm::driver_kit {
namespace {

namespace fs = std::filesystem;

struct Read {
  explicit Read(std::vector<const char*> words, std::string data = {}) {
    program.plugin.data = std::move(data);
    words.insert(words.begin(), "driver");
    for (const char* name : {"NODE_NAME", "POD_UID"}) ::unsetenv(name);
    exit = read_flags(
        static_cast<int>(words.size()), words.data(),
        {options::number_setting({"gpus", "", "NUMBER", "GPUs."}, gpus, options::kPositive)},
        program);
  }
  DriverProgram program{.plugin = {.driver = "gpu.example.com"}};
  int gpus = 2;
  std::optional<options::Exit> exit;
};

TEST(ReadFlags, knows_flags_of_kit_and_author) {
  const Read read({"--node-name=n0", "--gpus", "7", "--kubelet-plugins-directory-path", "/plugins",
                   "--kubelet-registrar-directory-path", "/registry", "--cdi-root", "/cdi",
                   "--pod-uid", "u", "--kubeconfig", "/config"});
  ASSERT_FALSE(read.exit) << read.exit->text;
  EXPECT_EQ(read.gpus, 7);
  EXPECT_EQ(read.program.node, "n0");
  EXPECT_EQ(read.program.plugin.data, "/plugins/gpu.example.com");
  EXPECT_EQ(read.program.plugin.registry, "/registry");
  EXPECT_EQ(read.program.plugin.cdi, "/cdi");
  EXPECT_EQ(read.program.plugin.pod_uid, "u");
  EXPECT_EQ(read.program.cluster.kubeconfig, "/config");
}

TEST(ReadFlags, keeps_defaults) {
  const Read read({"--node-name", "n0"});
  ASSERT_FALSE(read.exit);
  EXPECT_EQ(read.gpus, 2);
  EXPECT_EQ(read.program.plugin.data, "/var/lib/kubelet/plugins/gpu.example.com");
  EXPECT_EQ(read.program.plugin.cdi, "/var/run/cdi");
}

TEST(ReadFlags, keeps_folder_of_author_unless_flag_names_another) {
  EXPECT_EQ(Read({"--node-name", "n0"}, "/own").program.plugin.data, "/own");
  const Read other({"--node-name", "n0", "--kubelet-plugins-directory-path", "/plugins"}, "/own");
  EXPECT_EQ(other.program.plugin.data, "/plugins/gpu.example.com");
}

TEST(ReadFlags, names_unknown_flags) {
  const auto refusal = [](std::vector<const char*> words) {
    const Read read(std::move(words));
    EXPECT_TRUE(read.exit && read.exit->status == 2);
    return read.exit ? read.exit->text : "";
  };
  EXPECT_EQ(refusal({}), "driver: --node-name: must be given");
  EXPECT_EQ(refusal({"--gpu", "7"}), "driver: unknown flag --gpu; did you mean --gpus?");
  EXPECT_EQ(refusal({"--gpus"}),
            "driver: --gpus: expected a whole number from 1 to 2147483647 after it");
  EXPECT_EQ(refusal({"gpus=7"}), "driver: unexpected argument \"gpus=7\"; --help lists flags");
}

TEST(ReadFlags, helps_with_flags_of_kit_and_author) {
  const Read read({"--help"});
  ASSERT_TRUE(read.exit);
  EXPECT_EQ(read.exit->status, 0);
  EXPECT_TRUE(read.exit->text.starts_with("The DRA driver gpu.example.com.\n\nUsage:\n  driver"))
      << read.exit->text;
  for (const char* const flag : {"--gpus NUMBER", "--kubeconfig FILE", "--cdi-root DIR"}) {
    EXPECT_NE(read.exit->text.find(flag), std::string::npos) << flag;
  }
}

// A driver without a node publishes by a publisher of its own.
CO_TEST(DriverProcess, hands_out_client_of_its_cluster) {
  Site site(loop);
  const DriverProgram program{.plugin = {.driver = "gpu.example.com"}};
  DriverProcess process(loop, site.rest, program, {});
  ApiSlices slices(loop.time(), process.rest(), "gpu.example.com", "");
  SlicePublisher publisher(loop.time(), slices, "gpu.example.com", "", process.log());
  site.group.spawn("publisher without node", publisher.run());
  EXPECT_TRUE(publisher.publish({{.name = "fabric", .more = {{"allNodes", true}}}}));
  co_await runtime::sleep_for(loop.time(), std::chrono::seconds(1));
  EXPECT_EQ(site.names().size(), 1U);
  co_await site.stop();
}

class PublishingDriver final : public Driver {
 public:
  explicit PublishingDriver(DriverProcess& process) : process_(process) {}
  Task<Prepared> prepare(AllocatedClaim) override { co_return Prepared(); }
  Task<Unprepared> unprepare(node::ClaimRef) override { co_return Unprepared(); }
  Task<> run() override {
    EXPECT_TRUE(process_.publisher().publish({{.name = "n0"}}));
    process_.plugin().health().report({});
    co_return;
  }

 private:
  DriverProcess& process_;
};

CO_TEST(DriverProcess, serves_driver_on_virtual_time) {
  Site site(loop);
  test::MemoryFiles files;
  const DriverProgram program{
      .plugin = {.driver = "gpu.example.com", .data = "/data", .files = &files}, .node = "n0"};
  DriverProcess process(loop, site.rest, program, {});
  PublishingDriver driver(process);
  std::set<std::string> sockets;
  const Listen listen = [&](const std::string& path) {
    sockets.insert(path);
    return site.network.listen(path, 0);
  };
  const auto serve = [&]() -> Task<> { EXPECT_TRUE(co_await process.serve(driver, listen)); };
  site.group.spawn("driver", serve());
  co_await runtime::sleep_for(loop.time(), std::chrono::seconds(1));
  EXPECT_EQ(site.names().size(), 1U);
  EXPECT_EQ(sockets.size(), 2U);
  co_await site.stop();
}

class BrokenDriver final : public Driver {
 public:
  Task<Prepared> prepare(AllocatedClaim) override { co_return Prepared(); }
  Task<Unprepared> unprepare(node::ClaimRef) override { co_return Unprepared(); }
  Task<> run() override {
    co_await runtime::yield();
    throw std::runtime_error("no GPU answers");
  }
};

// Real files, real time, no API server.
struct RunDriver : testing::Test {
  RunDriver() : folder(fs::temp_directory_path() / ("program-" + std::to_string(getpid()))) {}
  ~RunDriver() override { fs::remove_all(folder); }

  fs::path folder;
  DriverProgram program{
      .plugin = {.driver = "gpu.example.com", .registry = folder / "r", .data = folder / "d"},
      .node = "n0",
      .cluster = {.server = "http://127.0.0.1:1"}};
};

TEST_F(RunDriver, stops_with_status_if_driver_throws) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_driver(program, [](auto&) { return std::make_unique<BrokenDriver>(); }), 3);
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("no GPU answers"), std::string::npos) << log;
  EXPECT_FALSE(fs::exists(folder / "d/dra.sock"));
}

TEST_F(RunDriver, refuses_sockets_it_cannot_open) {
  program.plugin.data = "/dev/null";
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_driver(program, [](auto&) { return std::make_unique<BrokenDriver>(); }), 2);
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("gpu.example.com: "), std::string::npos) << log;
}

}  // namespace
}  // namespace dcm::driver_kit
