// The indexes against a naive model: after each of many random changes, the tracker must agree with
// a scan of all objects.
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "controllers/common/pod_claims.hpp"
#include "runtime/rng.hpp"
#include "test/unit/device_taint_eviction/world.hpp"

namespace dcm::device_taint_eviction {
namespace {

std::string numbered(const char* prefix, std::uint64_t number) {
  return prefix + std::to_string(number);
}

// Few names, so that changes collide.
class RandomWorld {
 public:
  explicit RandomWorld(std::uint64_t seed) : rng_(seed) {}

  void change() {
    switch (rng_.below(12)) {
      case 0:
      case 1:
        return world.put(random_pod());
      case 2:
      case 3:
      case 4:
        return world.put(random_claim());
      case 5:
      case 6:
        return world.put(random_slice());
      case 7:
        return put_rule();
      case 8:
        return world.erase_pod(numbered("p", rng_.below(6)));
      case 9:
        return world.erase_claim(numbered("p", rng_.below(6)) + "-claim");
      case 10:
        return erase_slice();
      default:
        return world.erase_rule(numbered("r", rng_.below(3)));
    }
  }
  bool chance(std::uint64_t one_in) { return rng_.below(one_in) == 0; }
  std::size_t slice_size() { return 1 + rng_.below(4); }

  World world;

 private:
  // A pod to be put; if the name exists, an update with the same UID.
  PodPtr random_pod() {
    const std::string name = numbered("p", rng_.below(6));
    auto pod = test::make_pod(name).uses("own", name + "-claim");
    if (chance(2)) pod.uses("other", numbered("p", rng_.below(6)) + "-claim");
    const PodPtr cached = world.find_pod({test::kNamespace, name});
    if (cached) {  // a spec is immutable
      auto same = test::make_pod(name);
      for (const api::PodClaim& claim : cached->claims)
        same.uses(claim.name.str(), claim.claim_name.str());
      pod = same;
    }
    if (!chance(5)) pod.on_node("node");
    if (chance(8)) pod.phase(api::PodPhase::succeeded);
    if (chance(8)) pod.being_deleted();
    return pod;
  }

  ClaimPtr random_claim() {
    auto claim = test::make_claim(numbered("p", rng_.below(6)) + "-claim");
    for (std::uint64_t left = rng_.below(4); left > 0; --left) {
      std::vector<api::DeviceToleration> tolerations;
      if (chance(3)) tolerations.push_back(exists(numbered("k", rng_.below(2)), random_duration()));
      claim.with_device_of(numbered("d", rng_.below(2)), numbered("pool", rng_.below(3)),
                           numbered("gpu", rng_.below(3)), std::move(tolerations));
    }
    for (std::uint64_t pod = 0; pod < 6; ++pod) {
      if (chance(2)) claim.reserved_for(numbered("p", pod));
    }
    return claim;
  }

  std::optional<seconds> random_duration() {
    if (chance(3)) return std::nullopt;
    return seconds(rng_.below(50));
  }

  // Driver and pool follow from the name, as they are immutable.
  SlicePtr random_slice() {
    const std::uint64_t number = rng_.below(12);
    auto slice = test::make_slice(numbered("s", number), numbered("pool", number % 3));
    slice.of_driver(numbered("d", number % 2)).generation(static_cast<std::int64_t>(rng_.below(3)));
    for (std::uint64_t device = 0; device < 3; ++device) {
      if (chance(2)) slice.device(numbered("gpu", device), random_taints());
    }
    return slice;
  }
  void erase_slice() { world.erase_slice(numbered("s", rng_.below(12))); }

  std::vector<api::DeviceTaint> random_taints() {
    std::vector<api::DeviceTaint> taints;
    while (chance(3)) taints.push_back(random_taint());
    return taints;
  }
  api::DeviceTaint random_taint() {
    return no_execute(numbered("k", rng_.below(2)), seconds(rng_.below(100)));
  }

  void put_rule() {
    api::DeviceTaint taint = random_taint();
    if (chance(4)) taint.effect = api::TaintEffect::none;
    auto rule = test::make_rule(numbered("r", rng_.below(3)), taint);
    const auto part = [this](const char* prefix, std::uint64_t count) {
      return chance(2) ? std::string() : numbered(prefix, rng_.below(count));
    };
    if (!chance(6)) rule.selects(part("d", 2), part("pool", 3), part("gpu", 3));
    if (chance(8)) rule.unknown_selector_field("x");
    world.put(rule);
  }

  runtime::Rng rng_;
};

// Scans everything, without indexes.
class Model {
 public:
  explicit Model(const World& world) : world_(world) {}

  std::optional<WallTime> due(const api::Pod& pod, std::set<std::string>& rules) const {
    std::optional<WallTime> earliest;
    if (!common::is_active(pod)) return earliest;
    const auto add = [&](std::optional<WallTime> due) {
      if (due && (!earliest || *due < *earliest)) earliest = due;
      return due.has_value();
    };
    for (const auto& [key, claim] : world_.claims) {
      if (!common::may_consume_now(*claim, pod, common::GroupClaims::refused)) continue;
      for (const api::AllocatedDevice& device : claim->devices) {
        for (const auto& [name, rule] : world_.rules) {
          if (!rule->selector || !rule->unknown_selector_field.empty()) continue;
          if (!matches(*rule->selector, device.id)) continue;
          if (add(due_of_taint(rule->taint, device.tolerations.get())))
            rules.insert(name.name.str());
        }
        for (const api::DeviceTaint& taint : published(device.id)) {
          add(due_of_taint(taint, device.tolerations.get()));
        }
      }
    }
    return earliest;
  }

