// Lost answers to executed requests, and temporary refusals: each write meets each fault, and in
// the end nothing is duplicated or missing.
#include "test/conformance/case.hpp"
#include "test/conformance/trouble.hpp"

namespace dcm::conformance {
namespace {

class Writes : public Case, public testing::WithParamInterface<Trouble> {
 protected:
  void start_manager_through_proxy() {
    faults();
    start_manager();
  }
  // Spoils the next matching request of this namespace.
  std::size_t spoil(const char* method, const std::string& target) {
    return faults().add(
        {.method = method, .target = "/namespaces/" + ns() + target, .fault = GetParam().fault});
  }
};

TEST_P(Writes, survive_fault_at_claim_create) {
  reference("looks for a lost claim only in its cache, and makes a second claim if the cache lags");
  start_manager_through_proxy();
  create_template("gpus");
  const std::size_t rule = spoil("POST", kClaims);
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  wait_for_claim_of("trainer-0", "accel");
  settle();
  EXPECT_EQ(faults().matched(rule), 1U);
  EXPECT_EQ(claim_names().size(), 1U);
}

TEST_P(Writes, survive_fault_at_names_in_pod_status) {
  start_manager_through_proxy();
  create_template("gpus");
  const std::size_t rule = spoil("PATCH", kPodStatus);
  create_pod({.name = "trainer-0", .templates = {{"a", "gpus"}, {"b", "gpus"}}});
  wait_for_claim_of("trainer-0", "a");
  wait_for_claim_of("trainer-0", "b");
  settle();
  EXPECT_EQ(faults().matched(rule), 1U);
  EXPECT_EQ(claim_names().size(), 2U);
}

TEST_P(Writes, survive_fault_at_reservation) {
  start_manager_through_proxy();
  create_claim("shared");
  allocate("shared");
  const std::size_t rule = spoil(kWrite, kClaimStatus);
  const json::value pod =
      create_pod({.name = "bound", .claims = {{"accel", "shared"}}, .node = "node-a"});
  EXPECT_TRUE(soon("the claim is reserved", [&] { return reserved_for("shared") == uids({pod}); }));
  settle();
  EXPECT_EQ(faults().matched(rule), 1U);
  EXPECT_EQ(reserved_for("shared").size(), 1U);
}

TEST_P(Writes, survive_fault_at_release) {
  start_manager_through_proxy();
  create_claim("shared");
  const json::value pod =
      create_pod({.name = "bound", .claims = {{"accel", "shared"}}, .node = "node-a"});
  allocate("shared", {reservation_of(pod)});
  const std::size_t rule = spoil(kWrite, kClaimStatus);
  delete_pod("bound");
  EXPECT_TRUE(soon("it is deallocated",
                   [&] { return reserved_for("shared").empty() && !is_allocated("shared"); }));
  settle();
  EXPECT_EQ(faults().matched(rule), 1U);
  // A finalizer left on an idle claim is removed when the claim is deleted.
  kube().remove(path("resourceclaims", "shared"));
  EXPECT_TRUE(soon("it is gone", [&] { return !exists("resourceclaims", "shared"); }));
}

TEST_P(Writes, survive_fault_at_finalizer_removal) {
  start_manager_through_proxy();
  create_claim("shared");
  const json::value pod =
      create_pod({.name = "bound", .claims = {{"accel", "shared"}}, .node = "node-a"});
  allocate("shared", {reservation_of(pod)});
  const std::size_t rule = spoil(kWrite, kClaim);
  delete_pod("bound");
  EXPECT_TRUE(soon("it is deallocated",
                   [&] { return faults().matched(rule) == 1 && !is_allocated("shared"); }));
  kube().remove(path("resourceclaims", "shared"));
  EXPECT_TRUE(soon("it is gone", [&] { return !exists("resourceclaims", "shared"); }));
}

TEST_P(Writes, survive_fault_at_delete_of_generated_claim) {
  reference("may recreate the finished pod's claim once before it deletes it for good");
  if (GetParam().fault.answer.status == 409) {
    GTEST_SKIP() << "says that another claim has the name: nothing is left to do";
  }
  start_manager_through_proxy();
  create_template("gpus");
  create_pod({.name = "job", .templates = {{"accel", "gpus"}}, .node = "node-a"});
  wait_for_claim_of("job", "accel");
  const std::size_t rule = spoil("DELETE", kClaim);
  set_phase("job", "Succeeded");
  EXPECT_TRUE(soon("the claim is gone", [&] { return claim_names().empty(); }));
  settle();
  EXPECT_EQ(faults().matched(rule), 1U);
  EXPECT_TRUE(claim_names().empty());
}

INSTANTIATE_TEST_SUITE_P(Lost, Writes, testing::ValuesIn(troubles()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace dcm::conformance
