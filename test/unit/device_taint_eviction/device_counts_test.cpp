// Counts of devices by driver, and their metrics.
#include "controllers/device_taint_eviction/state/device_counts.hpp"

#include <gtest/gtest.h>

#include "controllers/device_taint_eviction/device_metrics.hpp"
#include "test/unit/device_taint_eviction/world.hpp"

namespace dcm::device_taint_eviction {
namespace {

using test::make_claim;
using test::make_rule;

enum class Tainted : std::uint8_t { no, schedule, execute };

SlicePtr slice(const std::string& name, const std::string& pool, std::int64_t slices,
               const std::vector<std::pair<std::string, Tainted>>& devices,
               std::int64_t generation = 1) {
  api::ResourceSlice made;
  made.meta.key.name = name;
  made.driver = "gpu.example.com";
  made.pool = pool;
  made.pool_generation = generation;
  made.pool_slices = slices;
  for (const auto& [device, tainted] : devices) {
    made.devices.emplace_back().name = device;
    if (tainted == Tainted::schedule) api::note_no_schedule(made);
    if (tainted != Tainted::execute) continue;
    made.devices.back().taints =
        std::make_unique<const std::vector<api::DeviceTaint>>(1, no_execute("burnt"));
  }
  return SlicePtr(std::move(made));
}

DeviceCounts counts_of(const World& world) {
  DeviceCount count;
  for (int round = 0; round < 2; ++round) {  // the second one starts over
    while (count.advance(world.tracker.published(), world.tracker.allocated(),
                         world.tracker.rules())) {
    }
  }
  return CountsByDriver(count.counts())["gpu.example.com"];
}

TEST(CountDevices, counts_devices_of_current_slices) {
  using enum Tainted;
  World world;
  world.put(slice("old", "a", 1, {{"x", no}, {"y", no}}, 1));
  world.put(slice("new", "a", 1, {{"x", no}, {"y", schedule}, {"z", execute}}, 2));
  world.put(slice("part", "b", 2, {{"x", no}}));
  EXPECT_EQ(counts_of(world), (DeviceCounts{.published = 4,
                                            .no_schedule = 1,
                                            .no_execute = 1,
                                            .in_incomplete_pools = 1,
                                            .incomplete_pools = 1}));
  world.put(slice("rest", "b", 2, {}));
  EXPECT_EQ(counts_of(world).incomplete_pools, 0U) << "once the missing slice is there";
}

TEST(CountDevices, counts_device_once_for_all_rules) {
  using enum Tainted;
  World world;
  world.put(slice("s", "a", 1, {{"x", no}, {"y", schedule}, {"z", execute}}));
  world.put(slice("t", "b", 1, {{"x", no}}));
  api::DeviceTaint off = with_effect(api::TaintEffect::no_schedule);
  world.put(make_rule("one", no_execute("k")).selects("", "a", ""));
  world.put(make_rule("two", no_execute("k")).selects("gpu.example.com", "a", "z"));
  world.put(make_rule("three", off).selects("", "", "x"));
  world.put(make_rule("none", with_effect(api::TaintEffect::none)).selects_all());
  world.put(make_rule("nothing", no_execute("k")));  // without a selector
  EXPECT_EQ(counts_of(world), (DeviceCounts{.published = 4, .no_schedule = 3, .no_execute = 3}));
}

TEST(CountDevices, counts_devices_in_use_once_without_admin_access) {
  World world;
  world.put(make_claim("a").allocated().with_device("p", "x").with_device("p", "y"));
  world.put(make_claim("b").allocated().with_device("p", "x"));
  api::ResourceClaim admin;
  admin.meta.key = {test::kNamespace, "admin"};
  admin.has_admin_access = admin.is_allocated = true;
  admin.devices.push_back({{"gpu.example.com", "p", "z"}, nullptr});
  world.put(ClaimPtr(std::move(admin)));
  EXPECT_EQ(counts_of(world).allocated, 2U);
  world.erase_claim("a");
  EXPECT_EQ(counts_of(world).allocated, 1U);
  world.erase_claim("b");
  world.erase_claim("admin");
  EXPECT_EQ(counts_of(world).allocated, 0U);
}

TEST(DeviceMetrics, bound_series_of_changing_drivers) {
  runtime::MetricsRegistry registry;
  CountsByDriver counts;
  const DeviceMetrics metrics(registry, [&] { return &counts; });
  for (int i = 0; i < 1000; ++i) {
    counts.clear();
    counts["driver-" + std::to_string(i)].published = 2;
    counts["same"].published = 3;
    static_cast<void>(registry.expose());
  }
  const std::string text = registry.expose();
  const std::string name = "dra_controller_manager_devices_published{driver=";
  std::size_t series = 0;
  for (auto at = text.find(name); at != text.npos; at = text.find(name, at + 1)) ++series;
  EXPECT_EQ(series, common::DriverLabels::kDriversMax + 1);
  EXPECT_NE(text.find(name + "\"same\"} 3"), text.npos) << text;
  EXPECT_NE(text.find(name + "\"(others)\"} 2"), text.npos);
  EXPECT_NE(text.find(name + "\"driver-0\"} 0"), text.npos) << "it is gone";
}

}  // namespace
}  // namespace dcm::device_taint_eviction
