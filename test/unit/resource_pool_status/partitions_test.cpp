// Partitions: how many more of each type a pool could provide.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/unit/resource_pool_status/pools.hpp"

namespace dcm::resource_pool_status {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

constexpr const char* kProfile = "'partitionTypeAttribute': 'd/profile'";

// A device of a type that consumes memory of counter set "c".
std::string partition_device(std::string_view name, std::string_view type,
                             std::string_view memory) {
  return fmt::format(
      "'name': '{}', 'attributes': {{'profile': {{'string': '{}'}}}}, "
      "'consumesCounters': [{{'counterSet': 'c', 'counters': {{'memory': "
      "{{'value': '{}'}}}}}}]",
      name, type, memory);
}

std::string counters(std::string_view memory) {
  return fmt::format(
      "'sharedCounters': [{{'name': 'c', 'counters': {{'memory': {{'value': '{}'}}}}}}]", memory);
}

// One whole and two halves of a GPU of 80Gi. Slices have either devices or counters.
Pools gpu(std::string_view declared = kProfile) {
  Pools pools;
  constexpr const char* kPool = "'pool': {'name': 'p', 'generation': 1, 'resourceSliceCount': 2}";
  pools.slice("counters", fmt::format("{}, {}", kPool, counters("80Gi")));
  pools.slice("devices",
              fmt::format("{}, {}{}'devices': [{{{}}}, {{{}}}, {{{}}}]", kPool, declared,
                          declared.empty() ? "" : ", ", partition_device("full", "Full", "80Gi"),
                          partition_device("half-0", "Half", "40Gi"),
                          partition_device("half-1", "Half", "40960Mi")));
  return pools;
}

TEST(Partitions, are_measured_type_by_type) {
  EXPECT_THAT(gpu().status(), EndsWith("; 1 of 1 Full; 2 of 2 Half"));
}

TEST(Partitions, exclude_consumption_of_allocated_devices) {
  EXPECT_THAT(gpu().allocated("full").status(), EndsWith("; 0 of 1 Full; 0 of 2 Half"));
  EXPECT_THAT(gpu().allocated("half-1").status(), EndsWith("; 0 of 1 Full; 1 of 2 Half"));
}

TEST(Partitions, ignore_allocation_of_unpublished_device) {
  EXPECT_THAT(gpu().allocated("withdrawn").status(), EndsWith("; 1 of 1 Full; 2 of 2 Half"));
}

TEST(Partitions, are_grouped_by_attribute_of_request_by_default) {
  EXPECT_THAT(gpu("").status({.driver = "d", .partition_attribute = "d/profile"}),
              EndsWith("; 1 of 1 Full; 2 of 2 Half"));
}

TEST(Partitions, are_not_reported_without_attribute) {
  EXPECT_EQ(gpu("").status(), "d/p: 3 = 0 allocated + 0 unavailable + 3 available");
}

TEST(Partitions, prefer_attribute_of_slice) {
  EXPECT_THAT(gpu().status({.driver = "d", .partition_attribute = "d/another"}),
              EndsWith("; 1 of 1 Full; 2 of 2 Half"));
}

TEST(Partitions, are_limited_by_the_scarcest_counter) {
  Pools pools;
  const auto both = [](std::string_view name) {
    return fmt::format(
        "'name': '{}', 'attributes': {{'profile': {{'string': 'Full'}}}}, "
        "'consumesCounters': [{{'counterSet': 'c', 'counters': {{'memory': "
        "{{'value': '80Gi'}}}}}}, {{'counterSet': 'e', 'counters': {{'sm': "
        "{{'value': '8'}}}}}}]",
        name);
  };
  pools.devices({both("a"), both("b")},
                "'partitionTypeAttribute': 'd/profile', 'sharedCounters': ["
                "{'name': 'c', 'counters': {'memory': {'value': '160Gi'}}}, "
                "{'name': 'e', 'counters': {'sm': {'value': '8'}}}]");
  EXPECT_THAT(pools.status(), EndsWith("; 1 of 2 Full"));
}

TEST(Partitions, cannot_be_allocated_if_their_counter_is_unknown) {
  Pools pools;
  pools.devices({partition_device("a", "Full", "1")},
                "'partitionTypeAttribute': 'd/profile', 'sharedCounters': [{'name': 'other', "
                "'counters': {'memory': {'value': '8'}}}]");
  EXPECT_THAT(pools.status(), EndsWith("; 0 of 1 Full"));
}

TEST(Partitions, exclude_devices_without_counters) {
  Pools pools;
  pools.devices({partition_device("a", "Full", "1"), "'name': 'plain'"},
                std::string(kProfile) + ", " + counters("1"));
  EXPECT_THAT(pools.status(), EndsWith("; 1 of 1 Full"));
}

// ---- what is wrong with a pool ------------------------------------------------------------------

TEST(Partitions, need_attribute_on_each_device) {
  Pools pools;
  pools.devices({partition_device("a", "Full", "1"),
                 "'name': 'b', 'attributes': {'profile': {'int': 1}}, 'consumesCounters': "
                 "[{'counterSet': 'c', 'counters': {'memory': {'value': '1'}}}]"},
                std::string(kProfile) + ", " + counters("8"));
  EXPECT_EQ(pools.status(),
            "d/p: 2 = 0 allocated + 0 unavailable + 2 available; PartitionTypeMissing: device "
            "\"b\" in pool d/p does not carry partition type attribute \"d/profile\"");
}

TEST(Partitions, need_counters) {
  Pools pools;
  pools.devices({"'name': 'a'"}, kProfile);
  EXPECT_THAT(pools.status(),
              HasSubstr("PartitionTypeMissing: pool d/p declares partitionTypeAttribute but "
                        "publishes no sharedCounters"));
}

TEST(Partitions, must_consume_the_same) {
  Pools pools;
  pools.devices({partition_device("a", "Half", "40Gi"), partition_device("b", "Half", "50Gi")},
                std::string(kProfile) + ", " + counters("80Gi"));
  EXPECT_THAT(pools.status(),
              HasSubstr("PartitionCostMismatch: devices of partition type \"Half\" in pool d/p "
                        "consume different counters"));
}

TEST(Partitions, are_at_most_32_types) {
  const auto of_types = [](int types) {
    std::vector<std::string> devices;
    for (int i = 0; i < types; ++i) {
      devices.push_back(partition_device(fmt::format("a{}", i), fmt::format("type-{}", i), "1"));
    }
    Pools pools;
    pools.devices(devices, std::string(kProfile) + ", " + counters("80"));
    return pool_statuses({.driver = "d"}, pools.inputs).at(0);
  };
  EXPECT_EQ(of_types(32).partitions.size(), 32U);
  EXPECT_TRUE(of_types(33).partitions.empty());
  EXPECT_EQ(
      of_types(33).validation_error,
      "PartitionSummaryOverCap: pool d/p has 33 partition types, exceeding the maximum of 32");
}

}  // namespace
}  // namespace dcm::resource_pool_status
