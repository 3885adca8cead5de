// Evictions with interference: lost answers, a killed manager, a replaced pod, a changed rule, late
// slices, and very many pods at once.
#include <chrono>
#include <map>

#include <fmt/format.h>

#include "test/conformance/eviction_case.hpp"
#include "test/conformance/trouble.hpp"

namespace dcm::conformance {
namespace {

bool is_ours() {
  return run().manager == ManagerKind::ours;
}

class EvictionWrites : public EvictionCase, public testing::WithParamInterface<Trouble> {
 protected:
  void SetUp() override {
    faults();
    start_manager();
    create_user("p");
  }
  // Spoils the next matching request of this namespace.
  std::size_t spoil(const char* method, const std::string& target) {
    return faults().add(
        {.method = method, .target = "/namespaces/" + ns() + target, .fault = GetParam().fault});
  }
  void expect_evicted_once() {
    EXPECT_TRUE(goes_soon("p"));
    EXPECT_EQ(text_at(disruption_of("p"), "/reason"), "DeletionByDeviceTaintManager");
    if (!is_ours()) return;
    EXPECT_TRUE(soon("it is counted", [&] { return counted() == 1; }));
    settle_evictions();
    EXPECT_EQ(counted(), 1);
  }
};

TEST_P(EvictionWrites, survive_fault_at_pod_condition) {
  const std::size_t rule = spoil("PATCH", kPodStatus);
  create_rule("rule");
  expect_evicted_once();
  EXPECT_EQ(faults().matched(rule), 1U);
}

TEST_P(EvictionWrites, survive_fault_at_pod_delete) {
  if (GetParam().fault.answer.status == 409) {
    GTEST_SKIP() << "says that another pod has the name: nothing is left to do";
  }
  const std::size_t rule = spoil("DELETE", kPod);
  create_rule("rule");
  expect_evicted_once();
  EXPECT_EQ(faults().matched(rule), 1U);
}

TEST_P(EvictionWrites, survive_fault_at_rule_condition) {
  const std::size_t rule =
      faults().add({.method = "PATCH", .target = rule_path("rule"), .fault = GetParam().fault});
  create_rule("rule", "NoExecute", {{"pool", "nobodys"}});
  EXPECT_TRUE(says_soon("rule", "False NotStarted: "));
  settle_evictions();
  EXPECT_EQ(condition_of("rule"), "False NotStarted: ");
  EXPECT_EQ(faults().matched(rule), 1U);
}

INSTANTIATE_TEST_SUITE_P(Lost, EvictionWrites, testing::ValuesIn(troubles()),
                         [](const auto& info) { return std::string(info.param.name); });

struct Moment {
  const char* name;
  FaultKind kind;
  Release how;

