// An API server that restarts, and a store that is compacted: with real processes, not simulated by
// a proxy.
#include <algorithm>

#include <fmt/format.h>

#include "test/conformance/case.hpp"

namespace dcm::conformance {
namespace {

// A manager waits 30 s or slightly more before it retries a server that has long been unreachable.
constexpr std::chrono::seconds kPatience{90};

class Restart : public Case, public testing::WithParamInterface<ApiServer::Ending> {
 protected:
  void SetUp() override { patience(kPatience); }
  // A pod is served, reserved for and released: everything works.
  void expect_all_works(const std::string& pod) {
    create_pod({.name = pod, .templates = {{"accel", "gpus"}}, .node = "node-a"});
    const std::string claim = wait_for_claim_of(pod, "accel");
    allocate(claim);
    EXPECT_TRUE(soon("it is reserved", [&] { return reserved_for(claim).size() == 1; }));
    delete_pod(pod);
    EXPECT_TRUE(soon("it is free", [&] { return is_free(claim); }));
  }
};

TEST_P(Restart, continues_after_server_restart) {
  start_manager();
  create_template("gpus");
  expect_all_works("before");
  halt_server(GetParam());
  EXPECT_FALSE(manager().exit_status());
  if (run().manager == ManagerKind::ours) EXPECT_EQ(manager().status_page("/livez"), "ok");
  resume_server();
  expect_all_works("after");
  EXPECT_FALSE(manager().exit_status());
  if (run().manager == ManagerKind::ours) EXPECT_EQ(manager().status_page("/readyz"), "ok");
}

TEST_P(Restart, loses_and_duplicates_nothing_among_a_hundred_pods) {
  reference("looks for a lost claim only in its cache, and may make a second claim");
  start_manager();
  create_template("gpus");
  create_pods(100, "gpus");
  ASSERT_TRUE(soon("some claims are made", [&] { return claim_names().size() > 5; }));
  halt_server(GetParam());
  resume_server();
  EXPECT_TRUE(soon("every pod has its claim", [&] { return every_pod_has_its_claim(); }));
  settle();
  EXPECT_EQ(claim_names().size(), 100U);
}

INSTANTIATE_TEST_SUITE_P(Server, Restart,
                         testing::Values(ApiServer::Ending::in_order, ApiServer::Ending::crash),
                         [](const auto& info) {
                           return info.param == ApiServer::Ending::crash ? "as_a_crash"
                                                                         : "in_order";
                         });

class Server : public Case {
 protected:
  void SetUp() override { patience(kPatience); }
};

TEST_F(Server, is_listed_again_after_compaction_of_missed_events) {
  faults();
  start_manager();
  create_template("gpus");
  create_claim("shared");
  const json::value pod =
      create_pod({.name = "gone", .claims = {{"accel", "shared"}}, .node = "node-a"});
  allocate("shared", {reservation_of(pod)});
  settle();
  // The manager is cut off, objects change, and the history that it would need is compacted.
  faults().add({.times = 1'000'000, .fault = {.kind = FaultKind::reset}});
  faults().cut_watches("watch=");
  delete_pod("gone");
  create_pods(3, "gpus");
  compact_history();
  halt_server(ApiServer::Ending::in_order);
  resume_server();
  faults().clear();
  EXPECT_TRUE(soon("the missed deletion is seen", [&] { return is_free("shared"); }));
  EXPECT_TRUE(soon("every pod has its claim", [&] {
    const Names names = claim_names();
    return std::ranges::count_if(names, [](const auto& n) { return n.starts_with("pod-"); }) == 3;
  }));
}

TEST_F(Server, is_listed_from_the_start_after_compaction_during_list) {
  if (run().manager == ManagerKind::reference) GTEST_SKIP() << "it reads no lists page by page";
  std::vector<json::value> templates;
  for (int i = 0; i <= 500; ++i) {
    templates.push_back({{"apiVersion", "resource.k8s.io/v1"},
                         {"kind", "ResourceClaimTemplate"},
                         {"metadata", {{"name", fmt::format("template-{:03}", i)}}},
                         {"spec", {{"spec", json::object()}}}});
  }
  kube().post_all(path("resourceclaimtemplates"), templates, 20);
  // A server without watch lists, and the second page of the list.
  faults().add({.method = "GET",
                .target = "sendInitialEvents=true",
                .times = 1'000'000,
                .fault = {.kind = FaultKind::answer, .answer = {.status = 422}}});
  const std::size_t page = faults().add({.method = "GET",
                                         .target = "/resourceclaimtemplates\\?.*continue=",
                                         .fault = {.kind = FaultKind::hold}});
  const auto manager = another_manager();
  ASSERT_TRUE(soon("the second page is asked for", [&] { return faults().held(page) == 1; }));
  create_template("zz-after-the-list");
  compact_history();
  halt_server(ApiServer::Ending::in_order);
  resume_server();
  faults().release(page, Release::pass);
  EXPECT_TRUE(manager->is_ready_soon()) << manager->log();
  create_pod({.name = "last", .templates = {{"accel", "template-500"}}});
  wait_for_claim_of("last", "accel");
  create_pod({.name = "late", .templates = {{"accel", "zz-after-the-list"}}});
  wait_for_claim_of("late", "accel");
  const auto requests = faults().requests();
  const auto is_refused = [](const auto& each) { return each.status == 410; };
  EXPECT_EQ(std::ranges::count_if(requests, is_refused), 1) << "the server has not forgotten";
  manager->kill();
}

}  // namespace
}  // namespace dcm::conformance