  std::vector<api::DeviceTaint> published(const api::DeviceId& id) const {
    std::vector<api::DeviceTaint> taints;
    for_each_current([&](const api::ResourceSlice& slice, const api::PublishedDevice& device) {
      if (api::DeviceId{slice.driver, slice.pool, device.name} != id || !device.taints) return;
      taints.insert(taints.end(), device.taints->begin(), device.taints->end());
    });
    return taints;
  }
  std::size_t count(const api::DeviceSelector& selector) const {
    std::size_t sum = 0;
    for_each_current([&](const api::ResourceSlice& slice, const api::PublishedDevice& device) {
      sum += matches(selector, {slice.driver, slice.pool, device.name}) ? 1 : 0;
    });
    return sum;
  }

 private:
  template <class Visit>
  void for_each_current(Visit visit) const {
    for (const auto& [key, slice] : world_.slices) {
      bool is_current = true;
      for (const auto& [other_key, other] : world_.slices) {
        is_current &= other->driver != slice->driver || other->pool != slice->pool ||
                      other->pool_generation <= slice->pool_generation;
      }
      for (const api::PublishedDevice& device : slice->devices) {
        if (is_current) visit(*slice, device);
      }
    }
  }

  const World& world_;
};

void expect_as_the_model_says(const World& world) {
  const Model model(world);
  std::map<std::string, std::size_t> pending_by_rule;
  std::size_t pending = 0;
  for (const auto& [key, pod] : world.pods) {
    std::set<std::string> rules;
    const auto due = model.due(*pod, rules);
    const PendingPod* found = world.pending_pods.find(pod->meta.uid);
    ASSERT_EQ(found != nullptr, due.has_value()) << key.name.view();
    if (found == nullptr) continue;
    EXPECT_EQ(found->due, *due) << key.name.view();
    EXPECT_EQ(found->rules.size(), rules.size()) << key.name.view();
    for (const std::string& rule : rules) ++pending_by_rule[rule];
    ++pending;
  }
  EXPECT_EQ(world.pending_pods.size(), pending);
  for (const auto& [key, rule] : world.rules) {
    EXPECT_EQ(world.counts(key.name.str()).pending, pending_by_rule[key.name.str()])
        << key.name.view();
  }
  for (const api::DeviceSelector& selector : {api::DeviceSelector{},
                                              {"d0", "", ""},
                                              {"", "pool1", ""},
                                              {"", "", "gpu2"},
                                              {"d1", "pool1", ""},
                                              {"d0", "pool2", "gpu0"}}) {
    EXPECT_EQ(world.tracker.published().count(selector), model.count(selector));
  }
}

TEST(Tracker, agrees_with_full_scan) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomWorld random(seed);
    for (int step = 0; step < 40; ++step) random.change();
    random.world.start();
    expect_as_the_model_says(random.world);
    for (int step = 0; step < 150 && !testing::Test::HasFailure(); ++step) {
      random.change();
      // Walks may be running while more changes come; everything is settled only after the last
      // one.
      if (random.chance(2)) {
        while (random.world.tracker.has_work() && !random.chance(5)) {
          random.world.tracker.advance(random.slice_size());
        }
      }
      if (!random.chance(3)) continue;
      random.world.settle(random.slice_size());
      expect_as_the_model_says(random.world);
    }
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

// A walk in slices, with devices added and removed in between.
TEST(Tracker, visits_every_matching_device_throughout_walk) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    runtime::Rng rng(seed);
    AllocatedDevices index;
    std::map<std::string, ClaimPtr> claims;
    const auto change = [&](std::set<std::string>& gone) {
      const std::string name = numbered("c", rng.below(20));
      ClaimPtr after;
      if (rng.below(3) > 0) {
        after = test::make_claim(name).with_device_of(numbered("d", rng.below(2)),
                                                      numbered("pool", rng.below(3)),
                                                      numbered("gpu", rng.below(5)));
      }
      ClaimPtr& before = claims[name];
      if (before) gone.insert(before->devices[0].id.str());
      index.replace(before, after);
      before = after;
    };
    std::set<std::string> ignored;
    for (int step = 0; step < 40; ++step) change(ignored);

    const auto part = [&](const char* prefix, std::uint64_t count) {
      return rng.below(2) == 0 ? std::string() : numbered(prefix, rng.below(count));
    };
    const api::DeviceSelector selector{part("d", 2), part("pool", 3), part("gpu", 5)};
    std::set<std::string> expected;
    for (const auto& [name, claim] : claims) {
      if (claim && matches(selector, claim->devices[0].id)) {
        expected.insert(claim->devices[0].id.str());
      }
    }
    AllocatedDevices::Walk walk(selector);
    std::set<std::string> visited;
    std::set<std::string> gone;
    const auto visit = [&](const AllocatedDevices::Use& use) {
      EXPECT_TRUE(matches(selector, use.allocated().id));
      visited.insert(use.allocated().id.str());
      return std::size_t{0};
    };
    while (walk.advance(index, 1 + rng.below(3), visit).has_more) change(gone);
    for (const std::string& device : expected) {
      EXPECT_TRUE(visited.contains(device) || gone.contains(device)) << device;
    }
    std::map<std::string, std::set<std::string>> in_use;
    for (const auto& [name, claim] : claims) {
      if (claim) in_use[claim->devices[0].id.driver.str()].insert(claim->devices[0].id.str());
    }
    index.for_each_driver([&](const api::InternedString& driver, std::size_t devices) {
      EXPECT_EQ(devices, in_use[driver.str()].size());
      in_use.erase(driver.str());
    });
    EXPECT_TRUE(in_use.empty());
  }
}

}  // namespace
}  // namespace dcm::device_taint_eviction