  friend void PrintTo(const Moment& moment, std::ostream* out) { *out << moment.name; }
};

class KilledEvicting : public EvictionCase, public testing::WithParamInterface<Moment> {
 protected:
  void kill_at(const char* method, const std::string& target) {
    faults();
    start_manager();
    create_user("p");
    create_user("q", {{.name = "gpu-1"}});
    const std::size_t held = faults().add({.method = method,
                                           .target = "/namespaces/" + ns() + target,
                                           .fault = {.kind = GetParam().kind}});
    create_rule("rule", "NoExecute", {{"device", "gpu-0"}});
    ASSERT_TRUE(soon("the request is on its way", [&] { return faults().held(held) == 1; }));
    manager().kill();
    faults().release(held, GetParam().how);
    ASSERT_TRUE(soon("it is on its way no more", [&] { return faults().held(held) == 0; }));
    start_manager();
    EXPECT_TRUE(goes_soon("p"));
    settle_evictions();
    EXPECT_EQ(text_at(disruption_of("p"), "/reason"), "DeletionByDeviceTaintManager");
    EXPECT_FALSE(is_going("q"));
  }
};

TEST_P(KilledEvicting, recovers_while_marking_pod) {
  kill_at("PATCH", kPodStatus);
}

TEST_P(KilledEvicting, recovers_while_deleting_pod) {
  kill_at("DELETE", kPod);
}

INSTANTIATE_TEST_SUITE_P(
    And, KilledEvicting,
    testing::Values(Moment{"the_write_is_lost", FaultKind::hold, Release::lose},
                    Moment{"the_write_arrives_late", FaultKind::hold, Release::pass},
                    Moment{"the_write_was_done", FaultKind::hold_answer, Release::lose}),
    [](const auto& info) { return std::string(info.param.name); });

class EvictionRace : public EvictionCase {
 protected:
  void SetUp() override { faults(); }
  // Holds the next matching requests, and returns the rule.
  std::size_t hold(const char* method, const std::string& target, std::size_t times = 1) {
    return faults().add({.method = method,
                         .target = "/namespaces/" + ns() + target,
                         .times = times,
                         .fault = {.kind = FaultKind::hold}});
  }
  testing::AssertionResult are_held_soon(std::size_t rule, std::size_t count = 1) {
    return soon("the requests are on their way", [&] { return faults().held(rule) == count; });
  }
  void let_go(std::size_t rule) { faults().release(rule, Release::pass); }
  // A pod of the same name, without the claim.
  std::string replace(const std::string& pod) {
    delete_pod(pod);
    return text_at(create_pod({.name = pod, .claims = {{"accel", "another"}}, .node = "node-a"}),
                   "/metadata/uid");
  }
  // How often the server has accepted a DELETE, by target.
  std::map<std::string, int> deletions() {
    std::map<std::string, int> found;
    for (const auto& record : writes()) {
      if (record.method == "DELETE" && record.status == 200) ++found[record.target];
    }
    return found;
  }

