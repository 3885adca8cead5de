// Pods that cannot be evicted now, or only slowly: budgets, permissions, admission, finalizers, a
// rate; and invalid objects.
#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "test/conformance/eviction_case.hpp"
#include "test/conformance/trouble.hpp"
#include "test/conformance/webhook.hpp"
#include "test/support/manifest.hpp"

namespace dcm::conformance {
namespace {

constexpr const char* kPolicies =
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
constexpr const char* kBindings =
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";

// ---- through the Eviction API -------------------------------------------------------------------

class EvictionApi : public EvictionCase {
 protected:
  void SetUp() override {
    if (run().manager == ManagerKind::reference) {
      GTEST_SKIP() << "kube-controller-manager does not use the Eviction API";
    }
    faults();
  }
  void TearDown() override {
    if (!has_permission_) return;
    permit([&](const std::string& list, const json::value& object) {
      kube().remove(list + "/" + text_at(object, "/metadata/name"));
    });
    EXPECT_TRUE(
        soon("RBAC has learned of it", [&] { return !may(run().restricted, evictions()); }));
  }

  // A permission missing from manifests/base/rbac.yaml.
  void give_permission() {
    if (run().server == ServerKind::memory) return;
    has_permission_ = true;
    permit([&](const std::string& list, const json::value& object) {
      kube().must_post(list, object);
    });
    ASSERT_TRUE(may_soon(run().restricted, evictions()));
  }
  void start() { start_manager({"--device-taint-eviction-mode=evict"}); }
  // A running, ready pod: budgets ignore others.
  void create_running_user(const std::string& pod) {
    create_user(pod);
    kube().must_patch(path("pods", pod) + "/status", Kube::Patch::merge,
                      json::parse(R"({"status":{"phase":"Running","conditions":[
                          {"type":"Ready","status":"True"}]}})"));
  }
  std::string budgets(const std::string& name = {}) const {
    return fmt::format("/apis/policy/v1/namespaces/{}/poddisruptionbudgets{}{}", ns(),
                       name.empty() ? "" : "/", name);
  }
  void create_budget(const std::string& name, const std::string& pod, int allowed) {
    kube().must_post(
        budgets(),
        {{"apiVersion", "policy/v1"},
         {"kind", "PodDisruptionBudget"},
         {"metadata", {{"name", name}}},
         {"spec", {{"minAvailable", 1}, {"selector", {{"matchLabels", {{"app", pod}}}}}}}});
    allow(name, allowed);
  }
  // No controller updates a budget's status here, so the case does.
  void allow(const std::string& name, int count) {
    kube().must_patch(budgets(name) + "/status", Kube::Patch::merge,
                      {{"status",
                        {{"observedGeneration", 1},
                         {"disruptionsAllowed", count},
                         {"currentHealthy", 1 + count},
                         {"desiredHealthy", 1},
                         {"expectedPods", 1 + count}}}});
  }
  std::size_t evictions_of(const std::string& pod) {
    return faults().count("POST", "/pods/" + pod + "/eviction");
  }

 private:
  json::object evictions() const {
    return {
        {"namespace", ns()}, {"verb", "create"}, {"resource", "pods"}, {"subresource", "eviction"}};
  }
  template <class Do>
  void permit(Do act) {
    for (const json::value& object :
         support::read_manifests("manifests/components/eviction-api/rbac.yaml")) {
      const bool is_role = text_at(object, "/kind") == "ClusterRole";
      act(std::string("/apis/rbac.authorization.k8s.io/v1/") +
              (is_role ? "clusterroles" : "clusterrolebindings"),
          object);
    }
  }

  bool has_permission_ = false;
};

TEST_F(EvictionApi, honours_budget_and_evicts_once_allowed) {
  give_permission();
  start();
  create_running_user("p");
  create_running_user("q");
  create_budget("budget", "p", 0);
  settle_evictions();
  create_rule("rule");
  // The next one comes after 10 s.
  EXPECT_TRUE(soon("its first condition", [&] {
    return condition_of("rule") ==
           "True PodsPendingEviction: 2 pods need to be evicted in 1 namespace.";
  }));
  EXPECT_TRUE(goes_soon("q"));
  EXPECT_TRUE(soon("it is tried again", [&] { return evictions_of("p") >= 3; }));
  EXPECT_FALSE(is_going("p"));
  EXPECT_TRUE(disruption_of("p").is_null()) << "it may not go yet, so it must not look doomed";
  allow("budget", 1);
  EXPECT_TRUE(goes_soon("p"));
  EXPECT_EQ(text_at(disruption_of("p"), "/reason"), "EvictionByEvictionAPI");
  EXPECT_EQ(eviction_events("p"), Names{kMarking});
  EXPECT_EQ(evictions_of("q"), 1U);
  for (const auto& record : writes()) EXPECT_EQ(record.method, "POST") << record.target;
  EXPECT_TRUE(soon("both are counted", [&] { return counted() == 2; }));
}

