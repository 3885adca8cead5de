// Which slices a driver's devices need, as tables.
#include <cstdint>
#include <limits>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "node/driver_kit/slices/plan.hpp"
#include "node/driver_kit/slices/slice.hpp"

namespace dcm::driver_kit {
namespace {

namespace json = boost::json;

const SliceOwner kOwner{.driver = "gpu.example.com", .node = "n0", .node_uid = "n0-uid"};

json::object object(const std::string& text) {
  return json::parse(text).as_object();
}

DevicePool pool_of(std::size_t devices, const std::string& more = {}) {
  DevicePool pool{.name = "n0", .devices = {}};
  for (std::size_t i = 0; i < devices; ++i) {
    pool.devices.push_back(
        json::parse(fmt::format(R"({{"name":"dev-{}"{}}})", i, more)).as_object());
  }
  return pool;
}

// The slices after creation, with the API server's names and versions.
std::vector<json::object> published(const SlicePlan& plan) {
  std::vector<json::object> slices;
  for (json::object slice : plan.creates) {
    json::object& metadata = slice["metadata"].as_object();
    metadata["name"] = std::string(metadata["generateName"].as_string()) + "x7k2p";
    metadata["resourceVersion"] = "1";
    slices.push_back(std::move(slice));
  }
  return slices;
}

std::vector<json::object> publish(const std::vector<DevicePool>& pools) {
  return published(plan_slices(kOwner, pools, {}, {}));
}

// "3 devices in 1 of generation 2"
std::string describe(const json::object& slice) {
  const json::object& pool = slice.at("spec").at("pool").as_object();
  return fmt::format("{} devices in {} of generation {}", slice_devices(slice).size(),
                     pool.at("resourceSliceCount").as_int64(), pool.at("generation").as_int64());
}
std::vector<std::string> describe(const std::vector<json::object>& slices) {
  std::vector<std::string> lines;
  for (const json::object& slice : slices) lines.push_back(describe(slice));
  return lines;
}
using Lines = std::vector<std::string>;

TEST(SlicePlan, matches_go_helper) {
  const SlicePlan plan = plan_slices(kOwner, {pool_of(2)}, {}, {});
  ASSERT_EQ(plan.creates.size(), 1U);
  EXPECT_EQ(json::value(plan.creates[0]), json::parse(R"({
    "apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice",
    "metadata":{"generateName":"00000-gpu.example.com-n0-","ownerReferences":[
      {"apiVersion":"v1","kind":"Node","name":"n0","uid":"n0-uid","controller":true}]},
    "spec":{"driver":"gpu.example.com","nodeName":"n0",
      "pool":{"name":"n0","generation":1,"resourceSliceCount":1},
      "devices":[{"name":"dev-0"},{"name":"dev-1"}]}})"));
  EXPECT_TRUE(plan_slices(kOwner, {pool_of(2)}, published(plan), {}).empty());
}

TEST(SlicePlan, publishes_pool_without_devices_as_empty_slice) {
  EXPECT_EQ(describe(plan_slices(kOwner, {pool_of(0)}, {}, {}).creates),
            Lines{"0 devices in 1 of generation 1"});
  EXPECT_FALSE(publish({pool_of(0)})[0].at("spec").as_object().contains("devices"))
      << "the API server stores no empty list";
}

TEST(SlicePlan, splits_devices_by_slice_limits) {
  EXPECT_EQ(describe(publish({pool_of(129)})),
            (Lines{"128 devices in 2 of generation 1", "1 devices in 2 of generation 1"}));
  for (const char* more : {R"(,"taints":[])", R"(,"consumesCounters":[])",
                           R"(,"attributes":{"links":{"strings":["a"]}})"}) {
    EXPECT_EQ(describe(publish({pool_of(65, more)})),
              (Lines{"64 devices in 2 of generation 1", "1 devices in 2 of generation 1"}));
  }
}

TEST(SlicePlan, keeps_generation_for_one_change) {
  const auto before = publish({pool_of(2)});
  const SlicePlan plan = plan_slices(kOwner, {pool_of(3)}, before, {});
  EXPECT_EQ(describe(plan.updates), Lines{"3 devices in 1 of generation 1"});
  EXPECT_EQ(plan.updates[0].at("metadata").at("resourceVersion"), "1") << "what it relies on";
  EXPECT_TRUE(plan.obsolete.empty() && plan.creates.empty());
}

TEST(SlicePlan, starts_new_generation_for_several_changes) {
  const auto before = publish({pool_of(128)});
  const SlicePlan plan = plan_slices(kOwner, {pool_of(200)}, before, {});
  EXPECT_EQ(describe(plan.updates), Lines{"128 devices in 2 of generation 2"});
  EXPECT_EQ(describe(plan.creates), Lines{"72 devices in 2 of generation 2"});
}

TEST(SlicePlan, restores_deleted_slice_with_complete_pool) {  // [84]
  auto before = publish({pool_of(200)});
  before.pop_back();
  const SlicePlan plan = plan_slices(kOwner, {pool_of(200)}, before, {});
  EXPECT_EQ(describe(plan.updates), Lines{"128 devices in 2 of generation 2"});
  EXPECT_EQ(describe(plan.creates), Lines{"72 devices in 2 of generation 2"});
}

TEST(SlicePlan, deletes_unwanted_slices) {
  const auto before = publish({pool_of(200)});
  const SlicePlan fewer = plan_slices(kOwner, {pool_of(128)}, before, {});
  EXPECT_EQ(fewer.obsolete.size(), 1U);
  EXPECT_EQ(describe(fewer.updates), Lines{"128 devices in 1 of generation 1"});
  EXPECT_EQ(plan_slices(kOwner, {}, before, {}).obsolete.size(), 2U) << "the pool is gone";
}

TEST(SlicePlan, deletes_old_generations_duplicates_and_foreign_names) {
  auto before = publish({pool_of(2)});
  const auto add = [&](const char* name, std::int64_t generation) {
    json::object slice = before[0];
    slice["metadata"].as_object()["name"] = name;
    slice["spec"].as_object()["pool"].as_object()["generation"] = generation;
    before.push_back(std::move(slice));
  };
  add("00000-old", 0);
  add("00000-twin", 1);
  add("n0-gpu.example.com-abcde", 1);
  add("0-short", 1);
  add("00007-beyond", 1);
  const SlicePlan plan = plan_slices(kOwner, {pool_of(2)}, before, {});
  EXPECT_EQ(plan.obsolete.size(), 5U);
  EXPECT_TRUE(plan.updates.empty() && plan.creates.empty());
}

TEST(SlicePlan, begins_again_after_last_generation) {
  std::vector<json::object> slices = publish({pool_of(200)});
  for (json::object& slice : slices) {
    slice["spec"].as_object()["pool"].as_object()["generation"] =
        std::numeric_limits<std::int64_t>::max();
  }
  const SlicePlan plan = plan_slices(kOwner, {pool_of(200)}, slices, {});
  EXPECT_EQ(plan.obsolete.size(), 2U);
  EXPECT_TRUE(plan.updates.empty());
  EXPECT_EQ(describe(plan.creates),
            (Lines{"128 devices in 2 of generation 1", "72 devices in 2 of generation 1"}));
}

TEST(SlicePlan, cuts_prefix_of_names_that_server_would_refuse) {
  const SliceOwner owner{
      .driver = std::string(63, 'd'), .node = std::string(253, 'n'), .node_uid = "u"};
  const auto plan = plan_slices(owner, {pool_of(1)}, {}, {});
  const std::string prefix(plan.creates.at(0).at("metadata").at("generateName").as_string());
  EXPECT_EQ(prefix.size(), 253U);
  EXPECT_TRUE(prefix.starts_with("00000-ddd"));
  EXPECT_TRUE(prefix.ends_with("n-"));
}

TEST(SlicePlan, keeps_taint_time) {
  const char* const kTaint = R"(,"taints":[{"key":"hot","effect":"NoExecute"}])";
  auto before = publish({pool_of(1, kTaint)});
  json::value& stored = before[0]["spec"].as_object()["devices"];
  stored.as_array()[0].as_object()["taints"].as_array()[0].as_object()["timeAdded"] = "then";
  EXPECT_TRUE(plan_slices(kOwner, {pool_of(1, kTaint)}, before, {}).empty());
  const SlicePlan plan = plan_slices(kOwner, {pool_of(2, kTaint)}, before, {});
  ASSERT_EQ(plan.updates.size(), 1U);
  const json::array& devices = slice_devices(plan.updates[0]);
  EXPECT_EQ(devices.at(0).at("taints").at(0).at("timeAdded"), "then");
  EXPECT_FALSE(devices.at(1).at("taints").at(0).as_object().contains("timeAdded"));
}

TEST(SlicePlan, does_not_rewrite_slice_as_stored_by_server) {
  const char* const kWanted = R"(,"bindsToNode":true)";
  auto stored = publish({pool_of(1)});  // it dropped the field
  const AcceptedSlices accepted{
      {slice_name(stored[0]),
       {json::object{{"devices", json::array{pool_of(1, kWanted).devices[0]}}},
        slice_content(stored[0])}}};
  EXPECT_FALSE(plan_slices(kOwner, {pool_of(1, kWanted)}, stored, {}).empty());
  EXPECT_TRUE(plan_slices(kOwner, {pool_of(1, kWanted)}, stored, accepted).empty());
  EXPECT_FALSE(plan_slices(kOwner, {pool_of(1)}, publish({pool_of(2)}), accepted).empty());
}

// Even if the written slice had the time of an earlier taint.
TEST(SlicePlan, does_not_rewrite_tainted_slice_as_stored_by_server) {
  const char* const kWanted =
      R"(,"bindsToNode":true,"taints":[{"key":"hot","effect":"NoExecute"}])";
  const char* const kTimed =
      R"("taints":[{"key":"hot","effect":"NoExecute","timeAdded":"2026-01-01T00:00:00Z"}])";
  const auto stored = publish({pool_of(1, std::string(",") + kTimed)});
  const json::array written{pool_of(1, std::string(R"(,"bindsToNode":true,)") + kTimed).devices[0]};
  const AcceptedSlices accepted{
      {slice_name(stored[0]), {json::object{{"devices", written}}, slice_content(stored[0])}}};
  EXPECT_TRUE(plan_slices(kOwner, {pool_of(1, kWanted)}, stored, accepted).empty());
}

TEST(SlicePlan, reports_paths_of_dropped_fields) {
  const json::object written = object(R"({"devices":[
    {"name":"a","taints":[{"key":"k","effect":"None"}]},
    {"name":"b","capacity":{"memory":{"value":"1Gi"}}}],"sharedCounters":[]})");
  const json::object stored = object(R"({"devices":[
    {"name":"a"},{"name":"b","capacity":{"memory":{}},"more":1}]})");
  EXPECT_EQ(dropped_fields(written, stored),
            (Lines{"devices[0].taints", "devices[1].capacity.memory.value", "sharedCounters"}));
  EXPECT_EQ(dropped_fields(written, written), Lines{});
  EXPECT_EQ(dropped_fields(written, object(R"({"devices":[],"sharedCounters":[]})")),
            (Lines{"devices[0]", "devices[1]"}));
}

