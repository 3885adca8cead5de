// After another instance: what that one has made is found, also where our watch lags behind.
#include <algorithm>

#include <gmock/gmock.h>

#include "test/unit/resource_claim/world.hpp"

namespace dcm::resource_claim {
namespace {

using runtime::Error;
using runtime::Reason;
using test::Fault;
using test::make_claim;
using test::make_pod;
using test::make_template;
using testing::ElementsAre;

test::PodBuilder trainer(int number) {
  return make_pod("trainer-" + std::to_string(number)).from_template("gpus", "gpu");
}

// Stands by while the other instance works, and its watch of claims hangs.
struct Takeover : World {
  Takeover() {
    predecessor = Predecessor::Exists::maybe;
    api.put(make_template("gpu"));
    start_standby();
    hold_watch(Held::claims);
  }
  void the_other_makes(const std::string& claim, const std::string& pod) {
    api.put(make_claim(claim).generated_for(pod, "gpus"));
  }
};

TEST(Takeover, a_claim_that_the_watch_has_not_shown_is_not_made_again) {
  Takeover world;
  world.api.put(trainer(0));
  world.the_other_makes("made-before", "trainer-0");
  world.activate();
  world.settle();
  EXPECT_THAT(world.calls(), ElementsAre("list claims", "write names gpus=made-before"));
  world.release_watch();
  world.settle();
  EXPECT_EQ(world.describe(), "pod trainer-0 gpus=made-before\nclaim made-before\n");
}

TEST(Takeover, a_claim_that_was_not_made_is_made) {
  Takeover world;
  world.api.put(trainer(0));
  world.activate();
  world.settle();
  EXPECT_THAT(world.calls(), ElementsAre("list claims", "create trainer-0-gpus- for gpus",
                                         "write names gpus=trainer-0-gpus-1"));
}

TEST(Takeover, one_list_is_enough_for_all_pods_of_a_namespace) {
  Takeover world;
  for (int i = 0; i < 200; ++i) {
    world.api.put(trainer(i));
    if (i % 2 == 0) {
      world.the_other_makes("made-before-" + std::to_string(i), "trainer-" + std::to_string(i));
    }
  }
  world.activate();
  world.settle();
  EXPECT_EQ(std::ranges::count(world.calls(), "list claims"), 1);
  EXPECT_EQ(world.api.claims().size(), 200U);
  // Nor for those that come later.
  world.api.put(trainer(1'000));
  world.settle();
  EXPECT_EQ(std::ranges::count(world.calls(), "list claims"), 0);
}

TEST(Takeover, who_has_its_claims_already_is_no_reason_to_list) {
  Takeover world;
  world.release_watch();
  world.api.put(trainer(0));
  world.the_other_makes("made-before", "trainer-0");
  world.activate();
  world.settle();
  EXPECT_THAT(world.calls(), ElementsAre("write names gpus=made-before"));
}

TEST(Takeover, nothing_is_made_before_the_list_has_come) {
  Takeover world;
  for (int i = 0; i < 20; ++i) world.api.put(trainer(i));
  world.the_other_makes("made-before", "trainer-7");
  int lists = 0;
  world.api.fault = [&](std::size_t, const std::string& text) {
    if (text != "list claims" || ++lists > 3) return Fault{};
    return Fault{Fault::Kind::refused, Error{Reason::internal_error, "injected"}};
  };
  world.activate();
  world.settle();
  const std::vector<std::string> calls = world.calls();
  EXPECT_EQ(std::ranges::count(calls, "list claims"), 4);
  EXPECT_THAT(std::vector(calls.begin(), calls.begin() + 4), testing::Each("list claims"));
  EXPECT_EQ(world.api.claims().size(), 20U);
}

}  // namespace
}  // namespace dcm::resource_claim