TEST_F(EvictionApi, does_not_wait_for_a_budget_after_the_taint_is_removed) {
  give_permission();
  start();
  create_running_user("p");
  create_budget("budget", "p", 0);
  create_rule("rule");
  EXPECT_TRUE(soon("it is tried", [&] { return evictions_of("p") >= 2; }));
  delete_rule("rule");
  EXPECT_TRUE(soon("it is cancelled", [&] { return has_event("p", kCancelling); }));
  settle_evictions();  // requests in flight at that time have been answered
  allow("budget", 1);
  settle_evictions();
  EXPECT_FALSE(is_going("p"));
}

TEST_F(EvictionApi, retries_until_pod_has_only_one_budget) {
  give_permission();
  start();
  create_running_user("p");
  create_budget("one", "p", 1);
  create_budget("two", "p", 1);
  create_rule("rule");
  EXPECT_TRUE(soon("it is tried again", [&] { return evictions_of("p") >= 2; }));
  EXPECT_FALSE(is_going("p"));
  kube().remove(budgets("two"));
  EXPECT_TRUE(goes_soon("p"));
}

TEST_F(EvictionApi, counts_a_lost_answer_once) {
  give_permission();
  start();
  create_user("p");
  const std::size_t lost = faults().add(
      {.method = "POST", .target = "/pods/p/eviction", .fault = {.kind = FaultKind::drop_answer}});
  create_rule("rule");
  EXPECT_TRUE(goes_soon("p"));
  EXPECT_TRUE(soon("it is counted", [&] { return counted() == 1; }));
  settle_evictions();
  EXPECT_EQ(counted(), 1);
  EXPECT_EQ(faults().matched(lost), 1U);
}

TEST_F(EvictionApi, retries_until_permission_is_granted) {
  // The in-memory API server has no permissions.
  if (run().server == ServerKind::memory) {
    faults().add(
        {.method = "POST", .target = "/eviction", .times = 3, .fault = answer(403, "Forbidden")});
  }
  start();
  create_user("p");
  create_rule("rule");
  EXPECT_TRUE(soon("it is refused", [&] { return evictions_of("p") >= 3; }));
  EXPECT_EQ(manager().status_page("/livez"), "ok");
  give_permission();
  EXPECT_TRUE(goes_soon("p"));
  EXPECT_NE(manager().log().find("Pod could not be evicted"), std::string::npos);
}

// ---- refusals -----------------------------------------------------------------------------------

class Undeletable : public EvictionCase {
 protected:
  void SetUp() override { faults(); }
  // A policy that protects one pod of the namespace.
  void protect(const std::string& pod, const std::string& name) {
    kube().must_post(
        kPolicies,
        {{"apiVersion", "admissionregistration.k8s.io/v1"},
         {"kind", "ValidatingAdmissionPolicy"},
         {"metadata", {{"name", name}}},
         {"spec",
          {{"matchConstraints",
            {{"namespaceSelector", {{"matchLabels", {{"kubernetes.io/metadata.name", ns()}}}}},
             {"resourceRules", json::array{json::object{{"apiGroups", json::array{""}},
                                                        {"apiVersions", json::array{"v1"}},
                                                        {"operations", json::array{"DELETE"}},
                                                        {"resources", json::array{"pods"}}}}}}},
           {"validations", json::array{json::object{
                               {"expression", fmt::format("oldObject.metadata.name != '{}'", pod)},
                               {"message", "this one stays"}}}}}}});
    kube().must_post(
        kBindings, {{"apiVersion", "admissionregistration.k8s.io/v1"},
                    {"kind", "ValidatingAdmissionPolicyBinding"},
                    {"metadata", {{"name", name}}},
                    {"spec", {{"policyName", name}, {"validationActions", json::array{"Deny"}}}}});
    ASSERT_TRUE(soon("the policy is in force", [&] {
      const unsigned status = kube().remove(path("pods", pod) + "?dryRun=All").status;
      return status == 422 || status == 403;
    }));
  }
  std::size_t requests_for(const std::string& method, const std::string& pod) {
    return faults().count(method, "/pods/" + pod + "(/status)?(\\?|$)");
  }
};