  // Another pod gets the name while a request of the eviction is in flight.
  void expect_untouched_when_replaced_before(const char* method, const char* target) {
    start_manager();
    create_user("db-0");
    const std::size_t held = hold(method, target);
    create_rule("rule");
    ASSERT_TRUE(are_held_soon(held));
    const std::string uid = replace("db-0");
    let_go(held);
    settle_evictions();
    EXPECT_EQ(text_at(get("pods", "db-0"), "/metadata/uid"), uid);
    EXPECT_FALSE(is_going("db-0"));
    EXPECT_TRUE(disruption_of("db-0").is_null());
  }
};

TEST_F(EvictionRace, spares_pod_replaced_between_mark_and_delete) {
  expect_untouched_when_replaced_before("DELETE", kPod);
}

TEST_F(EvictionRace, spares_pod_replaced_before_mark) {
  expect_untouched_when_replaced_before("PATCH", kPodStatus);
}

TEST_F(EvictionRace, spares_pod_if_taint_goes_between_mark_and_delete) {
  reference("does not check again before the delete");
  start_manager();
  create_user("p");
  const std::size_t held = hold("PATCH", kPodStatus);
  publish("slice", {.taints = {taint("broken")}});
  ASSERT_TRUE(are_held_soon(held));
  publish_again("slice", {});
  EXPECT_TRUE(soon("it is cancelled", [&] { return has_event("p", kCancelling); }));
  let_go(held);
  settle_evictions();
  EXPECT_FALSE(is_going("p"));
}

TEST_F(EvictionRace, spares_pods_dropped_by_edited_rule) {
  reference("does not check again before each delete");
  constexpr std::size_t kWorkers = 8;
  start_manager();
  create_users(20, "old");
  create_users(20, "new");
  settle_evictions();
  const std::size_t held = hold("PATCH", kPodStatus, kWorkers);
  create_rule("rule", "NoExecute", {{"pool", "old"}});
  ASSERT_TRUE(are_held_soon(held, kWorkers));
  change_rule("rule", {{"deviceSelector", {{"pool", "new"}}}});
  EXPECT_TRUE(soon("all are cancelled", [&] {
    for (int i = 0; i < 20; ++i) {
      if (!has_event(fmt::format("old-{}", i), kCancelling)) return false;
    }
    return true;
  }));
  let_go(held);
  EXPECT_TRUE(all_go_but(20));
  settle_evictions();
  EXPECT_EQ(staying(), 20U);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(is_going(fmt::format("new-{}", i)));
}

TEST_F(EvictionRace, ignores_late_slices_of_old_generation) {
  start_manager();
  create_user("p");
  publish("new", {.generation = 2});
  settle_evictions();
  // A lagging server reports the old one now.
  json::value old = slice_object("old", {.generation = 1, .taints = {taint("broken")}});
  old.at("metadata").as_object()["uid"] = "6f3b0a0e-0000-4000-8000-000000000001";
  old.at("metadata").as_object()["resourceVersion"] = "1";
  old.at_pointer("/spec/devices/0/taints/0").as_object()["timeAdded"] = "2026-01-01T00:00:00Z";
  ASSERT_EQ(faults().inject("/resourceslices",
                            json::serialize(json::object{{"type", "ADDED"}, {"object", old}})),
            1U);
  settle_evictions();
  EXPECT_FALSE(is_going("p"));
  EXPECT_TRUE(eviction_events("p").empty());
  // If nothing newer exists any longer, it counts.
  withdraw("new");
  EXPECT_TRUE(goes_soon("p"));
}

TEST_F(EvictionRace, spares_pod_if_taint_goes_during_watch_gap) {
  start_manager();
  create_user("p", {{.tolerations = {tolerates("broken", 3600)}}});
  publish("slice", {.taints = {taint("broken")}});
  settle_evictions();
  faults().stall_watches("/resourceslices");
  withdraw("slice");
  faults().cut_watches("/resourceslices");
  EXPECT_TRUE(soon("it is cancelled", [&] { return has_event("p", kCancelling); }));
  EXPECT_FALSE(is_going("p"));
}

TEST_F(EvictionRace, sends_two_requests_for_each_of_500_pods) {
  reference("reads each pod before it marks it: three requests");
  constexpr int kPods = 500;
  create_users(kPods);
  start_manager();
  create_rule("rule");
  EXPECT_TRUE(all_go_but(0));
  settle_evictions();  // the last answers have passed the proxy
  std::map<std::string, int> requests;
  for (const auto& record : faults().requests()) {
    const bool is_a_pods = record.target.contains("/pods/node-a-");
    if (is_a_pods) ++requests[record.method];
  }
  EXPECT_EQ(requests, (std::map<std::string, int>{{"DELETE", kPods}, {"PATCH", kPods}}));
  EXPECT_EQ(deletions().size(), static_cast<std::size_t>(kPods));
}

TEST_F(EvictionRace, evicts_each_pod_once_despite_restart) {
  constexpr std::size_t kPods = 200;
  constexpr std::size_t kFirst = 50;
  create_users(kPods);
  const std::size_t held = faults().add({.method = "DELETE",
                                         .target = "/namespaces/" + ns() + kPod,
                                         .skip = kFirst,
                                         .times = kPods,
                                         .fault = {.kind = FaultKind::hold}});
  start_manager();
  create_rule("rule");
  ASSERT_TRUE(soon("some have gone", [&] { return faults().held(held) > 0; }));
  manager().kill();
  faults().release(held, Release::lose);
  faults().clear();
  EXPECT_GE(staying(), kPods - kFirst);
  start_manager();
  EXPECT_TRUE(all_go_but(0));
  settle_evictions();
  for (const auto& [target, count] : deletions()) EXPECT_EQ(count, 1) << target;
}

TEST_F(EvictionRace, does_not_count_pod_deleted_by_another_client) {
  if (!is_ours()) GTEST_SKIP() << "this is about our own metrics";
  constexpr std::chrono::minutes kTolerated(2);
  clock();
  start_manager();
  const json::array tolerant{tolerates("broken", std::chrono::seconds(kTolerated).count())};
  create_user("p", {{.tolerations = tolerant}});
  create_user("q", {{.tolerations = tolerant}});
  publish("slice", {.taints = {taint("broken")}});
  begin_to_delete_pod("q");
  settle_evictions();
  clock().sleep(kTolerated);
  settle_evictions();  // wakes the manager
  EXPECT_TRUE(goes_soon("p"));
  settle_evictions();
  EXPECT_EQ(counted(), 1) << "p";
  EXPECT_TRUE(disruption_of("q").is_null());
}

}  // namespace
}  // namespace dcm::conformance
