// What the simulation promises about itself, and a few worlds under the sanitizers.
#include <set>

#include <gtest/gtest.h>

#include "test/simulation/world.hpp"

namespace dcm::simulation {
namespace {

TEST(Simulation, a_seed_leads_to_the_same_timeline_each_time) {
  const WorldOptions options{.seed = 1, .faults = {}, .detail = Detail::all};
  const Verdict first = run_world(options);
  EXPECT_GT(first.timeline.size(), 10'000U);
  EXPECT_EQ(first.timeline, run_world(options).timeline);
  EXPECT_FALSE(first.breach) << first.breach->invariant << ": " << first.breach->details;
}

TEST(Simulation, a_world_with_pod_groups_is_a_function_of_its_seed_too) {
  const WorldOptions options{.seed = 2, .faults = {}, .detail = Detail::all};
  const Verdict first = run_world(options);
  EXPECT_NE(first.timeline.find("create podgroups"), std::string::npos);
  EXPECT_EQ(first.timeline, run_world(options).timeline);
  EXPECT_FALSE(first.breach) << first.breach->invariant << ": " << first.breach->details;
}

TEST(Simulation, another_seed_leads_to_another_world) {
  const WorldOptions one{.seed = 3, .faults = {}, .detail = Detail::all};
  const WorldOptions other{.seed = 4, .faults = {}, .detail = Detail::all};
  EXPECT_NE(run_world(one).timeline, run_world(other).timeline);
}

TEST(Simulation, a_fault_can_be_left_out) {
  const WorldOptions none{.seed = 1, .faults = std::set<std::size_t>(), .detail = Detail::all};
  const Verdict verdict = run_world(none);
  EXPECT_GE(verdict.faults.size(), 5U);
  EXPECT_EQ(verdict.timeline.find("FAULT"), std::string::npos);
  EXPECT_GT(verdict.manager_writes, 0U);
}

}  // namespace
}  // namespace dcm::simulation
