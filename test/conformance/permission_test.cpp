// Permissions removed and restored through the API server's RBAC: the manager catches up afterwards
// without a restart.
#include <algorithm>

#include <fmt/format.h>

#include "test/conformance/case.hpp"

namespace dcm::conformance {
namespace {

constexpr const char* kRole =
    "/apis/rbac.authorization.k8s.io/v1/clusterroles/dra-controller-manager";

class Permission : public Case {
 protected:
  void SetUp() override {
    if (run().server == ServerKind::memory) GTEST_SKIP() << "the in-memory API server has no RBAC";
    if (run().manager == ManagerKind::reference) GTEST_SKIP() << "it runs with all permissions";
    patience(std::chrono::seconds(60));
    all_rules_ = rules_ = at(kube().must_get(kRole), "/rules");
    faults();
  }
  void TearDown() override { give_back(); }

  // Takes one more verb away, for example on "resourceclaims/status"; in effect on return.
  void take_away(const std::string& resource, const std::string& verb) {
    json::array rules;
    json::object taken{{"verb", verb}};
    for (json::value rule : rules_.as_array()) {
      const json::array resources = rule.at("resources").as_array();
      if (std::ranges::find(resources, json::value(resource)) == resources.end()) {
        rules.push_back(rule);
        continue;
      }
      taken["group"] = text_at(rule, "/apiGroups/0");
      json::value others = rule;
      remove(others.at("resources").as_array(), resource);
      if (!others.at("resources").as_array().empty()) rules.push_back(others);
      rule.at("resources") = json::array{resource};
      remove(rule.at("verbs").as_array(), verb);
      if (!rule.at("verbs").as_array().empty()) rules.push_back(rule);
    }
    const std::size_t slash = resource.find('/');
    taken["resource"] = resource.substr(0, slash);
    if (slash != resource.npos) taken["subresource"] = resource.substr(slash + 1);
    ASSERT_TRUE(may(run().restricted, taken));
    taken_.push_back(taken);
    set_rules(rules);
    ASSERT_TRUE(soon("it is in force", [&] { return !may(run().restricted, taken); }));
  }
  // In effect on return.
  void give_back() {
    if (taken_.empty()) return;
    set_rules(all_rules_);
    for (const json::object& each : taken_) EXPECT_TRUE(may_soon(run().restricted, each));
    taken_.clear();
  }

  // How many of the requests were refused with this status.
  std::ptrdiff_t refusals(unsigned status, const std::string& part_of_target) {
    const auto requests = faults().requests();
    return std::ranges::count_if(requests, [&](const auto& each) {
      return each.status == status && each.target.contains(part_of_target);
    });
  }

 private:
  static void remove(json::array& texts, const std::string& text) {
    texts.erase(std::ranges::remove(texts, json::value(text)).begin(), texts.end());
  }
  void set_rules(const json::value& rules) {
    rules_ = rules;
    kube().must_patch(kRole, Kube::Patch::merge, {{"rules", rules}});
  }

