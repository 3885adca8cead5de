// Devices with thousands of uses, and pools with thousands of tainted devices: a change of a claim
// or slice takes as many steps as for few.
#include "controllers/device_taint_eviction/state/allocated_devices.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "test/unit/device_taint_eviction/world.hpp"

namespace dcm::device_taint_eviction {
namespace {

constexpr std::size_t kMany = 4 * AllocatedDevices::kManyUses;

test::ClaimBuilder user(std::size_t number) {
  return test::make_claim("c" + std::to_string(number)).with_device("fabric", "nic");
}

TEST(AllocatedDevices, finds_use_of_shared_device_in_few_steps) {
  AllocatedDevices index;
  std::vector<ClaimPtr> claims;
  for (std::size_t i = 0; i < kMany; ++i) {
    index.replace(nullptr, claims.emplace_back(user(i).with_device("fabric", "nic").get()));
  }
  const auto examined = [&](const ClaimPtr& before, const ClaimPtr& after) {
    const std::size_t start = index.examined();
    index.replace(before, after);
    return index.examined() - start;
  };
  // Every second one goes, all others change, and some come back with one use.
  for (std::size_t i = 0; i < kMany; ++i) {
    const ClaimPtr after =
        i % 2 == 0 ? nullptr : user(i).with_device("fabric", "nic").reserved_for("p").get();
    EXPECT_LE(examined(claims[i], after), 2 * AllocatedDevices::kManyUses + 4) << i;
    claims[i] = after;
  }
  for (std::size_t i = 0; i < kMany; i += 4) {
    EXPECT_LE(examined(nullptr, claims[i] = user(i).get()), 2) << i;
  }
  std::size_t uses = 0;
  index.for_each_use({"gpu.example.com", "fabric", "nic"}, [&](const AllocatedDevices::Use& use) {
    ++uses;
    EXPECT_NE(std::ranges::find(claims, use.claim), claims.end());
  });
  EXPECT_EQ(uses, kMany / 2 * 2 + kMany / 4);
  for (const ClaimPtr& claim : claims) {
    if (claim) index.replace(claim, nullptr);
  }
  index.for_each_driver([](const api::InternedString& driver, std::size_t) {
    ADD_FAILURE() << driver.str() << " has devices in use";
  });
}

TEST(AllocatedDevices, counts_no_admin_access) {
  AllocatedDevices index;
  for (std::size_t i = 0; i < 1'000; ++i) index.replace(nullptr, user(i).with_admin_access().get());
  const std::size_t before = index.examined();
  const ClaimPtr plain = user(1'000);
  index.replace(nullptr, plain);
  EXPECT_LE(index.examined() - before, 2);
  std::size_t drivers = 0;
  index.for_each_driver([&](const api::InternedString&, std::size_t devices) {
    ++drivers;
    EXPECT_EQ(devices, 1);
  });
  EXPECT_EQ(drivers, 1);
}

TEST(AllocatedDevices, count_claim_that_replaces_one_with_admin_access) {
  AllocatedDevices index;
  const ClaimPtr admin = user(0).with_admin_access();
  const ClaimPtr plain = user(0).with_uid("another");
  index.replace(nullptr, admin);
  index.replace(admin, plain);
  std::size_t in_use = 0;
  index.for_each_driver([&](const api::InternedString&, std::size_t devices) { in_use = devices; });
  EXPECT_EQ(in_use, 1);
}

TEST(Tracker, finds_pods_of_shared_device_in_slices) {
  World world;
  for (std::size_t i = 0; i < kMany; ++i) {
    const std::string name = "p" + std::to_string(i);
    world.put(user_of_claim(name));
    world.put(claim_of(name).with_device("fabric", "nic"));
  }
  world.start();
  const std::size_t before = world.pods_looked_up;
  world.put(test::make_slice("s", "fabric").device("nic", {no_execute("burnt")}));
  EXPECT_EQ(world.pods_looked_up, before);
  world.tracker.advance(100);
  EXPECT_LE(world.pods_looked_up - before, 100);
  world.settle();
  EXPECT_EQ(world.tracker.pending().size(), kMany);
  world.put(test::make_slice("s", "fabric").device("nic"));
  world.settle();
  EXPECT_EQ(world.tracker.pending().size(), 0);
}

SlicePtr slice_of(int number, std::int64_t generation, int devices) {
  auto slice = test::make_slice(fmt::format("g{}-{}", generation, number), "rack");
  slice.generation(generation);
  for (int i = 0; i < devices; ++i) {
    slice.device(fmt::format("gpu-{}-{}", number, i), {no_execute("burnt")});
  }
  return slice.get();
}

TEST(PublishedDevices, name_pool_with_many_tainted_devices_when_its_generation_changes) {
  for (const int slices : {2, 20}) {
    PublishedDevices devices;
    for (int i = 0; i < slices; ++i) devices.replace(nullptr, slice_of(i, 1, 100));
    const SlicePtr next = slice_of(0, 2, 100);
    const auto changed = devices.replace(nullptr, next);
    const auto back = devices.replace(next, nullptr);
    EXPECT_EQ(changed.size(), slices == 2 ? 100 : 1) << "those of the other slice";
    EXPECT_EQ(changed, back);
    EXPECT_EQ(changed.front().device.empty(), slices == 20);
    EXPECT_EQ(changed.front().pool, "rack");
  }
}

TEST(PublishedDevices, compare_generations_while_slices_move_one_by_one) {
  PublishedDevices devices;
  const SlicePtr first = slice_of(0, 1, 2);
  const SlicePtr second = slice_of(1, 1, 3);
  devices.replace(nullptr, first);
  devices.replace(nullptr, second);
  EXPECT_EQ(devices.replace(first, slice_of(0, 2, 2)).size(), 3) << "the second is outdated";
  EXPECT_EQ(devices.replace(second, slice_of(1, 2, 4)).size(), 4);
}

TEST(Tracker, releases_pods_when_large_pool_begins_new_generation) {
  World world;
  world.put(user_of_claim("p"));
  world.put(claim_of("p").with_device("rack", "gpu-7-7"));
  for (int i = 0; i < 20; ++i) world.put(slice_of(i, 1, 100));
  world.start();
  EXPECT_EQ(world.pending(), "p 0s");
  world.put(slice_of(0, 2, 100));
  world.settle();
  EXPECT_EQ(world.pending(), "");
}

}  // namespace
}  // namespace dcm::device_taint_eviction
