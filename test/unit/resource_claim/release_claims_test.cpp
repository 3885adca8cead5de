// The controller working for claims: release, deallocation, finalizer, deletion.
#include <gmock/gmock.h>

#include "test/unit/resource_claim/world.hpp"

namespace dcm::resource_claim {
namespace {

using namespace std::chrono_literals;
using api::PodPhase;
using runtime::Reason;
using test::Fault;
using test::make_claim;
using test::make_pod;
using test::refused;
using testing::AllOf;
using testing::ElementsAre;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::Lt;
using testing::SizeIs;
using testing::UnorderedElementsAre;

test::ClaimBuilder in_use() {
  return make_claim("s").allocated().with_finalizer().reserved_for("p");
}
test::PodBuilder user(const std::string& name) {
  return make_pod(name).uses("a", "s").on_node("n").phase(PodPhase::running);
}
void finish(World& world, const std::string& pod) {
  world.api.change_pod(pod, [](api::Pod& changed) { changed.phase = PodPhase::succeeded; });
}

TEST(ReleaseClaims, deallocates_and_unprotects_claim_after_last_pod) {
  World world;
  world.api.put(in_use());
  world.api.put(user("p"));
  world.start();
  world.settle();
  EXPECT_THAT(world.calls(), IsEmpty());
  finish(world, "p");
  world.settle();
  EXPECT_THAT(world.calls(),
              ElementsAre("release p-uid, deallocate of s", "remove finalizer of s"));
  EXPECT_EQ(world.describe(), "pod p\nclaim s\n");
  EXPECT_FALSE(world.api.claim("s")->has_delete_protection);
}

TEST(ReleaseClaims, asks_nothing_about_remembered_deleted_pod) {
  World world;
  world.api.put(in_use());
  world.api.put(user("p"));
  world.start();
  world.api.remove_pod("p");
  world.settle();
  EXPECT_THAT(world.calls(),
              ElementsAre("release p-uid, deallocate of s", "remove finalizer of s"));
}

TEST(ReleaseClaims, asks_for_unknown_pod_after_restart) {
  World world;
  world.api.put(in_use());
  world.start();
  world.settle();
  EXPECT_THAT(world.calls(),
              ElementsAre("get pod p", "release p-uid, deallocate of s", "remove finalizer of s"));
}

TEST(ReleaseClaims, keeps_reservation_of_pod_without_claims) {
  World world;
  world.api.put(in_use());
  world.api.put(make_pod("p").on_node("n").phase(PodPhase::running));
  world.start();
  world.run_for(30s);
  EXPECT_THAT(world.calls(), ElementsAre("get pod p"));
  EXPECT_EQ(world.describe(), "pod p\nclaim s allocated protected reserved for p\n");
}

// The pod watch may have a gap, and the cache holds no pods without claims.
TEST(ReleaseClaims, asks_again_for_pod_missing_from_cache) {
  World world;
  world.api.put(in_use());
  world.api.put(make_pod("p").on_node("n").phase(PodPhase::running));
  world.start();
  world.run_for(30s);
  world.api.remove_pod("p");
  world.calls();
  world.run_for(1min);
  EXPECT_THAT(world.calls(),
              ElementsAre("get pod p", "release p-uid, deallocate of s", "remove finalizer of s"));
}

// The scheduler may withdraw the claim that it created for extended resources.
TEST(ReleaseClaims, asks_for_pod_outside_projection_while_reserved) {
  World world;
  world.api.put(in_use());
  world.api.put(make_pod("p").extended_resource_claim("s").on_node("n"));
  world.start();
  world.settle();
  EXPECT_THAT(world.calls(), IsEmpty());
  world.api.change_pod("p", [](api::Pod& pod) { pod.extended_resource_claim = {}; });
  world.run_for(30s);
  EXPECT_THAT(world.calls(), ElementsAre("get pod p"));
  world.api.remove_pod("p");
  world.run_for(1min);
  EXPECT_THAT(world.calls(),
              ElementsAre("get pod p", "release p-uid, deallocate of s", "remove finalizer of s"));
}

TEST(ReleaseClaims, handles_unnamed_claims_reserved_for_pod) {
  World world;
  world.api.put(in_use());
  world.api.put(make_pod("p").uses("a", "other").on_node("n"));
  world.start();
  world.settle();
  finish(world, "p");
  world.settle();
  EXPECT_THAT(world.calls(),
              ElementsAre("release p-uid, deallocate of s", "remove finalizer of s"));
}

TEST(ReleaseClaims, keeps_reservation_of_new_pod_while_watch_lags) {
  World world;
  world.api.put(make_claim("s").allocated().with_finalizer());
  world.api.put(make_pod("p").uses("a", "other").on_node("n").with_uid("first"));
  world.start();
  world.settle();
  world.calls();
  world.hold_watch(World::Held::pods);
  world.api.remove_pod("p");
  world.api.put(user("p").with_uid("second"));
  world.api.change_claim("s", [](api::ResourceClaim& claim) {
    claim.reserved_for = {{"", "pods", "p", api::Uid("second")}};
  });
  world.run_for(30s);
  EXPECT_THAT(world.calls(), ElementsAre("get pod p"));
  world.release_watch();
  world.settle();
  EXPECT_THAT(world.calls(), IsEmpty());
}

TEST(ReleaseClaims, drops_300_reservations_in_one_write) {
  World world;
  auto shared = make_claim("s").allocated().with_finalizer();
  for (int i = 0; i < 300; ++i) {
    const std::string name = "p" + std::to_string(i);
    shared.reserved_for(name);
    if (i % 3 == 0) world.api.put(user(name));                   // runs, known
    if (i % 3 == 1) world.api.put(make_pod(name).on_node("n"));  // runs, not known
  }
  world.api.put(shared);
  world.start();
  world.run_for(30s);
  EXPECT_EQ(world.api.claim("s")->reserved_for.size(), 200U);
  const std::vector<std::string> calls = world.calls();
  // A GET for each unknown pod, and one write; once more for the remaining ones, as the claim has
  // changed.
  EXPECT_EQ(calls.size(), 200U + 1U + 100U);
  EXPECT_THAT(calls[200], HasSubstr("release p2-uid p5-uid "));
}

TEST(ReleaseClaims, asks_no_more_for_consumers_of_deleted_claim) {
  World world;
  auto shared = make_claim("s").allocated();
  for (int i = 0; i < 100; ++i) shared.reserved_for("p" + std::to_string(i));
  world.api.put(shared);
  world.start();
  world.run_for(10ms);
  EXPECT_THAT(world.calls(), SizeIs(AllOf(Gt(0U), Lt(20U))));
  world.api.remove_claim("s");
  world.settle();
  EXPECT_THAT(world.calls(), SizeIs(Le(1U)));
}

TEST(ReleaseClaims, keeps_finalizer_after_conflict_between_writes) {
  World world;
  world.api.put(in_use());
  world.api.put(user("p"));
  world.start();
  bool done = false;
  world.api.fault = [&](std::size_t, const std::string& text) {
    if (text.starts_with("remove finalizer") && !std::exchange(done, true)) {
      // The scheduler is faster.
      world.api.change_claim("s", [](api::ResourceClaim& claim) {
        claim.is_allocated = true;
        claim.reserved_for = {{"", "pods", "q", test::uid_of("q")}};
      });
    }
    return Fault{};
  };
  world.api.put(make_pod("q").uses("a", "s"));
  finish(world, "p");
  world.settle();
  EXPECT_EQ(world.api.claim("s")->has_delete_protection, true);
  EXPECT_EQ(world.describe(), "pod p\npod q\nclaim s allocated protected reserved for q\n");
}

TEST(ReleaseClaims, decides_again_after_conflict_of_first_write) {
  World world;
  world.api.put(in_use());
  world.api.put(user("p"));
  world.start();
  world.hold_watch(World::Held::claims);
  world.api.change_claim("s", [](api::ResourceClaim& claim) {
    claim.reserved_for.push_back({"", "pods", "q", test::uid_of("q")});
  });
  world.api.put(make_pod("q").uses("a", "s"));
  finish(world, "p");
  world.run_for(1s);
  EXPECT_THAT(world.calls(), testing::Each("release p-uid, deallocate of s"));
  EXPECT_EQ(world.describe(),
            "pod p\npod q\nclaim s allocated protected reserved for p reserved "
            "for q\n");
  world.release_watch();
  world.settle();
  EXPECT_EQ(world.describe(), "pod p\npod q\nclaim s allocated protected reserved for q\n");
}

TEST(ReleaseClaims, changes_nothing_until_look_up_succeeds) {
  World world;
  world.api.put(in_use());
  world.api.fault = [&](std::size_t number, const std::string&) {
    return number < 3 ? refused(runtime::Reason::internal_error) : Fault{};
  };
  world.start();
  world.settle();
  EXPECT_THAT(world.calls(),
              ElementsAre("get pod p", "get pod p", "get pod p", "get pod p",
                          "release p-uid, deallocate of s", "remove finalizer of s"));
}

TEST(ReleaseClaims, retries_slowly_and_reports_once_without_permission) {
  World world;
  world.api.put(in_use());
  world.api.put(user("p"));
  world.start();
  world.api.fault = [](std::size_t, const std::string&) {
    return refused(test::binding_refused());
  };
  finish(world, "p");
  world.run_for(10min + 1s);
  EXPECT_EQ(world.calls().size(), 11U);
  EXPECT_THAT(world.log, testing::Contains(HasSubstr("patch on resourceclaims/binding")));
}

TEST(ReleaseClaims, reports_and_retries_write_denied_by_policy) {
  World world;
  world.api.put(in_use());
  world.api.put(user("p"));
  world.start();
  world.api.fault = [](std::size_t, const std::string&) {
    return refused({Reason::invalid, "denied by a policy"});
  };
  finish(world, "p");
  world.run_for(24h);
  EXPECT_LT(world.calls().size(), 150U) << "with back-off";
  EXPECT_THAT(world.log, testing::Contains(testing::HasSubstr("denied by a policy")));
  world.api.fault = [](std::size_t, const std::string&) { return Fault{}; };
  world.run_for(20min);
  EXPECT_FALSE(world.api.claim("s")->is_allocated);
}

// A pod with its own claim, already allocated.
void put_generated_in_use(World& world) {
  world.api.put(
      make_claim("x").generated_for("p", "gpus").allocated().with_finalizer().reserved_for("p"));
  world.api.put(make_pod("p").from_template("gpus", "gpu").names("gpus", "x").on_node("n"));
}

TEST(ReleaseClaims, deletes_generated_claim_of_finished_pod_last) {
  World world;
  put_generated_in_use(world);
  world.start();
  world.settle();
  finish(world, "p");
  world.settle();
  EXPECT_THAT(world.calls(),
              ElementsAre("release p-uid, deallocate of x", "remove finalizer of x", "delete x"));
}

// Whether or not the pod's successor is seen in time: the claim's owner reference suffices.
TEST(ReleaseClaims, leaves_generated_claim_of_deleted_pod_to_garbage_collector) {
  World world;
  world.api.put(make_pod("p").from_template("a", "t").names("a", "c"));
  world.api.put(make_claim("c").generated_for("p", "a"));
  world.start();
  world.settle();
  world.api.remove_pod("p");
  world.settle();
  world.api.put(make_pod("p").with_uid("another"));
  world.settle();
  EXPECT_THAT(world.calls(), IsEmpty());
  ASSERT_NE(world.api.claim("c"), nullptr);
  world.api.remove_claim("c");
  world.settle();
  EXPECT_THAT(world.calls(), IsEmpty());
}

TEST(ReleaseClaims, deletes_claim_once_while_watch_lags) {
  World world;
  put_generated_in_use(world);
  world.start();
  world.settle();
  world.hold_watch(World::Held::claims);
  finish(world, "p");
  world.run_for(1min);
  world.release_watch();
  world.settle();
  EXPECT_THAT(world.calls(),
              ElementsAre("release p-uid, deallocate of x", "remove finalizer of x", "delete x"));
}

// However often the claim is woken meanwhile.
TEST(ReleaseClaims, sends_no_second_delete_while_watch_lags) {
  World world;
  put_generated_in_use(world);
  world.start();
  world.settle();
  world.hold_watch(World::Held::claims);
  for (int wakes = 0; wakes < 4; ++wakes) {
    finish(world, "p");
    world.run_for(5s);
    world.api.change_pod("p", [](api::Pod& pod) { pod.phase = PodPhase::running; });
    world.run_for(5s);
  }
  EXPECT_THAT(world.calls(),
              ElementsAre("release p-uid, deallocate of x", "remove finalizer of x", "delete x"));
}

// A restore of etcd has brought the claim back.
TEST(ReleaseClaims, deletes_claim_again_when_watch_has_had_its_time) {
  World world;
  put_generated_in_use(world);
  world.start();
  world.settle();
  world.hold_watch(World::Held::claims);
  finish(world, "p");
  world.run_for(30s);
  world.api.put(make_claim("x").generated_for("p", "gpus"));
  world.calls();
  world.api.change_pod("p", [](api::Pod& pod) { pod.phase = PodPhase::running; });
  finish(world, "p");
  world.run_for(20s);
  EXPECT_THAT(world.calls(), IsEmpty());
  world.run_for(20s);
  EXPECT_THAT(world.calls(), ElementsAre("delete x"));
  EXPECT_EQ(world.api.claim("x"), nullptr);
}

// The delete has no version that could be outdated, so a webhook answered.
TEST(ReleaseClaims, retries_delete_after_conflict_as_failure) {
  World world;
  world.api.put(make_claim("x").generated_for("p", "gpus"));
  world.api.put(make_pod("p").from_template("gpus", "gpu").names("gpus", "x"));
  world.start();
  world.settle();
  world.api.fault = [](std::size_t, const std::string&) {
    return refused({Reason::conflict, "not while the backup runs"});
  };
  finish(world, "p");
  world.run_for(1min);
  EXPECT_THAT(world.log, testing::Contains(HasSubstr("not while the backup runs")));
  EXPECT_EQ(world.metric("dra_controller_manager_failing_objects{kind=\"resourceclaim\"}"), 1);
  EXPECT_LT(world.calls().size(), 20U) << "with back-off";
  world.api.fault = [](std::size_t, const std::string&) { return Fault{}; };
  world.run_for(20min);
  EXPECT_EQ(world.api.claim("x"), nullptr);
}

TEST(ReleaseClaims, frees_claim_that_got_finalizer_before_deletion) {
  World world;
  world.api.put(make_claim("x").generated_for("p", "gpus"));
  world.api.put(make_pod("p").from_template("gpus", "gpu").names("gpus", "x"));
  world.start();
  world.settle();
  world.hold_watch(World::Held::claims);
  world.api.change_claim("x",
                         [](api::ResourceClaim& claim) { claim.has_delete_protection = true; });
  finish(world, "p");
  world.run_for(1min);
  world.release_watch();
  world.settle();
  EXPECT_THAT(world.calls(), ElementsAre("delete x", "remove finalizer of x"));
  EXPECT_EQ(world.api.claim("x"), nullptr);
}

TEST(ReleaseClaims, handles_extended_resource_claim_the_same_way) {
  World world;
  world.api.put(
      make_claim("e").for_extended_resources_of("p").allocated().with_finalizer().reserved_for(
          "p"));
  world.api.put(make_pod("p").extended_resource_claim("e").on_node("n"));
  world.start();
  world.settle();
  EXPECT_THAT(world.calls(), IsEmpty());
  finish(world, "p");
  world.settle();
  EXPECT_THAT(world.calls(),
              ElementsAre("release p-uid, deallocate of e", "remove finalizer of e", "delete e"));
}

TEST(ReleaseClaims, frees_claim_in_deletion_after_its_pod) {
  World world;
  world.api.put(in_use());
  world.api.put(user("p"));
  world.start();
  world.api.change_claim("s",
                         [](api::ResourceClaim& claim) { claim.meta.is_being_deleted = true; });
  world.settle();
  EXPECT_THAT(world.calls(), IsEmpty());
  world.api.remove_pod("p");
  world.settle();
  EXPECT_THAT(world.calls(),
              ElementsAre("release p-uid, deallocate of s", "remove finalizer of s"));
  EXPECT_EQ(world.describe(), "");
}

TEST(ReleaseClaims, keeps_consumers_other_than_pods_and_logs_them_in_one_line) {
  World world;
  auto claim = make_claim("s").allocated().with_finalizer();
  for (std::size_t i = 0; i < api::kReservedForMax; ++i) {
    const std::string name = "g-" + std::to_string(i);
    claim.reserved_for_consumer({"scheduling.k8s.io", "podgroups", name, api::Uid(name)});
  }
  world.api.put(claim);
  world.start();
  for (int i = 0; i < 3; ++i) {
    world.api.change_claim("s", [](api::ResourceClaim& claim) { claim.has_admin_access ^= true; });
    world.settle();
  }
  EXPECT_THAT(world.calls(), IsEmpty());
  const auto is_report = [](const std::string& line) {
    return line.contains("not a pod; the reservation is kept");
  };
  EXPECT_EQ(std::ranges::count_if(world.log, is_report), 1);
  EXPECT_TRUE(std::ranges::any_of(world.log, [](const std::string& line) {
    return line.ends_with(R"(name="g-0" consumers=256)");
  }));
}

TEST(ReleaseClaims, ignores_pods_without_claims) {
  World world;
  world.start();
  world.api.put(make_pod("p").on_node("n"));
  finish(world, "p");
  world.api.remove_pod("p");
  world.settle();
  EXPECT_THAT(world.calls(), IsEmpty());
}

}  // namespace
}  // namespace dcm::resource_claim