TEST_F(Undeletable, deletes_pod_with_finalizer_once_and_evicts_others) {
  start_manager();
  create_user("stuck", {{}}, {"example.com/keep"});
  create_users(20);
  create_rule("rule");
  EXPECT_TRUE(all_go_but(0));
  settle_evictions();
  EXPECT_EQ(requests_for("DELETE", "stuck"), 1U);
  EXPECT_TRUE(exists("pods", "stuck"));
}

TEST_F(Undeletable, keeps_pod_protected_by_admission_until_released) {
  const std::string name = "keep-" + ns();
  create_user("protected");
  if (run().server == ServerKind::memory) {
    // The form of a policy's refusal.
    faults().add({.method = "DELETE",
                  .target = "/pods/protected",
                  .times = 1000,
                  .fault = answer(422, "Invalid")});
  } else {
    protect("protected", name);
  }
  start_manager();
  create_users(20);
  create_rule("rule");
  EXPECT_TRUE(all_go_but(1));
  EXPECT_TRUE(soon("it is tried again", [&] { return requests_for("DELETE", "protected") >= 4; }));
  EXPECT_FALSE(is_going("protected"));
  EXPECT_EQ(requests_for("PATCH", "protected"), 1U) << "it is marked once";
  if (run().server == ServerKind::memory) {
    faults().clear();
  } else {
    kube().remove(fmt::format("{}/{}", kBindings, name));
    kube().remove(fmt::format("{}/{}", kPolicies, name));
  }
  EXPECT_TRUE(goes_soon("protected"));
}

// Its 404 is about an object of its own.
TEST_F(Undeletable, evicts_pod_once_webhook_no_longer_answers_404) {
  reference("takes a webhook's 404 for the pod's, and never evicts it");
  patience();
  start_manager();
  create_user("p");
  std::optional<Webhook> webhook;
  webhook.emplace(
      kube(), faults(),
      Webhook::Scope{.ns = ns(), .group = "", .resource = "pods", .some_path = path("pods", "p")},
      file("webhook"));
  create_rule("rule");
  EXPECT_TRUE(soon("it is tried again", [&] { return requests_for("DELETE", "p") >= 2; }));
  EXPECT_FALSE(is_going("p"));
  webhook.reset();
  EXPECT_TRUE(goes_soon("p"));
}

TEST_F(Undeletable, evicts_pods_once_delete_permission_is_granted) {
  faults().add({.method = "PATCH|DELETE",
                .target = "/namespaces/" + ns() + "/pods/",
                .times = 20,
                .fault = answer(403, "Forbidden")});
  start_manager();
  create_users(5);
  create_rule("rule");
  EXPECT_TRUE(all_go_but(0));
}

TEST_F(Undeletable, evicts_pods_without_permission_for_rule_condition) {
  patience();
  faults().add({.method = "PATCH",
                .target = rule_path("rule"),
                .times = 1'000'000,
                .fault = answer(403, "Forbidden")});
  start_manager();
  create_users(100);
  create_rule("rule");
  EXPECT_TRUE(all_go_but(0));
  // Retried with back-off, not with each pod.
  if (run().manager == ManagerKind::ours) EXPECT_LE(condition_writes("rule").size(), 15U);
  faults().clear();
  EXPECT_TRUE(soon("the condition comes later", [&] {
    return condition_of("rule").ends_with("100 pods evicted since starting the controller.");
  }));
}

// ---- the rate -----------------------------------------------------------------------------------

class EvictionRate : public EvictionCase {};

TEST_F(EvictionRate, stays_below_limit) {
  if (run().manager == ManagerKind::reference) GTEST_SKIP() << "it has no such flag";
  constexpr int kPods = 11;
  start_manager({"--device-taint-eviction-rate=5"});
  create_users(kPods);
  const auto start = std::chrono::steady_clock::now();
  create_rule("rule");
  EXPECT_TRUE(all_go_but(0));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(200 * (kPods - 1)));
}

// ---- gates --------------------------------------------------------------------------------------

class EvictionGates : public EvictionCase {};

