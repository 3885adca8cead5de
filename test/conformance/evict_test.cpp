// Which pods are evicted because of a device taint, and which are not.
#include <chrono>
#include <limits>

#include "test/conformance/eviction_case.hpp"

namespace dcm::conformance {
namespace {

class Evict : public EvictionCase {};

TEST_F(Evict, evicts_when_driver_taints_device) {
  start_manager();
  create_user("on-it");
  create_user("beside-it", {{.name = "gpu-1"}});
  publish("slice", {.taints = {taint("broken")}});
  EXPECT_TRUE(goes_soon("on-it"));
  const json::value condition = disruption_of("on-it");
  EXPECT_EQ(text_at(condition, "/status"), "True");
  EXPECT_EQ(text_at(condition, "/reason"), "DeletionByDeviceTaintManager");
  EXPECT_EQ(text_at(condition, "/message"),
            "Device Taint manager: deleting due to NoExecute taint");
  EXPECT_EQ(at(get("pods", "on-it"), "/metadata/deletionGracePeriodSeconds"), 30);
  EXPECT_TRUE(soon("an event says so", [&] { return has_event("on-it", kMarking); }));
  const json::value event = events_of("on-it").front();
  EXPECT_EQ(text_at(event, "/type"), "Normal");
  EXPECT_EQ(text_at(event, "/source/component"), "device-taint-eviction-controller");
  settle_evictions();
  EXPECT_FALSE(is_going("beside-it"));
  EXPECT_TRUE(disruption_of("beside-it").is_null());
  EXPECT_EQ(eviction_events("on-it"), Names{kMarking});
}

TEST_F(Evict, evicts_for_taint_older_than_manager) {
  create_user("on-it");
  publish("slice", {.taints = {taint("broken")}});
  create_user("later");
  start_manager();
  EXPECT_TRUE(goes_soon("on-it"));
  EXPECT_TRUE(goes_soon("later"));
}

TEST_F(Evict, evicts_pod_bound_to_tainted_device) {
  start_manager();
  publish("slice", {.taints = {taint("broken")}});
  settle_evictions();
  create_user("bound");
  EXPECT_TRUE(goes_soon("bound"));
}

struct Selected {
  const char* name;
  json::object selector;
  Names pods;

