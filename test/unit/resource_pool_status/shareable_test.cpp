// Remaining capacities of devices that several claims may share.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/unit/resource_pool_status/pools.hpp"

namespace dcm::resource_pool_status {
namespace {

using testing::EndsWith;
using testing::Not;

std::string shared(std::string_view name,
                   std::string_view capacity = "'memory': {'value': '40Gi'}") {
  return fmt::format("'name': '{}', 'allowMultipleAllocations': true, 'capacity': {{{}}}", name,
                     capacity);
}
std::string share(std::string_view consumed) {
  return fmt::format("'shareID': 'i', 'consumedCapacity': {{{}}}", consumed);
}

TEST(Shareable, sums_capacities_over_devices) {
  Pools pools;
  pools
      .devices(
          {shared("a"), shared("b"), "'name': 'plain', 'capacity': {'memory': {'value': '1'}}"})
      .allocated("a", share("'memory': '10Gi'"))
      .allocated("a", share("'memory': '5Gi'"));
  EXPECT_EQ(pools.status(),
            "d/p: 3 = 1 allocated + 0 unavailable + 2 available; 1 fully, 1 partially, memory 80Gi "
            "- 15Gi = 65Gi");
}

// kube-controller-manager compares the names as written, and finds nothing consumed.
TEST(Shareable, matches_capacity_with_and_without_driver_domain) {
  Pools pools;
  pools.devices({shared("a", "'d/memory': {'value': '40Gi'}"), shared("b")})
      .allocated("a", share("'memory': '10Gi'"))
      .allocated("b", share("'d/memory': '10Gi'"));
  EXPECT_THAT(pools.status(), EndsWith("0 fully, 2 partially, d/memory 80Gi - 20Gi = 60Gi"));
}

TEST(Shareable, separates_capacity_of_another_domain) {
  Pools pools;
  pools.devices({shared("a", "'e/memory': {'value': '1'}, 'memory': {'value': '2'}")})
      .allocated("a", share("'e/memory': '1'"));
  EXPECT_THAT(pools.status(), EndsWith("e/memory 1 - 1 = 0, memory 2 - 0 = 2"));
}

TEST(Shareable, ignores_share_of_unpublished_device) {
  Pools pools;
  pools.devices({shared("a")}).allocated("withdrawn", share("'memory': '10Gi'"));
  EXPECT_THAT(pools.status(), EndsWith("1 fully, 0 partially, memory 40Gi - 0 = 40Gi"));
}

TEST(Shareable, is_never_negative) {
  Pools pools;
  pools.devices({shared("a")}).allocated("a", share("'memory': '50Gi'"));
  EXPECT_THAT(pools.status(), EndsWith("memory 40Gi - 50Gi = 0"));
}

TEST(Shareable, is_not_reported_for_pool_without_such_device) {
  Pools pools;
  pools.devices({"'name': 'plain', 'capacity': {'memory': {'value': '1'}}"});
  EXPECT_THAT(pools.status(), EndsWith("1 available"));
}

TEST(Shareable, has_at_most_32_capacities) {
  const auto of_capacities = [](int count) {
    std::string all;
    for (int i = 0; i < count; ++i) {
      all += fmt::format("{}'c{}': {{'value': '1'}}", i == 0 ? "" : ", ", i);
    }
    Pools pools;
    pools.devices({shared("a", all)});
    return pool_statuses({.driver = "d"}, pools.inputs).at(0);
  };
  EXPECT_EQ(of_capacities(32).shareable->capacity.size(), 32U);
  EXPECT_FALSE(of_capacities(33).shareable);
  EXPECT_EQ(of_capacities(33).validation_error,
            "ShareableSummaryOverCap: pool d/p has 33 shareable capacity keys, exceeding the "
            "maximum of 32");
}

}  // namespace
}  // namespace dcm::resource_pool_status