TEST(SlicePlan, replaces_invalid_slice) {
  for (const char* slice :
       {"{}", R"({"metadata":7})", R"({"metadata":{"name":"00000-a"},"spec":{"pool":"n0"}})",
        R"({"metadata":{"name":"00000-a"},"spec":{"pool":{"name":"n0","generation":"x"}}})"}) {
    const SlicePlan plan = plan_slices(kOwner, {pool_of(1)}, {json::parse(slice).as_object()}, {});
    EXPECT_EQ(plan.creates.size() + plan.updates.size(), 1U) << slice;
  }
}

TEST(SlicePlan, puts_shared_counters_into_their_own_slices) {
  DevicePool pool = pool_of(65, R"(,"consumesCounters":[{"counterSet":"gpu-0"}])");
  for (int i = 0; i < 9; ++i) {
    pool.shared_counters.push_back(object(fmt::format(R"({{"name":"gpu-{}"}})", i)));
  }
  const SlicePlan plan = plan_slices(kOwner, {pool}, {}, {});
  ASSERT_EQ(plan.creates.size(), 4U);
  EXPECT_EQ(plan.creates[0].at("spec").at("sharedCounters").as_array().size(), 8U);
  EXPECT_FALSE(plan.creates[0].at("spec").as_object().contains("devices"));
  EXPECT_EQ(plan.creates[1].at("spec").at("sharedCounters").as_array().size(), 1U);
  EXPECT_EQ(plan.creates[2].at("spec").at("devices").as_array().size(), 64U);
  EXPECT_EQ(describe(plan.creates[3]), "1 devices in 4 of generation 1");
  EXPECT_TRUE(plan_slices(kOwner, {pool}, published(plan), {}).empty());
  pool.shared_counters.back()["counters"] =
      json::object{{"memory", json::object{{"value", "1Gi"}}}};
  const SlicePlan change = plan_slices(kOwner, {pool}, published(plan), {});
  ASSERT_EQ(change.updates.size(), 1U) << "one write needs no new generation";
  EXPECT_TRUE(change.creates.empty());
}

