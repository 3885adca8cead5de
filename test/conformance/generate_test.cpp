// Claims from templates.
#include <fmt/format.h>

#include "test/conformance/case.hpp"

namespace dcm::conformance {
namespace {

using support::at;
using support::text_at;

class Generate : public Case {};

TEST_F(Generate, a_pod_with_a_template_gets_a_claim_that_it_owns) {
  start_manager();
  create_template("gpus", json::parse(R"({
      "metadata": {"labels": {"team": "vision"}, "annotations": {"note": "from the template"}},
      "spec": {"devices": {"requests": [
          {"name": "gpus", "exactly": {"deviceClassName": "gpu.example.com", "count": 2}}]}}})"));
  const json::value pod = create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  const std::string name = wait_for_claim_of("trainer-0", "accel");

  EXPECT_TRUE(name.starts_with("trainer-0-accel-")) << name;
  const json::value claim = get("resourceclaims", name);
  EXPECT_EQ(text_at(claim, "/metadata/labels/team"), "vision");
  EXPECT_EQ(text_at(claim, "/metadata/annotations/note"), "from the template");
  EXPECT_EQ(
      at(claim, "/metadata/annotations").as_object().at("resource.kubernetes.io/pod-claim-name"),
      "accel");
  ASSERT_TRUE(at(claim, "/metadata/ownerReferences/0").is_object());
  EXPECT_EQ(text_at(claim, "/metadata/ownerReferences/0/kind"), "Pod");
  EXPECT_EQ(at(claim, "/metadata/ownerReferences/0/uid"), at(pod, "/metadata/uid"));
  EXPECT_EQ(at(claim, "/metadata/ownerReferences/0/controller"), true);
  EXPECT_EQ(at(claim, "/spec/devices/requests/0/exactly/count"), 2);
  EXPECT_EQ(claim_names().size(), 1U);
}

TEST_F(Generate, the_status_is_applied_as_the_field_manager_of_the_reference) {
  start_manager();
  create_template("gpus");
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  wait_for_claim_of("trainer-0", "accel");
  std::vector<std::string> managers;
  const json::value pod = get("pods", "trainer-0");
  for (const json::value& entry : at(pod, "/metadata/managedFields").as_array()) {
    if (text_at(entry, "/operation") == "Apply") {
      managers.push_back(text_at(entry, "/manager") + " " + text_at(entry, "/subresource"));
    }
  }
  EXPECT_EQ(managers, std::vector<std::string>{"ResourceClaimController status"});
}

TEST_F(Generate, a_pod_with_two_templates_gets_both_claims_and_both_names) {
  start_manager();
  create_template("gpus");
  create_template("nics");
  create_pod({.name = "trainer-0", .templates = {{"gpus", "gpus"}, {"nic", "nics"}}});
  const std::string gpus = wait_for_claim_of("trainer-0", "gpus");
  const std::string nic = wait_for_claim_of("trainer-0", "nic");
  EXPECT_NE(gpus, nic);
  EXPECT_EQ(claim_names().size(), 2U);
}

TEST_F(Generate, an_orphan_left_by_a_crash_is_used_instead_of_a_second_claim) {
  create_template("gpus");
  const json::value pod = create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  // What a manager leaves that dies between the create and the write of the name.
  json::value orphan = create_claim("left-behind");
  kube().must_patch(
      path("resourceclaims", "left-behind"), Kube::Patch::merge,
      {{"metadata",
        {{"annotations", {{"resource.kubernetes.io/pod-claim-name", "accel"}}},
         {"ownerReferences", json::array{json::object{{"apiVersion", "v1"},
                                                      {"kind", "Pod"},
                                                      {"name", "trainer-0"},
                                                      {"uid", at(pod, "/metadata/uid")},
                                                      {"controller", true}}}}}}});
  start_manager();
  EXPECT_EQ(wait_for_claim_of("trainer-0", "accel"), "left-behind");
  EXPECT_EQ(claim_names(), std::vector<std::string>{"left-behind"});
}

TEST_F(Generate, a_pod_replaced_under_the_same_name_gets_a_claim_of_its_own) {
  start_manager();
  create_template("gpus");
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  const std::string first = wait_for_claim_of("trainer-0", "accel");
  delete_pod("trainer-0");
  const json::value second_pod =
      create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  const std::string second = wait_for_claim_of("trainer-0", "accel");
  EXPECT_NE(second, first);
  EXPECT_EQ(at(get("resourceclaims", second), "/metadata/ownerReferences/0/uid"),
            at(second_pod, "/metadata/uid"));
}

TEST_F(Generate, a_claim_deleted_by_somebody_is_made_again) {
  start_manager();
  create_template("gpus");
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  const std::string first = wait_for_claim_of("trainer-0", "accel");
  kube().remove(path("resourceclaims", first));
  EXPECT_TRUE(soon("another claim is named", [&] {
    const std::string now = claim_of("trainer-0", "accel");
    return now != first && exists("resourceclaims", now);
  }));
  EXPECT_EQ(claim_names().size(), 1U);
}

TEST_F(Generate, a_template_that_comes_late_wakes_its_pods_and_the_failure_is_an_event) {
  start_manager();
  create_template("nics");
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}, {"nic", "nics"}}});
  ASSERT_TRUE(soon("a warning names the missing template", [&] {
    for (const json::value& event : events_of("trainer-0")) {
      if (text_at(event, "/reason") == "FailedResourceClaimCreation" &&
          text_at(event, "/type") == "Warning" &&
          text_at(event, "/message") ==
              "PodResourceClaim accel: resource claim template \"gpus\": "
              "resourceclaimtemplate.resource.k8s.io \"gpus\" not found" &&
          text_at(event, "/source/component") == "resource_claim") {
        return true;
      }
    }
    return false;
  }));
  wait_for_claim_of("trainer-0", "nic");
  create_template("gpus");
  wait_for_claim_of("trainer-0", "accel");
  EXPECT_EQ(claim_names().size(), 2U);
}