TEST_F(EvictionGates, evicts_by_driver_taints_with_taint_rules_off) {
  faults();
  start_manager({"--feature-gates=DRADeviceTaintRules=false"});
  create_user("ruled");
  create_user("tainted", {{.name = "gpu-1"}});
  create_rule("rule", "NoExecute", {{"device", "gpu-0"}});
  publish("slice", {.device = "gpu-1", .taints = {taint("broken")}});
  EXPECT_TRUE(goes_soon("tainted"));
  EXPECT_FALSE(is_going("ruled"));
  EXPECT_EQ(condition_of("rule"), "");
  EXPECT_EQ(faults().count("GET", "/devicetaintrules"), 0U);
}

// ---- what makes no sense ------------------------------------------------------------------------

class EvictionInput : public EvictionCase {
 protected:
  void SetUp() override {
    faults();
    start_manager();
    create_user("p");
    create_user("q", {{.name = "gpu-1"}});
  }
  // As if the server had the object: it would not accept it from a writer.
  void tell_of(const std::string& resource, json::value object) {
    json::object& metadata = object.at("metadata").as_object();
    metadata["uid"] = "6f3b0a0e-0000-4000-8000-00000000000a";
    metadata["resourceVersion"] = "2";
    metadata["generation"] = 1;
    ASSERT_EQ(faults().inject("/" + resource,
                              json::serialize(json::object{{"type", "ADDED"}, {"object", object}})),
              1U);
  }
  // Two devices; the taint of gpu-1 is valid.
  void tell_of_slice(const json::object& odd) {
    json::value slice = slice_object("slice", {.taints = {odd}});
    json::object good = taint("broken").as_object();
    good["timeAdded"] = "2026-01-01T00:00:00Z";
    slice.at_pointer("/spec/devices")
        .as_array()
        .push_back({{"name", "gpu-1"}, {"taints", json::array{good}}});
    tell_of("resourceslices", slice);
  }
  void tell_of_rule(const json::value& spec) {
    tell_of("devicetaintrules", {{"apiVersion", rule_api()},
                                 {"kind", "DeviceTaintRule"},
                                 {"metadata", {{"name", ns() + "-odd"}}},
                                 {"spec", spec}});
  }
  void expect_only_q_goes() {
    EXPECT_TRUE(goes_soon("q"));
    settle_evictions();
    EXPECT_FALSE(is_going("p"));
  }
  bool is_logged(const std::string& text) {
    return run().manager == ManagerKind::reference || manager().log().contains(text);
  }
};

TEST_F(EvictionInput, reports_and_ignores_slice_taint_without_time) {
  reference("may crash");
  tell_of_slice({{"key", "odd"}, {"effect", "NoExecute"}});
  expect_only_q_goes();
  EXPECT_TRUE(is_logged("Taints of a ResourceSlice are ignored: they have no timeAdded"));
}

TEST_F(EvictionInput, ignores_unknown_effect_in_slice) {
  tell_of_slice({{"key", "odd"}, {"effect", "NoBreathing"}, {"timeAdded", "2026-01-01T00:00:00Z"}});
  expect_only_q_goes();
}

TEST_F(EvictionInput, reports_and_ignores_rule_taint_without_time) {
  reference("may crash");
  tell_of_rule({{"deviceSelector", {{"driver", driver()}}},
                {"taint", {{"key", "odd"}, {"effect", "NoExecute"}}}});
  create_rule("good", "NoExecute", {{"device", "gpu-1"}});
  expect_only_q_goes();
  EXPECT_TRUE(is_logged("DeviceTaintRule is ignored: its taint has no timeAdded"));
}

TEST_F(EvictionInput, ignores_unknown_effect_in_rule) {
  tell_of_rule(
      {{"deviceSelector", {{"driver", driver()}}},
       {"taint",
        {{"key", "odd"}, {"effect", "NoBreathing"}, {"timeAdded", "2026-01-01T00:00:00Z"}}}});
  create_rule("good", "NoExecute", {{"device", "gpu-1"}});
  expect_only_q_goes();
}

TEST_F(EvictionInput, selects_nothing_by_selector_with_unknown_field) {
  reference("ignores the field, and so selects too much");
  tell_of_rule(
      {{"deviceSelector", {{"driver", driver()}, {"deviceClassName", "gpu.example.com"}}},
       {"taint",
        {{"key", "odd"}, {"effect", "NoExecute"}, {"timeAdded", "2026-01-01T00:00:00Z"}}}});
  create_rule("good", "NoExecute", {{"device", "gpu-1"}});
  expect_only_q_goes();
  EXPECT_TRUE(is_logged("deviceClassName"));
}

}  // namespace
}  // namespace dcm::conformance
