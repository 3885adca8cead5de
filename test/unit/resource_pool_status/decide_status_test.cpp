// How many devices a pool has, and how many of them are allocated, unavailable and available.
#include "controllers/resource_pool_status/rules/decide_status.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/unit/resource_pool_status/pools.hpp"

namespace dcm::resource_pool_status {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* kNoSchedule = "'taints': [{'key': 'k', 'effect': 'NoSchedule'}]";
constexpr const char* kNoExecute = "'taints': [{'key': 'k', 'effect': 'NoExecute'}]";
constexpr const char* kPreview = "'taints': [{'key': 'k', 'effect': 'None'}]";

std::string pool(std::string_view name, int generation, int slices) {
  return fmt::format("'pool': {{'name': '{}', 'generation': {}, 'resourceSliceCount': {}}}", name,
                     generation, slices);
}
std::string device(std::string_view name, std::string_view more = "") {
  return fmt::format("'name': '{}'{}{}", name, more.empty() ? "" : ", ", more);
}

// ---- which devices count ------------------------------------------------------------------------

TEST(PoolStatuses, counts_each_device_once) {
  Pools pools;
  pools.devices({device("a"), device("b"), device("c", kNoExecute)}).allocated("a");
  EXPECT_EQ(pools.status(), "d/p: 3 = 1 allocated + 1 unavailable + 1 available");
}

TEST(PoolStatuses, counts_device_in_several_slices_once) {
  Pools pools;
  pools.slice("s1", pool("p", 1, 2) + ", 'devices': [{'name': 'a'}, {'name': 'b'}]");
  pools.slice("s2", pool("p", 1, 2) + ", 'devices': [{'name': 'b'}]");
  EXPECT_EQ(pools.status(), "d/p: 2 = 0 allocated + 0 unavailable + 2 available");
}

TEST(PoolStatuses, counts_only_slices_of_newest_generation) {
  Pools pools;
  pools.slice("old", pool("p", 1, 1) + ", 'devices': [{'name': 'a'}, {'name': 'b'}]");
  pools.slice("new", pool("p", 2, 1) + ", 'devices': [{'name': 'c'}]");
  EXPECT_EQ(pools.status(), "d/p: 1 = 0 allocated + 0 unavailable + 1 available");
}

TEST(PoolStatuses, counts_device_of_several_claims_once) {
  Pools pools;
  pools.devices({device("a"), device("b")}).allocated("a").allocated("a");
  EXPECT_EQ(pools.status(), "d/p: 2 = 1 allocated + 0 unavailable + 1 available");
}

TEST(PoolStatuses, ignores_allocation_with_admin_access) {
  Pools pools;
  pools.devices({device("a")}).allocated("a", "'adminAccess': true");
  EXPECT_EQ(pools.status(), "d/p: 1 = 0 allocated + 0 unavailable + 1 available");
}

// kube-controller-manager subtracts such a device twice: 2 - 1 - 1 = 0.
TEST(PoolStatuses, counts_allocated_tainted_device_only_as_allocated) {
  Pools pools;
  pools.devices({device("a", kNoExecute), device("b")}).allocated("a");
  EXPECT_EQ(pools.status(), "d/p: 2 = 1 allocated + 0 unavailable + 1 available");
}

// kube-controller-manager counts it: 1 - 1 = 0 available.
TEST(PoolStatuses, ignores_allocation_of_unpublished_device) {
  Pools pools;
  pools.devices({device("a")}).allocated("withdrawn");
  EXPECT_EQ(pools.status(), "d/p: 1 = 0 allocated + 0 unavailable + 1 available");
}

struct Tainted {
  std::string name;
  std::string fields;
  bool is_unavailable;
};
class Taints : public testing::TestWithParam<Tainted> {};

TEST_P(Taints, decide_whether_device_is_available) {
  Pools pools;
  pools.devices({device("a", GetParam().fields)});
  EXPECT_EQ(pools.status(), GetParam().is_unavailable
                                ? "d/p: 1 = 0 allocated + 1 unavailable + 0 available"
                                : "d/p: 1 = 0 allocated + 0 unavailable + 1 available");
}

INSTANTIATE_TEST_SUITE_P(Effects, Taints,
                         testing::Values(Tainted{"NoSchedule", kNoSchedule, true},
                                         Tainted{"NoExecute", kNoExecute, true},
                                         Tainted{"None", kPreview, false},
                                         Tainted{"NoTaint", "", false}),
                         [](const auto& row) { return row.param.name; });

TEST(PoolStatuses, counts_device_tainted_by_rule_as_unavailable) {
  Pools pools;
  pools.devices({device("a"), device("b")}).rule(api::TaintEffect::no_schedule, "b");
  EXPECT_EQ(pools.status(), "d/p: 2 = 0 allocated + 1 unavailable + 1 available");
}

// ---- which pools --------------------------------------------------------------------------------

Pools three_pools() {
  Pools pools;
  pools.slice("s1", pool("p2", 1, 1) + ", 'devices': [{'name': 'a'}]");
  pools.slice("s2", pool("p1", 1, 1) + ", 'nodeName': 'n'");
  pools.slice("s3", "'driver': 'e', " + pool("p1", 1, 1));
  return pools;
}

constexpr const char* kFirst = "d/p1 on n: 0 = 0 allocated + 0 unavailable + 0 available";
constexpr const char* kSecond = "d/p2: 1 = 0 allocated + 0 unavailable + 1 available";
constexpr const char* kThird = "e/p1: 0 = 0 allocated + 0 unavailable + 0 available";

TEST(PoolStatuses, include_pools_of_driver_by_name) {
  EXPECT_THAT(three_pools().statuses({.driver = "d"}), ElementsAre(kFirst, kSecond));
}
TEST(PoolStatuses, include_only_named_pool) {
  EXPECT_THAT(three_pools().statuses({.driver = "d", .pool = "p2"}), ElementsAre(kSecond));
}
TEST(PoolStatuses, include_every_driver_if_none_is_named) {
  EXPECT_THAT(three_pools().statuses({}), ElementsAre(kFirst, kSecond, kThird));
}
TEST(PoolStatuses, are_empty_for_unknown_driver) {
  EXPECT_THAT(three_pools().statuses({.driver = "f"}), IsEmpty());
}

TEST(PoolStatuses, name_node_only_if_all_slices_do) {
  Pools pools;
  pools.slice("s1", pool("p", 1, 2) + ", 'nodeName': 'n'");
  pools.slice("s2", pool("p", 1, 2) + ", 'nodeName': 'm'");
  EXPECT_EQ(pools.status(), "d/p: 0 = 0 allocated + 0 unavailable + 0 available");
}

TEST(PoolStatuses, have_no_totals_of_incomplete_pool) {
  Pools pools;
  pools.slice("s1", pool("p", 3, 2) + ", 'nodeName': 'n', 'devices': [{'name': 'a'}]");
  EXPECT_EQ(
      pools.status(),
      "d/p on n; PoolIncomplete: pool d/p is incomplete: observed 1/2 slices at generation 3");
}

TEST(PoolStatuses, cut_errors_after_256_bytes) {
  Pools pools;
  const std::string name(253, 'x');
  pools.slice("s1", pool(name, 1, 2));
  const auto statuses = pool_statuses({.driver = "d"}, pools.inputs);
  ASSERT_EQ(statuses.size(), 1U);
  EXPECT_EQ(statuses[0].validation_error.size(), 256U);
  EXPECT_THAT(statuses[0].validation_error, StartsWith("PoolIncomplete: pool d/xxx"));
}

TEST(PoolStatuses, cut_errors_between_characters) {
  Pools pools;
  std::string long_type = "x";
  for (int i = 0; i < 130; ++i) long_type += "é";
  const auto partition = [&](std::string_view name, int memory) {
    return device(name, fmt::format("'attributes': {{'profile': {{'string': '{}'}}}}, "
                                    "'consumesCounters': [{{'counterSet': 'c', 'counters': "
                                    "{{'memory': {{'value': '{}'}}}}}}]",
                                    long_type, memory));
  };
  pools.devices({partition("a", 1), partition("b", 2)},
                "'partitionTypeAttribute': 'd/profile', 'sharedCounters': [{'name': 'c', "
                "'counters': {'memory': {'value': '8'}}}]");
  const std::string error = pool_statuses({.driver = "d"}, pools.inputs).at(0).validation_error;
  EXPECT_EQ(error.size(), 255U);  // 47 bytes, then characters of two bytes
  EXPECT_THAT(error, testing::EndsWith("é"));
}

// ---- the answer ---------------------------------------------------------------------------------

const runtime::WallTime kNow{std::chrono::hours(500'000)};

api::PoolStatusAnswer answer(const StatusStep& step) {
  return std::get<api::PoolStatusAnswer>(step);
}
api::ResourcePoolStatusRequest request_of(std::string_view driver) {
  api::ResourcePoolStatusRequest request;
  request.driver = driver;
  return request;
}

TEST(DecideStatus, reports_number_of_pools) {
  const auto status =
      answer(decide_status(request_of("d"), three_pools().inputs, Patience::waits, kNow));
  EXPECT_EQ(status.pool_count, 2);
  EXPECT_EQ(status.pools.size(), 2U);
  EXPECT_EQ(status.condition, "Complete");
  EXPECT_EQ(status.message, "Calculated status for 2 pools");
  EXPECT_EQ(status.time, kNow);
}

TEST(DecideStatus, respects_limit) {
  auto request = request_of("d");
  request.limit = 1;
  const auto status = answer(decide_status(request, three_pools().inputs, Patience::waits, kNow));
  EXPECT_EQ(status.pool_count, 2);
  ASSERT_EQ(status.pools.size(), 1U);
  EXPECT_EQ(status.pools[0].pool, "p1");
  EXPECT_EQ(status.message, "Calculated status for 1 pools");
}

TEST(DecideStatus, answers_without_pools) {
  const auto status = answer(decide_status(request_of("f"), {}, Patience::waits, kNow));
  EXPECT_EQ(status.pool_count, 0);
  EXPECT_EQ(status.message, "Calculated status for 0 pools");
}

Pools one_incomplete() {
  Pools pools = three_pools();
  pools.slice("s4", pool("p3", 1, 2));
  return pools;
}

TEST(DecideStatus, waits_for_missing_slices) {
  const auto step = decide_status(request_of("d"), one_incomplete().inputs, Patience::waits, kNow);
  EXPECT_TRUE(std::holds_alternative<AwaitSlices>(step));
}

TEST(DecideStatus, reports_missing_slices_after_timeout) {
  const auto status =
      answer(decide_status(request_of("d"), one_incomplete().inputs, Patience::is_over, kNow));
  EXPECT_EQ(status.message, "Calculated status for 3 pools (1 incomplete)");
  EXPECT_THAT(status.pools.at(2).validation_error, StartsWith("PoolIncomplete:"));
}

TEST(DecideStatus, does_not_wait_for_pools_beyond_the_limit) {
  auto request = request_of("d");
  request.limit = 2;
  const auto step = decide_status(request, one_incomplete().inputs, Patience::waits, kNow);
  EXPECT_TRUE(std::holds_alternative<api::PoolStatusAnswer>(step));
}

// Contradictory slices stay contradictory: waiting would not repair them.
TEST(DecideStatus, does_not_wait_for_complete_pool) {
  Pools pools;
  pools.devices({device("a")}, "'partitionTypeAttribute': 'd/profile'");
  const auto step = decide_status(request_of("d"), pools.inputs, Patience::waits, kNow);
  EXPECT_EQ(answer(step).message, "Calculated status for 1 pools (1 incomplete)");
}

// ---- pools of generation 0 ----------------------------------------------------------------------

TEST(GenerationZero, is_rejected_alone) {
  runtime::Error error{.reason = runtime::Reason::invalid, .message = "invalid"};
  EXPECT_FALSE(refuses_generation_zero(error));
  error.causes = {{"status.pools[0].generation", "Required value"},
                  {"status.pools[7].generation", "Required value"}};
  EXPECT_TRUE(refuses_generation_zero(error));
  error.causes.push_back({"status.poolCount", "Required value"});
  EXPECT_FALSE(refuses_generation_zero(error));
}

TEST(GenerationZero, is_shown_as_one) {
  api::PoolStatusAnswer answer{.pools = {{.driver = "d", .pool = "p", .generation = 0},
                                         {.driver = "d", .pool = "q", .generation = 7}},
                               .message = "Calculated status for 2 pools",
                               .time = kNow};
  answer = without_generation_zero(std::move(answer));
  EXPECT_EQ(answer.pools[0].generation, 1);
  EXPECT_EQ(answer.pools[1].generation, 7);
  EXPECT_EQ(answer.message,
            "Calculated status for 2 pools; generation 0 is shown as 1, the lowest that the API "
            "server accepts");
}

}  // namespace
}  // namespace dcm::resource_pool_status
