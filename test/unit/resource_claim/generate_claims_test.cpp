// The controller working for pods: claims from templates, names, reservations.
#include <gmock/gmock.h>

#include "test/unit/resource_claim/world.hpp"

namespace dcm::resource_claim {
namespace {

using namespace std::chrono_literals;
using api::PodPhase;
using runtime::Reason;
using test::Fault;
using test::lost;
using test::make_claim;
using test::make_pod;
using test::make_template;
using test::refused;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

test::PodBuilder trainer() {
  return make_pod("trainer").from_template("gpus", "gpu");
}

TEST(GenerateClaims, creates_and_names_claims_in_three_requests) {
  World world;
  world.api.put(make_template("gpu"));
  world.api.put(make_template("net"));
  world.start();
  world.api.put(trainer().from_template("nic", "net"));
  world.settle();
  EXPECT_THAT(world.calls(),
              ElementsAre("create trainer-gpus-b2tt8 for gpus", "create trainer-nic-mrf9g for nic",
                          "write names gpus=trainer-gpus-b2tt8 nic=trainer-nic-mrf9g"));
  EXPECT_EQ(world.describe(),
            "pod trainer gpus=trainer-gpus-b2tt8 nic=trainer-nic-mrf9g\n"
            "claim trainer-gpus-b2tt8\nclaim trainer-nic-mrf9g\n");
}

TEST(GenerateClaims, sees_own_writes_before_watch) {
  World world;
  world.api.put(make_template("gpu"));
  world.start();
  world.api.put(trainer());
  world.run_for(0s);
  world.hold_watch();
  world.settle();
  EXPECT_EQ(world.calls().size(), 2U);
  // Later work finds everything done.
  world.release_watch();
  world.settle();
  EXPECT_THAT(world.calls(), IsEmpty());
}

TEST(GenerateClaims, wakes_pods_when_template_appears) {
  World world;
  world.start();
  world.api.put(trainer());
  world.run_for(1h);
  EXPECT_THAT(world.calls(), IsEmpty());
  EXPECT_THAT(world.events.texts.front(),
              "trainer: FailedResourceClaimCreation: PodResourceClaim gpus: resource claim "
              "template \"gpu\": resourceclaimtemplate.resource.k8s.io \"gpu\" not found");
  world.api.put(make_template("gpu").in_namespace("other"));
  world.run_for(1s);
  EXPECT_THAT(world.calls(), IsEmpty()) << "that is one of another namespace";
  world.api.put(make_template("gpu"));
  world.run_for(1s);
  EXPECT_EQ(world.describe(), "pod trainer gpus=trainer-gpus-b2tt8\nclaim trainer-gpus-b2tt8\n");
}

TEST(GenerateClaims, names_pod_and_version_in_event) {
  World world;
  world.start();
  world.api.put(trainer());
  world.run_for(1s);
  ASSERT_FALSE(world.events.subjects.empty());
  const api::ObjectReference& about = world.events.subjects.front();
  EXPECT_EQ(about.kind, "Pod");
  EXPECT_EQ(about.api_version, "v1");
  EXPECT_EQ(about.key.str(), "lab/trainer");
  EXPECT_EQ(about.uid.str(), "trainer-uid");
  EXPECT_EQ(about.resource_version, world.api.pod("trainer")->meta.resource_version.str());
}

TEST(GenerateClaims, wakes_pods_when_template_is_replaced) {
  World world;
  world.gates.dra_admin_access = false;
  world.api.put(make_template("gpu").with_admin_access());
  world.start();
  world.api.put(trainer());
  world.run_for(1h);
  EXPECT_THAT(world.calls(), IsEmpty());
  world.api.put(make_template("gpu").with_uid("another"));
  world.run_for(1s);
  EXPECT_EQ(world.calls().size(), 2U);
}

TEST(GenerateClaims, continues_with_others_after_failing_pod_claim) {
  World world;
  world.api.put(make_template("net"));
  world.start();
  world.api.put(trainer().from_template("nic", "net"));
  world.api.put(make_pod("other").from_template("nic", "net"));
  world.run_for(1s);
  EXPECT_EQ(world.describe(),
            "pod other nic=other-nic-znw22\npod trainer nic=trainer-nic-mrf9g\n"
            "claim other-nic-znw22\nclaim trainer-nic-mrf9g\n");
  EXPECT_THAT(world.events.texts, testing::Each(HasSubstr("PodResourceClaim gpus: ")));
}

TEST(GenerateClaims, reports_and_retries_refused_create) {
  World world;
  world.api.put(make_template("gpu"));
  world.start();
  int refusals = 3;
  world.api.fault = [&](std::size_t, const std::string& text) {
    if (!text.starts_with("create") || refusals-- <= 0) return Fault{};
    return refused({Reason::forbidden, "exceeded quota: q"});
  };
  world.api.put(trainer());
  world.settle();
  EXPECT_EQ(world.describe(), "pod trainer gpus=trainer-gpus-b2tt8\nclaim trainer-gpus-b2tt8\n");
  EXPECT_THAT(world.events.texts,
              testing::Contains("trainer: FailedResourceClaimCreation: PodResourceClaim gpus: "
                                "create ResourceClaim trainer-gpus-b2tt8: exceeded quota: q"));
  // Nothing was created, so nothing had to be looked up.
  EXPECT_THAT(world.calls(), testing::Not(testing::Contains(testing::StartsWith("get"))));
  // The log has it too, at the lowest verbosity and not at each attempt: events expire.
  EXPECT_EQ(
      std::ranges::count_if(
          world.log, [](const std::string& line) { return line.contains("exceeded quota: q"); }),
      1);
}

TEST(GenerateClaims, finds_claim_of_lost_answer_instead_of_creating_twice) {
  World world;
  world.api.put(make_template("gpu"));
  world.start();
  world.hold_watch(World::Held::claims);  // the cache cannot help
  bool is_lost = false;
  world.api.fault = [&](std::size_t, const std::string& text) {
    if (!text.starts_with("create") || std::exchange(is_lost, true)) return Fault{};
    return lost(Reason::deadline_exceeded);
  };
  world.api.put(trainer());
  world.settle();
  EXPECT_THAT(
      world.calls(),
      ElementsAre("create trainer-gpus-b2tt8 for gpus", "create trainer-gpus-b2tt8 for gpus",
                  "get claim trainer-gpus-b2tt8", "write names gpus=trainer-gpus-b2tt8"));
  world.release_watch();
  world.settle();
  EXPECT_EQ(world.describe(), "pod trainer gpus=trainer-gpus-b2tt8\nclaim trainer-gpus-b2tt8\n");
}

TEST(GenerateClaims, repeats_lost_create) {
  World world;
  world.api.put(make_template("gpu"));
  world.start();
  bool is_lost = false;
  world.api.fault = [&](std::size_t, const std::string& text) {
    if (!text.starts_with("create") || std::exchange(is_lost, true)) return Fault{};
    return refused(Reason::disconnected);
  };
  world.api.put(trainer());
  world.settle();
  EXPECT_THAT(world.calls(), ElementsAre("create trainer-gpus-b2tt8 for gpus",
                                         "create trainer-gpus-b2tt8 for gpus",
                                         "write names gpus=trainer-gpus-b2tt8"));
}

TEST(GenerateClaims, creates_one_claim_beside_second_manager) {
  World world;
  world.api.put(make_template("gpu"));
  world.start();
  world.hold_watch(World::Held::claims);
  world.api.put(make_claim("trainer-gpus-b2tt8").generated_for("trainer", "gpus"));
  world.api.put(trainer());
  world.settle();
  EXPECT_THAT(world.calls(),
              ElementsAre("create trainer-gpus-b2tt8 for gpus", "get claim trainer-gpus-b2tt8",
                          "write names gpus=trainer-gpus-b2tt8"));
  EXPECT_EQ(
      world.metric("dynamic_resource_allocation_resourceclaim_creates_total{admin_access="
                   "\"false\",owner_api_group=\"\",owner_api_kind=\"Pod\",status=\"failure\"}"),
      0)
      << "one that is there already is no failure";
}

TEST(GenerateClaims, leaves_name_to_other_object) {
  World world;
  world.api.put(make_template("gpu"));
  world.api.put(make_claim("trainer-gpus-b2tt8"));
  world.start();
  world.api.put(trainer());
  world.settle();
  EXPECT_THAT(
      world.calls(),
      ElementsAre("create trainer-gpus-b2tt8 for gpus", "get claim trainer-gpus-b2tt8",
                  "create trainer-gpus-79dd2 for gpus", "write names gpus=trainer-gpus-79dd2"));
}

TEST(GenerateClaims, accepts_watch_event_for_lost_create) {
  World world;
  world.api.put(make_template("gpu"));
  world.start();
  world.api.fault = [](std::size_t, const std::string& text) {
    return text.starts_with("create") ? lost(Reason::deadline_exceeded) : Fault{};
  };
  world.api.put(trainer());
  world.settle();
  EXPECT_THAT(world.calls(), ElementsAre("create trainer-gpus-b2tt8 for gpus",
                                         "write names gpus=trainer-gpus-b2tt8"));
}

TEST(GenerateClaims, uses_orphan_of_earlier_process) {
  World world;
  world.api.put(make_template("gpu"));
  world.api.put(trainer());
  world.api.put(make_claim("trainer-gpus-x").generated_for("trainer", "gpus"));
  world.start();
  world.settle();
  EXPECT_THAT(world.calls(), ElementsAre("write names gpus=trainer-gpus-x"));
}

TEST(GenerateClaims, recognizes_claim_with_stripped_annotation_and_lost_name) {
  World world;
  world.api.put(make_template("gpu"));
  world.start();
  world.api.put(trainer());
  world.settle();
  world.api.change_claim("trainer-gpus-b2tt8",
                         [](api::ResourceClaim& c) { c.pod_claim_name = {}; });
  world.settle();
  world.calls();
  world.api.change_pod("trainer", [](api::Pod& pod) { pod.claim_statuses.clear(); });
  world.settle();
  EXPECT_THAT(world.calls(), ElementsAre("write names gpus=trainer-gpus-b2tt8"));
  world.kill();
  world.api.change_pod("trainer", [](api::Pod& pod) { pod.claim_statuses.clear(); });
  world.start();
  world.settle();
  EXPECT_THAT(world.calls(), ElementsAre("write names gpus=trainer-gpus-b2tt8"));
}

// The claim watch lags: the create finds the claim.
TEST(GenerateClaims, finds_claim_with_stripped_annotation_by_taken_name) {
  World world;
  world.api.put(make_template("gpu"));
  world.start();
  world.hold_watch(World::Held::claims);
  world.api.put(make_claim("trainer-gpus-b2tt8").owned_by("trainer"));
  world.api.put(trainer());
  world.settle();
  EXPECT_THAT(world.calls(),
              ElementsAre("create trainer-gpus-b2tt8 for gpus", "get claim trainer-gpus-b2tt8",
                          "write names gpus=trainer-gpus-b2tt8"));
}

// A write that arrives minutes late may remove a name from the status again.
TEST(GenerateClaims, keeps_used_claim_in_deletion) {
  World world;
  world.api.put(make_template("gpu"));
  world.api.put(make_claim("trainer-gpus-x")
                    .generated_for("trainer", "gpus")
                    .allocated()
                    .reserved_for("trainer")
                    .being_deleted());
  world.start();
  world.api.put(trainer());
  world.settle();
  EXPECT_THAT(world.calls(), ElementsAre("write names gpus=trainer-gpus-x"));
}

TEST(GenerateClaims, recreates_deleted_claim_under_name_in_status) {
  World world;
  world.api.put(make_template("gpu"));
  world.api.put(make_template("net"));
  world.start();
  world.api.put(trainer().from_template("nic", "net"));
  world.settle();
  world.calls();
  world.api.remove_claim("trainer-gpus-b2tt8");
  world.run_for(1s);
  EXPECT_THAT(world.calls(),
              ElementsAre("get claim trainer-gpus-b2tt8", "create trainer-gpus-b2tt8 for gpus"));
}

TEST(GenerateClaims, recreates_claim_that_gets_another_owner) {
  World world;
  world.api.put(make_template("gpu"));
  world.start();
  world.api.put(trainer());
  world.settle();
  world.calls();
  world.api.change_claim("trainer-gpus-b2tt8", [](api::ResourceClaim& claim) {
    claim.controller = api::ControllerRef{"", "Pod", "thief", api::Uid("thief-uid")};
  });
  world.run_for(1s);
  EXPECT_THAT(world.calls(), ElementsAre("create trainer-gpus-79dd2 for gpus",
                                         "write names gpus=trainer-gpus-79dd2"));
}

TEST(GenerateClaims, does_not_duplicate_claim_missing_from_cache) {
  World world;
  world.api.put(make_template("gpu"));
  world.start();
  world.hold_watch(World::Held::claims);
  world.api.put(make_claim("x").generated_for("trainer", "gpus"));
  world.api.put(trainer().names("gpus", "x"));
  world.settle();
  EXPECT_THAT(world.calls(), ElementsAre("get claim x"));
  world.release_watch();
  world.settle();
  EXPECT_THAT(world.calls(), IsEmpty());
}

TEST(GenerateClaims, creates_claims_for_replaced_pod) {
  World world;
  world.api.put(make_template("gpu"));
  world.start();
  world.api.put(trainer());
  world.settle();
  world.calls();
  world.api.remove_pod("trainer");
  world.api.put(trainer().with_uid("second"));
  world.settle();
  EXPECT_THAT(world.calls(), ElementsAre("create trainer-gpus-mnqk7 for gpus",
                                         "write names gpus=trainer-gpus-mnqk7"));
}

TEST(GenerateClaims, does_not_touch_pod_replaced_during_creation) {
  World world;
  world.api.put(make_template("gpu"));
  world.start();
  world.api.put(trainer());
  world.run_for(0s);
  world.hold_watch();
  world.api.remove_pod("trainer");
  world.api.put(make_pod("trainer").uses("a", "shared").with_uid("second"));
  world.settle();
  EXPECT_TRUE(world.api.pod("trainer")->claim_statuses.empty());
  world.release_watch();
  world.settle();
  EXPECT_EQ(world.describe(), "pod trainer\nclaim trainer-gpus-b2tt8\n")
      << "the first pod's claim is the garbage collector's";
}

TEST(GenerateClaims, ignores_finished_pods) {
  World world;
  world.api.put(make_template("gpu"));
  for (int i = 0; i < 100; ++i) {
    const std::string name = "done-" + std::to_string(i);
    world.api.put(make_pod(name)
                      .from_template("gpus", "gpu")
                      .names("gpus", name + "-gpus-x")
                      .on_node("n")
                      .phase(i % 2 == 0 ? PodPhase::succeeded : PodPhase::failed));
  }
  world.start();
  world.settle();
  world.stop();
  world.start();
  world.settle();
  EXPECT_THAT(world.calls(), IsEmpty());
}

TEST(GenerateClaims, reports_other_failures_while_names_cannot_be_written) {
  World world;
  world.api.put(make_template("gpu"));
  world.start();
  world.api.fault = [](std::size_t, const std::string& text) {
    if (!text.starts_with("write names")) return Fault{};
    return refused({Reason::forbidden, "no"});
  };
  world.api.put(trainer().from_template("nics", "nic"));
  world.run_for(1s);
  EXPECT_THAT(world.events.texts, testing::Contains(HasSubstr("\"nic\"")));
  EXPECT_THAT(world.log,
              testing::Contains(HasSubstr("the names of its claims could not be written: no")));
}

TEST(GenerateClaims, ignores_pod_that_finishes_while_waiting_for_retry) {
  World world;
  world.start();
  world.api.put(trainer());
  world.run_for(1min);
  world.api.change_pod("trainer", [](api::Pod& pod) { pod.phase = PodPhase::failed; });
  world.api.put(make_template("gpu"));
  world.settle();
  EXPECT_THAT(world.calls(), IsEmpty());
}

TEST(GenerateClaims, ignores_members_of_unserved_pod_group) {
  World world;
  world.api.put(make_template("gpu"));
  world.api.put(
      make_claim("x").controlled_by({"scheduling.k8s.io", "PodGroup", "g", api::Uid("g-uid")}));
  world.start();
  world.api.put(trainer().in_group("g"));
  world.api.put(make_pod("other").from_template("gpus", "gpu").names("gpus", "x"));
  world.settle();
  EXPECT_EQ(world.describe(),
            "pod other gpus=other-gpus-vf6db\npod trainer\nclaim other-gpus-vf6db\nclaim x\n");
  EXPECT_THAT(world.events.texts, IsEmpty());
  EXPECT_THAT(world.log, testing::Contains(HasSubstr(
                             "Pod is a member of PodGroup g but GenericWorkload feature is "
                             "disabled")));
}

TEST(Reserve, reserves_allocated_claims_for_pod_with_node) {
  World world;
  world.api.put(make_claim("s").allocated());
  world.start();
  world.api.put(make_pod("p").uses("a", "s").on_node("n"));
  world.settle();
  EXPECT_THAT(world.calls(), ElementsAre("reserve s for p"));
}

TEST(Reserve, reserves_claim_allocated_later) {
  World world;
  world.api.put(make_claim("s"));
  world.start();
  world.api.put(make_pod("p").uses("a", "s").on_node("n"));
  world.settle();
  world.api.change_claim("s", [](api::ResourceClaim& claim) { claim.is_allocated = true; });
  world.settle();
  EXPECT_THAT(world.calls(), ElementsAre("reserve s for p"));
}

TEST(Reserve, decides_again_after_conflict) {
  World world;
  world.api.put(make_claim("s").allocated());
  world.start();
  world.hold_watch(World::Held::claims);
  world.api.change_claim("s", [](api::ResourceClaim& claim) {
    claim.reserved_for.push_back({"", "pods", "q", test::uid_of("q")});
  });
  world.api.put(make_pod("q").uses("a", "s").on_node("n"));
  world.api.put(make_pod("p").uses("a", "s").on_node("n"));
  world.run_for(1s);
  EXPECT_EQ(world.api.claim("s")->reserved_for.size(), 1U);
  EXPECT_GE(world.calls().size(), 2U);
  world.release_watch();
  world.settle();
  EXPECT_THAT(world.calls(), testing::Contains("reserve s for p"));
  EXPECT_EQ(world.api.claim("s")->reserved_for.size(), 2U);
}

TEST(Reserve, reserves_generated_claim_named_just_before) {
  World world;
  world.api.put(make_claim("x").generated_for("p", "gpus").allocated());
  world.start();
  world.api.put(make_pod("p").from_template("gpus", "gpu").on_node("n"));
  world.settle();
  EXPECT_THAT(world.calls(), ElementsAre("write names gpus=x", "reserve x for p"));
}

TEST(Reserve, shares_claim_up_to_limit) {
  World world;
  auto shared = make_claim("s").allocated();
  for (int i = 0; i < 226; ++i) {
    shared.reserved_for_consumer({"example.com", "jobs", "j", api::Uid(std::to_string(i))});
  }
  world.api.put(shared);
  world.start();
  for (int i = 0; i < 50; ++i) {
    world.api.put(make_pod("p" + std::to_string(i)).uses("a", "s").on_node("n"));
  }
  world.settle();
  EXPECT_EQ(world.api.claim("s")->reserved_for.size(), 256U);
  EXPECT_EQ(world.calls().size(), 30U) << "one at a time, as two would but conflict";
  EXPECT_GE(world.events.texts.size(), 20U);
  EXPECT_THAT(world.events.texts, testing::Each(HasSubstr("FailedResourceClaimReservation")));
}

TEST(Reserve, backs_off_once_for_all_pods_of_claim) {
  World world;
  world.api.put(make_claim("s").allocated());
  world.start();
  world.hold_watch(World::Held::claims);
  world.api.change_claim("s",
                         [](api::ResourceClaim& claim) { claim.has_delete_protection = true; });
  for (int i = 0; i < 10; ++i) {
    world.api.put(make_pod("p" + std::to_string(i)).uses("a", "s").on_node("n"));
  }
  world.run_for(1min);
  EXPECT_LT(world.calls().size(), 300U) << "conflicts, one after the other";
  world.release_watch();
  world.settle();
  EXPECT_EQ(world.api.claim("s")->reserved_for.size(), 10U);
}

TEST(Reserve, continues_when_other_reservation_fails) {
  World world;
  world.api.put(make_claim("s").allocated());
  world.start();
  world.api.fault = [](std::size_t, const std::string& text) {
    if (text != "reserve s for p") return Fault{};
    return refused({Reason::invalid, "never"});
  };
  world.api.put(make_pod("p").uses("a", "s").on_node("n"));
  world.api.put(make_pod("q").uses("a", "s").on_node("n"));
  world.run_for(1s);
  EXPECT_THAT(world.calls(), testing::Contains("reserve s for q"));
  EXPECT_EQ(world.describe(), "pod p\npod q\nclaim s allocated reserved for q\n");
}

TEST(GenerateClaims, does_not_wait_for_failures_of_earlier_pod) {
  World world;
  world.start();
  world.api.put(trainer().with_uid("first"));
  world.settle();  // without a template, attempts are minutes apart by now
  world.api.remove_pod("trainer");
  world.api.put(make_template("gpu"));
  std::size_t refusals = 0;
  world.api.fault = [&](std::size_t, const std::string& text) {
    if (!text.starts_with("create") || refusals++ > 0) return Fault{};
    return refused(Reason::internal_error);
  };
  world.api.put(trainer().with_uid("second"));
  world.run_for(10s);
  EXPECT_EQ(refusals, 2U);
  EXPECT_EQ(world.api.claims().size(), 1U);
}

TEST(GenerateClaims, ends_back_off_of_pods_when_template_appears) {
  World world;
  world.start();
  world.api.put(trainer());
  world.settle();  // attempts are minutes apart by now
  std::size_t refusals = 0;
  world.api.fault = [&](std::size_t, const std::string& text) {
    if (!text.starts_with("create") || refusals++ > 0) return Fault{};
    return refused(Reason::internal_error);
  };
  world.api.put(make_template("gpu"));
  world.run_for(10s);
  EXPECT_EQ(refusals, 2U);
  EXPECT_EQ(world.api.claims().size(), 1U);
}

// The claim's creator has forged its owner.
TEST(Reserve, ignores_claim_in_other_namespace_with_same_uid) {
  World world;
  world.api.put(make_claim("shared").in_namespace("other").generated_for("p", "a").allocated());
  world.start();
  world.api.put(make_pod("p").uses("a", "shared").on_node("n"));
  world.settle();
  EXPECT_THAT(world.calls(), testing::IsEmpty());
}

// An admission webhook undoes it. This causes no loop, although each answer is a success.
TEST(Reserve, backs_off_from_reservation_that_does_not_last) {
  World world;
  world.api.put(make_claim("s").allocated());
  world.api.undoes_reservations = true;
  world.start();
  world.api.put(make_pod("p").uses("a", "s").on_node("n"));
  world.run_for(1min);
  EXPECT_LE(world.calls().size(), 20U);
}

TEST(GenerateClaims, retries_refused_create_despite_other_full_claim) {
  World world;
  auto full = make_claim("full").allocated();
  for (int i = 0; i < 256; ++i) {
    full.reserved_for_consumer({"example.com", "jobs", "j", api::Uid(std::to_string(i))});
  }
  world.api.put(full);
  world.api.put(make_template("gpu"));
  world.start();
  std::size_t refusals = 0;
  world.api.fault = [&](std::size_t, const std::string& text) {
    if (!text.starts_with("create") || refusals++ > 2) return Fault{};
    return refused(Reason::internal_error);
  };
  world.api.put(make_pod("p").from_template("gpus", "gpu").uses("a", "full").on_node("n"));
  world.settle();
  EXPECT_EQ(world.api.claims().size(), 2U);
}

TEST(GenerateClaims, does_not_wait_for_failures_of_earlier_claim) {
  World world;
  std::size_t refusals = 0;
  std::size_t most = 1000;
  world.api.fault = [&](std::size_t, const std::string& text) {
    if (text.find(" of s") == text.npos || refusals++ >= most) return Fault{};
    return refused(Reason::internal_error);
  };
  world.start();
  world.api.put(make_claim("s").with_uid("first").allocated().reserved_for("gone"));
  world.settle();  // attempts are minutes apart by now
  ASSERT_GT(refusals, 5U);
  world.api.remove_claim("s");
  refusals = 0;
  most = 6;
  world.api.put(make_claim("s").with_uid("second").allocated().reserved_for("gone"));
  world.run_for(10s);
  EXPECT_TRUE(world.api.claim("s")->reserved_for.empty());
}

}  // namespace
}  // namespace dcm::resource_claim