  friend void PrintTo(const Selected& selected, std::ostream* out) { *out << selected.name; }
};

class EvictByRule : public EvictionCase, public testing::WithParamInterface<Selected> {};

TEST_P(EvictByRule, evicts_all_pods_using_selected_devices) {
  start_manager();
  create_user("a-0", {{.pool = "node-a", .name = "gpu-0"}});
  create_user("a-1", {{.pool = "node-a", .name = "gpu-1"}});
  create_user("b-0", {{.pool = "node-b", .name = "gpu-0"}});
  create_rule("rule", "NoExecute", GetParam().selector);
  for (const std::string& pod : GetParam().pods) EXPECT_TRUE(goes_soon(pod));
  settle_evictions();
  Names gone;
  for (const char* pod : {"a-0", "a-1", "b-0"}) {
    if (is_going(pod)) gone.emplace_back(pod);
  }
  EXPECT_EQ(gone, GetParam().pods);
}

INSTANTIATE_TEST_SUITE_P(
    By, EvictByRule,
    testing::Values(Selected{"its_driver", {}, {"a-0", "a-1", "b-0"}},
                    Selected{"its_pool", {{"pool", "node-a"}}, {"a-0", "a-1"}},
                    Selected{"its_device", {{"device", "gpu-0"}}, {"a-0", "b-0"}},
                    Selected{"all_three", {{"pool", "node-a"}, {"device", "gpu-1"}}, {"a-1"}},
                    Selected{"an_unused_pool", {{"pool", "node-c"}}, {}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(Evict, ignores_rule_without_selector) {
  start_manager();
  create_user("on-it");
  create_rule("rule");
  change_rule("rule", {{"deviceSelector", nullptr}});
  // The taint may have been seen before its change: the next pod is decisive.
  settle_evictions();
  create_user("later");
  settle_evictions();
  EXPECT_FALSE(is_going("later"));
}

TEST_F(Evict, spares_pod_that_tolerates_taint_forever) {
  start_manager();
  create_user("tolerant", {{.tolerations = {tolerates("broken")}}});
  create_user("mistaken", {{.tolerations = {tolerates("wet")}}});
  publish("slice", {.taints = {taint("broken")}});
  EXPECT_TRUE(goes_soon("mistaken"));
  settle_evictions();
  EXPECT_FALSE(is_going("tolerant"));
  EXPECT_TRUE(eviction_events("tolerant").empty());
}

TEST_F(Evict, evicts_pod_when_its_toleration_expires) {
  start_manager();
  create_user("patient", {{.tolerations = {tolerates("broken", 3)}}});
  create_user("long", {{.tolerations = {tolerates("broken", 3600)}}});
  publish("slice", {.taints = {taint("broken")}});
  EXPECT_TRUE(goes_soon("patient"));
  // By the server's clock: the deletion timestamp is the end of the grace period.
  const auto seconds = [](const std::string& time) {
    return std::stoi(time.substr(14, 2)) * 60 + std::stoi(time.substr(17, 2));
  };
  const int added =
      seconds(text_at(kube().must_get(slice_path("slice")), "/spec/devices/0/taints/0/timeAdded"));
  const int deleted = seconds(text_at(get("pods", "patient"), "/metadata/deletionTimestamp")) - 30;
  EXPECT_GE((deleted - added + 3600) % 3600, 3);
  settle_evictions();
  EXPECT_FALSE(is_going("long"));
}

TEST_F(Evict, honours_negative_and_unlimited_tolerationSeconds) {
  reference("adds the endless time to the taint's with an overflow, and evicts at once");
  start_manager();
  create_user("negative", {{.tolerations = {tolerates("broken", -5)}}});
  create_user("endless",
              {{.tolerations = {tolerates("broken", std::numeric_limits<std::int64_t>::max())}}});
  publish("slice", {.taints = {taint("broken")}});
  EXPECT_TRUE(goes_soon("negative"));
  settle_evictions();
  EXPECT_FALSE(is_going("endless"));
}

TEST_F(Evict, ignores_other_effects) {
  faults();
  start_manager();
  create_user("p");
  publish("slice", {.taints = {taint("a", "NoSchedule"), taint("b", "None")}});
  create_rule("schedule", "NoSchedule");
  create_rule("none", "None");
  settle_evictions();
  EXPECT_FALSE(is_going("p"));
  EXPECT_TRUE(writes().empty());
}

TEST_F(Evict, evicts_for_one_taint_of_several) {
  start_manager();
  create_user("p", {{.name = "gpu-1"}, {.tolerations = {tolerates("wet")}}});
  publish("slice", {.taints = {taint("a", "NoSchedule"), taint("wet"), taint("broken")}});
  EXPECT_TRUE(goes_soon("p"));
}

TEST_F(Evict, evicts_all_pods_that_reserve_shared_claim) {
  start_manager();
  create_claim("shared");
  const auto user = [&](const std::string& name, const std::string& node) {
    return create_pod({.name = name, .claims = {{"accel", "shared"}}, .node = node});
  };
  const json::value a = user("a", "node-a");
  const json::value b = user("b", "node-b");
  user("waiting", "");
  const Reservation missing{.name = "nobody", .uid = "no-such-uid"};
  allocate_devices("shared", {{}}, {missing, reservation_of(a), reservation_of(b)});
  create_rule("rule");
  EXPECT_TRUE(goes_soon("a"));
  EXPECT_TRUE(goes_soon("b"));
  settle_evictions();
  EXPECT_FALSE(is_going("waiting"));
}

TEST_F(Evict, ignores_claim_owned_by_another_pod) {
  start_manager({"--controllers=device-taint-eviction-controller"});
  const json::value owner = create_user("owner");
  create_claim("forged");
  own("forged", owner, "accel");
  create_template("gpus");
  const json::value other =
      create_pod({.name = "other", .templates = {{"accel", "gpus"}}, .node = "node-a"});
  kube().must_patch(path("pods", "other") + "/status", Kube::Patch::merge,
                    json::parse(R"({"status":{"resourceClaimStatuses":[
                        {"name":"accel","resourceClaimName":"forged"}]}})"));
  allocate_devices("forged", {{.name = "gpu-9"}}, {reservation_of(other)});
  create_rule("rule", "NoExecute", {{"device", "gpu-9"}});
  settle_evictions();
  EXPECT_FALSE(is_going("other"));
}

TEST_F(Evict, evicts_for_claim_from_template) {
  start_manager();
  create_template("gpus");
  const json::value pod =
      create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}, .node = "node-a"});
  allocate_devices(wait_for_claim_of("trainer-0", "accel"), {{}}, {reservation_of(pod)});
  create_rule("rule");
  EXPECT_TRUE(goes_soon("trainer-0"));
}

