// Two writers on one claim: somebody else writes at the worst moment.
#include "test/conformance/case.hpp"

namespace dcm::conformance {
namespace {

constexpr const char* kFinalizer = "resource.kubernetes.io/delete-protection";

class Race : public Case {
 protected:
  // Holds the next matching request, and returns the rule.
  std::size_t hold(const char* method, const std::string& target) {
    return faults().add({.method = method, .target = target, .fault = {.kind = FaultKind::hold}});
  }
  testing::AssertionResult is_held_soon(std::size_t rule) {
    return soon("the request is on its way", [&] { return faults().held(rule) == 1; });
  }
  // The pod "a" runs with the claim "shared".
  json::value run_user_of_shared() {
    faults();
    start_manager();
    create_claim("shared");
    json::value a = create_pod({.name = "a", .claims = {{"accel", "shared"}}, .node = "n"});
    allocate("shared", {reservation_of(a)});
    settle();
    return a;
  }
  void let_go(std::size_t rule) { faults().release(rule, Release::pass); }
};

TEST_F(Race, keeps_reservation_added_while_another_is_dropped) {
  const json::value a = run_user_of_shared();
  const std::size_t rule = hold(kWrite, kClaimStatus);
  delete_pod("a");
  ASSERT_TRUE(is_held_soon(rule));
  // The scheduler reserves the claim for one more pod.
  const json::value b = create_pod({.name = "b", .claims = {{"accel", "shared"}}});
  reserve("shared", {reservation_of(a), reservation_of(b)});
  let_go(rule);
  EXPECT_TRUE(soon("b alone is left", [&] { return reserved_for("shared") == uids({b}); }));
  EXPECT_TRUE(is_allocated("shared"));
  EXPECT_EQ(finalizers_of("shared"), Names{kFinalizer});
}

TEST_F(Race, keeps_finalizer_of_reallocated_claim) {
  const json::value a = run_user_of_shared();
  const std::size_t rule = hold(kWrite, kClaim);
  delete_pod("a");
  ASSERT_TRUE(is_held_soon(rule));
  ASSERT_FALSE(is_allocated("shared"));
  const json::value b = create_pod({.name = "b", .claims = {{"accel", "shared"}}});
  allocate("shared", {reservation_of(b)});
  let_go(rule);
  settle();
  EXPECT_EQ(finalizers_of("shared"), Names{kFinalizer});
  EXPECT_EQ(reserved_for("shared"), uids({b}));
  EXPECT_TRUE(is_allocated("shared"));
}

TEST_F(Race, reserves_beside_another_client) {
  faults();
  start_manager();
  create_claim("shared");
  allocate("shared");
  const std::size_t rule = hold(kWrite, kClaimStatus);
  const json::value a = create_pod({.name = "a", .claims = {{"accel", "shared"}}, .node = "n"});
  ASSERT_TRUE(is_held_soon(rule));
  const json::value b = create_pod({.name = "b", .claims = {{"accel", "shared"}}});
  reserve("shared", {reservation_of(b)});
  let_go(rule);
  EXPECT_TRUE(soon("both are reserved", [&] { return reserved_for("shared") == uids({a, b}); }));
}

TEST_F(Race, spares_claim_replaced_under_same_name) {
  run_user_of_shared();
  const std::size_t rule = hold(kWrite, kClaimStatus);
  delete_pod("a");
  ASSERT_TRUE(is_held_soon(rule));
  set_finalizers("shared", {});
  kube().remove(path("resourceclaims", "shared"));
  create_claim("shared");
  allocate("shared");
  let_go(rule);
  settle();
  EXPECT_TRUE(is_allocated("shared"));
  EXPECT_EQ(finalizers_of("shared"), Names{kFinalizer});
}

TEST_F(Race, spares_generated_claim_replaced_under_same_name) {
  reference("deletes by name alone, and so deletes the new claim of that name");
  faults();
  start_manager();
  create_template("gpus");
  const json::value pod = create_pod({.name = "job", .templates = {{"accel", "gpus"}}});
  const std::string name = wait_for_claim_of("job", "accel");
  settle();
  const std::size_t rule = hold("DELETE", kClaim);
  set_phase("job", "Succeeded");
  ASSERT_TRUE(is_held_soon(rule));
  kube().remove(path("resourceclaims", name));
  create_claim(name);
  let_go(rule);
  settle();
  EXPECT_TRUE(exists("resourceclaims", name));
}

TEST_F(Race, writes_no_old_names_to_replaced_pod) {
  reference("writes the old pod's claim to the new pod's status, and corrects that later");
  faults();
  start_manager();
  create_template("gpus");
  const std::size_t rule = hold("PATCH", kPodStatus);
  create_pod({.name = "db-0", .templates = {{"accel", "gpus"}}});
  ASSERT_TRUE(is_held_soon(rule));
  const Names old = claim_names();
  delete_pod("db-0");
  const json::value second = create_pod({.name = "db-0", .templates = {{"accel", "gpus"}}});
  let_go(rule);
  const std::string claim = wait_for_claim_of("db-0", "accel");
  EXPECT_NE(claim, old.at(0));
  EXPECT_EQ(at(get("resourceclaims", claim), "/metadata/ownerReferences/0/uid"),
            at(second, "/metadata/uid"));
}

TEST_F(Race, leaves_no_claim_if_pod_finishes_during_creation) {
  reference("recreates the finished pod's claim after it has deleted it");
  faults();
  start_manager();
  create_template("gpus");
  const std::size_t rule = hold("POST", kClaims);
  create_pod({.name = "quick", .templates = {{"accel", "gpus"}}, .node = "n"});
  ASSERT_TRUE(is_held_soon(rule));
  set_phase("quick", "Succeeded");
  let_go(rule);
  EXPECT_TRUE(soon("the claim came and went",
                   [&] { return faults().count("DELETE", kClaim) == 1 && claim_names().empty(); }));
}

TEST_F(Race, creates_no_second_claim_when_create_arrives_late) {
  reference("makes a second claim, under another generated name");
  faults();
  create_template("gpus");
  start_manager();
  const std::size_t rule = hold("POST", kClaims);
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  ASSERT_TRUE(is_held_soon(rule));
  manager().kill();
  support::write_kubeconfig(file("direct"), run().restricted);
  const auto second = another_manager(file("direct"), {});
  ASSERT_TRUE(second->is_ready_soon());
  const std::string claim = wait_for_claim_of("trainer-0", "accel");
  let_go(rule);
  settle();
  EXPECT_EQ(claim_names(), Names{claim});
  second->kill();
}

TEST_F(Race, isolates_slow_answer_for_one_pod) {
  faults();
  start_manager();
  create_template("gpus");
  const std::size_t rule = hold("POST", kClaims);
  create_pod({.name = "slow", .templates = {{"accel", "gpus"}}});
  ASSERT_TRUE(is_held_soon(rule));
  create_pods(20, "gpus");
  EXPECT_FALSE(wait_for_claim_of("pod-19", "accel").empty());
  EXPECT_EQ(claim_of("slow", "accel"), "");
  let_go(rule);
  wait_for_claim_of("slow", "accel");
}

TEST_F(Race, leaves_nothing_stuck_with_two_managers) {
  reference("recreates the claims of finished pods again and again, two of them endlessly");
  create_template("gpus");
  start_manager();
  const auto second = another_manager();
  ASSERT_TRUE(second->is_ready_soon());
  create_pods(50, "gpus");
  EXPECT_TRUE(soon("every pod has its claim", [&] { return every_pod_has_its_claim(); }));
  EXPECT_EQ(claim_names().size(), 50U) << "both compute the same names";
  for (int i = 0; i < 50; ++i) set_phase("pod-" + std::to_string(i), "Succeeded");
  EXPECT_TRUE(soon("finished pods leave no claim", [&] { return claim_names().empty(); }));
  second->kill();
}

}  // namespace
}  // namespace dcm::conformance
