// The controller working for pod groups and their pods.
#include <gmock/gmock.h>

#include "test/unit/resource_claim/world.hpp"

namespace dcm::resource_claim {
namespace {

using namespace std::chrono_literals;
using runtime::Reason;
using test::Fault;
using test::lost;
using test::make_claim;
using test::make_group;
using test::make_pod;
using test::make_template;
using test::refused;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

class Groups : public testing::Test {
 protected:
  Groups() {
    world.gates.generic_workload = true;
    world.gates.dra_workload_resource_claims = true;
  }

  static test::GroupBuilder trainers() {
    return make_group("trainers").from_template("fabric", "net");
  }
  static test::PodBuilder member(const std::string& name) {
    return make_pod(name).in_group("trainers").from_template("fabric", "net");
  }

  World world;
};

TEST_F(Groups, share_one_claim_and_its_name) {
  world.api.put(make_template("net"));
  world.start();
  world.api.put(trainers());
  world.api.put(member("a"));
  world.api.put(member("b"));
  world.settle();
  EXPECT_THAT(world.calls(), UnorderedElementsAre("create trainers-fabric-vrgz8 for fabric",
                                                  "group write names fabric=trainers-fabric-vrgz8",
                                                  "write names fabric=trainers-fabric-vrgz8",
                                                  "write names fabric=trainers-fabric-vrgz8"));
  EXPECT_EQ(world.describe(),
            "group trainers fabric=trainers-fabric-vrgz8\n"
            "pod a fabric=trainers-fabric-vrgz8\npod b fabric=trainers-fabric-vrgz8\n"
            "claim trainers-fabric-vrgz8\n");
}

TEST_F(Groups, delay_earlier_pod_without_message) {
  world.api.put(make_template("net"));
  world.start();
  world.api.put(member("a"));
  world.run_for(1min);
  EXPECT_THAT(world.calls(), IsEmpty());
  EXPECT_THAT(world.events.texts, IsEmpty());
  EXPECT_THAT(world.log,
              Contains(HasSubstr("podgroup.scheduling.k8s.io \\\"trainers\\\" not found")));
  world.api.put(trainers());
  world.run_for(1s);
  EXPECT_EQ(world.api.pod("a")->claim_statuses.size(), 1U);
}

TEST_F(Groups, wake_pods_without_claims_of_group) {
  world.api.put(make_template("gpu"));
  world.start();
  world.api.put(make_pod("a").in_group("trainers").from_template("gpus", "gpu"));
  world.settle();
  EXPECT_THAT(world.calls(), IsEmpty());
  world.api.put(make_group("trainers"));
  world.run_for(1s);
  EXPECT_THAT(world.calls(),
              ElementsAre("create a-gpus-fzmxv for gpus", "write names gpus=a-gpus-fzmxv"));
}

TEST_F(Groups, resume_when_template_appears) {
  world.start();
  world.api.put(trainers());
  world.api.put(member("a"));
  world.settle();
  EXPECT_THAT(world.calls(), IsEmpty());
  EXPECT_THAT(world.events.texts,
              Each("trainers: FailedResourceClaimCreation: PodGroupResourceClaim fabric: resource "
                   "claim template \"net\": resourceclaimtemplate.resource.k8s.io \"net\" not "
                   "found"));
  ASSERT_FALSE(world.events.subjects.empty());
  EXPECT_EQ(world.events.subjects.front().kind, "PodGroup");
  EXPECT_EQ(world.events.subjects.front().api_version, "scheduling.k8s.io/v1beta1");
  world.api.put(make_template("net"));
  world.run_for(1s);
  EXPECT_EQ(world.api.pod("a")->claim_statuses[0].claim_name, "trainers-fabric-vrgz8");
}

// More than the number of events for the group in question.
constexpr std::size_t kRefusals = 6;

// Rejects the next of these writes.
std::function<Fault(std::size_t, const std::string&)> refuse_next(std::string prefix,
                                                                  std::size_t& refusals) {
  return [=, &refusals](std::size_t, const std::string& text) {
    if (!text.starts_with(prefix) || refusals++ >= kRefusals) return Fault{};
    return refused(Reason::internal_error);
  };
}

TEST_F(Groups, end_back_off_when_template_appears) {
  world.start();
  world.api.put(trainers());
  world.settle();  // attempts are minutes apart by now
  std::size_t refusals = 0;
  world.api.fault = refuse_next("create", refusals);
  world.api.put(make_template("net"));
  world.run_for(10s);
  EXPECT_EQ(world.api.claims().size(), 1U);
}

TEST_F(Groups, end_back_off_of_pods_when_created) {
  world.api.put(make_template("net"));
  std::size_t refusals = 0;
  world.start();
  world.api.put(trainers());
  world.api.put(member("a"));
  world.api.fault = [](std::size_t, const std::string& text) {
    if (!text.starts_with("write names")) return Fault{};
    return refused(Reason::internal_error);
  };
  world.settle();  // attempts are minutes apart by now
  world.api.remove_group("trainers");
  world.api.fault = refuse_next("write names", refusals);
  world.api.put(trainers().with_uid("second"));
  world.run_for(10s);
  EXPECT_GT(refusals, kRefusals);
  EXPECT_EQ(world.api.pod("a")->claim_statuses.size(), 1U);
}

TEST_F(Groups, do_not_wait_for_failures_of_earlier_group) {
  world.start();
  world.api.put(trainers());
  world.settle();  // without a template, attempts are minutes apart by now
  world.api.remove_group("trainers");
  world.api.put(make_template("net"));
  std::size_t refusals = 0;
  world.api.fault = refuse_next("create", refusals);
  world.api.put(trainers().with_uid("second"));
  world.run_for(10s);
  EXPECT_EQ(world.api.claims().size(), 1U);
}

TEST_F(Groups, recreate_deleted_claim_and_update_pods) {
  world.api.put(make_template("net"));
  world.start();
  world.api.put(trainers());
  world.api.put(member("a"));
  world.settle();
  world.calls();
  world.api.remove_claim("trainers-fabric-vrgz8");
  world.run_for(1s);
  EXPECT_EQ(world.describe(),
            "group trainers fabric=trainers-fabric-vrgz8\n"
            "pod a fabric=trainers-fabric-vrgz8\nclaim trainers-fabric-vrgz8\n");
}

TEST_F(Groups, recreate_deleted_claim_under_name_in_status) {
  world.api.put(make_template("net"));
  world.api.put(make_template("gpu"));
  world.start();
  world.api.put(trainers().from_template("gpus", "gpu"));
  world.settle();
  world.calls();
  world.api.remove_claim("trainers-gpus-ssdzk");
  world.settle();
  EXPECT_THAT(world.calls(),
              ElementsAre("get claim trainers-gpus-ssdzk", "create trainers-gpus-ssdzk for gpus"));
}

TEST_F(Groups, create_no_second_claim_after_lost_answer) {
  world.api.put(make_template("net"));
  world.start();
  bool is_lost = false;
  world.api.fault = [&](std::size_t, const std::string& text) {
    if (is_lost || !text.starts_with("create")) return Fault{};
    is_lost = true;
    world.hold_watch();
    return lost(Reason::disconnected);
  };
  world.api.put(trainers());
  world.settle();
  EXPECT_EQ(world.api.claims().size(), 1U);
  EXPECT_THAT(world.calls(), Contains("get claim trainers-fabric-vrgz8"));
}

TEST_F(Groups, find_claim_by_owner_after_crash) {
  world.api.put(make_template("net"));
  world.api.put(trainers());
  world.api.put(make_claim("made").generated_for_group("trainers", "fabric"));
  world.api.put(member("a"));
  world.start();
  world.settle();
  EXPECT_EQ(world.describe(), "group trainers fabric=made\npod a fabric=made\nclaim made\n");
}

TEST_F(Groups, are_reserved_by_one_of_their_pods) {
  world.api.put(make_template("net"));
  world.api.put(trainers().names("fabric", "x"));
  world.api.put(make_claim("x").generated_for_group("trainers", "fabric").allocated());
  for (const char* name : {"a", "b", "c"}) {
    world.api.put(member(name).names("fabric", "x").on_node("n"));
  }
  world.start();
  world.settle();
  EXPECT_THAT(world.calls(), ElementsAre("reserve x for group trainers"));
}

TEST_F(Groups, keep_reservation_until_group_is_deleted) {
  world.api.put(make_template("net"));
  world.api.put(trainers().names("fabric", "x"));
  world.api.put(make_claim("x")
                    .generated_for_group("trainers", "fabric")
                    .allocated()
                    .with_finalizer()
                    .reserved_for_group("trainers"));
  world.api.put(member("a").names("fabric", "x").on_node("n"));
  world.start();
  world.api.change_pod("a", [](api::Pod& pod) { pod.phase = api::PodPhase::succeeded; });
  world.settle();
  world.api.remove_pod("a");
  world.settle();
  EXPECT_THAT(world.calls(), IsEmpty());
  world.api.remove_group("trainers");
  world.run_for(1s);
  EXPECT_THAT(world.calls(),
              ElementsAre("release trainers-uid, deallocate of x", "remove finalizer of x"));
}

TEST_F(Groups, are_looked_up_if_missing_from_cache) {
  world.api.put(make_claim("x").allocated().with_finalizer().reserved_for_group("gone"));
  world.start();
  world.run_for(1s);
  EXPECT_THAT(world.calls(), ElementsAre("get group gone", "release gone-uid, deallocate of x",
                                         "remove finalizer of x"));
}

TEST_F(Groups, keep_everything_when_no_longer_served) {
  world.api.put(make_claim("x").allocated().with_finalizer().reserved_for_group("gone"));
  world.api.fault = [](std::size_t, const std::string&) {
    return refused({Reason::not_served, "404 page not found"});
  };
  world.start();
  world.settle();
  EXPECT_THAT(world.calls(), Each("get group gone"));
}

TEST_F(Groups, are_remembered_if_deleted_on_standby) {
  world.api.put(trainers());
  world.api.put(make_claim("x").allocated().with_finalizer().reserved_for_group("trainers"));
  world.start_standby();
  world.api.remove_group("trainers");
  world.activate();
  world.settle();
  EXPECT_THAT(world.calls(),
              ElementsAre("release trainers-uid, deallocate of x", "remove finalizer of x"));
}

TEST_F(Groups, count_creates_by_owner) {
  world.api.put(make_template("net"));
  world.start();
  world.api.put(trainers());
  world.settle();
  const auto creates = [&](const std::string& group, const std::string& kind) {
    return world.metric(
        "dynamic_resource_allocation_resourceclaim_creates_total{admin_access=\"false\","
        "owner_api_group=\"" +
        group + "\",owner_api_kind=\"" + kind + "\",status=\"success\"}");
  };
  EXPECT_EQ(creates("scheduling.k8s.io", "PodGroup"), 1);
  EXPECT_EQ(creates("", "Pod"), 0);
}

TEST_F(Groups, write_nothing_in_dry_run) {
  world.role = World::Role::dry_run;
  world.api.put(make_template("net"));
  world.api.put(trainers());
  world.start();
  world.run_for(1min);
  EXPECT_THAT(world.calls(), IsEmpty());
  EXPECT_THAT(world.log, Contains(HasSubstr("shown=\"the pod group owns no claim for it\"")));
}

// Anybody may make claims with a group as their controller.
TEST(PodSnapshot, has_only_claims_that_its_group_names) {
  informers::Store<api::Pod> pods;
  informers::Store<api::ResourceClaim> claims;
  informers::Store<api::ResourceClaimTemplate> templates;
  informers::Store<api::PodGroup> groups;
  const Stores stores = declare_stores(pods, claims, templates, &groups);
  const GroupPtr group =
      make_group("trainers").from_template("fabric", "net").names("fabric", "c7");
  groups.take_writer().observe_change(api::ChangeType::added, {group->meta, group});
  auto writer = claims.take_writer();
  for (int i = 0; i < 100; ++i) {
    const ClaimPtr claim =
        make_claim("c" + std::to_string(i)).generated_for_group("trainers", "fabric");
    writer.observe_change(api::ChangeType::added, {claim->meta, claim});
  }
  const PodSnapshot snapshot =
      make_pod_snapshot(stores, make_pod("a").in_group("trainers").from_template("fabric", "net"));
  ASSERT_EQ(snapshot.claims.size(), 1);
  EXPECT_EQ(snapshot.claims.begin()->first, "c7");
}

TEST_F(Groups, name_claim_that_another_manager_made) {
  world.start();
  world.api.put(trainers());
  world.api.put(member("a"));
  world.settle();  // without a template, attempts are minutes apart by now
  world.api.put(make_claim("made").generated_for_group("trainers", "fabric"));
  world.run_for(1s);
  EXPECT_EQ(world.describe(), "group trainers fabric=made\npod a fabric=made\nclaim made\n");
}

// The group watch may be ahead of the claim watch.
TEST_F(Groups, wake_their_pods_when_named_claim_appears) {
  world.api.put(trainers().names("fabric", "made"));
  world.api.put(member("a"));
  world.start();
  world.settle();
  world.api.put(make_claim("made").generated_for_group("trainers", "fabric"));
  world.run_for(1s);
  EXPECT_THAT(world.calls(), Contains("write names fabric=made"));
}

TEST_F(Groups, leave_claims_to_pods_with_group_claims_off) {
  world.gates.dra_workload_resource_claims = false;
  world.api.put(make_template("net"));
  world.api.put(make_template("gpu"));
  world.start();
  world.api.put(trainers());
  world.api.put(member("a").from_template("gpus", "gpu"));
  world.settle();
  EXPECT_THAT(world.calls(),
              ElementsAre("create a-gpus-fzmxv for gpus", "write names gpus=a-gpus-fzmxv"));
  EXPECT_THAT(world.events.texts,
              Each("a: FailedResourceClaimCreation: PodResourceClaim fabric: claim fabric is a "
                   "PodGroup claim but the DRAWorkloadResourceClaims feature is disabled"));
  EXPECT_THAT(world.events.texts, Not(IsEmpty()));
}

TEST_F(Groups, are_unknown_with_groups_off) {
  world.gates = {};
  world.api.put(make_template("net"));
  world.api.put(trainers());
  world.api.put(member("a"));
  world.api.put(make_claim("x").allocated().with_finalizer().reserved_for_group("gone"));
  world.start();
  world.settle();
  EXPECT_THAT(world.calls(), IsEmpty());
  EXPECT_THAT(world.events.texts, IsEmpty());
}

}  // namespace
}  // namespace dcm::resource_claim
