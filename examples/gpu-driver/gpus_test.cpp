// The driver on virtual time, called as a node calls it, with an API server in memory.
#include "gpus.hpp"

#include <filesystem>
#include <fstream>

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>
#include <unistd.h>

#include "dcm/testing/virtual_cluster.hpp"
#include "devices.hpp"

namespace gpu {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using namespace std::chrono_literals;
using dcm::driver_kit::DriverProcess;
using dcm::driver_kit::DriverProgram;

struct Node : testing::Test {
  Node() {
    fs::create_directories(folder / "broken");
    cluster.api().post("/api/v1/nodes", R"({"metadata": {"name": "node-0"}})");
    serving.spawn("driver", serve());
  }
  ~Node() override {
    cluster.wait_for(end());
    fs::remove_all(folder);
  }

  dcm::runtime::Task<> serve() {
    const auto listen = [this](const std::string& path) { return sockets.listen(path, 0); };
    const auto served = co_await process.serve(driver, listen);
    EXPECT_TRUE(served) << served.error().message;
  }

  dcm::runtime::Task<> end() {
    serving.cancel();
    co_await serving.join();
  }

  const fs::path folder = testing::TempDir() + "gpus." + std::to_string(::getpid());
  dcm::test::VirtualCluster cluster;
  dcm::http::PipeNetwork sockets{cluster.time()};
  DriverProgram program{.plugin = {.driver = kDriver,
                                   .registry = folder / "registry",
                                   .data = folder / "data",
                                   .cdi = folder / "cdi"},
                        .node = "node-0"};
  DriverProcess process{cluster.loop(), cluster.rest(), program, cluster.process().log};
  Gpus driver{process, 2, folder / "broken"};
  dcm::runtime::TaskGroup serving{cluster.loop().executor()};
};

TEST_F(Node, prepares_devices) {
  const auto answer = cluster.wait_for(
      driver.prepare({.ref = {"default", "c", "uid"},
                      .devices = {{.request = "gpu", .pool = "node-0", .device = "gpu-2-part-1"},
                                  {.request = "gpu", .pool = "node-0", .device = "gpu-21"}}}));
  ASSERT_TRUE(answer) << answer.error();
  EXPECT_EQ(json::serialize(answer->devices.at(0).edits),
            R"({"env":["GPU_DEVICE_GPU_2_PART_1=\"gpu-2-part-1\""]})");
  EXPECT_EQ(json::serialize(answer->devices.at(1).edits),
            R"({"env":["GPU_DEVICE_GPU_21=\"gpu-21\""]})");
}

TEST_F(Node, taints_broken_gpu) {
  const auto slices = [this] {
    return json::serialize(cluster.api().get("/apis/resource.k8s.io/v1/resourceslices").body);
  };
  cluster.run_for(10s);
  EXPECT_FALSE(slices().contains("gpus.example.com/broken")) << slices();
  std::ofstream(folder / "broken/gpu-1").close();
  cluster.run_for(10s);
  EXPECT_TRUE(slices().contains("gpus.example.com/broken")) << slices();
}

}  // namespace
}  // namespace gpu
