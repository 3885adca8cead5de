// Reservations for pods not placed by a scheduler.
#include <algorithm>

#include <fmt/format.h>

#include "test/conformance/case.hpp"

namespace dcm::conformance {
namespace {

class Reserve : public Case {};

TEST_F(Reserve, reserves_allocated_claim_for_pod_with_node) {
  start_manager();
  create_claim("shared");
  allocate("shared");
  const json::value pod =
      create_pod({.name = "bound", .claims = {{"accel", "shared"}}, .node = "node-a"});
  EXPECT_TRUE(soon("the claim is reserved for the pod",
                   [&] { return reserved_for("shared") == uids({pod}); }));
  const json::value claim = get("resourceclaims", "shared");
  EXPECT_EQ(text_at(claim, "/status/reservedFor/0/resource"), "pods");
  EXPECT_EQ(text_at(claim, "/status/reservedFor/0/name"), "bound");
  EXPECT_TRUE(at(claim, "/status/reservedFor/0/apiGroup").is_null());
}

TEST_F(Reserve, reserves_claim_allocated_later) {
  start_manager();
  create_claim("shared");
  const json::value pod =
      create_pod({.name = "bound", .claims = {{"accel", "shared"}}, .node = "node-a"});
  settle();
  EXPECT_TRUE(reserved_for("shared").empty());
  allocate("shared");
  EXPECT_TRUE(soon("the claim is reserved for the pod",
                   [&] { return reserved_for("shared") == uids({pod}); }));
}

TEST_F(Reserve, reserves_generated_claim) {
  start_manager();
  create_template("gpus");
  const json::value pod =
      create_pod({.name = "bound", .templates = {{"accel", "gpus"}}, .node = "node-a"});
  const std::string claim = wait_for_claim_of("bound", "accel");
  allocate(claim);
  EXPECT_TRUE(soon("the claim is reserved for the pod",
                   [&] { return reserved_for(claim) == uids({pod}); }));
}

TEST_F(Reserve, ignores_pod_without_node) {
  start_manager();
  create_claim("shared");
  allocate("shared");
  create_pod({.name = "waits", .claims = {{"accel", "shared"}}});
  settle();
  EXPECT_TRUE(reserved_for("shared").empty());
}

TEST_F(Reserve, writes_nothing_if_already_reserved) {
  create_claim("shared");
  const json::value pod =
      create_pod({.name = "bound", .claims = {{"accel", "shared"}}, .node = "node-a"});
  allocate("shared", {reservation_of(pod)});
  faults();
  start_manager();
  set_phase("bound", "Running");
  settle();
  EXPECT_EQ(writes().size(), 0U);
  EXPECT_EQ(reserved_for("shared"), uids({pod}));
}

TEST_F(Reserve, reserves_one_claim_for_twenty_pods) {
  start_manager();
  create_claim("shared");
  allocate("shared");
  for (int i = 0; i < 20; ++i) {
    create_pod(
        {.name = fmt::format("pod-{}", i), .claims = {{"accel", "shared"}}, .node = "node-a"});
  }
  EXPECT_TRUE(soon("all are reserved", [&] { return reserved_for("shared").size() == 20; }));
}

TEST_F(Reserve, keeps_other_reservations) {
  start_manager();
  create_claim("shared");
  allocate("shared",
           {{.name = "t", .uid = "some-train", .resource = "trains", .api_group = "example.com"}});
  const json::value pod =
      create_pod({.name = "bound", .claims = {{"accel", "shared"}}, .node = "node-a"});
  EXPECT_TRUE(soon("both are there", [&] { return reserved_for("shared").size() == 2; }));
  EXPECT_EQ(std::ranges::count(reserved_for("shared"), "some-train"), 1);
  EXPECT_EQ(std::ranges::count(reserved_for("shared"), reservation_of(pod).uid), 1);
}

TEST_F(Reserve, ignores_finished_pod) {
  reference("reserves for the finished pod, then removes the reservation and deallocates");
  create_claim("shared");
  allocate("shared");
  create_pod({.name = "done", .claims = {{"accel", "shared"}}, .node = "node-a"});
  set_phase("done", "Failed");
  faults();
  start_manager();
  settle();
  EXPECT_TRUE(reserved_for("shared").empty());
  EXPECT_EQ(writes().size(), 0U);
}

TEST_F(Reserve, ignores_claim_in_deletion) {
  reference("sends the write, which the API server refuses, and tries again forever");
  create_claim("leaving");
  allocate("leaving",
           {{.name = "t", .uid = "some-train", .resource = "trains", .api_group = "example.com"}});
  kube().remove(path("resourceclaims", "leaving"));
  create_pod({.name = "bound", .claims = {{"accel", "leaving"}}, .node = "node-a"});
  faults();
  start_manager();
  settle();
  EXPECT_EQ(reserved_for("leaving"), Names{"some-train"});
  EXPECT_EQ(writes().size(), 0U);
}

TEST_F(Reserve, reports_full_claim) {
  reference("sends the write, which the API server refuses, and tries again forever");
  std::vector<Reservation> full;
  for (int i = 0; i < 256; ++i) {
    full.push_back({.name = fmt::format("t-{}", i),
                    .uid = fmt::format("train-{}", i),
                    .resource = "trains",
                    .api_group = "example.com"});
  }
  create_claim("full");
  allocate("full", full);
  create_pod({.name = "late", .claims = {{"accel", "full"}}, .node = "node-a"});
  faults();
  start_manager();
  EXPECT_TRUE(soon("a warning on the pod", [&] { return !events_of("late").empty(); }));
  settle();
  EXPECT_EQ(reserved_for("full").size(), 256U);
  EXPECT_EQ(writes().size(), 0U);
}

}  // namespace
}  // namespace dcm::conformance
