// Servers that serve less, or more, than `v1` of everything, according to discovery. Discovery
// documents are modified on their way; everything else reaches the server, in the remaining
// version.

#include <fmt/format.h>

#include "test/conformance/case.hpp"
#include "test/conformance/served.hpp"

namespace dcm::conformance {
namespace {

constexpr const char* kGroup = "resource.k8s.io";

class Versions : public Case {
 protected:
  void SetUp() override {
    if (run().manager == ManagerKind::reference) GTEST_SKIP() << "it knows v1 alone";
  }

  void needs(const std::string& version) {
    if (!is_served(kube(), kGroup, version, "resourceclaims"))
      GTEST_SKIP() << "this server serves no resourceclaims in " << version;
  }

  // Makes discovery offer these versions of the group from now on.
  void offer(const std::vector<std::string>& versions) {
    json::array list;
    for (const std::string& version : versions) {
      list.push_back(
          {{"groupVersion", fmt::format("{}/{}", kGroup, version)}, {"version", version}});
    }
    json::object group{{"kind", "APIGroup"}, {"apiVersion", "v1"}, {"name", kGroup}};
    group["preferredVersion"] = list.at(0);
    group["versions"] = std::move(list);
    answer_discovery("^/apis/resource\\.k8s\\.io$", group);
  }

  // Makes discovery hide these resources of a version from now on.
  void hide(const std::string& version, const std::string& prefix) {
    json::value document = kube().must_get(fmt::format("/apis/{}/{}", kGroup, version));
    json::array kept;
    for (const json::value& each : document.at("resources").as_array()) {
      if (!text_at(each, "/name").starts_with(prefix)) kept.push_back(each);
    }
    document.as_object()["resources"] = std::move(kept);
    answer_discovery(fmt::format("^/apis/resource\\.k8s\\.io/{}$", version), document);
  }

  // The whole life of a pod with a claim, all of it in one version of the group.
  void expect_all_works_with(const std::string& version) {
    const json::value made = create_template("gpus", json::parse(R"({
        "metadata": {"labels": {"team": "vision"}},
        "spec": {"devices": {
            "requests": [
                {"name": "gpus", "exactly": {"deviceClassName": "gpu.example.com", "count": 2,
                    "selectors": [{"cel": {"expression": "device.driver == 'gpu.example.com'"}}]}},
                {"name": "any", "firstAvailable": [
                    {"name": "big", "deviceClassName": "big.example.com"},
                    {"name": "small", "deviceClassName": "small.example.com", "count": 2}]}],
            "constraints": [{"requests": ["gpus"], "matchAttribute": "gpu.example.com/numa"}]}}})"));
    create_pod({.name = "job", .templates = {{"accel", "gpus"}}, .node = "node-a"});
    const std::string name = wait_for_claim_of("job", "accel");
    const json::value claim = get("resourceclaims", name);
    EXPECT_EQ(at(claim, "/spec"), at(made, "/spec/spec"));
    EXPECT_EQ(text_at(claim, "/metadata/labels/team"), "vision");
    allocate(name);
    EXPECT_TRUE(soon("it is reserved", [&] { return reserved_for(name).size() == 1; }));
    set_phase("job", "Succeeded");
    EXPECT_TRUE(soon("it is gone", [&] { return !exists("resourceclaims", name); }));
    create_claim("shared");
    const json::value user = create_pod({.name = "user", .claims = {{"accel", "shared"}}});
    allocate("shared", {reservation_of(user)});
    delete_pod("user");
    EXPECT_TRUE(soon("it is free", [&] { return is_free("shared"); }));
    const std::string prefix = fmt::format("/apis/{}/{}/", kGroup, version);
    for (const auto& request : faults().requests()) {
      const bool is_ours = request.target.contains("/resourceclaim");
      EXPECT_TRUE(!is_ours || request.target.starts_with(prefix)) << request.target;
    }
  }

 private:
  void answer_discovery(const std::string& target, const json::value& document) {
    faults().add({.method = "GET",
                  .target = target,
                  .times = 1'000'000,
                  .fault = {.kind = FaultKind::answer,
                            .answer = {.status = 200,
                                       .headers = {{"Content-Type", "application/json"}},
                                       .body = json::serialize(document)}}});
  }
};

TEST_F(Versions, use_v1_if_alone) {
  needs("v1");
  if (IsSkipped()) return;
  offer({"v1"});
  start_manager();
  expect_all_works_with("v1");
}

TEST_F(Versions, use_v1beta2_with_older_ones) {
  needs("v1beta2");
  if (IsSkipped()) return;
  offer({"v1beta2", "v1beta1"});
  start_manager();
  expect_all_works_with("v1beta2");
}

TEST_F(Versions, use_v1beta1_if_alone) {
  needs("v1beta1");
  if (IsSkipped()) return;
  offer({"v1beta1"});
  start_manager();
  expect_all_works_with("v1beta1");
}

TEST_F(Versions, ignore_unknown_newer_versions) {
  offer({"v3", "v2alpha1", "v1", "v1beta1"});
  start_manager();
  expect_all_works_with("v1");
}

TEST_F(Versions, prefer_newer_to_server_preference) {
  needs("v1beta1");
  if (IsSkipped()) return;
  offer({"v1beta1", "v1"});
  start_manager();
  expect_all_works_with("v1");
}

TEST_F(Versions, process_claims_without_taint_rules) {
  needs("v1");
  if (IsSkipped()) return;
  offer({"v1"});
  hide("v1", "devicetaintrules");
  start_manager();
  EXPECT_NE(manager().log().find("only drivers taint devices"), std::string::npos);
  expect_all_works_with("v1");
  EXPECT_EQ(faults().count("GET", "/devicetaintrules"), 0U);
}

TEST_F(Versions, skip_versions_without_claims) {
  needs("v1beta1");
  if (IsSkipped()) return;
  offer({"v1", "v1beta1"});
  hide("v1", "resourceclaims");
  start_manager();
  expect_all_works_with("v1beta1");
}

}  // namespace
}  // namespace dcm::conformance
