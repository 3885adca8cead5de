// A node's agent on real files and sockets.
#include "node/agent/agent.hpp"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include <gtest/gtest.h>

#include "test/support/memory_files.hpp"
#include "test/unit/node/fake_plugin.hpp"

namespace dcm::node {
namespace {

namespace fs = std::filesystem;
using runtime::Task;

constexpr const char* kDriver = "gpu.example.com";

// Fails as no API server may, once a driver is registered.
class BrokenApi final : public NodeApi {
 public:
  explicit BrokenApi(runtime::Loop& loop) : loop_(loop) {}
  Task<runtime::Result<ClaimView>> get(api::NamespacedName) override { co_return ClaimView{}; }
  Task<runtime::Result<>> delete_slices(std::string) override {
    co_await until(loop_, [this] { return agent->is_registered(kDriver); });
    throw std::logic_error("broken");
  }

  Agent* agent = nullptr;

 private:
  runtime::Loop& loop_;
};

Task<> run_beside_driver(runtime::Loop& loop, Agent& agent, http::Listener& listener) {
  int registrations = 0;
  const grpc::Methods methods = driver_methods(registrations);
  runtime::TaskGroup driver(loop.executor());
  driver.spawn("driver", grpc::serve(loop, listener, methods, {}, {}));
  std::string failure;
  try {
    co_await agent.run();
  } catch (const std::logic_error& error) {
    failure = error.what();
  }
  EXPECT_EQ(failure, "broken");
  EXPECT_FALSE(agent.is_registered(kDriver));
  driver.cancel();
  co_await driver.join();
}

TEST(Agent, disconnects_drivers_if_part_of_it_throws) {
  std::string folder = fs::temp_directory_path() / "agent-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  runtime::Loop loop;
  test::MemoryFiles files;
  BrokenApi api(loop);
  runtime::Rng rng(1);
  runtime::MetricsRegistry metrics;
  const auto transport = http::make_unix_transport(loop.executor(), loop.time());
  Agent agent(loop, *transport, files, api, rng, metrics, {},
              {.node = "n0", .state = "/state", .registry = folder}, {});
  api.agent = &agent;
  const auto listener =
      http::make_unix_listener(loop.executor(), loop.time(), folder + "/gpu-reg.sock");
  ASSERT_TRUE(listener);
  loop.run(run_beside_driver(loop, agent, **listener));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace dcm::node
