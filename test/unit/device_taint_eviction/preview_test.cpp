// The counts of a rule with effect None.
#include <gtest/gtest.h>

#include "controllers/device_taint_eviction/sync/preview_count.hpp"
#include "test/unit/device_taint_eviction/world.hpp"

namespace dcm::device_taint_eviction {
namespace {

Preview count(const World& world, const RulePtr& rule) {
  PreviewCount preview(rule);
  while (preview.advance(world.tracker.published(), world.tracker.allocated(), world, 1)) {
  }
  return preview.finish();
}

testing::AssertionResult counts(const Preview& preview, std::size_t published,
                                std::size_t allocated, std::size_t pods, std::size_t namespaces) {
  if (preview.published_devices == published && preview.allocated_devices == allocated &&
      preview.pods == pods && preview.namespaces == namespaces) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << describe(preview);
}

test::RuleBuilder preview_rule() {
  return test::make_rule("r", with_effect(api::TaintEffect::none));
}

class PreviewTest : public testing::Test {
 protected:
  PreviewTest() {
    world.put(test::make_slice("old", "pool").device("gpu-7"));
    world.put(test::make_slice("s", "pool").generation(2).device("gpu-0").device("gpu-1"));
    world.put(test::make_slice("t", "pond").device("gpu-0").device("gpu-1").device("gpu-2"));
    world.put(user_of_claim("p"));
    world.put(claim_of("p").with_device("pool", "gpu-0").with_device("pool", "gpu-1"));
    world.put(user_of_claim("tolerant"));
    world.put(claim_of("tolerant").with_device("pond", "gpu-0", {exists("")}));
    world.put(user_of_claim("for-a-while"));
    world.put(claim_of("for-a-while").with_device("pond", "gpu-1", {exists("", 99s)}));
    world.put(user_of_claim("finished").phase(api::PodPhase::failed));
    world.put(claim_of("finished").with_device("pond", "gpu-2"));
    world.put(test::make_claim("idle").with_device("pond", "gpu-3"));
    world.put(user_of_claim("else").in_namespace("other"));
    world.put(claim_of("else").in_namespace("other").with_device("unpublished", "gpu-0"));
  }
  World world;
};

TEST_F(PreviewTest, counts_published_allocated_and_evicted) {
  EXPECT_TRUE(counts(count(world, preview_rule().selects_all()), 5, 7, 3, 2));
}

TEST_F(PreviewTest, counts_matches_of_selector) {
  EXPECT_TRUE(counts(count(world, preview_rule().selects("", "pool", "")), 2, 2, 1, 1));
  EXPECT_TRUE(counts(count(world, preview_rule().selects("", "", "gpu-0")), 2, 3, 2, 2));
  EXPECT_TRUE(
      counts(count(world, preview_rule().selects("gpu.example.com", "pond", "gpu-1")), 1, 1, 1, 1));
  EXPECT_TRUE(
      counts(count(world, preview_rule().selects("gpu.example.com", "pool", "")), 2, 2, 1, 1));
  EXPECT_TRUE(counts(count(world, preview_rule().selects("nic.example.com", "", "")), 0, 0, 0, 0));
}

TEST_F(PreviewTest, counts_pods_using_group_claim) {
  world.groups = common::GroupClaims::shared;
  const auto member = [](const std::string& name) {
    return test::make_pod(name).in_group("g").from_template("fabric", "net").on_node("node");
  };
  world.put(member("a").names("fabric", "shared"));
  world.put(member("b").names("fabric", "shared"));
  world.put(member("without-the-claim"));
  world.put(test::make_claim("shared")
                .generated_for_group("g", "fabric")
                .reserved_for_group("g")
                .with_device("lake", "gpu-0"));
  EXPECT_TRUE(counts(count(world, preview_rule().selects("", "lake", "")), 0, 1, 2, 1));
}

TEST_F(PreviewTest, looks_at_consumers_once_per_claim_and_in_slices) {
  constexpr std::size_t kPods = 200;
  auto shared = test::make_claim("shared");
  for (int i = 0; i < 32; ++i) shared = shared.with_device("lake", "gpu-" + std::to_string(i));
  auto other = test::make_claim("other").with_device("lake", "gpu-other");
  for (std::size_t i = 0; i < kPods; ++i) {
    const std::string name = "sharer-" + std::to_string(i);
    world.put(test::make_pod(name).uses("c", "shared").uses("d", "other").on_node("node"));
    shared = shared.reserved_for(name);
    other = other.reserved_for(name);
  }
  world.put(shared);
  world.put(other);
  const std::size_t before = world.pods_looked_up;
  PreviewCount preview(preview_rule().selects("", "lake", "").get());
  preview.advance(world.tracker.published(), world.tracker.allocated(), world, 100);
  EXPECT_LE(world.pods_looked_up - before, kPods) << "the other claim is for the next slice";
  EXPECT_TRUE(counts(count(world, preview_rule().selects("", "lake", "")), 0, 33, kPods, 1));
  EXPECT_LE(world.pods_looked_up - before, 3 * kPods);
}

TEST_F(PreviewTest, counts_nothing_for_invalid_selector) {
  EXPECT_TRUE(counts(count(world, preview_rule()), 0, 0, 0, 0));
  EXPECT_TRUE(counts(count(world, preview_rule().selects_all().unknown_selector_field("selectors")),
                     0, 0, 0, 0));
}

TEST_F(PreviewTest, ignores_missing_time_of_taint) {
  api::DeviceTaint taint = with_effect(api::TaintEffect::none);
  taint.time_added.reset();
  EXPECT_TRUE(
      counts(count(world, test::make_rule("r", taint).selects("", "pool", "")), 2, 2, 1, 1));
}

}  // namespace
}  // namespace dcm::device_taint_eviction
