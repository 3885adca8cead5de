// Beside the real controllers of a cluster: namespaces go, quotas are counted, owners are followed.
#include "test/conformance/neighbour.hpp"

#include <fmt/format.h>

#include "test/conformance/case.hpp"

namespace dcm::conformance {
namespace {

class Beside : public Case {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_neighbours(); !why.empty()) GTEST_SKIP() << why;
    patience(std::chrono::seconds(60));
  }
  void start_beside(const std::string& controller) {
    neighbour_ = start_neighbour(controller, file(controller));
  }

 private:
  std::unique_ptr<support::Process> neighbour_;
};

TEST_F(Beside, the_namespace_controller_a_namespace_with_used_claims_goes_away) {
  start_manager();
  create_template("gpus");
  create_pods(5, "gpus");
  create_claim("shared");
  const json::value user = create_pod({.name = "user", .claims = {{"accel", "shared"}}});
  allocate("shared", {reservation_of(user)});
  for (int i = 0; i < 5; ++i) {
    const std::string pod = fmt::format("pod-{}", i);
    const std::string claim = wait_for_claim_of(pod, "accel");
    allocate(claim, {reservation_of(get("pods", pod))});
  }
  // Each claim has a finalizer, and each is in use until its pod is gone.
  start_beside("namespace-controller");
  const std::string path = "/api/v1/namespaces/" + ns();
  kube().remove(path);
  EXPECT_TRUE(soon("it is gone", [&] { return kube().get(path).status == 404; }));
}

TEST_F(Beside, the_garbage_collector_a_deleted_pods_claim_goes_away) {
  start_manager();
  create_template("gpus");
  const json::value pod =
      create_pod({.name = "gone", .templates = {{"accel", "gpus"}}, .node = "node-a"});
  const std::string claim = wait_for_claim_of("gone", "accel");
  allocate(claim, {reservation_of(pod)});
  start_beside("garbage-collector-controller");
  delete_pod("gone");
  EXPECT_TRUE(soon("the claim is gone", [&] { return !exists("resourceclaims", claim); }));
}

TEST_F(Beside, the_quota_controller_a_finished_pods_claim_makes_room_for_the_next) {
  const json::value hard{{"count/resourceclaims.resource.k8s.io", "2"}};
  kube().must_post(path("resourcequotas"), {{"apiVersion", "v1"},
                                            {"kind", "ResourceQuota"},
                                            {"metadata", {{"name", "two"}}},
                                            {"spec", {{"hard", hard}}}});
  start_beside("resourcequota-controller");
  ASSERT_TRUE(soon("the quota is counted",
                   [&] { return at(get("resourcequotas", "two"), "/status/hard").is_object(); }));
  start_manager();
  create_template("gpus");
  create_pod({.name = "first", .templates = {{"accel", "gpus"}}});
  wait_for_claim_of("first", "accel");
  create_pod({.name = "second", .templates = {{"accel", "gpus"}}});
  wait_for_claim_of("second", "accel");
  create_pod({.name = "third", .templates = {{"accel", "gpus"}}});
  EXPECT_TRUE(soon("a warning names the quota", [&] {
    return has_warning("third", "FailedResourceClaimCreation", "exceeded quota: two");
  }));
  EXPECT_EQ(claim_names().size(), 2U);
  set_phase("first", "Succeeded");
  wait_for_claim_of("third", "accel");
  EXPECT_EQ(claim_names().size(), 2U);
  kube().remove(path("resourcequotas", "two"));
}

}  // namespace
}  // namespace dcm::conformance
