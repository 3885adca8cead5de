// Two managers and one lease: whatever happens to the leader while pods are being served, no claim
// is created twice and none is missing.
//
// With DCM_LEADER_PODS=1000 in the environment, that many pods are served instead of a few hundred,
// with default flags: for long runs on a busy server.
#include <cmath>
#include <csignal>
#include <ctime>
#include <thread>

#include <fmt/format.h>

#include "test/conformance/case.hpp"
#include "test/support/blocking_client.hpp"

namespace dcm::conformance {
namespace {

using namespace std::chrono_literals;

constexpr const char* kLeases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
constexpr const char* kName = "dra-controller-manager";
constexpr const char* kCreates =
    "dynamic_resource_allocation_resourceclaim_creates_total{admin_access=\"false\","
    "owner_api_group=\"\",owner_api_kind=\"Pod\",status=\"success\"}";
constexpr const char* kMaster = "leader_election_master_status{name=\"dra-controller-manager\"}";
constexpr const char* kSlowPaths =
    "leader_election_slowpath_total{name=\"dra-controller-manager\"}";
constexpr const char* kRunning =
    "running_managed_controllers{manager=\"dra-controller-manager\","
    "name=\"resourceclaim-controller\"}";

// "2026-11-21T17:49:12.028984Z"
double seconds_of(const std::string& time) {
  std::tm parts{};
  const char* const rest = strptime(time.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (rest == nullptr) return std::nan("");
  return static_cast<double>(timegm(&parts)) + std::strtod(rest, nullptr);
}

const char* given_pods() {
  return std::getenv("DCM_LEADER_PODS");
}

int pod_count() {
  return given_pods() == nullptr ? 300 : std::atoi(given_pods());
}

constexpr int kLeaseSeconds = 15;  // the default

// The time of day of the line that contains `text`: "I1121 17:49:12.028984 …".
double log_time(const Manager& manager, const std::string& text) {
  const std::string log = manager.log();
  const std::size_t found = log.find("\"" + text);
  if (found == std::string::npos) return std::nan("");
  const std::size_t line = log.rfind('\n', found) + 1;
  int hours = 0;
  int minutes = 0;
  double seconds = 0;
  std::sscanf(log.c_str() + line, "I%*d %d:%d:%lf", &hours, &minutes, &seconds);
  return hours * 3600 + minutes * 60 + seconds;
}

class Leader : public Case {
 protected:
  void SetUp() override {
    if (run().manager == ManagerKind::reference) GTEST_SKIP() << "this is about our own binary";
    patience();
    kube().remove(lease_path());
  }

  void TearDown() override {
    for (auto* manager : {&first_, &second_}) {
      if (!*manager) continue;
      (*manager)->resume();
      (*manager)->kill();
    }
    kube().remove(lease_path());
  }

  // More attempts in the same time: a busy machine must not lose its lease.
  static std::vector<std::string> flags(std::vector<std::string> more = {}) {
    more.insert(more.begin(), "--leader-elect=true");
    if (given_pods() == nullptr) {
      more.insert(more.begin(),
                  {"--leader-elect-renew-deadline=12s", "--leader-elect-retry-period=1s"});
    }
    return more;
  }

  static std::string lease_path() { return fmt::format("{}/{}", kLeases, kName); }
  json::value lease() { return kube().get(lease_path()).body; }
  std::string holder() { return text_at(lease(), "/spec/holderIdentity"); }
  std::int64_t transitions() {
    const json::value object = lease();
    const json::value& number = at(object, "/spec/leaseTransitions");
    return number.is_int64() ? number.as_int64() : -1;
  }
  static bool leads(Manager& manager) { return manager.metric(kMaster) == 1; }

  // The first one leads, and uses the proxy; the second one is on standby, and does not.
  void start_two() {
    first_ = another_manager(faults().kubeconfig(), flags());
    ASSERT_TRUE(first_->is_ready_soon()) << first_->log();
    ASSERT_TRUE(soon("the first one leads", [&] { return leads(*first_); })) << first_->log();
    support::write_kubeconfig(file("direct"), run().restricted);
    second_ = another_manager(file("direct"), flags());
    ASSERT_TRUE(second_->is_ready_soon()) << second_->log();
    ASSERT_FALSE(leads(*second_));
  }

  // Pods arrive while `fault` happens to the first one, which has begun to serve them.
  template <class Fault>
  void serve_pods_through(Fault fault) {
    create_template("gpus");
    std::thread pods([this] { make_pods(); });
    EXPECT_TRUE(support::eventually([this] { return first_->metric(kCreates) > pod_count() / 4; },
                                    120s, 20ms))
        << first_->log();
    fault();
    pods.join();
  }

  void expect_all_served_once() {
    EXPECT_TRUE(support::eventually([this] { return every_pod_has_its_claim(); }, 120s, 200ms));
    EXPECT_EQ(claim_names().size(), static_cast<std::size_t>(pod_count()));
    // The current leader does not mistake the other's claims for foreign ones.
    EXPECT_EQ(second_->metric("dra_controller_manager_foreign_claims_total"), 0);
  }

  // When the first one last renewed its lease, after it has become unable to.
  double last_renewal() { return seconds_of(text_at(lease(), "/spec/renewTime")); }

  // Returns how long nobody held the lease, given `last_sign_of_life`.
  double takeover_after(double last_sign_of_life) {
    EXPECT_TRUE(soon("the second one leads", [&] { return leads(*second_); })) << second_->log();
    EXPECT_EQ(transitions(), 1);
    const double gap = seconds_of(text_at(lease(), "/spec/acquireTime")) - last_sign_of_life;
    fmt::print("nobody held the lease for {:.3f} s\n", gap);
    return gap;
  }

  // How many writes of the first one reached the server, except Events and leases.
  std::size_t writes_of_first() { return writes().size(); }

  std::unique_ptr<Manager> first_;
  std::unique_ptr<Manager> second_;

 private:
  void make_pods() {
    Kube own(run().admin);
    std::vector<json::value> pods;
    for (int i = 0; i < pod_count(); ++i) pods.push_back(pod(fmt::format("pod-{}", i)));
    own.post_all(path("pods"), pods, 8);
  }

  static json::value pod(const std::string& name) {
    return {{"metadata", {{"name", name}}},
            {"spec",
             {{"containers", json::array{{{"name", "main"}, {"image", "example.com/main:1"}}}},
              {"resourceClaims",
               json::array{{{"name", "accel"}, {"resourceClaimTemplateName", "gpus"}}}}}}};
  }
};

TEST_F(Leader, works_while_standby_writes_nothing) {
  start_two();
  EXPECT_EQ(first_->metric(kRunning), 1);
  EXPECT_EQ(second_->metric(kRunning), 0);
  create_template("gpus");
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  wait_for_claim_of("trainer-0", "accel");
  EXPECT_EQ(first_->metric(kCreates), 1);
  EXPECT_EQ(second_->metric(kCreates), 0);
  EXPECT_EQ(second_->status_page("/readyz"), "ok");
  EXPECT_EQ(transitions(), 0);
  // An event on the lease names the leader.
  EXPECT_TRUE(soon("an event says who leads", [&] {
    const std::string events = kube().get("/api/v1/namespaces/kube-system/events").text;
    return events.contains(holder() + " became leader");
  }));
}

TEST_F(Leader, is_replaced_when_killed) {
  start_two();
  double renewed = 0;
  serve_pods_through([&] {
    first_->kill();
    renewed = last_renewal();
  });
  EXPECT_GE(takeover_after(renewed), kLeaseSeconds);
  expect_all_served_once();
}

TEST_F(Leader, ends_after_pause_longer_than_lease) {
  start_two();
  double renewed = 0;
  serve_pods_through([&] {
    first_->pause();
    renewed = last_renewal();
  });
  EXPECT_GE(takeover_after(renewed), kLeaseSeconds);
  const std::size_t before = writes_of_first();
  first_->resume();
  EXPECT_EQ(first_->await_end(), 1);
  EXPECT_NE(first_->log().find("Lost the lease"), std::string::npos) << first_->log();
  // At most one write can be between the fence and the wire.
  EXPECT_LE(writes_of_first(), before + 1);
  expect_all_served_once();
}

TEST_F(Leader, releases_lease_on_stop) {
  start_two();
  serve_pods_through([&] { EXPECT_EQ(first_->stop(), 0); });
  EXPECT_NE(first_->log().find("The lease is released"), std::string::npos) << first_->log();
  EXPECT_TRUE(soon("the second one leads", [&] { return leads(*second_); })) << second_->log();
  EXPECT_EQ(transitions(), 1);
  const double released = log_time(*first_, "The lease is released");
  fmt::print("nobody held the lease for {:.3f} s\n",
             log_time(*second_, "Became the leader") - released);
  expect_all_served_once();
}

TEST_F(Leader, ends_if_renewals_fail_while_other_requests_succeed) {
  start_two();
  double renewed = 0;
  serve_pods_through([&] {
    const std::size_t rule = faults().add({.method = "GET|PUT",
                                           .target = "/leases/",
                                           .times = 1'000'000,
                                           .fault = {.kind = FaultKind::reset}});
    EXPECT_TRUE(soon("a renewal is lost", [&] { return faults().matched(rule) > 0; }));
    renewed = last_renewal();
    EXPECT_EQ(first_->await_end(), 1);
  });
  EXPECT_GE(takeover_after(renewed), kLeaseSeconds);
  expect_all_served_once();
}

TEST_F(Leader, continues_when_answers_about_lease_are_lost) {
  start_two();
  const std::string who = holder();
  for (int lost = 1; lost <= 3; ++lost) {
    faults().add(
        {.method = "PUT", .target = "/leases/", .fault = {.kind = FaultKind::drop_answer}});
    EXPECT_TRUE(soon("it looks before it renews again", [&] {
      return first_->metric(kSlowPaths) >= lost;
    })) << first_->log();
  }
  const double renewed = last_renewal();
  EXPECT_TRUE(soon("it renews", [&] { return last_renewal() > renewed; }));
  EXPECT_EQ(holder(), who);
  EXPECT_EQ(transitions(), 0);
}

TEST_F(Leader, recreates_deleted_lease) {
  start_two();
  const std::string who = holder();
  kube().remove(lease_path());
  EXPECT_TRUE(soon("it is there again", [&] { return holder() == who; }));
  EXPECT_TRUE(leads(*first_));
  EXPECT_FALSE(leads(*second_));
}

TEST_F(Leader, waits_for_lease_of_other_version) {
  // A candidate that writes unknown fields to the lease and omits others.
  kube().must_post(
      kLeases,
      {{"metadata", {{"name", kName}, {"labels", {{"team", "storage"}}}}},
       {"spec", {{"holderIdentity", "another-version"}, {"leaseDurationSeconds", kLeaseSeconds}}}});
  first_ = another_manager(flags());
  ASSERT_TRUE(first_->is_ready_soon()) << first_->log();
  EXPECT_EQ(holder(), "another-version");
  EXPECT_TRUE(soon("it is taken over", [&] { return leads(*first_); })) << first_->log();
  EXPECT_EQ(transitions(), 1);
  EXPECT_EQ(text_at(lease(), "/metadata/labels/team"), "storage");
}

TEST_F(Leader, reports_missing_permission_for_lease) {
  if (run().server == ServerKind::memory) GTEST_SKIP() << "this server permits everything";
  first_ = another_manager(flags({"--leader-elect-resource-name=not-ours"}));
  EXPECT_TRUE(soon("it says why", [&] {
    return first_->is_unready("leases") && first_->is_unready("not-ours") &&
           first_->status_page("/readyz").contains("lease failed: forbidden\n");
  })) << first_->status_page("/readyz");
  EXPECT_EQ(first_->stop(), 0);
}

}  // namespace
}  // namespace dcm::conformance