TEST(SlicePlan, sets_node_selection_of_network_pool) {
  const SliceOwner cluster{.driver = "nic.example.com", .node = "", .node_uid = ""};
  DevicePool pool = pool_of(1);
  pool.more = object(R"({"allNodes":true,"skipNodeOperations":["*"]})");
  const SlicePlan plan = plan_slices(cluster, {pool}, {}, {});
  ASSERT_EQ(plan.creates.size(), 1U);
  EXPECT_EQ(json::value(plan.creates[0]), json::parse(R"({
    "apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice",
    "metadata":{"generateName":"00000-nic.example.com-"},
    "spec":{"driver":"nic.example.com","pool":{"name":"n0","generation":1,"resourceSliceCount":1},
      "allNodes":true,"skipNodeOperations":["*"],"devices":[{"name":"dev-0"}]}})"));
  EXPECT_TRUE(plan_slices(cluster, {pool}, published(plan), {}).empty());
  pool.more = object(R"({"nodeSelector":{"nodeSelectorTerms":[{}]}})");
  const SlicePlan moved = plan_slices(cluster, {pool}, published(plan), {});
  ASSERT_EQ(moved.updates.size(), 1U);
  EXPECT_FALSE(moved.updates[0].at("spec").as_object().contains("allNodes"));
}

