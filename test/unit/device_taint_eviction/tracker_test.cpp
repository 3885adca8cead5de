// The pending pods as objects change.
#include "controllers/device_taint_eviction/tracker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/unit/device_taint_eviction/world.hpp"

namespace dcm::device_taint_eviction {
namespace {

using api::PodPhase;

test::RuleBuilder rule_for_all(const std::string& name = "r", seconds added = 0s) {
  return test::make_rule(name, no_execute("burnt", added)).selects_all();
}

// A started tracker with pod p, which has gpu-0 of pool-p.
class TrackerTest : public testing::Test {
 protected:
  TrackerTest() {
    add_pod("p");
    world.start();
  }
  void add_pod(const std::string& name, std::vector<api::DeviceToleration> tolerations = {}) {
    world.put(user_of_claim(name));
    world.put(claim_of(name).with_device("pool-" + name, "gpu-0", std::move(tolerations)));
  }
  void evict(const std::string& pod) {
    const PendingPod* pending = world.pending_pods.find(test::uid_of(pod));
    ASSERT_NE(pending, nullptr);
    world.tracker.record_evicted(PodRef(pending->pod), std::vector<RuleId>(pending->rules),
                                 runtime::MonoTime());
  }
  std::vector<std::string> touched() { return world.tracker.take_touched_rules(); }

