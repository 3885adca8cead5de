// Claims from templates.
#include <algorithm>

#include <fmt/format.h>

#include "test/conformance/case.hpp"

namespace dcm::conformance {
namespace {

class Generate : public Case {
 protected:
  // A pod's names, from its status.
  Names statuses_of(const std::string& pod) {
    Names names;
    const json::value object = get("pods", pod);
    const json::value& statuses = at(object, "/status/resourceClaimStatuses");
    for (const json::value& each : statuses.is_array() ? statuses.as_array() : json::array()) {
      names.push_back(text_at(each, "/name"));
    }
    return names;
  }
};

TEST_F(Generate, creates_claim_owned_by_pod) {
  start_manager();
  create_template("gpus");
  const json::value pod = create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  const std::string name = wait_for_claim_of("trainer-0", "accel");

  EXPECT_TRUE(name.starts_with("trainer-0-accel-")) << name;
  const json::value claim = get("resourceclaims", name);
  EXPECT_EQ(
      at(claim, "/metadata/annotations").as_object().at("resource.kubernetes.io/pod-claim-name"),
      "accel");
  ASSERT_TRUE(at(claim, "/metadata/ownerReferences/0").is_object());
  EXPECT_EQ(text_at(claim, "/metadata/ownerReferences/0/apiVersion"), "v1");
  EXPECT_EQ(text_at(claim, "/metadata/ownerReferences/0/kind"), "Pod");
  EXPECT_EQ(text_at(claim, "/metadata/ownerReferences/0/name"), "trainer-0");
  EXPECT_EQ(at(claim, "/metadata/ownerReferences/0/uid"), at(pod, "/metadata/uid"));
  EXPECT_EQ(at(claim, "/metadata/ownerReferences/0/controller"), true);
  EXPECT_EQ(claim_names().size(), 1U);
}

TEST_F(Generate, copies_labels_annotations_and_spec_from_template) {
  start_manager();
  const json::value made = create_template("gpus", json::parse(R"({
      "metadata": {"labels": {"team": "vision"},
                   "annotations": {"note": "from the template",
                                   "resource.kubernetes.io/pod-claim-name": "overruled"}},
      "spec": {"devices": {
          "requests": [
              {"name": "gpus", "exactly": {"deviceClassName": "gpu.example.com", "count": 2,
                  "selectors": [{"cel": {"expression": "device.driver == 'gpu.example.com'"}}]}},
              {"name": "nic", "exactly": {"deviceClassName": "nic.example.com",
                                          "allocationMode": "All"}}],
          "constraints": [{"requests": ["gpus"], "matchAttribute": "gpu.example.com/numa"}],
          "config": [{"requests": ["gpus"], "opaque": {"driver": "gpu.example.com",
                      "parameters": {"kind": "Sharing", "slices": [1, 2]}}}]}}})"));
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  const json::value claim = get("resourceclaims", wait_for_claim_of("trainer-0", "accel"));
  EXPECT_EQ(text_at(claim, "/metadata/labels/team"), "vision");
  const json::value& annotations = at(claim, "/metadata/annotations");
  EXPECT_EQ(annotations.as_object().at("note"), "from the template");
  EXPECT_EQ(annotations.as_object().at("resource.kubernetes.io/pod-claim-name"), "accel");
  EXPECT_EQ(at(claim, "/spec"), at(made, "/spec/spec"));
}

TEST_F(Generate, applies_status_with_reference_field_manager) {
  start_manager();
  create_template("gpus");
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  wait_for_claim_of("trainer-0", "accel");
  Names managers;
  const json::value pod = get("pods", "trainer-0");
  for (const json::value& entry : at(pod, "/metadata/managedFields").as_array()) {
    if (text_at(entry, "/operation") == "Apply") {
      managers.push_back(text_at(entry, "/manager") + " " + text_at(entry, "/subresource"));
    }
  }
  EXPECT_EQ(managers, Names{"ResourceClaimController status"});
}

TEST_F(Generate, creates_claims_for_two_templates) {
  start_manager();
  create_template("gpus");
  create_template("nics");
  create_pod({.name = "trainer-0", .templates = {{"gpus", "gpus"}, {"nic", "nics"}}});
  const std::string gpus = wait_for_claim_of("trainer-0", "gpus");
  const std::string nic = wait_for_claim_of("trainer-0", "nic");
  EXPECT_NE(gpus, nic);
  EXPECT_EQ(claim_names().size(), 2U);
}

TEST_F(Generate, sorts_names_in_status) {
  start_manager();
  create_template("gpus");
  create_pod({.name = "trainer-0", .templates = {{"c", "gpus"}, {"a", "gpus"}, {"b", "gpus"}}});
  EXPECT_TRUE(soon("three names", [&] { return statuses_of("trainer-0").size() == 3; }));
  EXPECT_EQ(statuses_of("trainer-0"), (Names{"a", "b", "c"}));
}

TEST_F(Generate, creates_claim_per_pod_claim_of_same_template) {
  start_manager();
  create_template("gpus");
  create_pod({.name = "trainer-0", .templates = {{"left", "gpus"}, {"right", "gpus"}}});
  EXPECT_NE(wait_for_claim_of("trainer-0", "left"), wait_for_claim_of("trainer-0", "right"));
  EXPECT_EQ(claim_names().size(), 2U);
}

TEST_F(Generate, creates_nothing_for_named_claim) {
  start_manager();
  create_pod({.name = "waits", .claims = {{"accel", "made-by-the-user"}}});
  settle();
  EXPECT_TRUE(claim_names().empty());
  EXPECT_TRUE(events_of("waits").empty());
}

TEST_F(Generate, creates_nothing_for_status_entry_without_name) {
  create_template("gpus");
  create_pod({.name = "spared", .templates = {{"accel", "gpus"}}});
  kube().must_patch(path("pods", "spared") + "/status", Kube::Patch::merge,
                    json::parse(R"({"status":{"resourceClaimStatuses":[{"name":"accel"}]}})"));
  start_manager();
  settle();
  EXPECT_EQ(claim_of("spared", "accel"), "");
  EXPECT_TRUE(claim_names().empty());
}

TEST_F(Generate, ignores_template_in_other_namespace) {
  start_manager();
  create_template("gpus");
  const std::string other = ns() + "-other";
  kube().must_post("/api/v1/namespaces",
                   {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", other}}}});
  const std::string pods = "/api/v1/namespaces/" + other + "/pods";
  kube().must_post(pods, json::parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"far"},
      "spec":{"containers":[{"name":"main","image":"example.com/main:1"}],
              "resourceClaims":[{"name":"accel","resourceClaimTemplateName":"gpus"}]}})"));
  settle();
  const json::value far = kube().must_get(pods + "/far");
  EXPECT_TRUE(at(far, "/status/resourceClaimStatuses").is_null());
  kube().remove(pods + "/far");
}

// ---- names --------------------------------------------------------------------------------------

TEST_F(Generate, shortens_long_names_proportionally) {
  reference("appends its five characters without a hyphen where it has cut");
  start_manager();
  create_template("gpus");
  const std::string pod(100, 'p');
  const std::string pod_claim(63, 'c');
  create_pod({.name = pod, .templates = {{pod_claim, "gpus"}}});
  const std::string name = wait_for_claim_of(pod, pod_claim);
  // 165 characters with both hyphens: 100 * 57 / 165 of the pod's, 63 * 57 / 165 of the claim's.
  EXPECT_TRUE(name.starts_with(std::string(34, 'p') + "-" + std::string(21, 'c'))) << name;
  EXPECT_EQ(name.size(), 34U + 1 + 21 + 1 + 5);
}

TEST_F(Generate, corrects_name_cut_after_dot) {
  reference("cuts the name after the dot, which the API server refuses, and retries forever");
  start_manager();
  create_template("gpus");
  // As above, but the 34th character is a dot.
  const std::string pod = std::string(33, 'p') + "." + std::string(66, 'p');
  const std::string pod_claim(63, 'c');
  create_pod({.name = pod, .templates = {{pod_claim, "gpus"}}});
  const std::string name = wait_for_claim_of(pod, pod_claim);
  EXPECT_TRUE(name.starts_with(std::string(33, 'p') + "-" + std::string(21, 'c'))) << name;
}

TEST_F(Generate, keeps_pod_name_of_one_letter) {
  reference("cuts the pod's name to nothing, and the API server refuses the leading hyphen");
  start_manager();
  create_template("gpus");
  const std::string pod_claim(60, 'c');
  create_pod({.name = "p", .templates = {{pod_claim, "gpus"}}});
  EXPECT_TRUE(wait_for_claim_of("p", pod_claim).starts_with("p-"));
}

// ---- once, and again ----------------------------------------------------------------------------

TEST_F(Generate, adopts_orphan_left_by_crash) {
  create_template("gpus");
  const json::value pod = create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  // The remains of a manager that dies between the create and the write of the name.
  create_claim("left-behind");
  own("left-behind", pod, "accel");
  start_manager();
  EXPECT_EQ(wait_for_claim_of("trainer-0", "accel"), "left-behind");
  EXPECT_EQ(claim_names(), Names{"left-behind"});
}

TEST_F(Generate, does_not_adopt_claim_for_other_pod_claim) {
  create_template("gpus");
  const json::value pod = create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  create_claim("for-another");
  own("for-another", pod, "nic");
  start_manager();
  EXPECT_NE(wait_for_claim_of("trainer-0", "accel"), "for-another");
}

TEST_F(Generate, does_not_adopt_claim_of_earlier_pod_with_same_name) {
  create_template("gpus");
  json::value pod = create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  create_claim("of-the-last-one");
  pod.as_object()["metadata"].as_object()["uid"] = "11111111-2222-4333-8444-555555555555";
  own("of-the-last-one", pod, "accel");
  start_manager();
  EXPECT_NE(wait_for_claim_of("trainer-0", "accel"), "of-the-last-one");
}

TEST_F(Generate, restores_removed_name_without_second_claim) {
  start_manager();
  create_template("gpus");
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  const std::string claim = wait_for_claim_of("trainer-0", "accel");
  kube().must_patch(path("pods", "trainer-0") + "/status", Kube::Patch::merge,
                    json::parse(R"({"status":{"resourceClaimStatuses":null}})"));
  EXPECT_EQ(wait_for_claim_of("trainer-0", "accel"), claim);
  EXPECT_EQ(claim_names(), Names{claim});
}

TEST_F(Generate, creates_new_claim_for_replaced_pod) {
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

TEST_F(Generate, recreates_claim_deleted_by_user) {
  reference(
      "assumes for up to an hour that a claim that it made and has not looked up since still "
      "exists");
  start_manager();
  create_template("gpus");
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  const std::string first = uid_of_claim(wait_for_claim_of("trainer-0", "accel"));
  kube().remove(path("resourceclaims", claim_of("trainer-0", "accel")));
  EXPECT_TRUE(soon("another claim is named", [&] {
    const std::string now = uid_of_claim(claim_of("trainer-0", "accel"));
    return !now.empty() && now != first;
  }));
  EXPECT_EQ(claim_names().size(), 1U);
}

TEST_F(Generate, replaces_claim_that_loses_owner) {
  reference(
      "does not notice, unless another claim of the pod has to be made, or by chance at a restart");
  start_manager();
  create_template("gpus");
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  const std::string first = wait_for_claim_of("trainer-0", "accel");
  kube().must_patch(path("resourceclaims", first), Kube::Patch::merge,
                    json::parse(R"({"metadata":{"ownerReferences":null}})"));
  EXPECT_TRUE(
      soon("another claim is named", [&] { return claim_of("trainer-0", "accel") != first; }));
}

TEST_F(Generate, keeps_other_names_when_recreating_claim) {
  reference(
      "assumes for up to an hour that a claim that it made and has not looked up since still "
      "exists");
  start_manager();
  create_template("gpus");
  create_pod({.name = "trainer-0", .templates = {{"a", "gpus"}, {"b", "gpus"}}});
  const std::string a = wait_for_claim_of("trainer-0", "a");
  const std::string b = uid_of_claim(wait_for_claim_of("trainer-0", "b"));
  kube().remove(path("resourceclaims", claim_of("trainer-0", "b")));
  EXPECT_TRUE(soon("b has another claim", [&] {
    const std::string now = uid_of_claim(claim_of("trainer-0", "b"));
    return !now.empty() && now != b;
  }));
  EXPECT_EQ(claim_of("trainer-0", "a"), a);
}

TEST_F(Generate, writes_nothing_after_restart) {
  faults();
  start_manager();
  create_template("gpus");
  create_pods(20, "gpus");
  ASSERT_TRUE(soon("every pod has its claim", [&] { return every_pod_has_its_claim(); }));
  const Names before = claim_names();
  manager().kill();
  const std::size_t written = writes().size();
  start_manager();
  settle();
  EXPECT_EQ(claim_names(), before);
  EXPECT_EQ(writes().size(), written);
}

TEST_F(Generate, keeps_claims_when_template_changes) {
  faults();
  start_manager();
  create_template("gpus");
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  const std::string claim = wait_for_claim_of("trainer-0", "accel");
  settle();
  const std::size_t written = writes().size();
  kube().must_patch(path("resourceclaimtemplates", "gpus"), Kube::Patch::merge,
                    json::parse(R"({"metadata":{"labels":{"new":"label"}}})"));
  kube().remove(path("resourceclaimtemplates", "gpus"));
  settle();
  EXPECT_EQ(claim_names(), Names{claim});
  EXPECT_EQ(writes().size(), written);
}

TEST_F(Generate, recreates_claim_only_after_deletion_ends) {
  reference(
      "assumes for up to an hour that a claim that it made and has not looked up since still "
      "exists");
  start_manager();
  create_template("gpus");
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  const std::string first = wait_for_claim_of("trainer-0", "accel");
  const std::string first_uid = uid_of_claim(first);
  set_finalizers(first, {"example.com/keep"});
  kube().remove(path("resourceclaims", first));
  settle();
  EXPECT_EQ(claim_names(), Names{first});
  EXPECT_EQ(claim_of("trainer-0", "accel"), first);
  set_finalizers(first, {});
  EXPECT_TRUE(soon("another claim is named", [&] {
    const std::string now = uid_of_claim(claim_of("trainer-0", "accel"));
    return !now.empty() && now != first_uid;
  }));
  EXPECT_EQ(claim_names().size(), 1U);
}

TEST_F(Generate, copies_field_of_newer_api) {
  reference("drops the fields that it does not know");
  faults();
  start_manager();
  json::value known = create_template("gpus");
  settle();
  // The server drops unknown fields: the template comes from a newer one, as far as the manager can
  // see, at a version later than all it has seen.
  const json::value later = create_pod({.name = "later"});
  known.as_object()["metadata"].as_object()["resourceVersion"] =
      at(later, "/metadata/resourceVersion");
  known.as_object()["spec"].as_object()["spec"].as_object()["topology"] = {{"hops", 2}};
  const std::string event = json::serialize(json::value{{"type", "MODIFIED"}, {"object", known}});
  ASSERT_EQ(faults().inject("/resourceclaimtemplates\\?", event), 1U);
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  wait_for_claim_of("trainer-0", "accel");
  const auto sent = writes();
  EXPECT_EQ(std::ranges::count_if(sent,
                                  [](const auto& each) {
                                    return each.method == "POST" &&
                                           each.body.contains(R"("topology":{"hops":2})");
                                  }),
            1);
}

// ---- who gets none ------------------------------------------------------------------------------

TEST_F(Generate, ignores_finished_pod) {
  reference("recreates the claim of a finished pod, and deletes it again");
  create_template("gpus");
  create_pod({.name = "done", .templates = {{"accel", "gpus"}}, .node = "node-a"});
  set_phase("done", "Succeeded");
  faults();
  start_manager();
  settle();
  EXPECT_EQ(claim_of("done", "accel"), "");
  EXPECT_EQ(writes().size(), 0U);
}

TEST_F(Generate, sends_no_request_for_missing_user_claim) {
  reference(
      "asks the API server for the missing claim at each sync that another claim of the pod "
      "causes");
  faults();
  start_manager();
  create_pod({.name = "waits", .claims = {{"accel", "made-by-the-user"}}, .node = "node-a"});
  settle();
  EXPECT_EQ(faults().count("GET", "/resourceclaims/made-by-the-user"), 0U);
  EXPECT_EQ(writes().size(), 0U);
}

TEST_F(Generate, sends_no_request_for_pod_without_claims) {
  faults();
  start_manager();
  create_pod({.name = "plain", .node = "node-a"});
  set_phase("plain", "Succeeded");
  delete_pod("plain");
  settle();
  EXPECT_EQ(writes().size(), 0U);
  EXPECT_EQ(faults().count("GET", "/pods/plain"), 0U);
}

TEST_F(Generate, ignores_pod_in_deletion) {
  start_manager();
  create_pod({.name = "leaving", .templates = {{"accel", "gpus"}}, .node = "node-a"});
  begin_to_delete_pod("leaving");
  settle();
  create_template("gpus");
  settle();
  EXPECT_TRUE(exists("pods", "leaving"));
  EXPECT_TRUE(claim_names().empty());
}

// ---- one of many --------------------------------------------------------------------------------

TEST_F(Generate, reports_missing_template_and_resumes_when_it_appears) {
  start_manager();
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  ASSERT_TRUE(soon("a warning names the missing template", [&] {
    return has_warning("trainer-0", "FailedResourceClaimCreation",
                       "PodResourceClaim accel: resource claim template \"gpus\": "
                       "resourceclaimtemplate.resource.k8s.io \"gpus\" not found");
  }));
  EXPECT_EQ(text_at(events_of("trainer-0").at(0), "/source/component"), "resource_claim");
  create_template("gpus");
  wait_for_claim_of("trainer-0", "accel");
  EXPECT_EQ(claim_names().size(), 1U);
}

TEST_F(Generate, counts_repeated_failures_in_one_event) {
  start_manager();
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  EXPECT_TRUE(soon("the event counts", [&] {
    const auto events = events_of("trainer-0");
    return !events.empty() && at(events.at(0), "/count").is_int64() &&
           at(events.at(0), "/count").as_int64() > 1;
  }));
  EXPECT_EQ(events_of("trainer-0").size(), 1U);
}

TEST_F(Generate, continues_with_other_pod_claims_after_failure) {
  reference("stops at the first pod claim that fails, and writes no name at all");
  start_manager();
  create_template("nics");
  create_pod({.name = "trainer-0", .templates = {{"accel", "missing"}, {"nic", "nics"}}});
  wait_for_claim_of("trainer-0", "nic");
}

TEST_F(Generate, creates_200_claims_for_200_pods) {
  start_manager();
  create_template("gpus");
  create_pods(200, "gpus");
  EXPECT_TRUE(soon("every pod has its claim", [&] { return every_pod_has_its_claim(); }));
  EXPECT_EQ(claim_names().size(), 200U);
}

TEST_F(Generate, resumes_a_hundred_pods_when_template_appears) {
  start_manager();
  create_pods(100, "gpus");
  ASSERT_TRUE(soon("the failures are reported", [&] {
    return has_warning("pod-99", "FailedResourceClaimCreation", "not found");
  }));
  create_template("gpus");
  EXPECT_TRUE(soon("every pod has its claim", [&] { return every_pod_has_its_claim(); }));
  EXPECT_EQ(claim_names().size(), 100U);
}

}  // namespace
}  // namespace dcm::conformance
