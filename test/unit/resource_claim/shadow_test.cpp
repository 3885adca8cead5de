// A dry run alongside a working manager, or alone: what is reported, and that nothing is written.
#include <algorithm>

#include <gmock/gmock.h>

#include "test/unit/resource_claim/world.hpp"

namespace dcm::resource_claim {
namespace {

using namespace std::chrono_literals;
using api::PodPhase;
using test::make_claim;
using test::make_pod;
using test::make_template;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

struct DryRun : World {
  DryRun() {
    role = Role::dry_run;
    api.put(make_template("gpu"));
  }
  double counted(const std::string& metric, const std::string& verb, const std::string& resource) {
    return this->metric("dra_controller_manager_dry_run_" + metric +
                        "{controller=\"resourceclaim-controller\",resource=\"" + resource +
                        "\",verb=\"" + verb + "\"}");
  }
  // Of all kinds.
  double disagreements(const std::string& metric = "disagreements_total") {
    double sum = 0;
    for (const common::WriteKind& kind : ShadowApi::kWrites) {
      sum += counted(metric, std::string(kind.verb), std::string(kind.resource));
    }
    return sum;
  }
  bool logged(const std::string& text) const {
    return std::ranges::any_of(
        log, [&](const std::string& line) { return line.find(text) != line.npos; });
  }
  void expect_nothing_written() {
    for (const std::string& call : calls()) {
      EXPECT_TRUE(call.starts_with("get ") || call.starts_with("list ")) << call;
    }
    EXPECT_THAT(events.texts, IsEmpty());
  }
};

test::PodBuilder trainer() {
  return make_pod("trainer").from_template("gpus", "gpu");
}

TEST(DryRun, agrees_on_claim_and_name_of_other_manager) {
  DryRun world;
  world.start();
  world.api.put(trainer());
  world.run_for(10s);
  EXPECT_EQ(world.counted("writes_total", "create", "resourceclaims"), 1);
  world.api.put(make_claim("made").generated_for("trainer", "gpus"));
  world.run_for(10s);
  world.api.change_pod("trainer", [](api::Pod& pod) { pod.claim_statuses = {{"gpus", "made"}}; });
  world.settle();
  EXPECT_EQ(world.disagreements(), 0);
  world.expect_nothing_written();
}

TEST(DryRun, reports_missing_claim_until_created) {
  DryRun world;
  world.start();
  world.api.put(trainer());
  world.settle();
  EXPECT_EQ(world.counted("writes_total", "create", "resourceclaims"), 1);
  EXPECT_EQ(world.counted("disagreements_total", "create", "resourceclaims"), 1);
  EXPECT_TRUE(
      world.logged("what=\"a claim for pod claim gpus, from template gpu\" shown=\"the pod owns no "
                   "claim for it\" seconds=31"));
  world.api.put(make_claim("made").generated_for("trainer", "gpus"));
  world.api.change_pod("trainer", [](api::Pod& pod) { pod.claim_statuses = {{"gpus", "made"}}; });
  world.run_for(2s);
  EXPECT_EQ(world.disagreements("open_disagreements"), 0);
  EXPECT_EQ(world.metric("workqueue_retries_total{name=\"resource_claim\"}"), 0);
  EXPECT_EQ(world.metric("dynamic_resource_allocation_resourceclaim_creates_total{admin_access="
                         "\"false\",owner_api_group=\"\",owner_api_kind=\"Pod\",status="
                         "\"failure\"}"),
            0);
  world.expect_nothing_written();
}

TEST(DryRun, reports_claim_without_name_in_status) {
  DryRun world;
  world.start();
  world.api.put(trainer());
  world.run_for(10s);
  world.api.put(make_claim("made").generated_for("trainer", "gpus"));
  world.settle();
  EXPECT_EQ(world.disagreements(), 1);
  EXPECT_TRUE(world.logged("shown=\"claim made, which the pod's status does not name\""));
}

// Anyone may create claims with a pod as their controller.
TEST(DryRun, expects_pod_status_to_name_claim_of_the_pod) {
  DryRun world;
  world.start();
  world.api.put(trainer());
  world.run_for(10s);
  world.api.put(make_claim("made").generated_for("trainer", "gpus"));
  world.api.put(make_claim("other"));
  world.api.change_pod("trainer", [](api::Pod& pod) { pod.claim_statuses = {{"gpus", "other"}}; });
  world.settle();
  EXPECT_EQ(world.counted("open_disagreements", "create", "resourceclaims"), 1);
  world.api.change_pod("trainer", [](api::Pod& pod) { pod.claim_statuses = {{"gpus", "made"}}; });
  world.run_for(2s);
  EXPECT_EQ(world.disagreements("open_disagreements"), 0);
}

TEST(DryRun, expects_removed_name_back) {
  DryRun world;
  world.api.put(make_claim("made").generated_for("trainer", "gpus"));
  world.api.put(trainer().names("gpus", "made"));
  world.start();
  world.api.change_pod("trainer", [](api::Pod& pod) { pod.claim_statuses.clear(); });
  world.settle();
  EXPECT_EQ(world.counted("open_disagreements", "patch", "pods/status"), 1);
  EXPECT_TRUE(
      world.logged("what=\"write names gpus=made\" shown=\"no names in the pod's status\""));
  world.api.change_pod("trainer", [](api::Pod& pod) { pod.claim_statuses = {{"gpus", "made"}}; });
  world.run_for(2s);
  EXPECT_EQ(world.disagreements("open_disagreements"), 0);
  world.expect_nothing_written();
}

TEST(DryRun, expects_no_claim_for_pod_in_deletion) {
  DryRun world;
  world.start();
  world.api.put(trainer());
  world.run_for(10s);
  world.api.remove_pod("trainer");
  world.settle();
  EXPECT_EQ(world.disagreements(), 0);
}

TEST(DryRun, expects_both_claims_of_pod) {
  DryRun world;
  world.start();
  world.api.put(make_pod("two").from_template("a", "gpu").from_template("b", "gpu"));
  world.settle();
  EXPECT_EQ(world.counted("disagreements_total", "create", "resourceclaims"), 2);
}

TEST(DryRun, reports_event_for_missing_template_without_writing) {
  DryRun world;
  world.start();
  world.api.put(make_pod("p").from_template("gpus", "missing"));
  world.settle();
  EXPECT_EQ(world.counted("writes_total", "create", "events"), 1);
  EXPECT_EQ(world.disagreements(), 0);
  world.expect_nothing_written();
}

TEST(DryRun, reports_missing_reservation) {
  DryRun world;
  world.start();
  world.api.put(make_claim("s").allocated().reserved_for("other"));
  world.api.put(make_pod("other").uses("a", "s").on_node("n"));
  world.api.put(make_pod("p").uses("a", "s").on_node("n"));
  world.settle();
  EXPECT_EQ(world.counted("disagreements_total", "patch", "resourceclaims/status"), 1);
  EXPECT_TRUE(
      world.logged("what=\"reserve it for pod p\" shown=\"allocated, reserved for other\""));
  world.api.change_claim("s", [](api::ResourceClaim& claim) {
    claim.reserved_for.push_back({"", "pods", "p", test::uid_of("p")});
  });
  world.run_for(2s);
  EXPECT_EQ(world.disagreements("open_disagreements"), 0);
  world.expect_nothing_written();
}

// The whole end of a generated claim: released and deallocated, unprotected, deleted.
TEST(DryRun, expects_claim_of_finished_pod_to_be_freed_in_steps) {
  DryRun world;
  world.api.put(make_claim("c")
                    .generated_for("trainer", "gpus")
                    .allocated()
                    .with_finalizer()
                    .reserved_for("trainer"));
  world.api.put(trainer().names("gpus", "c").on_node("n").phase(PodPhase::running));
  world.start();
  world.settle();
  EXPECT_EQ(world.disagreements("writes_total"), 0);
  world.api.change_pod("trainer", [](api::Pod& pod) { pod.phase = PodPhase::succeeded; });
  world.settle();
  EXPECT_EQ(world.counted("disagreements_total", "patch", "resourceclaims/status"), 1);
  EXPECT_EQ(world.disagreements(), 1);
  world.api.change_claim("c", [](api::ResourceClaim& claim) {
    claim.reserved_for.clear();
    claim.is_allocated = false;
    claim.devices.clear();
  });
  world.settle();
  EXPECT_EQ(world.disagreements("open_disagreements"), 1);
  EXPECT_EQ(world.counted("open_disagreements", "patch", "resourceclaims/status"), 0);
  world.api.change_claim("c",
                         [](api::ResourceClaim& claim) { claim.has_delete_protection = false; });
  world.settle();
  EXPECT_EQ(world.counted("open_disagreements", "delete", "resourceclaims"), 1);
  world.api.remove_claim("c");
  world.settle();
  EXPECT_EQ(world.disagreements("open_disagreements"), 0);
  world.expect_nothing_written();
}

TEST(DryRun, accepts_claim_passed_on_at_once_as_released) {
  DryRun world;
  world.api.put(make_claim("s").allocated().with_finalizer().reserved_for("p"));
  world.api.put(make_pod("p").uses("a", "s").on_node("n").phase(PodPhase::running));
  world.api.put(make_pod("q").uses("a", "s"));
  world.start();
  world.api.change_pod("p", [](api::Pod& pod) { pod.phase = PodPhase::failed; });
  world.run_for(500ms);
  EXPECT_EQ(world.counted("writes_total", "patch", "resourceclaims/status"), 1);
  world.api.change_claim("s", [](api::ResourceClaim& claim) {
    claim.reserved_for = {{"", "pods", "q", test::uid_of("q")}};
  });
  world.settle();
  EXPECT_EQ(world.disagreements(), 0);
}

TEST(DryRun, reports_all_undone_work_once_at_start) {
  DryRun world;
  for (int i = 0; i < 300; ++i) {
    world.api.put(make_pod("p-" + std::to_string(i)).from_template("gpus", "gpu"));
  }
  world.start();
  world.settle();
  EXPECT_EQ(world.counted("writes_total", "create", "resourceclaims"), 300);
  EXPECT_EQ(world.counted("open_disagreements", "create", "resourceclaims"), 300);
  world.expect_nothing_written();
}

}  // namespace
}  // namespace dcm::resource_claim