TEST_F(Evict, evicts_for_extended_resource_claim) {
  start_manager();
  create_claim("extended");
  const json::value pod =
      create_pod({.name = "p", .node = "node-a", .extended_resource = "example.com/gpu"});
  own("extended", pod, "");
  kube().must_patch(
      path("resourceclaims", "extended"), Kube::Patch::merge,
      json::parse(R"({"metadata":{"annotations":{"resource.kubernetes.io/pod-claim-name":null,
                      "resource.kubernetes.io/extended-resource-claim":"true"}}})"));
  allocate_devices("extended", {{}}, {reservation_of(pod)});
  create_rule("rule");
  settle_evictions();
  EXPECT_FALSE(is_going("p")) << "nothing says yet that the pod has this claim";
  kube().must_patch(path("pods", "p") + "/status", Kube::Patch::merge,
                    json::parse(R"({"status":{"extendedResourceClaimStatus":{
                        "resourceClaimName":"extended",
                        "requestMappings":[{"containerName":"main",
                            "resourceName":"example.com/gpu","requestName":"gpus"}]}}})"));
  EXPECT_TRUE(goes_soon("p"));
}

TEST_F(Evict, spares_finished_pod) {
  reference("deletes a finished pod, which is lost at once");
  start_manager({"--controllers=device-taint-eviction-controller"});
  create_user("job");
  create_user("p");
  set_phase("job", "Succeeded");
  settle_evictions();
  create_rule("rule");
  EXPECT_TRUE(goes_soon("p"));
  settle_evictions();
  EXPECT_TRUE(exists("pods", "job"));
  EXPECT_FALSE(is_going("job"));
}

TEST_F(Evict, spares_pod_that_finishes_before_its_eviction) {
  reference("deletes a finished pod, which is lost at once");
  // Only ours has a clock that can be moved.
  const bool is_ours = run().manager == ManagerKind::ours;
  const std::chrono::seconds tolerated(is_ours ? 120 : 10);
  if (is_ours) clock();
  start_manager({"--controllers=device-taint-eviction-controller"});
  create_user("job", {{.tolerations = {tolerates("broken", tolerated.count())}}});
  create_user("p", {{.tolerations = {tolerates("broken", tolerated.count())}}});
  publish("slice", {.taints = {taint("broken")}});
  set_phase("job", "Failed");
  settle_evictions();
  if (is_ours) clock().sleep(tolerated);
  settle_evictions();  // wakes the manager
  EXPECT_TRUE(goes_soon("p"));
  settle_evictions();
  EXPECT_TRUE(exists("pods", "job"));
  EXPECT_TRUE(eviction_events("job").empty());
}

// ---- pools --------------------------------------------------------------------------------------

