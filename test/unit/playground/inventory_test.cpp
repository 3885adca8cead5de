#include "cmd/dra-playground/cluster/inventory.hpp"

#include <gtest/gtest.h>

#include "test/unit/playground/scene.hpp"

namespace dcm::playground {
namespace {

Need need(const std::string& driver, std::size_t count) {
  return {driver, AllocationMode::exact_count, count};
}
Need all_of(const std::string& driver) {
  return {driver, AllocationMode::all, 1};
}

bool fits(const Inventory& inventory, const std::vector<Need>& needs,
          const std::string& node = "node-0") {
  return inventory.fit(node, needs).has_value();
}

class InventoryTest : public ::testing::Test {
 protected:
  InventoryTest() {
    inventory.set_slice(slice("node-0", "gpu", 3));
    inventory.set_slice(slice("node-0", "nic", 2));
    inventory.set_slice(slice("node-1", "gpu", 1));
  }
  Inventory inventory;
};

TEST_F(InventoryTest, gives_as_many_devices_of_the_driver_as_are_free_on_the_node) {
  EXPECT_TRUE(fits(inventory, {need("gpu", 3)}));
  EXPECT_FALSE(fits(inventory, {need("gpu", 4)}));
  EXPECT_FALSE(fits(inventory, {need("gpu", 2)}, "node-1"));
  EXPECT_FALSE(fits(inventory, {need("gpu", 1)}, "node-9"));
  EXPECT_FALSE(fits(inventory, {need("fpga", 1)}));
}

TEST_F(InventoryTest, gives_no_device_twice_in_one_fit) {
  const std::vector<Need> needs = {need("gpu", 2), need("gpu", 1), need("nic", 1)};
  const auto fit = inventory.fit("node-0", needs);
  ASSERT_TRUE(fit);
  EXPECT_EQ((*fit)[0], (std::vector{device("node-0", "gpu", 0), device("node-0", "gpu", 1)}));
  EXPECT_EQ((*fit)[1], std::vector{device("node-0", "gpu", 2)});
  EXPECT_EQ((*fit)[2], std::vector{device("node-0", "nic", 0)});
  EXPECT_FALSE(fits(inventory, {need("gpu", 2), need("gpu", 2)}));
}

TEST_F(InventoryTest, a_need_without_a_driver_takes_from_any) {
  EXPECT_TRUE(fits(inventory, {need("", 5)}));
  EXPECT_FALSE(fits(inventory, {need("", 6)}));
}

TEST_F(InventoryTest, a_device_is_free_again_when_its_last_user_releases_it) {
  const api::DeviceId id = device("node-1", "gpu", 0);
  inventory.take(id);
  inventory.take(id);
  EXPECT_FALSE(fits(inventory, {need("gpu", 1)}, "node-1"));
  inventory.give_back(id);
  EXPECT_FALSE(fits(inventory, {need("gpu", 1)}, "node-1"));
  inventory.give_back(id);
  EXPECT_TRUE(fits(inventory, {need("gpu", 1)}, "node-1"));
  EXPECT_EQ(inventory.in_use(), 0U);
}

TEST_F(InventoryTest, all_means_all_that_the_node_has_and_at_least_one) {
  const auto fit = inventory.fit("node-0", std::vector{all_of("gpu")});
  ASSERT_TRUE(fit);
  EXPECT_EQ((*fit)[0].size(), 3U);
  inventory.take(device("node-0", "gpu", 1));
  EXPECT_FALSE(fits(inventory, {all_of("gpu")}));
  EXPECT_FALSE(fits(inventory, {all_of("fpga")}));
  EXPECT_FALSE(fits(inventory, {all_of("gpu"), need("gpu", 1)}));
}

TEST_F(InventoryTest, an_allocation_has_32_devices_at_most) {
  inventory.set_slice(slice("node-2", "gpu", 40));
  EXPECT_TRUE(fits(inventory, {need("gpu", 32)}, "node-2"));
  EXPECT_FALSE(fits(inventory, {need("gpu", 33)}, "node-2"));
  EXPECT_FALSE(fits(inventory, {all_of("gpu")}, "node-2"));
}

api::DeviceTaint taint(const std::string& key,
                       api::TaintEffect effect = api::TaintEffect::no_schedule) {
  api::DeviceTaint made;
  made.key = key;
  made.value = "yes";
  made.effect = effect;
  return made;
}

api::DeviceTaintRule rule(api::DeviceSelector selector, api::DeviceTaint taint) {
  api::DeviceTaintRule made;
  made.meta.key.name = "rule";
  made.selector = std::move(selector);
  made.taint = std::move(taint);
  return made;
}

struct TolerationRow {
  std::string_view sentence;
  Toleration toleration;
  bool is_enough;
};

TEST_F(InventoryTest, a_tainted_device_is_for_pods_that_tolerate_the_taint) {
  using enum api::TolerationOperator;
  Slice tainted = slice("node-1", "gpu", 1);
  tainted.devices[0].taints = {taint("broken")};
  inventory.set_slice(tainted);
  for (const TolerationRow& row : {
           TolerationRow{"by key", {"broken", exists, "", {}}, true},
           TolerationRow{"by key and value", {"broken", equal, "yes", {}}, true},
           TolerationRow{"another value", {"broken", equal, "no", {}}, false},
           TolerationRow{"another key", {"hot", exists, "", {}}, false},
           TolerationRow{"any key", {"", exists, "", {}}, true},
           TolerationRow{"its effect", {"", exists, "", api::TaintEffect::no_schedule}, true},
           TolerationRow{"another effect", {"", exists, "", api::TaintEffect::no_execute}, false},
       }) {
    Need wanted = need("gpu", 1);
    wanted.tolerated = {row.toleration};
    EXPECT_EQ(fits(inventory, {wanted}, "node-1"), row.is_enough) << row.sentence;
    wanted.mode = AllocationMode::all;
    EXPECT_EQ(fits(inventory, {wanted}, "node-1"), row.is_enough) << row.sentence;
  }
}

TEST_F(InventoryTest, a_device_in_use_is_not_free_for_pods_that_tolerate_its_taint) {
  Slice tainted = slice("node-1", "gpu", 1);
  tainted.devices[0].taints = {taint("broken")};
  inventory.set_slice(tainted);
  inventory.take(device("node-1", "gpu", 0));
  Need wanted = need("gpu", 1);
  wanted.tolerated = {{"", api::TolerationOperator::exists, "", {}}};
  EXPECT_FALSE(fits(inventory, {wanted}, "node-1"));
}

struct RuleRow {
  std::string_view sentence;
  api::DeviceSelector selector;
  std::size_t left;  // of 3 GPUs on node-0
};

TEST_F(InventoryTest, a_rule_taints_what_it_selects_while_it_is_there) {
  for (const RuleRow& row : {
           RuleRow{"everything", {}, 0},
           RuleRow{"a driver", {"gpu", "", ""}, 0},
           RuleRow{"another driver", {"nic", "", ""}, 3},
           RuleRow{"a pool", {"gpu", "node-0", ""}, 0},
           RuleRow{"another pool", {"gpu", "node-1", ""}, 3},
           RuleRow{"a device", {"gpu", "node-0", "dev-1"}, 2},
       }) {
    inventory.set_rule(rule(row.selector, taint("retired", api::TaintEffect::no_execute)));
    if (row.left > 0) EXPECT_TRUE(fits(inventory, {need("gpu", row.left)})) << row.sentence;
    EXPECT_FALSE(fits(inventory, {need("gpu", row.left + 1)})) << row.sentence;
    inventory.remove_rule(rule(row.selector, {}));
    EXPECT_TRUE(fits(inventory, {need("gpu", 3)})) << row.sentence;
  }
}

TEST_F(InventoryTest, a_rule_counts_for_slices_that_come_later_and_can_be_tolerated) {
  inventory.set_rule(rule({"fpga", "", ""}, taint("retired")));
  inventory.set_slice(slice("node-0", "fpga", 1));
  EXPECT_FALSE(fits(inventory, {need("fpga", 1)}));
  Need wanted = need("fpga", 1);
  wanted.tolerated = {{"retired", api::TolerationOperator::exists, "", {}}};
  EXPECT_TRUE(fits(inventory, {wanted}));
}

TEST_F(InventoryTest, a_rule_without_effect_or_with_a_selector_that_we_do_not_know_is_for_nothing) {
  inventory.set_rule(rule({}, taint("preview", api::TaintEffect::none)));
  EXPECT_TRUE(fits(inventory, {need("gpu", 3)}));
  api::DeviceTaintRule newer = rule({}, taint("retired"));
  newer.unknown_selector_field = "attributes";
  inventory.set_rule(newer);
  EXPECT_TRUE(fits(inventory, {need("gpu", 3)}));
  inventory.set_rule(rule({}, taint("retired")));
  EXPECT_FALSE(fits(inventory, {need("gpu", 1)}));
  inventory.set_rule(rule({}, taint("preview", api::TaintEffect::none)));
  EXPECT_TRUE(fits(inventory, {need("gpu", 3)}));
}

TEST_F(InventoryTest, a_tainted_device_is_not_given_to_others) {
  Slice tainted = slice("node-1", "gpu", 1);
  tainted.devices[0].taints = {taint("broken")};
  inventory.set_slice(tainted);
  EXPECT_FALSE(fits(inventory, {need("gpu", 1)}, "node-1"));
  EXPECT_FALSE(fits(inventory, {all_of("gpu")}, "node-1"));
}

TEST_F(InventoryTest, a_device_may_be_in_use_before_its_slice_is_known) {
  inventory.take(device("node-2", "gpu", 0));
  inventory.set_slice(slice("node-2", "gpu", 2));
  EXPECT_FALSE(fits(inventory, {need("gpu", 2)}, "node-2"));
  inventory.give_back(device("node-2", "gpu", 0));
  EXPECT_TRUE(fits(inventory, {need("gpu", 2)}, "node-2"));
}

TEST_F(InventoryTest, devices_go_with_their_slice) {
  inventory.take(device("node-0", "gpu", 0));
  inventory.remove_slice(slice("node-0", "gpu", 3));
  EXPECT_FALSE(fits(inventory, {need("gpu", 1)}));
  EXPECT_TRUE(inventory.node_of(device("node-0", "gpu", 0)).empty());
  EXPECT_EQ(inventory.devices(), 3U);
  inventory.set_slice(slice("node-0", "gpu", 3));
  EXPECT_TRUE(fits(inventory, {need("gpu", 2)}));
  EXPECT_FALSE(fits(inventory, {need("gpu", 3)}));
}

std::string why_not(const Inventory& inventory, const Need& need,
                    const std::string& node = "node-0") {
  const auto fit = inventory.fit(node, std::vector{need});
  return fit ? "it fits" : fit.error();
}

// A device that is dropped would make "all" fewer, and so a wrong answer.
TEST_F(InventoryTest, a_pool_with_an_unknown_device_is_not_used) {
  Slice parts = slice("node-0", "gpu", 3);
  parts.devices[2].unknown = "consumesCounters";
  inventory.set_slice(parts);
  const std::string why =
      "the scheduler of dra-playground does not know consumesCounters of device gpu/node-0/dev-2";
  EXPECT_EQ(why_not(inventory, all_of("gpu")), why);
  EXPECT_EQ(why_not(inventory, need("gpu", 1)), why);
  EXPECT_EQ(why_not(inventory, need("", 1)), why);
  EXPECT_EQ(why_not(inventory, need("nic", 2)), "it fits");
  EXPECT_EQ(why_not(inventory, need("gpu", 1), "node-1"), "it fits");
  inventory.set_slice(slice("node-0", "gpu", 3));
  EXPECT_EQ(why_not(inventory, all_of("gpu")), "it fits");
}

TEST_F(InventoryTest, devices_of_several_nodes_concern_every_node) {
  Slice shared = slice("", "gpu", 1);
  shared.meta.key.name = "shared";
  shared.unknown = "allNodes";
  inventory.set_slice(shared);
  const std::string why = "the scheduler of dra-playground does not know allNodes of slice shared";
  EXPECT_EQ(why_not(inventory, need("gpu", 1)), why);
  EXPECT_EQ(why_not(inventory, need("gpu", 1), "node-9"), why);
  EXPECT_EQ(why_not(inventory, need("nic", 1)), "it fits");
  inventory.remove_slice(shared);
  EXPECT_EQ(why_not(inventory, need("gpu", 1)), "it fits");
}

TEST_F(InventoryTest, a_pool_that_lacks_slices_is_not_used_and_all_waits_for_it) {
  Slice first = slice("node-1", "gpu", 1, 2);
  first.slice_count = 2;
  inventory.set_slice(first);
  EXPECT_EQ(why_not(inventory, need("gpu", 1), "node-1"), "pool gpu/node-1 has 1 of 2 slices");
  EXPECT_EQ(why_not(inventory, all_of("gpu"), "node-1"), "pool gpu/node-1 has 1 of 2 slices");
  EXPECT_EQ(why_not(inventory, need("gpu", 1)), "it fits");
  Slice second = first;
  second.meta.key.name = "second";
  second.devices[0].name = "dev-7";
  inventory.set_slice(second);
  EXPECT_EQ(why_not(inventory, need("gpu", 2), "node-1"), "it fits");
}

TEST_F(InventoryTest, all_waits_for_pools_of_other_drivers_as_well) {
  Slice nics = slice("node-0", "nic", 1, 2);
  nics.slice_count = 2;
  inventory.set_slice(nics);
  EXPECT_EQ(why_not(inventory, all_of("gpu")), "pool nic/node-0 has 1 of 2 slices");
  EXPECT_EQ(why_not(inventory, need("gpu", 3)), "it fits");
}

TEST_F(InventoryTest, a_pool_that_has_a_name_twice_is_not_used) {
  Slice twice = slice("node-1", "gpu", 2, 2);
  twice.devices[1].name = "dev-0";
  inventory.set_slice(twice);
  EXPECT_EQ(why_not(inventory, need("gpu", 1), "node-1"), "pool gpu/node-1 has dev-0 twice");
}

TEST_F(InventoryTest, a_request_that_tolerates_more_leaves_the_rest_to_the_others) {
  Slice tainted = slice("node-1", "gpu", 2);
  tainted.devices[1].taints = {taint("broken")};
  inventory.set_slice(tainted);
  Need brave = need("gpu", 1);
  brave.tolerated = {{"", api::TolerationOperator::exists, "", {}}};
  const auto fit = inventory.fit("node-1", std::vector{brave, need("gpu", 1)});
  ASSERT_TRUE(fit);
  EXPECT_EQ((*fit)[0], std::vector{device("node-1", "gpu", 1)});
  EXPECT_EQ((*fit)[1], std::vector{device("node-1", "gpu", 0)});
}

TEST_F(InventoryTest, a_search_that_takes_too_long_says_so) {
  inventory.set_slice(slice("node-2", "gpu", 30));
  Need brave = need("gpu", 16);
  brave.tolerated = {{"", api::TolerationOperator::exists, "", {}}};
  const std::vector needs = {brave, need("gpu", 15)};
  const auto fit = inventory.fit("node-2", needs);
  ASSERT_FALSE(fit);
  EXPECT_EQ(fit.error(), "the scheduler of dra-playground has tried too many combinations");
}

TEST_F(InventoryTest, thirty_two_devices_are_the_most_of_one_claim_and_not_of_a_pod) {
  inventory.set_slice(slice("node-2", "gpu", 40));
  const std::vector one = {need("gpu", 20), need("gpu", 20)};
  EXPECT_EQ(inventory.fit("node-2", one).error(), "a claim would get more than 32 devices");
  std::vector two = one;
  two[1].claim = 1;
  EXPECT_TRUE(inventory.fit("node-2", two));
}

TEST_F(InventoryTest, only_the_newest_generation_of_a_pool_counts) {
  inventory.set_slice(slice("node-1", "gpu", 2, 2));
  EXPECT_TRUE(fits(inventory, {need("gpu", 2)}, "node-1"));
  inventory.set_slice(slice("node-1", "gpu", 5, 1));
  EXPECT_FALSE(fits(inventory, {need("gpu", 3)}, "node-1"));
}

}  // namespace
}  // namespace dcm::playground
