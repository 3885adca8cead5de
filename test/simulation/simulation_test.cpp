// The simulation's promises about itself, and a few worlds under the sanitizers.
#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "test/simulation/choices.hpp"
#include "test/simulation/small_world.hpp"
#include "test/simulation/world.hpp"

namespace dcm::simulation {
namespace {

TEST(Simulation, repeats_timeline_of_seed) {
  const WorldOptions options{.seed = 1, .faults = {}, .detail = Detail::all};
  const Verdict first = run_world(options);
  EXPECT_GT(first.timeline.size(), 10'000U);
  EXPECT_EQ(first.timeline, run_world(options).timeline);
  EXPECT_FALSE(first.breach) << first.breach->invariant << ": " << first.breach->details;
}

TEST(Simulation, repeats_timeline_of_seed_with_pod_groups) {
  const WorldOptions options{.seed = 2, .faults = {}, .detail = Detail::all};
  const Verdict first = run_world(options);
  EXPECT_NE(first.timeline.find("create podgroups"), std::string::npos);
  EXPECT_EQ(first.timeline, run_world(options).timeline);
  EXPECT_FALSE(first.breach) << first.breach->invariant << ": " << first.breach->details;
}

TEST(Simulation, differs_between_seeds) {
  const WorldOptions one{.seed = 3, .faults = {}, .detail = Detail::all};
  const WorldOptions other{.seed = 4, .faults = {}, .detail = Detail::all};
  EXPECT_NE(run_world(one).timeline, run_world(other).timeline);
}

TEST(Simulation, can_omit_one_fault) {
  const WorldOptions none{.seed = 1, .faults = std::set<std::size_t>(), .detail = Detail::all};
  const Verdict verdict = run_world(none);
  EXPECT_GE(verdict.faults.size(), 5U);
  EXPECT_EQ(verdict.timeline.find("FAULT"), std::string::npos);
  EXPECT_GT(verdict.manager_writes, 0U);
}

// Three questions, the last of which depends on the first.
std::vector<std::vector<std::size_t>> orders_with(std::size_t deviations) {
  std::vector<std::vector<std::size_t>> orders;
  Choices choices(deviations);
  do {
    const std::size_t first = choices.choose(2);
    const std::size_t second = choices.choose(3);
    orders.push_back({first, second});
    if (first == 1) orders.back().push_back(choices.choose(2));
  } while (choices.next());
  return orders;
}

TEST(Choices, enumerate_every_order_once) {
  using Orders = std::vector<std::vector<std::size_t>>;
  EXPECT_EQ(orders_with(3), (Orders{{0, 0},
                                    {0, 1},
                                    {0, 2},
                                    {1, 0, 0},
                                    {1, 0, 1},
                                    {1, 1, 0},
                                    {1, 1, 1},
                                    {1, 2, 0},
                                    {1, 2, 1}}));
}

TEST(Choices, deviate_within_limit) {
  using Orders = std::vector<std::vector<std::size_t>>;
  EXPECT_EQ(orders_with(0), (Orders{{0, 0}}));
  EXPECT_EQ(orders_with(1), (Orders{{0, 0}, {0, 1}, {0, 2}, {1, 0, 0}}));
}

TEST(Choices, detect_order_beyond_available_choices) {
  Choices choices(std::vector<std::size_t>{2});
  EXPECT_EQ(choices.choose(2), 0U);
  EXPECT_TRUE(choices.has_diverged());
}

SmallWorld small_world(std::string_view name) {
  const std::vector<SmallWorld> all = catalogue();
  return *std::ranges::find(all, name, &SmallWorld::name);
}

// Checks that the actions of the script find objects to act on: otherwise, an order is useless.
TEST(SmallWorld, releases_running_pod_when_it_finishes) {
  const SmallWorld world = small_world("release-finished");
  Choices choices(std::vector<std::size_t>{});
  const SmallVerdict verdict = run_small_world(world, choices, Detail::all);
  EXPECT_FALSE(verdict.breach) << verdict.breach->invariant << ": " << verdict.breach->details;
  EXPECT_NE(verdict.timeline.find("/binding"), std::string::npos) << verdict.timeline;
  EXPECT_NE(verdict.timeline.find("Claim deleted"), std::string::npos);
}

TEST(SmallWorld, includes_order_with_new_leader_before_late_write) {
  const SmallWorld world = small_world("create-late-write-of-the-dead");
  Choices choices(2);
  bool has_come_late = false;
  do {
    const SmallVerdict verdict = run_small_world(world, choices, Detail::all);
    has_come_late = verdict.timeline.contains("create resourceclaims default/ → 409");
  } while (!has_come_late && choices.next());
  EXPECT_TRUE(has_come_late);
}

TEST(SmallWorld, repeats_timeline_of_order) {
  const SmallWorld world = catalogue().front();
  Choices first(std::vector<std::size_t>{0, 1});
  Choices second(std::vector<std::size_t>{0, 1});
  const SmallVerdict once = run_small_world(world, first, Detail::all);
  EXPECT_EQ(once.timeline, run_small_world(world, second, Detail::all).timeline);
}

}  // namespace
}  // namespace dcm::simulation