  World world;
};

TEST_F(TrackerTest, makes_pods_pending_after_walk) {
  add_pod("q");
  world.put(rule_for_all());
  EXPECT_EQ(world.pending(), "");
  EXPECT_TRUE(touched().empty()) << "its condition would be written too early";
  world.settle(1);
  EXPECT_EQ(world.pending(), "p 0s, q 0s");
  EXPECT_EQ(world.counts("r"), (RuleCounts{2, 1, 0}));
  EXPECT_EQ(touched(), std::vector<std::string>{"r"});
  EXPECT_TRUE(touched().empty());
}

TEST_F(TrackerTest, decides_nothing_before_start) {
  World early;
  early.put(user_of_claim("p"));
  early.put(claim_of("p").with_device("pool", "gpu-0"));
  early.put(test::make_slice("s", "pool").device("gpu-0", {no_execute("burnt")}));
  early.put(rule_for_all());
  EXPECT_FALSE(early.tracker.has_work());
  EXPECT_EQ(early.pending(), "");
  early.put(test::make_slice("t", "pool").generation(2));
  early.start();
  EXPECT_EQ(early.pending(), "p 0s");
  EXPECT_EQ(early.tracker.take_touched_rules(), std::vector<std::string>{"r"});
}

struct CancelRow {
  const char* sentence;
  void (*change)(World&);
  const char* cancelled;
};

TEST_F(TrackerTest, finds_pods_of_all_rules_at_start) {
  World early;
  early.put(rule_for_all());
  early.tracker.start();
  EXPECT_TRUE(early.tracker.is_looking_for("r"));
  EXPECT_THAT(early.tracker.take_touched_rules(), testing::IsEmpty());
  early.settle();
  EXPECT_EQ(early.tracker.take_touched_rules(), std::vector<std::string>{"r"});
}

TEST_F(TrackerTest, notifies_owner_when_reason_goes) {
  const CancelRow kRows[] = {
      {"the rule is deleted", [](World& w) { w.erase_rule("r"); }, "p"},
      {"the rule has another effect",
       [](World& w) {
         w.put(test::make_rule("r", with_effect(api::TaintEffect::no_schedule)).selects_all());
       },
       "p"},
      {"the rule selects others",
       [](World& w) { w.put(test::make_rule("r", no_execute("burnt")).selects("", "x", "")); },
       "p"},
      {"the claim is deallocated", [](World& w) { w.put(claim_of("p")); }, "p"},
      {"the claim is deleted", [](World& w) { w.erase_claim("p-claim"); }, "p"},
      {"the claim is no longer reserved for it",
       [](World& w) {
         w.put(test::make_claim("p-claim").reserved_for("q").with_device("pool-p", "gpu-0"));
       },
       "p"},
      {"the claim's device is tolerated now",
       [](World& w) { w.put(claim_of("p").with_device("pool-p", "gpu-0", {exists("burnt")})); },
       "p"},
      {"the pod is gone: nobody to tell", [](World& w) { w.erase_pod("p"); }, ""},
      {"the pod has been replaced",
       [](World& w) {
         w.erase_pod("p");
         w.put(user_of_claim("p").with_uid("new"));
       },
       ""},
      {"the pod is being deleted", [](World& w) { w.put(user_of_claim("p").being_deleted()); }, ""},
      {"the pod has finished",
       [](World& w) { w.put(user_of_claim("p").phase(PodPhase::succeeded)); }, ""},
  };
  for (const CancelRow& row : kRows) {
    SCOPED_TRACE(row.sentence);
    World fresh;
    fresh.put(user_of_claim("p"));
    fresh.put(claim_of("p").with_device("pool-p", "gpu-0"));
    fresh.put(rule_for_all());
    fresh.start();
    ASSERT_EQ(fresh.pending(), "p 0s");
    row.change(fresh);
    fresh.settle();
    EXPECT_EQ(fresh.pending(), "");
    EXPECT_EQ(fresh.cancelled(), row.cancelled);
    EXPECT_EQ(fresh.counts("r"), RuleCounts{});
    EXPECT_EQ(fresh.pending_pods.size(), 0U);
  }
}

TEST_F(TrackerTest, follows_taints_of_slice) {
  const auto slice = [](std::int64_t generation) {
    return test::make_slice("s", "pool-p").generation(generation);
  };
  world.put(slice(1).device("gpu-0", {no_execute("burnt", 3s)}));
  world.settle();
  EXPECT_EQ(world.pending(), "p 3s");
  world.put(slice(1).device("gpu-0", {no_execute("burnt", 3s), no_execute("wet", 1s)}));
  world.settle();
  EXPECT_EQ(world.pending(), "p 1s");
  world.put(test::make_slice("t", "pool-p").generation(2).device("gpu-0"));
  world.settle();
  EXPECT_EQ(world.pending(), "");
  EXPECT_EQ(world.cancelled(), "p");
  world.erase_slice("t");
  world.settle();
  EXPECT_EQ(world.pending(), "p 1s");
  world.erase_slice("s");
  world.settle();
  EXPECT_EQ(world.pending(), "");
}

TEST_F(TrackerTest, spares_pod_of_device_moved_without_taint) {
  world.put(test::make_slice("s", "pool-p").device("gpu-0", {no_execute("burnt", 3s)}));
  world.settle();
  world.erase_slice("s");
  world.put(test::make_slice("t", "pool-p").device("gpu-0"));
  world.settle();
  EXPECT_EQ(world.pending(), "");
  EXPECT_EQ(world.cancelled(), "p");
}

TEST_F(TrackerTest, follows_slice_moved_to_another_pool) {
  world.put(test::make_slice("s", "pool-p").device("gpu-0", {no_execute("burnt")}));
  world.settle();
  EXPECT_EQ(world.pending(), "p 0s");
  add_pod("q");
  world.put(test::make_slice("s", "pool-q").device("gpu-0", {no_execute("burnt")}));
  world.settle();
  EXPECT_EQ(world.pending(), "q 0s");
}

TEST_F(TrackerTest, needs_no_walk_for_slice_without_taint_change) {
  world.put(test::make_slice("s", "pool-p").device("gpu-0", {no_execute("burnt")}));
  world.settle();
  world.put(test::make_slice("s", "pool-p").device("gpu-0", {no_execute("burnt")}).device("gpu-9"));
  EXPECT_FALSE(world.tracker.has_work());
  world.put(test::make_slice("other", "pool-x").device("gpu-0"));
  EXPECT_FALSE(world.tracker.has_work());
}

TEST_F(TrackerTest, needs_no_walk_for_rule_status) {
  world.put(rule_for_all());
  world.settle();
  touched();
  const api::Condition condition{"EvictionInProgress", "True", "x", "", 1, kStart};
  world.put(rule_for_all().condition(condition));
  EXPECT_FALSE(world.tracker.has_work());
  EXPECT_EQ(touched(), std::vector<std::string>{"r"}) << "somebody else may have written it";
  world.put(rule_for_all().condition(condition).at("2"));
  EXPECT_TRUE(touched().empty());
}

TEST_F(TrackerTest, moves_due_time_of_edited_rule_without_cancelling) {
  world.put(rule_for_all("r", 5s));
  world.settle();
  world.put(rule_for_all("r", 9s).generation(2));
  world.settle();
  EXPECT_EQ(world.pending(), "p 9s");
  EXPECT_EQ(world.cancelled(), "");
}

TEST_F(TrackerTest, counts_pod_for_each_of_its_rules) {
  add_pod("q", {exists("wet")});
  world.put(test::make_rule("a", no_execute("burnt")).selects_all());
  world.put(test::make_rule("b", no_execute("wet")).selects_all());
  world.settle();
  EXPECT_EQ(world.counts("a"), (RuleCounts{2, 1, 0}));
  EXPECT_EQ(world.counts("b"), (RuleCounts{1, 1, 0}));
  touched();
  evict("p");
  EXPECT_EQ(world.counts("a"), (RuleCounts{1, 1, 1}));
  EXPECT_EQ(world.counts("b"), (RuleCounts{0, 0, 1}));
  EXPECT_EQ(touched(), (std::vector<std::string>{"a", "b"}));
}

TEST_F(TrackerTest, evicts_pod_once) {
  world.put(rule_for_all());
  world.settle();
  evict("p");
  EXPECT_EQ(world.pending(), "");
  EXPECT_EQ(world.cancelled(), "");
  world.put(rule_for_all("another"));
  world.settle();
  EXPECT_EQ(world.tracker.judge_again({{test::kNamespace, "p"}, test::uid_of("p")}), nullptr);
  EXPECT_EQ(world.pending(), "");
  world.erase_pod("p");
  world.put(user_of_claim("p").with_uid("new"));
  world.put(test::make_claim("p-claim")
                .reserved_for_consumer({"", "pods", "p", api::Uid("new")})
                .with_device("pool-p", "gpu-0"));
  world.settle();
  EXPECT_EQ(world.pending(), "p 0s") << "another pod of that name is another pod";
}

TEST_F(TrackerTest, forgets_evictions_with_rule) {
  world.put(rule_for_all());
  world.settle();
  evict("p");
  EXPECT_EQ(world.counts("r"), (RuleCounts{0, 0, 1}));
  world.put(test::make_rule("r", with_effect(api::TaintEffect::none)).selects_all().generation(2));
  world.settle();
  EXPECT_EQ(world.counts("r"), (RuleCounts{0, 0, 1})) << "a change of the effect is no deletion";
  world.erase_rule("r");
  world.put(rule_for_all().with_uid("again"));
  world.settle();
  EXPECT_EQ(world.counts("r"), RuleCounts{});
}

TEST_F(TrackerTest, counts_eviction_accepted_after_reason_went) {
  world.put(rule_for_all());
  world.settle();
  const PendingPod pending = *world.pending_pods.find(test::uid_of("p"));
  world.put(claim_of("p"));
  world.settle();
  EXPECT_EQ(world.cancelled(), "p");
  world.tracker.record_evicted(pending.pod, pending.rules, runtime::MonoTime());
  EXPECT_EQ(world.counts("r"), (RuleCounts{0, 0, 1}));
}

struct WakeRow {
  const char* sentence;
  test::PodBuilder before;
  test::PodBuilder after;
};

TEST_F(TrackerTest, judges_pod_again) {
  const auto pod = [] { return test::make_pod("q").on_node("node"); };
  const auto waiting = [] { return test::make_pod("q").uses("gpus", "q-claim"); };
  const auto templated = [pod] { return pod().from_template("gpus", "t"); };
  const WakeRow kRows[] = {
      {"it gets a node", waiting(), waiting().on_node("node")},
      {"its generated claim is named", templated(), templated().names("gpus", "q-claim")},
      {"its extended resource claim is named", templated(),
       templated().extended_resource_claim("q-claim")},
  };
  for (const WakeRow& row : kRows) {
    SCOPED_TRACE(row.sentence);
    World fresh;
    fresh.put(rule_for_all());
    fresh.start();
    fresh.put(claim_of("q").owned_by("q").with_device("pool", "gpu-0"));
    fresh.put(row.before);
    EXPECT_EQ(fresh.pending(), "");
    fresh.put(row.after);
    EXPECT_EQ(fresh.pending(), "q 0s");
  }
}

TEST_F(TrackerTest, judges_pod_that_replaces_another) {
  world.put(rule_for_all());
  world.put(user_of_claim("q").with_uid("earlier"));
  world.put(claim_of("q").with_device("pool", "gpu-0"));
  world.settle();
  EXPECT_EQ(world.pending(), "p 0s");
  world.erase_pod("q");
  world.put(user_of_claim("q"));
  EXPECT_EQ(world.pending(), "p 0s, q 0s");
}

TEST_F(TrackerTest, makes_pod_pending_by_replaced_claim) {
  world.put(rule_for_all());
  world.put(
      test::make_pod("q").on_node("node").from_template("gpus", "t").names("gpus", "q-claim"));
  world.put(claim_of("q").owned_by("earlier").with_device("pool", "gpu-0"));
  world.settle();
  EXPECT_EQ(world.pending(), "p 0s");
  world.put(claim_of("q").owned_by("q").with_device("pool", "gpu-0"));
  world.settle();
  EXPECT_EQ(world.pending(), "p 0s, q 0s");
}

TEST_F(TrackerTest, makes_pod_pending_again_by_returning_taint) {
  const auto slice = test::make_slice("s", "pool-p").device("gpu-0", {no_execute("burnt", 3s)});
  world.put(slice);
  world.settle();
  world.erase_slice("s");
  world.put(slice);
  world.settle();
  EXPECT_EQ(world.pending(), "p 3s");
}

TEST_F(TrackerTest, ignores_one_dangling_reservation) {
  world.put(test::make_pod("q").uses("c", "shared").on_node("node"));
  world.put(test::make_claim("shared")
                .reserved_for("missing")
                .reserved_for_consumer({"", "pods", "p", api::Uid("an earlier p")})
                .reserved_for_consumer({"scheduling.k8s.io", "podgroups", "g", api::Uid("g")})
                .reserved_for("q")
                .with_device("pool", "gpu-3"));
  world.put(test::make_rule("r", no_execute("k")).selects("", "", "gpu-3"));
  world.settle();
  EXPECT_EQ(world.pending(), "q 0s");
}

TEST_F(TrackerTest, judges_each_pod_of_reserved_group) {
  const auto member = [](const std::string& name) {
    return test::make_pod(name).in_group("g").from_template("fabric", "net").on_node("node");
  };
  for (const common::GroupClaims groups :
       {common::GroupClaims::shared, common::GroupClaims::refused}) {
    World fresh;
    fresh.groups = groups;
    fresh.start();
    fresh.put(member("a").names("fabric", "shared"));
    fresh.put(member("b").names("fabric", "shared"));
    fresh.put(member("without-a-node").names("fabric", "shared").on_node(""));
    fresh.put(member("without-the-claim"));
    fresh.put(member("of-another-group").in_group("h").names("fabric", "shared"));
    fresh.put(test::make_claim("shared")
                  .generated_for_group("g", "fabric")
                  .reserved_for_group("g")
                  .with_device("pool", "gpu-0"));
    fresh.put(rule_for_all());
    fresh.settle();
    const bool is_shared = groups == common::GroupClaims::shared;
    EXPECT_EQ(fresh.pending(), is_shared ? "a 0s, b 0s" : "");
    if (!is_shared) continue;
    fresh.put(member("c").names("fabric", "shared"));
    EXPECT_EQ(fresh.pending(), "a 0s, b 0s, c 0s") << "who comes later is judged as well";
    fresh.put(
        test::make_claim("shared").generated_for_group("g", "fabric").with_device("pool", "gpu-0"));
    fresh.settle();
    EXPECT_EQ(fresh.pending(), "") << "the reservation is gone";
  }
}

// Steps until there is no more work.
std::size_t settle_by(World& world, std::size_t limit) {
  std::size_t slices = 0;
  for (; world.tracker.has_work(); ++slices) world.tracker.advance(limit);
  return slices;
}

TEST_F(TrackerTest, judges_shared_claim_in_slices) {
  constexpr std::size_t kPods = 256;
  auto shared = test::make_claim("shared").with_device("pool", "gpu-0");
  for (std::size_t i = 0; i < kPods; ++i) {
    const std::string name = "sharer-" + std::to_string(i);
    world.put(test::make_pod(name).uses("c", "shared").on_node("node"));
    shared = shared.reserved_for(name);
  }
  world.put(test::make_rule("r", no_execute("burnt")).selects("", "pool", ""));
  world.settle();
  world.put(shared);
  EXPECT_EQ(world.pending_pods.size(), 0U);
  world.tracker.advance(30);
  EXPECT_GT(world.pending_pods.size(), 0U);
  EXPECT_LE(world.pending_pods.size(), 30U);
  EXPECT_GE(settle_by(world, 30), kPods / 30 - 1);
  EXPECT_EQ(world.pending_pods.size(), kPods);
}

// Each claim changes separately: a pod's other claims are no reason to judge it again.
TEST_F(TrackerTest, judges_no_pod_for_claims_without_taints) {
  constexpr std::size_t kClaims = 2'000;
  auto pod = test::make_pod("many").on_node("node");
  for (std::size_t i = 0; i < kClaims; ++i) {
    pod.uses("c" + std::to_string(i), "claim-" + std::to_string(i));
  }
  world.put(pod);
  world.settle();
  const std::size_t before = world.claims_looked_up;
  for (std::size_t i = 0; i < kClaims; ++i) {
    const std::string number = std::to_string(i);
    world.put(test::make_claim("claim-" + number)
                  .with_device("pool-many", "gpu-" + number)
                  .reserved_for("many"));
    world.settle();
  }
  EXPECT_LE(world.claims_looked_up - before, kClaims);
  ASSERT_EQ(world.pending_pods.find(test::uid_of("many")), nullptr);
  world.put(test::make_slice("s", "pool-many").device("gpu-7", {no_execute("burnt")}));
  world.settle();
  EXPECT_NE(world.pending_pods.find(test::uid_of("many")), nullptr);
}

// A label, or the driver's own status.
TEST_F(TrackerTest, judges_no_pod_for_unrelated_change_of_claim) {
  world.put(test::make_slice("s", "pool-q").device("gpu-0", {no_execute("burnt")}));
  add_pod("q", {exists("burnt", 99s)});
  world.settle();
  ASSERT_EQ(world.pending(), "q 99s");
  const std::size_t before = world.pods_looked_up;
  add_pod("q", {exists("burnt", 99s)});
  EXPECT_FALSE(world.tracker.has_work());
  EXPECT_EQ(world.pods_looked_up, before);
  add_pod("q", {exists("burnt", 98s)});
  world.settle();
  EXPECT_EQ(world.pending(), "q 98s");
}

TEST_F(TrackerTest, walks_despite_flood_of_changed_claims) {
  for (int i = 0; i < 200; ++i) add_pod("q" + std::to_string(i));
  world.settle();
  world.put(rule_for_all("r", 60s));
  std::size_t slices = 0;
  for (; !world.pending_pods.find(test::uid_of("p")) && slices < 1000; ++slices) {
    for (int i = 0; i < 200; ++i) {
      world.put(
          claim_of("q" + std::to_string(i)).with_device("pool", "gpu-" + std::to_string(slices)));
    }
    world.tracker.advance(100);
  }
  EXPECT_LT(slices, 100U);
}

TEST_F(TrackerTest, evicts_pod_again_after_restore) {
  world.put(rule_for_all());
  world.settle();
  evict("p");
  world.put(user_of_claim("p").being_deleted());
  world.put(user_of_claim("p"));
  world.settle();
  EXPECT_EQ(world.pending(), "p 0s");
}

TEST_F(TrackerTest, walks_flapping_rule_only_once_more) {
  for (int i = 0; i < 200; ++i) add_pod("q" + std::to_string(i));
  world.settle();
  world.put(rule_for_all("r", 0s));
  const std::size_t once = settle_by(world, 50);
  world.put(rule_for_all("r", 1s).generation(2));
  world.tracker.advance(50);
  for (int i = 3; i < 100; ++i) world.put(rule_for_all("r", seconds(i)).generation(i));
  EXPECT_LE(settle_by(world, 50), 2 * once + 1);
  EXPECT_EQ(world.pending_pods.next_due(), at(99s));
  EXPECT_EQ(touched(), std::vector<std::string>{"r"});
}

TEST_F(TrackerTest, handles_broken_device_before_walk) {
  for (int i = 0; i < 200; ++i) add_pod("q" + std::to_string(i));
  world.settle();
  world.put(rule_for_all("r", 60s));
  world.tracker.advance(50);
  world.put(test::make_slice("s", "pool-p").device("gpu-0", {no_execute("burnt", 1s)}));
  world.tracker.advance(50);
  EXPECT_TRUE(world.tracker.has_work());
  EXPECT_EQ(world.pending_pods.next_due(), at(1s));
}

TEST_F(TrackerTest, does_not_wait_for_last_walk) {
  for (int i = 0; i < 200; ++i) add_pod("q" + std::to_string(i));
  world.settle();
  world.put(rule_for_all("flaps", 60s));
  for (std::int64_t generation = 2; generation < 100; ++generation) {
    world.tracker.advance(100);
    world.put(rule_for_all("flaps", 60s + seconds(generation)).generation(generation));
  }
  EXPECT_EQ(world.pending_pods.size(), 201U);
}

TEST_F(TrackerTest, holds_pods_until_walk_ends_unless_device_breaks) {
  for (int i = 0; i < 200; ++i) add_pod("q" + std::to_string(i));
  world.settle();
  world.put(rule_for_all());
  PendingPods& pending = world.pending_pods;
  while (pending.find(test::uid_of("q199")) == nullptr) world.tracker.advance(20);
  ASSERT_TRUE(world.tracker.has_work());
  EXPECT_EQ(pending.next_due(), std::nullopt);
  world.put(test::make_slice("s", "pool-q199").device("gpu-0", {no_execute("burnt")}));
  world.tracker.advance(20);
  EXPECT_EQ(pending.next_due(), at(0s));
  const Now now{runtime::MonoTime(), at(0s)};
  EXPECT_EQ(pending.take(now)->pod.key.name, "q199");
  EXPECT_EQ(pending.take(now), nullptr);
  world.settle();
  EXPECT_NE(pending.take(now), nullptr);
}

// The rule's condition must first say how many pods will be evicted.
TEST_F(TrackerTest, holds_pods_of_next_walk) {
  for (const std::string& pool : {"a", "b"}) {
    auto shared = test::make_claim("of-" + pool).with_device(pool, "gpu-0");
    for (int i = 0; i < 100; ++i) {
      const std::string name = pool + std::to_string(i);
      world.put(test::make_pod(name).uses("c", "of-" + pool).on_node("node"));
      shared = shared.reserved_for(name);
    }
    world.put(shared);
  }
  world.settle();
  for (const std::string& pool : {"a", "b"}) {
    world.put(test::make_rule(pool, no_execute("burnt")).selects("", pool, ""));
  }
  while (world.tracker.is_looking_for("a")) world.tracker.advance(31);
  while (world.pending_pods.has_work()) world.tracker.advance(31);
  ASSERT_TRUE(world.tracker.is_looking_for("b"));
  std::size_t taken = 0;
  while (const PendingPod* pod = world.pending_pods.take({runtime::MonoTime(), at(0s)})) {
    EXPECT_EQ(pod->pod.key.name.view().front(), 'a');
    ++taken;
  }
  EXPECT_EQ(taken, 100U);
}

TEST_F(TrackerTest, counts_namespaces) {
  world.put(test::make_pod("q").uses("c", "c").on_node("node").in_namespace("other"));
  world.put(
      test::make_claim("c").reserved_for("q").with_device("pool", "gpu-0").in_namespace("other"));
  world.put(rule_for_all());
  world.settle();
  EXPECT_EQ(world.counts("r"), (RuleCounts{2, 2, 0}));
  world.erase_pod("p");
  EXPECT_EQ(world.counts("r"), (RuleCounts{1, 1, 0}));
}

TEST_F(TrackerTest, hands_out_pods_once_in_due_order) {
  add_pod("q", {exists("burnt", 20s)});
  add_pod("s", {exists("burnt", 10s)});
  world.put(rule_for_all());
  world.settle();
  PendingPods& pending = world.pending_pods;
  const auto take = [&](WallTime now) {
    const PendingPod* pod = pending.take({runtime::MonoTime(), now});
    return pod == nullptr ? std::string() : pod->pod.key.name.str();
  };
  EXPECT_EQ(pending.next_due(), at(0s));
  EXPECT_EQ(take(at(10s)), "p");
  EXPECT_EQ(take(at(10s)), "s");
  EXPECT_EQ(take(at(10s)), "");
  EXPECT_EQ(pending.next_due(), at(20s));
  EXPECT_EQ(world.pending(), "p 0s, q 20s, s 10s") << "taken is not yet gone";
  add_pod("p", {exists("burnt", 15s)});
  world.settle();
  EXPECT_EQ(pending.next_due(), at(20s)) << "who has it sees that it is due later";
  pending.put_back(*pending.find(test::uid_of("p")));
  EXPECT_EQ(pending.next_due(), at(15s));
}

TEST_F(TrackerTest, ignores_earlier_failures_of_postponed_pod) {
  world.put(rule_for_all("r", 5s));
  world.settle();
  PendingPods& pending = world.pending_pods;
  PendingPod* pod = pending.take({runtime::MonoTime(), at(5s)});
  for (int failure = 0; failure < 16; ++failure) pending.fail(*pod, runtime::MonoTime(5s), {});
  EXPECT_EQ(pending.stuck(), 1U);
  world.put(rule_for_all("r", 9s).generation(2));
  world.settle();
  EXPECT_EQ(pending.stuck(), 0U);
  EXPECT_EQ(pending.next_retry(), std::nullopt);
  EXPECT_EQ(pending.take({runtime::MonoTime(9s), at(9s)}), pod);
  pending.fail(*pod, runtime::MonoTime(9s), {});
  EXPECT_EQ(pending.next_retry(), runtime::MonoTime(9s + 5ms));
}

TEST_F(TrackerTest, retries_failed_pods_in_slices_when_the_cause_ends) {
  for (int i = 0; i < 99; ++i) add_pod("q" + std::to_string(i));
  world.put(rule_for_all());
  world.settle();
  PendingPods& pending = world.pending_pods;
  const Now now{runtime::MonoTime(), at(0s)};
  const auto take_all = [&] {
    std::vector<PendingPod*> taken;
    while (PendingPod* pod = pending.take(now)) taken.push_back(pod);
    return taken;
  };
  const auto fail = [&](PendingPod* pod) { pending.fail(*pod, now.mono, 1h); };
  for (PendingPod* pod : take_all()) fail(pod);
  pending.retry_now(now.mono);
  EXPECT_EQ(take_all().size(), 0U);
  world.tracker.advance(30);
  const std::vector<PendingPod*> first = take_all();
  EXPECT_EQ(first.size(), 30U);
  for (PendingPod* pod : first) fail(pod);
  world.settle(30);
  EXPECT_EQ(take_all().size(), 70U) << "without those that have failed since";
}

}  // namespace
}  // namespace dcm::device_taint_eviction
