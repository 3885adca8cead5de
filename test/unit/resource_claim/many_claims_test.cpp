// A pod with thousands of claims: its cost must not grow with their square.
#include <algorithm>

#include <gtest/gtest.h>

#include "test/unit/resource_claim/world.hpp"

namespace dcm::resource_claim {
namespace {

using namespace std::chrono_literals;
using test::make_claim;
using test::make_pod;
using test::make_template;

constexpr int kMany = 1'000;

std::string number(int i) {
  return std::to_string(i);
}

test::PodBuilder pod_with(int claims) {
  test::PodBuilder pod = make_pod("trainer").on_node("n");
  for (int i = 0; i < claims; ++i) pod.from_template("c" + number(i), "gpu");
  return pod;
}

class ManyClaims : public testing::Test {
 protected:
  // The rounds so far, of items of all kinds.
  double rounds() {
    return world_.metric("workqueue_work_duration_seconds_count{name=\"resource_claim\"}");
  }
  void allocate_all() {
    const auto claims = world_.api.claims();
    for (const auto& [name, claim] : claims) {
      world_.api.change_claim(name,
                              [](api::ResourceClaim& changed) { changed.is_allocated = true; });
    }
  }
  std::ptrdiff_t reserved() {
    return std::ranges::count_if(
        world_.api.claims(), [](const auto& claim) { return !claim.second->reserved_for.empty(); });
  }

  World world_;
};

TEST_F(ManyClaims, are_created_named_and_reserved_for_one_pod) {
  world_.api.put(make_template("gpu"));
  world_.start();
  world_.api.put(pod_with(kMany));
  world_.run_for(1min);
  EXPECT_EQ(world_.api.claims().size(), kMany);
  EXPECT_EQ(world_.api.pod("trainer")->claim_statuses.size(), kMany);
  allocate_all();
  world_.run_for(1min);
  EXPECT_EQ(reserved(), kMany);
}

TEST_F(ManyClaims, are_handled_in_few_rounds_when_changing_together) {
  world_.api.put(make_template("gpu"));
  world_.start();
  world_.api.put(pod_with(kMany));
  world_.run_for(1min);
  const double before = rounds();
  allocate_all();
  world_.run_for(1min);
  EXPECT_LE(rounds() - before, 5);
}

// The decision made for each event of a pod with few claims would take too long for one with many.
TEST_F(ManyClaims, are_handled_after_pause) {
  for (const int claims : {3, kMany}) {
    World world;
    auto pod = pod_with(claims);
    for (int i = 0; i < claims; ++i) {
      pod.names("c" + number(i), "x" + number(i));
      world.api.put(make_claim("x" + number(i)).generated_for("trainer", "c" + number(i)));
    }
    world.api.put(pod);
    world.start();
    world.settle();
    const std::string waits = "workqueue_adds_total{name=\"resource_claim\"}";
    const double before = world.metric(waits);
    world.api.change_pod("trainer", [](api::Pod& changed) { changed.node_name = "m"; });
    world.run_for(1s);
    EXPECT_EQ(world.metric(waits) - before, claims == kMany ? 1 : 0) << claims;
  }
}

}  // namespace
}  // namespace dcm::resource_claim
