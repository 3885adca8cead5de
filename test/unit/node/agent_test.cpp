// A node's agent on real sockets.
#include "node/agent/agent.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

#include "test/support/memory_files.hpp"
#include "test/support/temp_folder.hpp"
#include "test/unit/node/fake_plugin.hpp"

namespace dcm::node {
namespace {

using namespace std::chrono_literals;
using runtime::Task;

constexpr const char* kDriver = "gpu.example.com";

class Api final : public NodeApi {
 public:
  Task<runtime::Result<ClaimView>> get(api::NamespacedName) override { co_return ClaimView{}; }
  Task<runtime::Result<>> delete_slices(std::string) override {
    if (on_delete) co_await on_delete();
    co_return runtime::Result<>();
  }

  std::function<Task<>()> on_delete;
};

struct AgentTest : testing::Test {
  AgentTest() {
    listener = *http::make_unix_listener(loop.executor(), loop.time(), folder + "/gpu-reg.sock");
  }

  Agent make(AgentNews news = {}) {
    return Agent(loop, *transport, files, api, rng, metrics, {},
                 {.node = "n0", .state = "/state", .registry = folder}, std::move(news));
  }
  // Runs the agent beside the driver until it ends, or `test` does.
  Task<> run(Agent& agent, const grpc::Methods& methods, Task<> test) {
    runtime::TaskGroup driver(loop.executor());
    driver.spawn("driver", grpc::serve(loop, *listener, methods, {}, {}));
    runtime::TaskGroup group(loop.executor());
    group.spawn("agent", agent.run());
    group.spawn("test", until_done(std::move(test), group));
    try {
      co_await group.join();
    } catch (const std::logic_error& error) {
      failure = error.what();
    }
    driver.cancel();
    co_await driver.join();
  }

  static Task<> until_done(Task<> test, runtime::TaskGroup& group) {
    co_await std::move(test);
    group.cancel();
  }

  test::TempFolder temporary;
  std::string folder = temporary.dir();
  runtime::Loop loop;
  test::MemoryFiles files;
  Api api;
  runtime::Rng rng{1};
  runtime::MetricsRegistry metrics;
  std::unique_ptr<http::Transport> transport =
      http::make_unix_transport(loop.executor(), loop.time());
  std::unique_ptr<http::Listener> listener;
  int registrations = 0;
  std::string failure;
};

TEST_F(AgentTest, disconnects_drivers_if_part_of_it_throws) {
  Agent agent = make();
  api.on_delete = [&]() -> Task<> {
    co_await until(loop, [&] { return agent.is_registered(kDriver); });
    throw std::logic_error("broken");
  };
  const auto never = [&]() -> Task<> { co_await until(loop, [] { return false; }); };
  loop.run(run(agent, driver_methods(registrations), never()));
  EXPECT_EQ(failure, "broken");
  EXPECT_FALSE(agent.is_registered(kDriver));
}

std::string health_report(bool is_healthy) {
  std::string device;
  protozero::pbf_writer(device).add_string(1, "pool");
  protozero::pbf_writer(device).add_string(2, "d0");
  std::string row;
  protozero::pbf_writer(row).add_message(1, device);
  protozero::pbf_writer(row).add_int32(2, is_healthy ? 1 : 2);
  std::string message;
  protozero::pbf_writer(message).add_message(1, row);
  return message;
}

TEST_F(AgentTest, gathers_news_of_device_that_flaps) {
  CheckpointStore store(files, "/state", rng.fork());
  ASSERT_TRUE(store.open());
  ASSERT_TRUE(store.write({{.namespace_ = "lab",
                            .name = "c1",
                            .uid = "c1-uid",
                            .pod_uids = {"p-uid"},
                            .drivers = {{kDriver, {.devices = {{"pool", "d0"}}}}}}}));
  int told = 0;
  Agent agent = make({.health_changed = [&](const auto& pods) {
    EXPECT_EQ(pods, std::set<std::string>{"p-uid"});
    ++told;
  }});
  ASSERT_TRUE(agent.open());
  grpc::Methods methods = driver_methods(registrations, {"v1.DRAPlugin", "v1.DRAResourceHealth"});
  bool is_sent = false;
  methods.streams[health_path(HealthVersion::v1)] = [&](std::string, grpc::AnswerWriter& answers,
                                                        runtime::Deadline) -> Task<grpc::Status> {
    for (int i = 0; i <= 200; ++i) (void)co_await answers.write(health_report(i % 2 == 0));
    is_sent = true;
    co_await until(loop, [] { return false; });
    co_return grpc::Status{};
  };
  const runtime::MonoTime start = loop.time().now();
  const auto last_report = [&]() -> Task<> {
    co_await until(loop, [&] {
      const auto rows = agent.health_of({{"lab", "c1"}, ""});
      return is_sent && rows.front().state.health == Health::healthy;
    });
  };
  loop.run(run(agent, methods, last_report()));
  EXPECT_GE(told, 1);
  EXPECT_LE(told, 1 + (loop.time().now() - start) / 1s);
}

}  // namespace
}  // namespace dcm::node