TEST(SlicePlan, publishes_layout_unchanged) {
  DevicePool pool{.name = "n0"};
  pool.layout = {{.shared_counters = {object(R"({"name":"c"})")}},
                 {.devices = {object(R"({"name":"a"})")}},
                 {.devices = {object(R"({"name":"b"})"), object(R"({"name":"c"})")}}};
  EXPECT_EQ(describe(publish({pool})),
            (Lines{"0 devices in 3 of generation 1", "1 devices in 3 of generation 1",
                   "2 devices in 3 of generation 1"}));
}

TEST(SlicePlan, keeps_taint_time_beside_shared_counters) {
  DevicePool pool = pool_of(1, R"(,"taints":[{"key":"ecc","effect":"NoExecute"}])");
  pool.shared_counters = {object(R"({"name":"c"})")};
  auto stored = publish({pool});
  json::object& taint = stored[1]["spec"].at("devices").at(0).at("taints").at(0).as_object();
  taint["timeAdded"] = "2026-01-01T00:00:00Z";
  EXPECT_TRUE(plan_slices(kOwner, {pool}, stored, {}).empty());
}

TEST(SlicePlan, keeps_taint_time_when_device_moves_to_another_slice) {
  const char* const kTaint = R"(,"taints":[{"key":"hot","effect":"NoExecute"}])";
  DevicePool pool = pool_of(65, kTaint);
  auto stored = publish({pool});
  json::object& taint = stored[1]["spec"].at("devices").at(0).at("taints").at(0).as_object();
  taint["timeAdded"] = "2026-01-01T00:00:00Z";
  pool.devices.erase(pool.devices.begin());
  const SlicePlan plan = plan_slices(kOwner, {pool}, stored, {});
  ASSERT_EQ(plan.updates.size(), 1U);
  const json::value& moved = slice_devices(plan.updates[0]).at(63);
  EXPECT_EQ(moved.at("name"), "dev-64");
  EXPECT_EQ(moved.at("taints").at(0).at("timeAdded"), "2026-01-01T00:00:00Z");
}

