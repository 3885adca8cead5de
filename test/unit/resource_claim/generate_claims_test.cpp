// The driver at work for pods: claims from templates, names, reservations.
#include <gmock/gmock.h>

#include "test/unit/resource_claim/world.hpp"

namespace dcm::resource_claim {
namespace {

using namespace std::chrono_literals;
using api::PodPhase;
using runtime::Error;
using runtime::Reason;
using test::Fault;
using test::make_claim;
using test::make_pod;
using test::make_template;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

test::PodBuilder trainer() {
  return make_pod("trainer").from_template("gpus", "gpu");
}

// Fails the calls whose text begins so.
auto failing(const std::string& prefix, Fault::Kind kind, Reason reason) {
  return [=](std::size_t, const std::string& text) {
    if (!text.starts_with(prefix)) return Fault{};
    return Fault{kind, Error{reason, "injected"}};
  };
}

TEST(GenerateClaims, a_pod_gets_its_claims_and_their_names_in_three_requests) {
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

TEST(GenerateClaims, own_writes_are_known_before_the_watch_shows_them) {
  World world;
  world.api.put(make_template("gpu"));
  world.start();
  world.api.put(trainer());
  world.run_for(0s);
  world.hold_watch();
  world.settle();
  EXPECT_EQ(world.calls().size(), 2U);
  // Work that comes meanwhile finds everything done.
  world.release_watch();
  world.settle();
  EXPECT_THAT(world.calls(), IsEmpty());
}

TEST(GenerateClaims, a_template_that_comes_late_wakes_the_pods_that_name_it) {
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

TEST(GenerateClaims, an_event_names_the_pod_and_its_version) {
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

TEST(GenerateClaims, a_template_that_is_changed_wakes_them_too) {
  World world;
  world.gates.dra_admin_access = false;
  world.api.put(make_template("gpu").with_admin_access());
  world.start();
  world.api.put(trainer());
  world.run_for(1h);
  EXPECT_THAT(world.calls(), IsEmpty());
  world.api.put(make_template("gpu"));
  world.run_for(1s);
  EXPECT_EQ(world.calls().size(), 2U);
}

TEST(GenerateClaims, one_failing_pod_claim_stops_neither_the_other_nor_any_other_pod) {
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

TEST(GenerateClaims, a_refused_create_is_told_and_tried_again) {
  World world;
  world.api.put(make_template("gpu"));
  world.start();
  int refusals = 3;
  world.api.fault = [&](std::size_t, const std::string& text) {
    if (!text.starts_with("create") || refusals-- <= 0) return Fault{};
    return Fault{Fault::Kind::refused, Error{Reason::forbidden, "exceeded quota: q"}};
  };
  world.api.put(trainer());
  world.settle();
  EXPECT_EQ(world.describe(), "pod trainer gpus=trainer-gpus-b2tt8\nclaim trainer-gpus-b2tt8\n");
  EXPECT_THAT(world.events.texts,
              testing::Contains("trainer: FailedResourceClaimCreation: PodResourceClaim gpus: "
                                "create ResourceClaim trainer-gpus-b2tt8: exceeded quota: q"));
  // Nothing was made, so nothing had to be looked for.
  EXPECT_THAT(world.calls(), testing::Not(testing::Contains(testing::StartsWith("get"))));
  // The log has it too, at the lowest verbosity and not at each attempt: events expire.
  EXPECT_EQ(
      std::ranges::count_if(
          world.log, [](const std::string& line) { return line.contains("exceeded quota: q"); }),
      1);
}

TEST(GenerateClaims, a_create_whose_answer_is_lost_is_looked_for_and_not_made_twice) {
  World world;
  world.api.put(make_template("gpu"));
  world.start();
  world.hold_watch(World::Held::claims);  // the cache cannot help
  bool lost = false;
  world.api.fault = [&](std::size_t, const std::string& text) {
    if (!text.starts_with("create") || std::exchange(lost, true)) return Fault{};
    return Fault{Fault::Kind::lost, Error{Reason::deadline_exceeded, "no answer"}};
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

TEST(GenerateClaims, a_create_that_was_lost_on_its_way_is_sent_again) {
  World world;
  world.api.put(make_template("gpu"));
  world.start();
  bool lost = false;
  world.api.fault = [&](std::size_t, const std::string& text) {
    if (!text.starts_with("create") || std::exchange(lost, true)) return Fault{};
    return Fault{Fault::Kind::refused, Error{Reason::disconnected, "reset"}};
  };
  world.api.put(trainer());
  world.settle();
  EXPECT_THAT(world.calls(), ElementsAre("create trainer-gpus-b2tt8 for gpus",
                                         "create trainer-gpus-b2tt8 for gpus",
                                         "write names gpus=trainer-gpus-b2tt8"));
}

TEST(GenerateClaims, two_managers_make_one_claim) {
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

TEST(GenerateClaims, a_name_that_another_object_has_is_left_to_it) {
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

TEST(GenerateClaims, the_watch_may_answer_a_lost_create_before_the_next_attempt) {
  World world;
  world.api.put(make_template("gpu"));
  world.start();
  world.api.fault = failing("create", Fault::Kind::lost, Reason::deadline_exceeded);
  world.api.put(trainer());
  world.settle();
  EXPECT_THAT(world.calls(), ElementsAre("create trainer-gpus-b2tt8 for gpus",
                                         "write names gpus=trainer-gpus-b2tt8"));
}

TEST(GenerateClaims, an_orphan_of_an_earlier_process_is_used) {
  World world;
  world.api.put(make_template("gpu"));
  world.api.put(trainer());
  world.api.put(make_claim("trainer-gpus-x").generated_for("trainer", "gpus"));
  world.start();
  world.settle();
  EXPECT_THAT(world.calls(), ElementsAre("write names gpus=trainer-gpus-x"));
}

TEST(GenerateClaims, a_claim_whose_annotation_is_stripped_is_the_pods_though_its_name_is_lost) {
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

// The claim watch is behind: the create finds the claim.
TEST(GenerateClaims, a_claim_whose_annotation_is_stripped_is_found_by_the_name_that_is_taken) {
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

// A write that comes minutes late may take a name out of the status again.
TEST(GenerateClaims, a_pod_keeps_the_claim_that_it_uses_though_that_is_being_deleted) {
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

TEST(GenerateClaims, a_claim_that_is_deleted_is_made_again_under_the_name_that_the_status_has) {
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

TEST(GenerateClaims, a_claim_that_gets_another_owner_is_made_again_at_once) {
  World world;
  world.api.put(make_template("gpu"));
  world.start();
  world.api.put(trainer());
  world.settle();
  world.calls();
  world.api.change_claim("trainer-gpus-b2tt8", [](api::ResourceClaim& claim) {
    claim.controller = std::make_unique<const api::ControllerRef>(
        api::ControllerRef{"", "Pod", "thief", api::Uid("thief-uid")});
  });
  world.run_for(1s);
  EXPECT_THAT(world.calls(), ElementsAre("create trainer-gpus-79dd2 for gpus",
                                         "write names gpus=trainer-gpus-79dd2"));
}

TEST(GenerateClaims, a_claim_that_only_the_api_server_knows_is_not_made_twice) {
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

TEST(GenerateClaims, a_pod_that_was_replaced_gets_claims_of_its_own) {
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

TEST(GenerateClaims, a_pod_that_is_replaced_while_its_claim_is_made_is_not_touched) {
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

TEST(GenerateClaims, finished_pods_never_get_a_claim) {
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

TEST(GenerateClaims, other_failures_are_reported_even_while_the_names_cannot_be_written) {
  World world;
  world.api.put(make_template("gpu"));
  world.start();
  world.api.fault = [](std::size_t, const std::string& text) {
    if (!text.starts_with("write names")) return Fault{};
    return Fault{Fault::Kind::refused, Error{Reason::forbidden, "no"}};
  };
  world.api.put(trainer().from_template("nics", "nic"));
  world.run_for(1s);
  EXPECT_THAT(world.events.texts, testing::Contains(HasSubstr("\"nic\"")));
  EXPECT_THAT(world.log,
              testing::Contains(HasSubstr("the names of its claims could not be written: no")));
}

TEST(GenerateClaims, a_pod_that_finishes_while_it_waits_for_a_retry_gets_none_either) {
  World world;
  world.start();
  world.api.put(trainer());
  world.run_for(1min);
  world.api.change_pod("trainer", [](api::Pod& pod) { pod.phase = PodPhase::failed; });
  world.api.put(make_template("gpu"));
  world.settle();
  EXPECT_THAT(world.calls(), IsEmpty());
}

TEST(GenerateClaims, members_of_a_pod_group_get_nothing_and_crash_nothing) {
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

TEST(Reserve, a_pod_that_comes_with_a_node_reserves_its_allocated_claims) {
  World world;
  world.api.put(make_claim("s").allocated());
  world.start();
  world.api.put(make_pod("p").uses("a", "s").on_node("n"));
  world.settle();
  EXPECT_THAT(world.calls(), ElementsAre("reserve s for p"));
}

TEST(Reserve, also_when_the_claim_is_allocated_later) {
  World world;
  world.api.put(make_claim("s"));
  world.start();
  world.api.put(make_pod("p").uses("a", "s").on_node("n"));
  world.settle();
  world.api.change_claim("s", [](api::ResourceClaim& claim) { claim.is_allocated = true; });
  world.settle();
  EXPECT_THAT(world.calls(), ElementsAre("reserve s for p"));
}

TEST(Reserve, a_conflict_is_decided_again_on_what_came_meanwhile) {
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

TEST(Reserve, a_generated_claim_that_was_named_a_moment_ago_counts) {
  World world;
  world.api.put(make_claim("x").generated_for("p", "gpus").allocated());
  world.start();
  world.api.put(make_pod("p").from_template("gpus", "gpu").on_node("n"));
  world.settle();
  EXPECT_THAT(world.calls(), ElementsAre("write names gpus=x", "reserve x for p"));
}

TEST(Reserve, many_pods_share_a_claim_up_to_its_limit) {
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

TEST(Reserve, pods_that_share_a_claim_back_off_together_while_it_cannot_be_reserved) {
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

TEST(Reserve, pods_that_wait_for_another_reservation_continue_when_it_fails) {
  World world;
  world.api.put(make_claim("s").allocated());
  world.start();
  world.api.fault = [](std::size_t, const std::string& text) {
    if (text != "reserve s for p") return Fault{};
    return Fault{Fault::Kind::refused, Error{Reason::invalid, "never"}};
  };
  world.api.put(make_pod("p").uses("a", "s").on_node("n"));
  world.api.put(make_pod("q").uses("a", "s").on_node("n"));
  world.run_for(1s);
  EXPECT_THAT(world.calls(), testing::Contains("reserve s for q"));
  EXPECT_EQ(world.describe(), "pod p\npod q\nclaim s allocated reserved for q\n");
}

TEST(GenerateClaims, a_pod_does_not_wait_for_what_another_of_its_name_has_failed_at) {
  World world;
  world.start();
  world.api.put(trainer().with_uid("first"));
  world.settle();  // without a template, attempts are minutes apart by now
  world.api.remove_pod("trainer");
  world.api.put(make_template("gpu"));
  std::size_t refusals = 0;
  world.api.fault = [&](std::size_t, const std::string& text) {
    if (!text.starts_with("create") || refusals++ > 0) return Fault{};
    return Fault{Fault::Kind::refused, {Reason::internal_error, "injected"}};
  };
  world.api.put(trainer().with_uid("second"));
  world.run_for(10s);
  EXPECT_EQ(refusals, 2U);
  EXPECT_EQ(world.api.claims().size(), 1U);
}

TEST(GenerateClaims, a_template_that_comes_ends_the_back_off_of_those_who_waited_for_it) {
  World world;
  world.start();
  world.api.put(trainer());
  world.settle();  // attempts are minutes apart by now
  std::size_t refusals = 0;
  world.api.fault = [&](std::size_t, const std::string& text) {
    if (!text.starts_with("create") || refusals++ > 0) return Fault{};
    return Fault{Fault::Kind::refused, {Reason::internal_error, "injected"}};
  };
  world.api.put(make_template("gpu"));
  world.run_for(10s);
  EXPECT_EQ(refusals, 2U);
  EXPECT_EQ(world.api.claims().size(), 1U);
}

// Whoever made it has forged its owner.
TEST(Reserve, a_claim_of_another_namespace_is_no_pods_though_it_has_its_uid) {
  World world;
  world.api.put(make_claim("shared").in_namespace("other").generated_for("p", "a").allocated());
  world.start();
  world.api.put(make_pod("p").uses("a", "shared").on_node("n"));
  world.settle();
  EXPECT_THAT(world.calls(), testing::IsEmpty());
}

// An admission webhook undoes it. No loop, though each answer is a success.
TEST(Reserve, a_reservation_that_does_not_last_is_tried_less_and_less_often) {
  World world;
  world.api.put(make_claim("s").allocated());
  world.api.undoes_reservations = true;
  world.start();
  world.api.put(make_pod("p").uses("a", "s").on_node("n"));
  world.run_for(1min);
  EXPECT_LE(world.calls().size(), 20U);
}

TEST(GenerateClaims, a_refused_create_is_tried_again_though_another_claim_of_the_pod_is_full) {
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
    return Fault{Fault::Kind::refused, {Reason::internal_error, "injected"}};
  };
  world.api.put(make_pod("p").from_template("gpus", "gpu").uses("a", "full").on_node("n"));
  world.settle();
  EXPECT_EQ(world.api.claims().size(), 2U);
}

TEST(GenerateClaims, a_claim_does_not_wait_for_what_another_of_its_name_has_failed_at) {
  World world;
  std::size_t refusals = 0;
  std::size_t most = 1000;
  world.api.fault = [&](std::size_t, const std::string& text) {
    if (text.find(" of s") == text.npos || refusals++ >= most) return Fault{};
    return Fault{Fault::Kind::refused, {Reason::internal_error, "injected"}};
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
