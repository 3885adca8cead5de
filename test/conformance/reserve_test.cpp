// Reservations for pods that a scheduler did not make.
#include <algorithm>

#include <fmt/format.h>

#include "test/conformance/case.hpp"

namespace dcm::conformance {
namespace {

class Reserve : public Case {};

TEST_F(Reserve, a_pod_that_came_with_a_node_name_reserves_its_allocated_claim) {
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

TEST_F(Reserve, a_claim_that_is_allocated_later_is_reserved_then) {
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

TEST_F(Reserve, a_generated_claim_is_reserved_too) {
  start_manager();
  create_template("gpus");
  const json::value pod =
      create_pod({.name = "bound", .templates = {{"accel", "gpus"}}, .node = "node-a"});
  const std::string claim = wait_for_claim_of("bound", "accel");
  allocate(claim);
  EXPECT_TRUE(soon("the claim is reserved for the pod",
                   [&] { return reserved_for(claim) == uids({pod}); }));
}

TEST_F(Reserve, a_pod_without_a_node_reserves_nothing) {
  start_manager();
  create_claim("shared");
  allocate("shared");
  create_pod({.name = "waits", .claims = {{"accel", "shared"}}});
  settle();
  EXPECT_TRUE(reserved_for("shared").empty());
}

TEST_F(Reserve, a_pod_that_is_reserved_already_leads_to_no_write) {
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

TEST_F(Reserve, twenty_pods_at_once_are_all_reserved_on_one_claim) {
  start_manager();
  create_claim("shared");
  allocate("shared");
  for (int i = 0; i < 20; ++i) {
    create_pod(
        {.name = fmt::format("pod-{}", i), .claims = {{"accel", "shared"}}, .node = "node-a"});
  }
  EXPECT_TRUE(soon("all are reserved", [&] { return reserved_for("shared").size() == 20; }));
}

TEST_F(Reserve, other_reservations_stay_when_one_is_added) {
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

TEST_F(Reserve, a_finished_pod_reserves_nothing) {
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

TEST_F(Reserve, a_claim_that_is_being_deleted_is_not_reserved) {
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

TEST_F(Reserve, a_claim_that_is_full_is_left_alone_and_an_event_says_so) {
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