// The API server normalizes quantities.
TEST(SlicePlan, does_not_rewrite_equal_quantities_after_restart) {
  const auto with = [](const char* memory, const char* engines) {
    DevicePool pool = pool_of(
        1, fmt::format(R"(,"attributes":{{"value":{{"string":"1024Mi"}}}},"capacity":{{"memory":
           {{"value":{0},"requestPolicy":{{"default":{0},"validValues":[{0}]}}}}}},
           "consumesCounters":[{{"counterSet":"c","counters":{{"engines":{{"value":{1}}}}}}}])",
                       memory, engines));
    pool.shared_counters = {
        object(fmt::format(R"({{"name":"c","counters":{{"engines":{{"value":{}}}}}}})", engines))};
    return pool;
  };
  const auto stored = publish({with(R"("1Gi")", R"("4")")});
  EXPECT_TRUE(plan_slices(kOwner, {with(R"("1024Mi")", "4")}, stored, {}).empty());
  EXPECT_FALSE(plan_slices(kOwner, {with(R"("1025Mi")", "4")}, stored, {}).empty());
  EXPECT_EQ(slice_devices(stored[1]).at(0).at("attributes").at("value").at("string"), "1024Mi")
      << "is no quantity";
}

// A slice left by an earlier write has an older time.
TEST(SlicePlan, takes_taint_time_from_newest_generation) {
  const char* const kTaint = R"(,"taints":[{"key":"hot","effect":"NoExecute"}])";
  auto slices = publish({pool_of(1, kTaint)});
  const auto set = [](json::object& slice, int generation, const char* time) {
    slice["spec"].at("pool").as_object()["generation"] = generation;
    slice["spec"].at("devices").at(0).at("taints").at(0).as_object()["timeAdded"] = time;
  };
  slices.push_back(slices[0]);
  slices[1]["metadata"].as_object()["name"] = "00000-newer";
  set(slices[0], 1, "then");
  set(slices[1], 2, "now");
  const SlicePlan plan = plan_slices(kOwner, {pool_of(2, kTaint)}, slices, {});
  ASSERT_EQ(plan.updates.size(), 1U);
  EXPECT_EQ(slice_devices(plan.updates[0]).at(0).at("taints").at(0).at("timeAdded"), "now");
}

TEST(SlicePlan, keeps_partition_type_beside_consumed_counters) {
  DevicePool pool = pool_of(1, R"(,"consumesCounters":[{"counterSet":"c"}])");
  pool.shared_counters = {object(R"({"name":"c"})")};
  pool.more = object(R"({"partitionTypeAttribute":"gpu.example.com/profile"})");
  const auto slices = publish({pool});
  ASSERT_EQ(slices.size(), 2U);
  EXPECT_FALSE(slices[0].at("spec").as_object().contains("partitionTypeAttribute"));
  EXPECT_TRUE(slices[1].at("spec").as_object().contains("partitionTypeAttribute"));
}

}  // namespace
}  // namespace dcm::driver_kit
