// After a start in a full cluster: live work does not queue behind the backlog.
#include <algorithm>

#include <gtest/gtest.h>

#include "runtime/rng.hpp"
#include "test/unit/resource_claim/world.hpp"

namespace dcm::resource_claim {
namespace {

using namespace std::chrono_literals;
using test::make_pod;
using test::make_template;

constexpr int kBacklog = 100'000;
// Other requests that may precede that of the new pod: those of workers in the middle of an item
// when it arrives, until the first of them is free.
constexpr std::ptrdiff_t kHandful = 5;

TEST(Backlog, serves_new_pod_before_100000_pods) {
  World world;
  world.api.put(make_template("gpu"));
  for (int i = 0; i < kBacklog; ++i) {
    world.api.put(make_pod("waiting-" + std::to_string(i)).from_template("gpus", "gpu"));
  }
  runtime::Rng rng(20261121);
  world.api.fault = [&](std::size_t, const std::string&) {
    world.api.latency = 250us + std::chrono::microseconds(rng.below(500));
    world.api.answer_latency = world.api.latency;
    return test::Fault{};
  };
  world.start();
  world.run_for(50ms);
  ASSERT_GT(world.calls().size(), 1'000U) << "the backlog is being worked on";

  for (int i = 0; i < 20; ++i) {
    const std::string name = "urgent-" + std::to_string(i);
    world.api.put(make_pod(name).from_template("gpus", "gpu"));
    world.run_for(2ms);
    const std::vector<std::string> calls = world.calls();
    const auto create = std::ranges::find_if(
        calls, [&](const std::string& call) { return call.starts_with("create " + name + "-"); });
    ASSERT_NE(create, calls.end()) << name;
    EXPECT_LE(create - calls.begin(), kHandful) << name;
  }
  ASSERT_GT(world.api.pods().size() - world.api.claims().size(), 90'000U)
      << "the backlog still waits";
  world.kill();
}

// Finished Jobs stay for long, and may all name one claim or template.
TEST(Backlog, excludes_finished_pods_from_template_and_claim_indexes) {
  const auto places = [](test::PodBuilder pod) {
    std::size_t count = 0;
    const auto emit = [&](const api::NamespacedName&) { ++count; };
    index_pod_by_claim(*pod.get(), emit);
    index_pod_by_template(*pod.get(), emit);
    return count;
  };
  const auto job = [] { return make_pod("job").uses("a", "shared").from_template("b", "gpu"); };
  EXPECT_EQ(places(job()), 2U);
  EXPECT_EQ(places(job().phase(api::PodPhase::succeeded)), 0U);
  EXPECT_EQ(places(job().phase(api::PodPhase::failed)), 0U);
}

}  // namespace
}  // namespace dcm::resource_claim
