// A dry run alongside a working manager, or alone: what is reported, and that nothing is written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/unit/device_taint_eviction/cluster.hpp"

namespace dcm::device_taint_eviction {
namespace {

using testing::IsEmpty;

struct DryRun : Cluster {
  explicit DryRun(ControllerOptions options = {}) : Cluster(options) { role = Role::dry_run; }
  double counted(const std::string& metric, const std::string& verb, const std::string& resource) {
    return this->metric("dra_controller_manager_dry_run_" + metric +
                        "{controller=\"device-taint-eviction-controller\",resource=\"" + resource +
                        "\",verb=\"" + verb + "\"}");
  }
  double all(const std::string& metric) {
    double sum = 0;
    for (const common::WriteKind& kind : ShadowApi::kWrites) {
      sum += counted(metric, std::string(kind.verb), std::string(kind.resource));
    }
    return sum;
  }
  // Acts as the evicting manager, which writes the rule's condition.
  void somebody_writes(const std::string& status, const std::string& reason,
                       const std::string& message) {
    api::DeviceTaintRule rule = *Cluster::rule_for_all().get();
    rule.condition = {"EvictionInProgress", status, reason, message, rule.generation, at(0s)};
    api.set(RulePtr(std::move(rule)));
  }
};

TEST(DryRun, reports_pod_left_in_place_until_evicted) {
  DryRun cluster;
  cluster.add_pod("p");
  cluster.start_with_rule(20min);
  EXPECT_EQ(cluster.counted("writes_total", "patch", "pods/status"), 1);
  EXPECT_EQ(cluster.counted("writes_total", "delete", "pods"), 1);
  EXPECT_EQ(cluster.counted("writes_total", "create", "events"), 1);
  EXPECT_EQ(cluster.counted("disagreements_total", "delete", "pods"), 1);
  EXPECT_EQ(cluster.counted("open_disagreements", "patch", "devicetaintrules/status"), 1);
  EXPECT_TRUE(
      cluster.logged("what=\"evict it because of a device taint\" shown=\"the pod is there\""));
  EXPECT_EQ(cluster.metric("device_taint_eviction_controller_pod_deletions_total"), 0);
  EXPECT_EQ(cluster.metric("dra_controller_manager_evictions_stuck"), 0);
  cluster.api.remove_pod("p");
  cluster.run_for(10s);
  EXPECT_EQ(cluster.counted("open_disagreements", "delete", "pods"), 0);
  EXPECT_EQ(cluster.counted("open_disagreements", "patch", "pods/status"), 0);
  EXPECT_THAT(cluster.calls(), IsEmpty());
  EXPECT_THAT(cluster.events.texts, IsEmpty());
}

TEST(DryRun, agrees_with_working_manager) {
  DryRun cluster;
  cluster.add_pod("p");
  cluster.start_with_rule(100ms);
  cluster.somebody_writes("True", "PodsPendingEviction",
                          "1 pod needs to be evicted in 1 namespace.");
  cluster.run_for(2s);
  cluster.api.remove_pod("p");
  cluster.run_for(8s);
  cluster.somebody_writes("False", "Completed", "1 pod evicted since starting the controller.");
  cluster.run_for(20min);
  EXPECT_EQ(cluster.all("disagreements_total"), 0);
  EXPECT_THAT(cluster.calls(), IsEmpty());
}

TEST(DryRun, drops_evictions_of_removed_taint) {
  DryRun cluster;
  cluster.add_pod("p");
  cluster.start_with_rule(10s);
  cluster.api.remove_rule("r");
  cluster.run_for(20min);
  EXPECT_EQ(cluster.all("disagreements_total"), 0);
}

TEST(DryRun, expects_no_write_during_toleration) {
  DryRun cluster;
  cluster.add_pod("p", {exists("burnt", 5min)});
  cluster.start_with_rule(4min);
  EXPECT_EQ(cluster.counted("writes_total", "delete", "pods"), 0);
  cluster.run_for(2min);
  EXPECT_EQ(cluster.counted("disagreements_total", "delete", "pods"), 1);
}

TEST(DryRun, expects_one_write_per_pod_by_eviction_api) {
  DryRun cluster({.mode = EvictionMode::evict});
  cluster.add_pod("p");
  cluster.start_with_rule(20min);
  EXPECT_EQ(cluster.counted("disagreements_total", "create", "pods/eviction"), 1);
  EXPECT_EQ(cluster.counted("writes_total", "patch", "pods/status"), 0);
  EXPECT_THAT(cluster.calls(), IsEmpty());
}

TEST(DryRun, requests_500_pods_only_once) {
  DryRun cluster;
  cluster.add_pods("p-", 500);
  cluster.start_with_rule(20min);
  EXPECT_EQ(cluster.counted("writes_total", "delete", "pods"), 500);
  EXPECT_EQ(cluster.counted("open_disagreements", "delete", "pods"), 500);
  // Each item once, and one look every five minutes.
  EXPECT_LE(cluster.metric("workqueue_adds_total{name=\"device-taint-eviction-controller\"}"),
            500 * 6);
}

}  // namespace
}  // namespace dcm::device_taint_eviction
