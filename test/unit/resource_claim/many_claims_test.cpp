// A pod with thousands of claims: its cost must not grow with their square.
#include <algorithm>

#include <gtest/gtest.h>

#include "controllers/resource_claim/rules/claim_name.hpp"
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

TEST_F(ManyClaims, are_reported_in_slices_if_they_cannot_be_made) {
  world_.start();
  for (const char* name : {"a", "b"}) {
    test::PodBuilder pod = make_pod(name);
    for (int i = 0; i < kMany; ++i) pod.from_template("c" + number(i), "gpu");
    world_.api.put(pod);
  }
  world_.run_for(26ms);
  const auto& texts = world_.events.texts;
  ASSERT_EQ(texts.size(), 2 * kMany);
  const auto is_of_b = [](const std::string& text) { return text.starts_with("b:"); };
  EXPECT_LT(std::ranges::find_if(texts, is_of_b) - texts.begin(), kMany)
      << "each lets others go on";
}

TEST_F(ManyClaims, are_released_together_when_their_pod_ends) {
  world_.api.put(make_template("gpu"));
  world_.start();
  world_.api.put(pod_with(kMany));
  world_.run_for(1min);
  allocate_all();
  world_.run_for(1min);
  ASSERT_EQ(reserved(), kMany);
  const std::string adds = "workqueue_adds_total{name=\"resource_claim\"}";
  const double before = world_.metric(adds);
  world_.api.remove_pod("trainer");
  EXPECT_LE(world_.metric(adds) - before, 1) << "no event looks at all of them";
  world_.run_for(1min);
  EXPECT_EQ(reserved(), 0);
}

// The names of pod claims that differ only at their end are cut to the same beginning of a claim's
// name, and anybody may make claims that begin so.
TEST(OwnedClaims, have_few_candidates_for_pod_claim) {
  const std::string beginning(60, 'c');
  test::PodBuilder pod = make_pod("trainer");
  OwnedClaims owned;
  for (int i = 0; i < 100; ++i) {
    pod.from_template(beginning + number(i), "gpu");
    std::string name = claim_name("trainer", test::uid_of("trainer"), beginning + number(i), 0);
    if (i > 0) name.replace(name.size() - 5, 5, "x" + number(1'000 + i));
    owned.add(make_claim(name).owned_by("trainer"));
  }
  const PodPtr user = pod;
  std::size_t candidates = 0;
  for (const api::PodClaim& pod_claim : user->claims) {
    candidates += owned.candidates_for(*user, pod_claim).size();
  }
  EXPECT_EQ(candidates, 1);
}

}  // namespace
}  // namespace dcm::resource_claim