TEST_F(Generate, two_hundred_pods_at_once_get_two_hundred_claims) {
  start_manager();
  create_template("gpus");
  std::vector<json::value> pods;
  for (int i = 0; i < 200; ++i) {
    pods.push_back(json::parse(fmt::format(
        R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"pod-{}"}},"spec":{{
           "containers":[{{"name":"main","image":"example.com/main:1"}}],
           "resourceClaims":[{{"name":"accel","resourceClaimTemplateName":"gpus"}}]}}}})",
        i)));
  }
  kube().post_all(path("pods"), pods, 20);
  EXPECT_TRUE(soon("every pod names a claim", [&] {
    const json::value list = kube().must_get(path("pods"));
    const auto& items = at(list, "/items").as_array();
    return std::ranges::all_of(items, [](const json::value& pod) {
      return !text_at(pod, "/status/resourceClaimStatuses/0/resourceClaimName").empty();
    });
  }));
  EXPECT_EQ(claim_names().size(), 200U);
}

TEST_F(Generate, a_finished_pod_never_gets_a_claim) {
  create_template("gpus");
  create_pod({.name = "done", .templates = {{"accel", "gpus"}}, .node = "node-a"});
  set_phase("done", "Succeeded");
  start_manager();
  // Once the later pod is served, the earlier one has been looked at.
  create_pod({.name = "live", .templates = {{"accel", "gpus"}}});
  wait_for_claim_of("live", "accel");
  EXPECT_EQ(claim_of("done", "accel"), "");
  EXPECT_EQ(claim_names().size(), 1U);
}

TEST_F(Generate, a_restart_changes_nothing) {
  start_manager();
  create_template("gpus");
  for (const char* name : {"a", "b", "c"}) {
    create_pod({.name = name, .templates = {{"accel", "gpus"}}});
    wait_for_claim_of(name, "accel");
  }
  const std::vector<std::string> before = claim_names();
  EXPECT_EQ(manager().stop(), 0);
  start_manager();
  create_pod({.name = "d", .templates = {{"accel", "gpus"}}});
  const std::string fourth = wait_for_claim_of("d", "accel");
  std::vector<std::string> after = claim_names();
  std::erase(after, fourth);
  EXPECT_EQ(after, before);
}

TEST_F(Generate, a_killed_manager_leaves_nothing_double_behind) {
  create_template("gpus");
  start_manager();
  std::vector<json::value> pods;
  for (int i = 0; i < 100; ++i) {
    pods.push_back(json::parse(fmt::format(
        R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"pod-{}"}},"spec":{{
           "containers":[{{"name":"main","image":"example.com/main:1"}}],
           "resourceClaims":[{{"name":"accel","resourceClaimTemplateName":"gpus"}}]}}}})",
        i)));
  }
  kube().post_all(path("pods"), pods, 20);
  ASSERT_TRUE(soon("some claims are made", [&] { return claim_names().size() > 10; }));
  manager().kill();
  start_manager();
  EXPECT_TRUE(soon("every pod names a claim", [&] {
    const json::value list = kube().must_get(path("pods"));
    const auto& items = at(list, "/items").as_array();
    return std::ranges::all_of(items, [](const json::value& pod) {
      return !text_at(pod, "/status/resourceClaimStatuses/0/resourceClaimName").empty();
    });
  }));
  EXPECT_EQ(claim_names().size(), 100U);
}

}  // namespace
}  // namespace dcm::conformance
