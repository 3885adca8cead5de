// Refusals of the API server: quota, admission, permissions, a namespace in deletion.
#include <optional>

#include "test/conformance/case.hpp"
#include "test/conformance/webhook.hpp"

namespace dcm::conformance {
namespace {

constexpr const char* kReason = "FailedResourceClaimCreation";

class Refusal : public Case {
 protected:
  void needs_a_real_server(const char* what) {
    if (run().server == ServerKind::memory)
      GTEST_SKIP() << "the in-memory API server has no " << what;
  }
};

TEST_F(Refusal, reports_create_in_event_and_retries) {
  faults();
  start_manager();
  create_template("gpus");
  const std::size_t rule = faults().add(
      {.method = "POST",
       .target = kClaims,
       .times = 3,
       .fault = {.kind = FaultKind::answer,
                 .answer = {.status = 403,
                            .headers = {{"Content-Type", "application/json"}},
                            .body = R"({"kind":"Status","apiVersion":"v1","status":"Failure",
                                "message":"the webhook says no","reason":"Forbidden","code":403})"}}});
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  EXPECT_TRUE(soon("a warning with the server's words", [&] {
    return has_warning("trainer-0", kReason, "PodResourceClaim accel: create ResourceClaim ") &&
           has_warning("trainer-0", kReason, ": the webhook says no");
  }));
  wait_for_claim_of("trainer-0", "accel");
  EXPECT_EQ(faults().matched(rule), 3U);
  EXPECT_EQ(claim_names().size(), 1U);
}

TEST_F(Refusal, ends_with_quota) {
  needs_a_real_server("quota");
  if (IsSkipped()) return;
  patience();  // kube-apiserver may look a quota up only every 30 s
  // No controller updates a quota's status here, so the case does.
  const json::value hard{{"count/resourceclaims.resource.k8s.io", "0"}};
  kube().must_post(path("resourcequotas"), {{"apiVersion", "v1"},
                                            {"kind", "ResourceQuota"},
                                            {"metadata", {{"name", "none"}}},
                                            {"spec", {{"hard", hard}}}});
  kube().must_patch(path("resourcequotas", "none") + "/status", Kube::Patch::merge,
                    {{"status", {{"hard", hard}, {"used", hard}}}});
  start_manager();
  create_template("gpus");
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  EXPECT_TRUE(soon("a warning names the quota",
                   [&] { return has_warning("trainer-0", kReason, "exceeded quota: none"); }));
  EXPECT_TRUE(claim_names().empty());
  kube().remove(path("resourcequotas", "none"));
  wait_for_claim_of("trainer-0", "accel");
}

TEST_F(Refusal, ends_with_admission_policy) {
  needs_a_real_server("admission policies");
  if (IsSkipped()) return;
  patience();
  const std::string policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
  const std::string bindings =
      "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";
  const std::string name = "deny-" + ns();
  kube().must_post(
      policies,
      {{"apiVersion", "admissionregistration.k8s.io/v1"},
       {"kind", "ValidatingAdmissionPolicy"},
       {"metadata", {{"name", name}}},
       {"spec",
        {{"matchConstraints",
          {{"namespaceSelector", {{"matchLabels", {{"kubernetes.io/metadata.name", ns()}}}}},
           {"resourceRules",
            json::array{json::object{{"apiGroups", json::array{"resource.k8s.io"}},
                                     {"apiVersions", json::array{"*"}},
                                     {"operations", json::array{"CREATE"}},
                                     {"resources", json::array{"resourceclaims"}}}}}}},
         {"validations", json::array{json::object{{"expression", "false"},
                                                  {"message", "no claims on Fridays"}}}}}}});
  kube().must_post(bindings,
                   {{"apiVersion", "admissionregistration.k8s.io/v1"},
                    {"kind", "ValidatingAdmissionPolicyBinding"},
                    {"metadata", {{"name", name}}},
                    {"spec", {{"policyName", name}, {"validationActions", json::array{"Deny"}}}}});
  ASSERT_TRUE(soon("the policy is in force", [&] {
    const auto answer =
        kube().post(path("resourceclaims") + "?dryRun=All",
                    json::parse(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim",
                        "metadata":{"name":"probe"},"spec":{}})"));
    return answer.status == 422 || answer.status == 403;
  }));
  start_manager();
  create_template("gpus");
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  EXPECT_TRUE(soon("a warning with the policy's words",
                   [&] { return has_warning("trainer-0", kReason, "no claims on Fridays"); }));
  EXPECT_TRUE(claim_names().empty());
  kube().remove(bindings + "/" + name);
  kube().remove(policies + "/" + name);
  wait_for_claim_of("trainer-0", "accel");
}

// Its 404 is about an object of its own.
TEST_F(Refusal, with_404_of_webhook_does_not_mean_that_claim_is_gone) {
  patience();
  faults();
  start_manager();
  create_template("gpus");
  create_pod({.name = "job", .templates = {{"accel", "gpus"}}, .node = "node-a"});
  const std::string claim = wait_for_claim_of("job", "accel");
  std::optional<Webhook> webhook;
  webhook.emplace(kube(), faults(),
                  Webhook::Scope{.ns = ns(),
                                 .group = "resource.k8s.io",
                                 .resource = "resourceclaims",
                                 .some_path = path("resourceclaims", claim)},
                  file("webhook"));
  set_phase("job", "Succeeded");
  EXPECT_TRUE(soon("the deletion is tried again",
                   [&] { return faults().count("DELETE", "/resourceclaims/" + claim) >= 2; }));
  EXPECT_TRUE(exists("resourceclaims", claim));
  webhook.reset();
  EXPECT_TRUE(soon("it is gone", [&] { return !exists("resourceclaims", claim); }));
}

TEST_F(Refusal, of_admin_access_ends_with_namespace_label) {
  needs_a_real_server("rule about admin access");
  if (IsSkipped()) return;
  start_manager();
  // The server rejects such a template here too, so it is created while the label is set.
  const std::string label = "resource.kubernetes.io/admin-access";
  const auto set_label = [&](const json::value& value) {
    kube().must_patch("/api/v1/namespaces/" + ns(), Kube::Patch::merge,
                      {{"metadata", {{"labels", {{label, value}}}}}});
  };
  set_label("true");
  create_template("admin", json::parse(R"({"spec":{"devices":{"requests":[{"name":"gpus",
      "exactly":{"deviceClassName":"gpu.example.com","adminAccess":true}}]}}})"));
  set_label(nullptr);
  create_pod({.name = "monitor", .templates = {{"accel", "admin"}}});
  EXPECT_TRUE(
      soon("a warning names the label", [&] { return has_warning("monitor", kReason, label); }));
  set_label("true");
  const std::string claim = wait_for_claim_of("monitor", "accel");
  EXPECT_EQ(at(get("resourceclaims", claim), "/spec/devices/requests/0/exactly/adminAccess"), true);
}

