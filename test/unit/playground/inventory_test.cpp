#include "cmd/dra-playground/inventory.hpp"

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

TEST_F(InventoryTest, what_is_in_use_is_free_again_when_its_last_user_gives_it_back) {
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

TEST_F(InventoryTest, a_tainted_device_is_given_to_nobody) {
  Slice tainted = slice("node-1", "gpu", 1);
  tainted.devices[0].is_tainted = true;
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

TEST_F(InventoryTest, only_the_newest_generation_of_a_pool_counts) {
  inventory.set_slice(slice("node-1", "gpu", 2, 2));
  EXPECT_TRUE(fits(inventory, {need("gpu", 2)}, "node-1"));
  inventory.set_slice(slice("node-1", "gpu", 5, 1));
  EXPECT_FALSE(fits(inventory, {need("gpu", 3)}, "node-1"));
}

}  // namespace
}  // namespace dcm::playground
