// Beside the real controllers of a cluster: namespaces are deleted, quotas are counted, dependents
// are collected.
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

TEST_F(Beside, lets_namespace_controller_remove_used_claims) {
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
  // Each claim has a finalizer, and is in use until its pod is gone.
  start_beside("namespace-controller");
  const std::string path = "/api/v1/namespaces/" + ns();
  kube().remove(path);
  EXPECT_TRUE(soon("it is gone", [&] { return kube().get(path).status == 404; }));
}

TEST_F(Beside, lets_garbage_collector_remove_claim_of_deleted_pod) {
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

TEST_F(Beside, frees_quota_when_pod_finishes) {
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

// A node with 128 devices, for the duration of the case: others use the server after it.
class BesideTheOriginal : public Beside {
 protected:
  static constexpr int kPods = 64;

  void SetUp() override {
    Beside::SetUp();
    if (IsSkipped()) return;
    scheduler_ = start_scheduler(file("kube-scheduler"));
    if (scheduler_ == nullptr) GTEST_SKIP() << "there is no kube-scheduler";
    kube().must_post("/api/v1/nodes", json::parse(R"({"apiVersion":"v1","kind":"Node",
        "metadata":{"name":"beside"},"status":{
            "capacity":{"cpu":"100","memory":"100Gi","pods":"1000"},
            "conditions":[{"type":"Ready","status":"True","reason":"Fine","message":"",
                "lastHeartbeatTime":null,"lastTransitionTime":null}]}})"));
    // Admission has tainted it as not ready; the controller that removes the taint does not run
    // here.
    kube().must_patch("/api/v1/nodes/beside", Kube::Patch::merge,
                      json::parse(R"({"spec":{"taints":null}})"));
    kube().must_post(kGroup + "deviceclasses", json::parse(R"({"apiVersion":"resource.k8s.io/v1",
        "kind":"DeviceClass","metadata":{"name":"beside.example.com"},"spec":{}})"));
    json::array devices;
    for (int i = 0; i < 2 * kPods; ++i) devices.push_back({{"name", fmt::format("gpu-{}", i)}});
    kube().must_post(
        kGroup + "resourceslices",
        {{"apiVersion", "resource.k8s.io/v1"},
         {"kind", "ResourceSlice"},
         {"metadata", {{"name", "beside"}}},
         {"spec",
          {{"driver", "beside.example.com"},
           {"allNodes", true},
           {"pool", {{"name", "beside"}, {"generation", 1}, {"resourceSliceCount", 1}}},
           {"devices", devices}}}});
    create_template("gpus", json::parse(R"({"spec":{"devices":{"requests":[{"name":"gpu",
        "exactly":{"deviceClassName":"beside.example.com"}}]}}})"));
  }
  void TearDown() override {
    for (const char* path : {"deviceclasses/beside.example.com", "resourceslices/beside"}) {
      kube().remove(kGroup + path);
    }
    kube().remove("/api/v1/nodes/beside");
    Beside::TearDown();
  }

  int scheduled() {
    int count = 0;
    for (int i = 0; i < kPods; ++i) {
      count += text_at(get("pods", fmt::format("pod-{}", i)), "/spec/nodeName").empty() ? 0 : 1;
    }
    return count;
  }

  inline static const std::string kGroup = "/apis/resource.k8s.io/v1/";
  std::unique_ptr<support::Process> scheduler_;
};

TEST_F(BesideTheOriginal, leaves_no_pod_pending_with_kube_scheduler) {
  reference("two of it make two claims for a pod, whose status may name the one that nobody uses");
  start_beside("resourceclaim-controller");
  // Its first minute ends by its own clock, and later statuses count.
  start_manager();
  create_pods(kPods, "gpus");
  EXPECT_TRUE(soon("all have a node", [&] { return scheduled() == kPods; }));
  for (int i = 0; i < kPods; ++i) {
    const json::value pod = get("pods", fmt::format("pod-{}", i));
    const std::string named = text_at(pod, "/status/resourceClaimStatuses/0/resourceClaimName");
    const json::value claim = get("resourceclaims", named);
    EXPECT_EQ(text_at(claim, "/status/reservedFor/0/uid"), text_at(pod, "/metadata/uid")) << named;
  }
}

}  // namespace
}  // namespace dcm::conformance