TEST_F(Refusal, isolates_namespace_in_deletion) {
  create_template("gpus");
  create_pods(20, "gpus");
  kube().remove("/api/v1/namespaces/" + ns());
  ASSERT_TRUE(soon("it is being deleted", [&] {
    const json::value object = kube().must_get("/api/v1/namespaces/" + ns());
    return text_at(object, "/status/phase") == "Terminating";
  }));
  const std::string other = ns() + "-next";
  kube().must_post("/api/v1/namespaces",
                   {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", other}}}});
  const std::string pods = "/api/v1/namespaces/" + other + "/pods";
  const std::string group = "/apis/resource.k8s.io/v1/namespaces/" + other;
  start_manager();
  kube().must_post(group + "/resourceclaimtemplates",
                   json::parse(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaimTemplate",
                       "metadata":{"name":"gpus"},"spec":{"spec":{}}})"));
  kube().must_post(pods, json::parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},
      "spec":{"containers":[{"name":"main","image":"example.com/main:1"}],
              "resourceClaims":[{"name":"accel","resourceClaimTemplateName":"gpus"}]}})"));
  EXPECT_TRUE(soon("a pod elsewhere has its claim", [&] {
    return at(kube().must_get(pods + "/p"), "/status/resourceClaimStatuses").is_array();
  }));
  EXPECT_TRUE(claim_names().empty());
  kube().remove(pods + "/p");
}

TEST_F(Refusal, is_absent_with_rbac_yaml) {
  needs_a_real_server("permissions");
  if (IsSkipped()) return;
  faults();
  start_manager();
  create_template("gpus");
  create_pod({.name = "warned", .templates = {{"accel", "missing"}}});
  const json::value pod =
      create_pod({.name = "job", .templates = {{"accel", "gpus"}}, .node = "node-a"});
  const std::string claim = wait_for_claim_of("job", "accel");
  allocate(claim);
  EXPECT_TRUE(soon("it is reserved", [&] { return reserved_for(claim).size() == 1; }));
  set_phase("job", "Succeeded");
  EXPECT_TRUE(soon("it is gone", [&] { return !exists("resourceclaims", claim); }));
  EXPECT_TRUE(soon("the event is there", [&] { return !events_of("warned").empty(); }));
  for (const auto& request : faults().requests()) {
    EXPECT_NE(request.status, 401) << request.method << " " << request.target;
    EXPECT_NE(request.status, 403) << request.method << " " << request.target;
  }
}

TEST_F(Refusal, of_one_kind_makes_manager_unready) {
  if (run().manager == ManagerKind::reference) GTEST_SKIP() << "this is about our own /readyz";
  faults().add(
      {.method = "GET",
       .target = "/resourceclaimtemplates\\?",
       .times = 1'000'000,
       .fault = {.kind = FaultKind::answer,
                 .answer = {.status = 403,
                            .headers = {{"Content-Type", "application/json"}},
                            .body = R"({"kind":"Status","apiVersion":"v1","status":"Failure",
                                "message":"resourceclaimtemplates is forbidden","reason":"Forbidden",
                                "code":403})"}}});
  auto refused = another_manager();
  EXPECT_TRUE(soon("/readyz names the kind", [&] {
    return refused->status_page("/readyz").contains("resourceclaimtemplates");
  })) << refused->status_page("/readyz");
  EXPECT_EQ(refused->status_page("/livez"), "ok");
  faults().clear();
  EXPECT_TRUE(refused->is_ready_soon()) << refused->status_page("/readyz");
  refused->kill();
}

}  // namespace
}  // namespace dcm::conformance
