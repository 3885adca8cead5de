// Watches that end, break, stall or report lost history, and an unreachable API server.
#include <algorithm>

#include <fmt/format.h>

#include "test/conformance/case.hpp"

namespace dcm::conformance {
namespace {

constexpr const char* kAll = "watch=";
// The server's event in the stream when history is gone.
constexpr const char* kGone = R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1",)"
                              R"("metadata":{},"status":"Failure","reason":"Expired",)"
                              R"("message":"too old resource version","code":410}})";

class Watch : public Case {
 protected:
  void SetUp() override {
    faults();
    create_template("gpus");
  }
  // A pod is served, and a finished one is released: all three watches work.
  void expect_all_works(const std::string& pod) {
    create_pod({.name = pod, .templates = {{"accel", "gpus"}}, .node = "node-a"});
    const std::string claim = wait_for_claim_of(pod, "accel");
    allocate(claim);
    EXPECT_TRUE(soon("it is reserved", [&] { return reserved_for(claim).size() == 1; }));
    set_phase(pod, "Succeeded");
    EXPECT_TRUE(soon("it is gone", [&] { return !exists("resourceclaims", claim); }));
    delete_pod(pod);
  }
};

TEST_F(Watch, resumes_after_cut) {
  start_manager();
  expect_all_works("before");
  EXPECT_GE(faults().cut_watches(kAll), 3U);
  expect_all_works("after");
}

TEST_F(Watch, loses_nothing_when_cut_within_event) {
  start_manager();
  // The next pods watch ends within its second event.
  faults().add({.method = "GET",
                .target = "/pods.*watch=",
                .fault = {.kind = FaultKind::cut_answer, .bytes = 3000}});
  faults().cut_watches("/pods");
  create_pods(20, "gpus");
  EXPECT_TRUE(soon("every pod has its claim", [&] { return every_pod_has_its_claim(); }));
  EXPECT_EQ(claim_names().size(), 20U);
}

TEST_F(Watch, restarts_after_410_in_stream) {
  start_manager();
  expect_all_works("before");
  EXPECT_GE(faults().inject(kAll, kGone), 3U);
  expect_all_works("after");
}

TEST_F(Watch, restarts_after_410_as_answer) {
  start_manager();
  expect_all_works("before");
  faults().add({.method = "GET",
                .target = "watch=.*resourceVersion=[1-9]|resourceVersion=[1-9].*watch=",
                .times = 3,
                .fault = {.kind = FaultKind::answer, .answer = {.status = 410}}});
  faults().cut_watches(kAll);
  expect_all_works("after");
}

TEST_F(Watch, finds_missed_pod_deletion_by_relist) {
  start_manager();
  create_claim("shared");
  const json::value pod =
      create_pod({.name = "gone", .claims = {{"accel", "shared"}}, .node = "node-a"});
  allocate("shared", {reservation_of(pod)});
  settle();
  faults().stall_watches("/pods");
  delete_pod("gone");
  // The events held in the stalled watch are lost with it, and so is the history.
  faults().add(
      {.method = "GET",
       .target = "/pods.*resourceVersion=[1-9].*watch=|/pods.*watch=.*resourceVersion=[1-9]",
       .fault = {.kind = FaultKind::answer, .answer = {.status = 410}}});
  faults().cut_watches("/pods");
  EXPECT_TRUE(soon("it is free", [&] { return is_free("shared"); }));
}

TEST_F(Watch, creates_no_second_claim_when_claims_lag) {
  start_manager();
  settle();
  faults().stall_watches("/resourceclaims\\?");
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  const std::string claim = wait_for_claim_of("trainer-0", "accel");
  // The pod changes, and the claim has not been seen yet.
  for (int i = 0; i < 5; ++i) {
    kube().must_patch(path("pods", "trainer-0"), Kube::Patch::merge,
                      {{"metadata", {{"labels", {{"round", fmt::format("r{}", i)}}}}}});
  }
  faults().resume_watches("/resourceclaims\\?");
  settle();
  EXPECT_EQ(claim_names(), Names{claim});
  EXPECT_EQ(claim_of("trainer-0", "accel"), claim);
}

TEST_F(Watch, creates_no_second_claim_when_claims_lag_and_answer_is_lost) {
  reference(
      "looks for the lost claim only in its cache, does not find it, and makes a second claim");
  start_manager();
  settle();
  faults().stall_watches("/resourceclaims\\?");
  const std::size_t rule = faults().add(
      {.method = "POST", .target = kClaims, .fault = {.kind = FaultKind::drop_answer}});
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  const std::string claim = wait_for_claim_of("trainer-0", "accel");
  EXPECT_EQ(faults().matched(rule), 1U);
  faults().resume_watches("/resourceclaims\\?");
  settle();
  EXPECT_EQ(claim_names(), Names{claim});
}

TEST_F(Watch, spares_new_claim_when_deletions_lag) {
  start_manager();
  create_claim("shared");
  const json::value pod =
      create_pod({.name = "a", .claims = {{"accel", "shared"}}, .node = "node-a"});
  allocate("shared", {reservation_of(pod)});
  settle();
  faults().stall_watches("/resourceclaims\\?");
  set_finalizers("shared", {});
  kube().remove(path("resourceclaims", "shared"));
  create_claim("shared");
  allocate("shared");
  delete_pod("a");
  EXPECT_TRUE(soon("the write for the old claim has been refused", [&] {
    return faults().count("PATCH", kClaimStatus) + faults().count("PUT", kClaimStatus) > 0;
  }));
  faults().resume_watches("/resourceclaims\\?");
  settle();
  EXPECT_TRUE(is_allocated("shared"));
}

TEST_F(Watch, repeats_interrupted_lists) {
  create_pods(20, "gpus");
  faults().add({.method = "GET",
                .target = "/(pods|resourceclaims|resourceclaimtemplates)\\?",
                .times = 3,
                .fault = {.kind = FaultKind::cut_answer, .bytes = 500}});
  start_manager();
  EXPECT_TRUE(soon("every pod has its claim", [&] { return every_pod_has_its_claim(); }));
  EXPECT_EQ(claim_names().size(), 20U);
}

TEST_F(Watch, catches_up_after_server_restart) {
  patience();
  start_manager();
  expect_all_works("before");
  faults().add({.times = 1'000'000, .fault = {.kind = FaultKind::reset}});
  faults().cut_watches(kAll);
  // The manager does not see these changes.
  create_pods(20, "gpus");
  EXPECT_TRUE(soon("the manager has tried", [&] { return faults().count("GET", "watch=") > 6; }));
  EXPECT_FALSE(manager().exit_status());
  faults().clear();
  EXPECT_TRUE(soon("every pod has its claim", [&] { return every_pod_has_its_claim(); }));
  const Names names = claim_names();
  EXPECT_EQ(std::ranges::count_if(names, [](const auto& name) { return name.starts_with("pod-"); }),
            20);
}

TEST_F(Watch, waits_for_server_started_later) {
  reference("ends when it cannot reach the API server at its start");
  patience();
  faults().add({.times = 1'000'000, .fault = {.kind = FaultKind::reset}});
  auto early = another_manager();
  EXPECT_TRUE(soon("the manager has tried", [&] { return faults().requests().size() > 2; }));
  create_pods(5, "gpus");
  faults().clear();
  EXPECT_TRUE(soon("every pod has its claim", [&] { return every_pod_has_its_claim(); }));
  EXPECT_FALSE(early->exit_status());
  early->kill();
}

}  // namespace
}  // namespace dcm::conformance