TEST_F(Evict, ignores_late_slice_of_old_generation) {
  start_manager();
  create_user("p");
  publish("new", {.generation = 2});
  settle_evictions();
  publish("old", {.generation = 1, .taints = {taint("broken")}});
  settle_evictions();
  EXPECT_FALSE(is_going("p"));
  // Now the old generation applies.
  withdraw("new");
  EXPECT_TRUE(goes_soon("p"));
}

TEST_F(Evict, ignores_slice_of_old_generation_at_start) {
  create_user("p");
  publish("old", {.generation = 1, .taints = {taint("broken")}});
  publish("new", {.generation = 2});
  start_manager();
  settle_evictions();
  EXPECT_FALSE(is_going("p"));
}

TEST_F(Evict, evicts_from_incomplete_pool) {
  start_manager();
  create_user("p");
  publish("slice", {.taints = {taint("broken")}, .slices_in_pool = 3});
  EXPECT_TRUE(goes_soon("p"));
}

TEST_F(Evict, evicts_by_rule_without_published_slice) {
  start_manager();
  create_user("p", {{.pool = "never-published"}});
  create_rule("rule");
  EXPECT_TRUE(goes_soon("p"));
}

// ---- cancelling ---------------------------------------------------------------------------------

class Cancel : public EvictionCase {
 protected:
  void SetUp() override {
    start_manager();
    create_user("p", {{.tolerations = {tolerates("broken", 3600)}}});
  }
  // The event shows that the eviction was pending.
  void expect_cancelled() {
    EXPECT_TRUE(soon("an event says so", [&] { return has_event("p", kCancelling); }));
    EXPECT_FALSE(is_going("p"));
    EXPECT_TRUE(disruption_of("p").is_null());
  }
};

TEST_F(Cancel, spares_pod_when_driver_removes_taint) {
  publish("slice", {.taints = {taint("broken")}});
  settle_evictions();
  publish_again("slice", {});
  expect_cancelled();
}

TEST_F(Cancel, spares_pod_when_driver_weakens_taint) {
  publish("slice", {.taints = {taint("broken")}});
  settle_evictions();
  publish_again("slice", {.taints = {taint("broken", "NoSchedule")}});
  expect_cancelled();
}

TEST_F(Cancel, spares_pod_when_slice_is_deleted) {
  publish("slice", {.taints = {taint("broken")}});
  settle_evictions();
  withdraw("slice");
  expect_cancelled();
}

TEST_F(Cancel, spares_pod_when_newer_generation_has_no_taint) {
  publish("slice", {.taints = {taint("broken")}});
  settle_evictions();
  publish("newer", {.generation = 2});
  expect_cancelled();
}

TEST_F(Cancel, spares_pod_when_rule_is_deleted) {
  create_rule("rule");
  ASSERT_TRUE(
      says_soon("rule", "True PodsPendingEviction: 1 pod needs to be evicted in 1 namespace."));
  delete_rule("rule");
  expect_cancelled();
}

TEST_F(Cancel, spares_pod_when_rule_selects_other_devices) {
  create_rule("rule");
  ASSERT_TRUE(
      says_soon("rule", "True PodsPendingEviction: 1 pod needs to be evicted in 1 namespace."));
  change_rule("rule", {{"deviceSelector", {{"pool", "another"}}}});
  expect_cancelled();
}

TEST_F(Cancel, spares_pod_when_claim_is_deallocated) {
  publish("slice", {.taints = {taint("broken")}});
  settle_evictions();
  kube().must_patch(path("resourceclaims", "p") + "/status", Kube::Patch::merge,
                    {{"status", {{"allocation", nullptr}, {"reservedFor", nullptr}}}});
  expect_cancelled();
}

TEST_F(Cancel, writes_no_event_when_pod_is_deleted) {
  publish("slice", {.taints = {taint("broken")}});
  settle_evictions();
  delete_pod("p");
  settle_evictions();
  EXPECT_TRUE(eviction_events("p").empty());
}

}  // namespace
}  // namespace dcm::conformance
