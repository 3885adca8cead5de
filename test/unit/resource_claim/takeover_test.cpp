// After another instance: its last creations are not repeated, even while our watch lags behind.
#include <gmock/gmock.h>

#include "controllers/resource_claim/rules/claim_name.hpp"
#include "test/unit/resource_claim/world.hpp"

namespace dcm::resource_claim {
namespace {

using test::make_claim;
using test::make_pod;
using test::make_template;
using testing::ElementsAre;

test::PodBuilder trainer(int number) {
  return make_pod("trainer-" + std::to_string(number)).from_template("gpus", "gpu");
}

// On standby while the other instance works, with a hanging watch of claims.
struct Takeover : World {
  Takeover() {
    api.put(make_template("gpu"));
    start_standby();
    hold_watch(Held::claims);
  }
  void the_other_makes(const test::PodBuilder& pod) {
    const api::ObjectMeta& meta = pod.get()->meta;
    api.put(make_claim(claim_name(meta.key.name, meta.uid, "gpus", 0))
                .generated_for(meta.key.name.str(), "gpus"));
  }
};

TEST(Takeover, does_not_recreate_claim_unseen_by_watch) {
  Takeover world;
  world.api.put(trainer(0));
  world.the_other_makes(trainer(0));
  world.activate();
  world.settle();
  EXPECT_THAT(world.calls(),
              ElementsAre("create trainer-0-gpus-6vbww for gpus", "get claim trainer-0-gpus-6vbww",
                          "write names gpus=trainer-0-gpus-6vbww"));
  world.release_watch();
  world.settle();
  EXPECT_EQ(world.describe(),
            "pod trainer-0 gpus=trainer-0-gpus-6vbww\nclaim trainer-0-gpus-6vbww\n");
}

TEST(Takeover, leaves_each_pod_with_one_claim) {
  Takeover world;
  for (int i = 0; i < 200; ++i) {
    world.api.put(trainer(i));
    if (i % 2 == 0) world.the_other_makes(trainer(i));
  }
  world.activate();
  world.settle();
  EXPECT_EQ(world.api.claims().size(), 200U);
}

TEST(Takeover, sends_no_request_for_complete_pod) {
  Takeover world;
  world.release_watch();
  world.api.put(trainer(0));
  world.the_other_makes(trainer(0));
  world.activate();
  world.settle();
  EXPECT_THAT(world.calls(), ElementsAre("write names gpus=trainer-0-gpus-6vbww"));
}

}  // namespace
}  // namespace dcm::resource_claim
