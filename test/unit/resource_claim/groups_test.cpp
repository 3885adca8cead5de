// The driver at work for pod groups and their pods.
#include <gmock/gmock.h>

#include "test/unit/resource_claim/world.hpp"

namespace dcm::resource_claim {
namespace {

using namespace std::chrono_literals;
using runtime::Error;
using runtime::Reason;
using test::Fault;
using test::make_claim;
using test::make_group;
using test::make_pod;
using test::make_template;
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

TEST_F(Groups, a_group_gets_one_claim_and_all_its_pods_its_name) {
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

TEST_F(Groups, a_pod_that_comes_before_its_group_waits_and_says_nothing) {
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

TEST_F(Groups, a_group_without_claims_wakes_its_pods_as_well) {
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

TEST_F(Groups, a_late_template_wakes_the_group) {
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
  EXPECT_EQ(world.api.pod("a")->claim_statuses.front().claim_name, "trainers-fabric-vrgz8");
}

// More than there are events that wake the one concerned.
constexpr std::size_t kRefusals = 6;

// Refuses the next of these writes.
std::function<Fault(std::size_t, const std::string&)> refuse_next(std::string prefix,
                                                                  std::size_t& refusals) {
  return [=, &refusals](std::size_t, const std::string& text) {
    if (!text.starts_with(prefix) || refusals++ >= kRefusals) return Fault{};
    return Fault{Fault::Kind::refused, {Reason::internal_error, "injected"}};
  };
}

TEST_F(Groups, a_template_that_comes_ends_the_back_off_of_the_group) {
  world.start();
  world.api.put(trainers());
  world.settle();  // attempts are minutes apart by now
  std::size_t refusals = 0;
  world.api.fault = refuse_next("create", refusals);
  world.api.put(make_template("net"));
  world.run_for(10s);
  EXPECT_EQ(world.api.claims().size(), 1U);
}

TEST_F(Groups, a_group_that_comes_ends_the_back_off_of_its_pods) {
  world.api.put(make_template("net"));
  std::size_t refusals = 0;
  world.start();
  world.api.put(trainers());
  world.api.put(member("a"));
  world.api.fault = [](std::size_t, const std::string& text) {
    if (!text.starts_with("write names")) return Fault{};
    return Fault{Fault::Kind::refused, {Reason::internal_error, "injected"}};
  };
  world.settle();  // attempts are minutes apart by now
  world.api.remove_group("trainers");
  world.api.fault = refuse_next("write names", refusals);
  world.api.put(trainers().with_uid("second"));
  world.run_for(10s);
  EXPECT_GT(refusals, kRefusals);
  EXPECT_EQ(world.api.pod("a")->claim_statuses.size(), 1U);
}

TEST_F(Groups, a_group_does_not_wait_for_what_another_of_its_name_has_failed_at) {
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

TEST_F(Groups, a_claim_that_is_deleted_is_made_again_and_the_pods_follow) {
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

TEST_F(Groups, a_claim_that_is_deleted_is_made_again_under_the_name_that_the_status_has) {
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

TEST_F(Groups, a_lost_create_makes_no_second_claim) {
  world.api.put(make_template("net"));
  world.start();
  bool is_lost = false;
  world.api.fault = [&](std::size_t, const std::string& text) {
    if (is_lost || !text.starts_with("create")) return Fault{};
    is_lost = true;
    world.hold_watch();
    return Fault{Fault::Kind::lost, Error{Reason::disconnected, "injected"}};
  };
  world.api.put(trainers());
  world.settle();
  EXPECT_EQ(world.api.claims().size(), 1U);
  EXPECT_THAT(world.calls(), Contains("get claim trainers-fabric-vrgz8"));
}

TEST_F(Groups, after_a_crash_the_claim_is_found_by_its_owner) {
  world.api.put(make_template("net"));
  world.api.put(trainers());
  world.api.put(make_claim("made").generated_for_group("trainers", "fabric"));
  world.api.put(member("a"));
  world.start();
  world.settle();
  EXPECT_EQ(world.describe(), "group trainers fabric=made\npod a fabric=made\nclaim made\n");
}

TEST_F(Groups, one_of_the_pods_with_a_node_reserves_for_the_group) {
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

TEST_F(Groups, a_reservation_goes_with_its_group_and_not_with_its_pods) {
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

TEST_F(Groups, a_group_that_is_not_in_the_cache_is_asked_for) {
  world.api.put(make_claim("x").allocated().with_finalizer().reserved_for_group("gone"));
  world.start();
  world.run_for(1s);
  EXPECT_THAT(world.calls(), ElementsAre("get group gone", "release gone-uid, deallocate of x",
                                         "remove finalizer of x"));
}

TEST_F(Groups, a_server_that_serves_no_groups_any_more_takes_nothing_away) {
  world.api.put(make_claim("x").allocated().with_finalizer().reserved_for_group("gone"));
  world.api.fault = [](std::size_t, const std::string&) {
    return Fault{Fault::Kind::refused, Error{Reason::not_served, "404 page not found"}};
  };
  world.start();
  world.settle();
  EXPECT_THAT(world.calls(), Each("get group gone"));
}

TEST_F(Groups, a_group_deleted_on_standby_is_remembered) {
  world.api.put(trainers());
  world.api.put(make_claim("x").allocated().with_finalizer().reserved_for_group("trainers"));
  world.start_standby();
  world.api.remove_group("trainers");
  world.activate();
  world.settle();
  EXPECT_THAT(world.calls(),
              ElementsAre("release trainers-uid, deallocate of x", "remove finalizer of x"));
}

TEST_F(Groups, creates_are_counted_by_owner) {
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

TEST_F(Groups, a_dry_run_writes_nothing_for_them) {
  world.role = World::Role::dry_run;
  world.api.put(make_template("net"));
  world.api.put(trainers());
  world.start();
  world.run_for(1min);
  EXPECT_THAT(world.calls(), IsEmpty());
  EXPECT_THAT(world.log, Contains(HasSubstr("shown=\"the pod group owns no claim for it\"")));
}

TEST_F(Groups, with_the_gate_for_their_claims_off_the_pods_own_claims_are_made) {
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

TEST_F(Groups, with_the_gate_for_groups_off_nothing_knows_of_them) {
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
