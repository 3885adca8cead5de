// End of reservations, deallocation, and deletions.
#include <algorithm>

#include "test/conformance/case.hpp"

namespace dcm::conformance {
namespace {

constexpr const char* kFinalizer = "resource.kubernetes.io/delete-protection";
const Reservation kTrain{
    .name = "t", .uid = "some-train", .resource = "trains", .api_group = "example.com"};
const Reservation kGhost{.name = "ghost", .uid = "11111111-2222-4333-8444-555555555555"};

class ReleaseClaims : public Case {
 protected:
  // A pod on a node that uses `claim` by the pod claim "accel".
  json::value user_of(const std::string& claim, const std::string& pod,
                      const Names& finalizers = {}) {
    return create_pod(
        {.name = pod, .claims = {{"accel", claim}}, .node = "node-a", .finalizers = finalizers});
  }
};

TEST_F(ReleaseClaims, deallocates_claim_after_last_pod) {
  start_manager();
  create_claim("shared");
  const json::value a = user_of("shared", "a");
  const json::value b = user_of("shared", "b");
  allocate("shared", {reservation_of(a), reservation_of(b)});
  delete_pod("a");
  EXPECT_TRUE(soon("one reservation is left", [&] { return reserved_for("shared") == uids({b}); }));
  EXPECT_TRUE(is_allocated("shared"));
  delete_pod("b");
  EXPECT_TRUE(soon("nothing is left", [&] { return is_free("shared"); }));
  EXPECT_TRUE(exists("resourceclaims", "shared")) << "a claim of the user is not deleted";
}

TEST_F(ReleaseClaims, releases_shared_claim_of_finished_pod) {
  start_manager();
  create_claim("shared");
  const json::value done = user_of("shared", "done");
  const json::value runs = user_of("shared", "runs");
  allocate("shared", {reservation_of(done), reservation_of(runs)});
  set_phase("runs", "Running");
  set_phase("done", "Failed");
  EXPECT_TRUE(
      soon("the running one is left", [&] { return reserved_for("shared") == uids({runs}); }));
  EXPECT_TRUE(is_allocated("shared"));
}

TEST_F(ReleaseClaims, deletes_generated_claim_of_finished_pod) {
  reference("may recreate the finished pod's claim once before it deletes it for good");
  start_manager();
  create_template("gpus");
  const json::value pod = create_pod({.name = "job", .templates = {{"accel", "gpus"}}});
  const std::string claim = wait_for_claim_of("job", "accel");
  allocate(claim, {reservation_of(pod)});
  set_phase("job", "Succeeded");
  EXPECT_TRUE(soon("the claim is gone", [&] { return !exists("resourceclaims", claim); }));
  settle();
  EXPECT_TRUE(claim_names().empty());
}

TEST_F(ReleaseClaims, deletes_unallocated_generated_claim_of_finished_pod) {
  reference("may recreate the finished pod's claim once before it deletes it for good");
  start_manager();
  create_template("gpus");
  create_pod({.name = "job", .templates = {{"accel", "gpus"}}, .node = "node-a"});
  const std::string claim = wait_for_claim_of("job", "accel");
  set_phase("job", "Failed");
  EXPECT_TRUE(soon("the claim is gone", [&] { return !exists("resourceclaims", claim); }));
  EXPECT_TRUE(claim_names().empty());
}

TEST_F(ReleaseClaims, keeps_user_claim_of_finished_pod) {
  start_manager();
  create_claim("mine");
  const json::value pod = user_of("mine", "job");
  allocate("mine", {reservation_of(pod)});
  set_phase("job", "Succeeded");
  EXPECT_TRUE(soon("it is free", [&] { return is_free("mine"); }));
  EXPECT_TRUE(exists("resourceclaims", "mine"));
}

TEST_F(ReleaseClaims, releases_pod_that_finished_during_downtime) {
  create_claim("mine");
  const json::value pod = user_of("mine", "job");
  allocate("mine", {reservation_of(pod)});
  set_phase("job", "Succeeded");
  start_manager();
  EXPECT_TRUE(soon("it is free", [&] { return is_free("mine"); }));
}

TEST_F(ReleaseClaims, keeps_claim_of_pod_in_deletion_on_node) {
  start_manager();
  create_claim("mine");
  const json::value pod = user_of("mine", "stopping");
  allocate("mine", {reservation_of(pod)});
  set_phase("stopping", "Running");
  begin_to_delete_pod("stopping");
  settle();
  EXPECT_EQ(reserved_for("mine"), uids({pod}));
  delete_pod("stopping");
  EXPECT_TRUE(soon("it is free", [&] { return is_free("mine"); }));
}

TEST_F(ReleaseClaims, releases_claim_of_unscheduled_pod_in_deletion) {
  start_manager();
  create_claim("mine");
  const json::value pod = create_pod(
      {.name = "early", .claims = {{"accel", "mine"}}, .finalizers = {"example.com/keep"}});
  allocate("mine", {reservation_of(pod)});
  begin_to_delete_pod("early");
  EXPECT_TRUE(soon("it is free", [&] { return is_free("mine"); }));
  EXPECT_TRUE(exists("pods", "early"));
}

TEST_F(ReleaseClaims, drops_reservation_of_earlier_pod_with_same_name) {
  start_manager();
  create_claim("shared");
  const json::value first = user_of("shared", "db-0");
  allocate("shared", {reservation_of(first)});
  delete_pod("db-0");
  const json::value second = user_of("shared", "db-0");
  EXPECT_TRUE(soon("no entry of the first pod", [&] {
    return !std::ranges::count(reserved_for("shared"), reservation_of(first).uid);
  }));
  EXPECT_TRUE(exists("pods", "db-0"));
}

TEST_F(ReleaseClaims, drops_reservation_for_unknown_pod) {
  start_manager();
  create_claim("shared");
  allocate("shared", {kGhost});
  EXPECT_TRUE(soon("it is free", [&] { return is_free("shared"); }));
}

TEST_F(ReleaseClaims, keeps_reservation_for_pod_without_claims) {
  start_manager();
  const json::value plain = create_pod({.name = "plain", .node = "node-a"});
  create_claim("shared");
  allocate("shared", {reservation_of(plain), kGhost});
  EXPECT_TRUE(soon("the ghost's goes", [&] { return reserved_for("shared") == uids({plain}); }));
  EXPECT_TRUE(is_allocated("shared"));
}

TEST_F(ReleaseClaims, drops_reservation_for_finished_pod_without_claims) {
  reference(
      "keeps the reservation until the claim changes, if the pod finishes after it was reserved");
  const json::value plain = create_pod({.name = "plain", .node = "node-a"});
  set_phase("plain", "Succeeded");
  start_manager();
  create_claim("shared");
  allocate("shared", {reservation_of(plain)});
  EXPECT_TRUE(soon("it is free", [&] { return is_free("shared"); }));
}

TEST_F(ReleaseClaims, keeps_reservation_while_pod_look_up_fails) {
  faults();
  const std::size_t rule =
      faults().add({.method = "GET",
                    .target = "/pods/ghost",
                    .times = 1'000'000,
                    .fault = {.kind = FaultKind::answer, .answer = {.status = 500}}});
  start_manager();
  create_claim("shared");
  allocate("shared", {kGhost});
  EXPECT_TRUE(soon("it has tried twice", [&] { return faults().matched(rule) > 1; }));
  EXPECT_EQ(reserved_for("shared"), Names{kGhost.uid});
  EXPECT_EQ(writes().size(), 0U);
  faults().clear();
  EXPECT_TRUE(soon("it is free", [&] { return is_free("shared"); }));
}

TEST_F(ReleaseClaims, does_not_delete_claim_in_deletion_again) {
  reference("sends a delete at each sync, also for a claim that is being deleted already");
  faults();
  start_manager();
  create_template("gpus");
  create_pod({.name = "job", .templates = {{"accel", "gpus"}}});
  const std::string claim = wait_for_claim_of("job", "accel");
  set_finalizers(claim, {"example.com/keep"});
  settle();
  set_phase("job", "Succeeded");
  EXPECT_TRUE(soon("it is going", [&] {
    return at(get("resourceclaims", claim), "/metadata/deletionTimestamp").is_string();
  }));
  kube().must_patch(path("resourceclaims", claim), Kube::Patch::merge,
                    json::parse(R"({"metadata":{"labels":{"one-more":"look"}}})"));
  settle();
  EXPECT_EQ(faults().count("DELETE", claim), 1U);
}

TEST_F(ReleaseClaims, keeps_reservation_for_other_kind) {
  start_manager();
  create_claim("shared");
  allocate("shared", {kTrain, kGhost});
  EXPECT_TRUE(soon("only the pod's goes", [&] { return reserved_for("shared").size() == 1; }));
  EXPECT_EQ(reserved_for("shared"), Names{"some-train"});
  EXPECT_TRUE(is_allocated("shared"));
}

TEST_F(ReleaseClaims, keeps_allocation_that_was_never_reserved) {
  start_manager();
  create_claim("waiting");
  allocate("waiting");
  settle();
  EXPECT_TRUE(is_allocated("waiting"));
  EXPECT_EQ(finalizers_of("waiting"), Names{kFinalizer});
}

TEST_F(ReleaseClaims, keeps_allocation_of_claim_without_finalizer) {
  start_manager();
  create_claim("shared");
  const json::value pod = user_of("shared", "a");
  allocate("shared", {reservation_of(pod)});
  set_finalizers("shared", {});
  delete_pod("a");
  EXPECT_TRUE(soon("it is released", [&] { return reserved_for("shared").empty(); }));
  settle();
  EXPECT_TRUE(is_allocated("shared"));
}

TEST_F(ReleaseClaims, keeps_finalizers_of_others) {
  start_manager();
  create_claim("shared");
  const json::value pod = user_of("shared", "a");
  allocate("shared", {reservation_of(pod)});
  set_finalizers("shared", {"example.com/first", kFinalizer, "example.com/last"});
  delete_pod("a");
  EXPECT_TRUE(soon("it is deallocated", [&] {
    return finalizers_of("shared") == Names{"example.com/first", "example.com/last"};
  }));
  EXPECT_FALSE(is_allocated("shared"));
}

TEST_F(ReleaseClaims, keeps_finalizer_of_claim_to_be_allocated) {
  start_manager();
  create_claim("next");
  set_finalizers("next", {kFinalizer});
  settle();
  EXPECT_EQ(finalizers_of("next"), Names{kFinalizer});
}

TEST_F(ReleaseClaims, removes_finalizer_of_unused_deleted_claim) {
  start_manager();
  create_claim("idle");
  set_finalizers("idle", {kFinalizer});
  create_claim("allocated");
  allocate("allocated");
  kube().remove(path("resourceclaims", "idle"));
  kube().remove(path("resourceclaims", "allocated"));
  EXPECT_TRUE(soon("both are gone", [&] { return claim_names().empty(); }));
}

TEST_F(ReleaseClaims, keeps_deleted_claim_while_pod_runs) {
  start_manager();
  create_claim("shared");
  const json::value pod = user_of("shared", "a");
  allocate("shared", {reservation_of(pod)});
  kube().remove(path("resourceclaims", "shared"));
  settle();
  EXPECT_TRUE(is_allocated("shared"));
  delete_pod("a");
  EXPECT_TRUE(soon("it is gone", [&] { return !exists("resourceclaims", "shared"); }));
}

TEST_F(ReleaseClaims, leaves_generated_claim_of_deleted_pod_to_garbage_collector) {
  start_manager();
  create_template("gpus");
  const json::value pod =
      create_pod({.name = "gone", .templates = {{"accel", "gpus"}}, .node = "node-a"});
  const std::string claim = wait_for_claim_of("gone", "accel");
  allocate(claim, {reservation_of(pod)});
  delete_pod("gone");
  EXPECT_TRUE(soon("it is free", [&] { return is_free(claim); }));
  settle();
  EXPECT_TRUE(exists("resourceclaims", claim));
}

TEST_F(ReleaseClaims, deletes_claim_of_pod_replaced_during_downtime) {
  start_manager();
  create_template("gpus");
  create_pod({.name = "db-0", .templates = {{"accel", "gpus"}}});
  const std::string first = wait_for_claim_of("db-0", "accel");
  manager().kill();
  delete_pod("db-0");
  create_pod({.name = "db-0", .templates = {{"accel", "gpus"}}});
  start_manager();
  EXPECT_TRUE(
      soon("the first one's claim is gone", [&] { return !exists("resourceclaims", first); }));
  wait_for_claim_of("db-0", "accel");
}

TEST_F(ReleaseClaims, deletes_extended_resource_claim_of_finished_pod) {
  create_claim("extended");
  const json::value pod =
      create_pod({.name = "job", .node = "node-a", .extended_resource = "example.com/gpu"});
  own("extended", pod, "");
  kube().must_patch(
      path("resourceclaims", "extended"), Kube::Patch::merge,
      json::parse(R"({"metadata":{"annotations":{"resource.kubernetes.io/pod-claim-name":null,
                      "resource.kubernetes.io/extended-resource-claim":"true"}}})"));
  kube().must_patch(path("pods", "job") + "/status", Kube::Patch::merge,
                    json::parse(R"({"status":{"extendedResourceClaimStatus":{
                        "resourceClaimName":"extended",
                        "requestMappings":[{"containerName":"main",
                            "resourceName":"example.com/gpu","requestName":"gpus"}]}}})"));
  allocate("extended", {reservation_of(pod)});
  start_manager();
  settle();
  EXPECT_EQ(reserved_for("extended"), uids({pod}));
  set_phase("job", "Succeeded");
  EXPECT_TRUE(soon("it is gone", [&] { return !exists("resourceclaims", "extended"); }));
}

TEST_F(ReleaseClaims, leaves_no_claim_of_a_hundred_finished_pods) {
  reference("recreates claims for finished pods while it deletes others");
  start_manager();
  create_template("gpus");
  create_pods(100, "gpus");
  ASSERT_TRUE(soon("every pod has its claim", [&] { return every_pod_has_its_claim(); }));
  manager().kill();
  faults();
  start_manager();
  for (int i = 0; i < 100; ++i) set_phase("pod-" + std::to_string(i), "Succeeded");
  EXPECT_TRUE(soon("no claim is left", [&] { return claim_names().empty(); }));
  settle();
  const auto sent = writes();
  EXPECT_EQ(std::ranges::count(sent, "POST", &support::FaultProxy::Record::method), 0);
}

}  // namespace
}  // namespace dcm::conformance