  json::value all_rules_;
  json::value rules_;                // without what is taken away
  std::vector<json::object> taken_;  // as resourceAttributes
};

TEST_F(Permission, resumes_when_create_is_granted) {
  start_manager();
  create_template("gpus");
  take_away("resourceclaims", "create");
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  EXPECT_TRUE(soon("a warning with the server's words", [&] {
    return has_warning("trainer-0", "FailedResourceClaimCreation",
                       "cannot create resource \"resourceclaims\"");
  }));
  EXPECT_TRUE(claim_names().empty());
  give_back();
  wait_for_claim_of("trainer-0", "accel");
  EXPECT_EQ(claim_names().size(), 1U);
}

TEST_F(Permission, resumes_names_without_second_claim) {
  start_manager();
  create_template("gpus");
  take_away("pods/status", "patch");
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  EXPECT_TRUE(soon("the write is refused", [&] { return refusals(403, "/trainer-0/status") > 1; }));
  give_back();
  wait_for_claim_of("trainer-0", "accel");
  settle();
  EXPECT_EQ(claim_names().size(), 1U);
}

TEST_F(Permission, resumes_when_claim_status_is_granted) {
  start_manager();
  create_claim("shared");
  allocate("shared");
  take_away("resourceclaims/status", "patch");
  const json::value pod =
      create_pod({.name = "bound", .claims = {{"accel", "shared"}}, .node = "node-a"});
  EXPECT_TRUE(soon("the write is refused", [&] { return refusals(403, "/shared/status") > 0; }));
  give_back();
  EXPECT_TRUE(soon("it is reserved", [&] { return reserved_for("shared") == uids({pod}); }));
}

TEST_F(Permission, resumes_when_claim_binding_is_granted) {
  clock();
  start_manager();
  create_claim("probe");
  allocate("probe");
  create_claim("shared");
  allocate("shared");
  take_away("resourceclaims/binding", "patch");
  const auto answer = Kube(run().restricted)
                          .patch(path("resourceclaims", "probe") + "/status?dryRun=All",
                                 Kube::Patch::merge, {{"status", {{"allocation", nullptr}}}});
  if (answer.status == 200) GTEST_SKIP() << "this server asks nobody about resourceclaims/binding";
  const json::value pod =
      create_pod({.name = "bound", .claims = {{"accel", "shared"}}, .node = "node-a"});
  EXPECT_TRUE(soon("the write is refused", [&] { return refusals(422, "/shared/status") > 0; }));
  give_back();
  // A refusal as invalid, such as this one, is retried once a minute.
  clock().sleep(std::chrono::minutes(2));
  EXPECT_TRUE(soon("it is reserved", [&] { return reserved_for("shared") == uids({pod}); }));
}

TEST_F(Permission, resumes_when_finalizers_are_granted) {
  start_manager();
  create_claim("idle");
  allocate("idle");
  take_away("resourceclaims", "patch");
  kube().remove(path("resourceclaims", "idle"));
  EXPECT_TRUE(soon("the write is refused", [&] { return refusals(403, "/idle") > 0; }));
  give_back();
  EXPECT_TRUE(soon("it is gone", [&] { return !exists("resourceclaims", "idle"); }));
}

TEST_F(Permission, resumes_when_delete_is_granted) {
  start_manager();
  create_template("gpus");
  create_pod({.name = "job", .templates = {{"accel", "gpus"}}, .node = "node-a"});
  const std::string claim = wait_for_claim_of("job", "accel");
  take_away("resourceclaims", "delete");
  set_phase("job", "Succeeded");
  EXPECT_TRUE(soon("the delete is refused", [&] { return refusals(403, claim) > 0; }));
  give_back();
  EXPECT_TRUE(soon("it is gone", [&] { return !exists("resourceclaims", claim); }));
}

TEST_F(Permission, works_without_permission_for_events) {
  take_away("events", "create");
  start_manager();
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  EXPECT_TRUE(soon("the event is refused", [&] { return refusals(403, "/events") > 0; }));
  create_template("gpus");
  wait_for_claim_of("trainer-0", "accel");
  EXPECT_TRUE(events_of("trainer-0").empty());
}

TEST_F(Permission, waits_for_read_permission_at_start) {
  create_template("gpus");
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  take_away("resourceclaimtemplates", "list");
  take_away("resourceclaimtemplates", "watch");
  auto waiting = another_manager();
  EXPECT_TRUE(soon("/readyz names the kind", [&] {
    return waiting->status_page("/readyz").contains("resourceclaimtemplates");
  })) << waiting->status_page("/readyz");
  EXPECT_EQ(waiting->status_page("/livez"), "ok");
  EXPECT_TRUE(claim_names().empty());
  give_back();
  wait_for_claim_of("trainer-0", "accel");
  EXPECT_EQ(waiting->status_page("/readyz"), "ok");
  waiting->kill();
}

TEST_F(Permission, recovers_from_read_permission_lost_at_run_time) {
  start_manager();
  create_template("gpus");
  settle();
  take_away("pods", "watch");
  // Open watches stay open: the API server checks once.
  EXPECT_GE(faults().cut_watches("/pods"), 1U);
  EXPECT_TRUE(soon("the watch is refused", [&] { return refusals(403, "/pods?") > 0; }));
  create_pod({.name = "unseen", .templates = {{"accel", "gpus"}}});
  EXPECT_FALSE(manager().exit_status());
  give_back();
  wait_for_claim_of("unseen", "accel");
}

TEST_F(Permission, creates_claims_without_permission_to_read_taints) {
  create_template("gpus");
  for (const char* verb : {"list", "watch"}) take_away("devicetaintrules", verb);
  auto waiting = another_manager();
  EXPECT_TRUE(soon("/readyz names the kind", [&] {
    return waiting->status_page("/readyz").contains("devicetaintrules");
  })) << waiting->status_page("/readyz");
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  wait_for_claim_of("trainer-0", "accel");
  EXPECT_NE(waiting->status_page("/readyz"), "ok");
  give_back();
  EXPECT_TRUE(soon("it is ready", [&] { return waiting->status_page("/readyz") == "ok"; }))
      << waiting->status_page("/readyz");
  waiting->kill();
}

}  // namespace
}  // namespace dcm::conformance
