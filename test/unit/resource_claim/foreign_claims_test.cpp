// Another manager creates claims at the same time: when we notice it, and what looks similar.
#include <algorithm>

#include <gmock/gmock.h>

#include "test/unit/resource_claim/world.hpp"

namespace dcm::resource_claim {
namespace {

using namespace std::chrono_literals;
using runtime::Error;
using runtime::Reason;
using test::Fault;
using test::lost;
using test::make_claim;
using test::make_pod;
using test::make_template;
using test::refused;

test::PodBuilder trainer(const std::string& name = "trainer") {
  return make_pod(name).from_template("gpus", "gpu");
}

struct Foreign : World {
  Foreign() { api.put(make_template("gpu")); }
  double count() { return metric("dra_controller_manager_foreign_claims_total"); }
  std::ptrdiff_t lines() const {
    return std::ranges::count_if(log, [](const std::string& line) {
      return line.find("Another manager makes claims") != line.npos;
    });
  }
  // Like kube-controller-manager: first the claim, then its name in the pod's status.
  void somebody_makes(const std::string& claim, const std::string& pod) {
    if (api.pod(pod) == nullptr) api.put(trainer(pod));
    api.put(make_claim(claim).generated_for(pod, "gpus"));
    somebody_names(claim, pod);
  }
  void somebody_names(const std::string& claim, const std::string& pod) {
    api.change_pod(pod, [&](api::Pod& object) {
      object.claim_statuses = {{api::InternedString("gpus"), claim}};
    });
  }
  double held_back() { return metric("dra_controller_manager_creates_held_back"); }
  // Whether a new pod there gets its claim at once.
  bool serves_at_once(const std::string& pod, const std::string& namespace_ = test::kNamespace) {
    calls();
    api.put(make_template("gpu").in_namespace(namespace_));
    api.put(trainer(pod).in_namespace(namespace_));
    run_for(1s);
    return std::ranges::any_of(calls(), [&](const std::string& call) {
      return call.starts_with("create " + pod + "-gpus-");
    });
  }
};

TEST(ForeignClaims, exclude_our_own) {
  Foreign world;
  world.start();
  for (int i = 0; i < 100; ++i) world.api.put(trainer("p-" + std::to_string(i)));
  world.settle();
  EXPECT_EQ(world.api.claims().size(), 100U);
  EXPECT_EQ(world.count(), 0);
}

TEST(ForeignClaims, count_and_warn_of_other_manager) {
  Foreign world;
  world.start();
  world.run_for(2min);
  world.somebody_makes("theirs", "trainer");
  world.settle();
  EXPECT_EQ(world.count(), 1);
  EXPECT_EQ(world.lines(), 1);
}

TEST(ForeignClaims, are_noticed_however_many_unknown_claims_another_namespace_names) {
  Foreign world;
  world.start();
  world.run_for(2min);
  world.api.put(trainer());
  world.run_for(1s);
  world.somebody_names("theirs", "trainer");
  for (int i = 0; i < 2'000; ++i) {
    const std::string name = "p-" + std::to_string(i);
    world.api.put(make_pod(name).uses("gpus", "shared").in_namespace("loud"));
    world.api.put(make_pod(name).uses("gpus", "shared").in_namespace("loud").names("gpus", name));
  }
  world.api.put(make_claim("theirs").generated_for("trainer", "gpus"));
  world.settle();
  EXPECT_EQ(world.count(), 1);
}

TEST(ForeignClaims, are_logged_every_five_minutes_and_all_counted) {
  Foreign world;
  world.start();
  world.run_for(2min);
  for (int i = 0; i < 100; ++i) {
    world.somebody_makes("theirs-" + std::to_string(i), "p-" + std::to_string(i));
    world.run_for(6s);
  }
  EXPECT_EQ(world.count(), 100);
  EXPECT_EQ(world.lines(), 2);
}

TEST(ForeignClaims, exclude_claims_of_users_and_scheduler) {
  Foreign world;
  world.start();
  world.run_for(2min);
  world.api.put(make_claim("mine"));
  world.api.put(make_claim("extended").for_extended_resources_of("p"));
  world.api.put(make_claim("of-a-group")
                    .for_pod_claim("gpus")
                    .controlled_by({"scheduling.k8s.io", "PodGroup", "g", api::Uid("g")}));
  world.settle();
  EXPECT_EQ(world.count(), 0);
}

TEST(ForeignClaims, exclude_claims_from_before_start) {
  Foreign world;
  world.api.put(trainer());
  world.somebody_makes("from-before", "trainer");
  world.start();
  world.settle();
  EXPECT_EQ(world.count(), 0);
}

TEST(ForeignClaims, exclude_claims_of_other_instance_during_standby) {
  Foreign world;
  world.start_standby();
  world.somebody_makes("of-the-leader", "trainer");
  world.settle();
  EXPECT_EQ(world.count(), 0);
}

TEST(ForeignClaims, exclude_late_claims_of_previous_leader) {
  Foreign world;
  world.start_standby();
  world.hold_watch(World::Held::everything);
  world.somebody_makes("of-the-leader", "elsewhere");
  world.activate();
  world.run_for(50s);
  world.release_watch();
  world.settle();
  EXPECT_EQ(world.count(), 0);
  world.somebody_makes("theirs", "trainer");
  world.settle();
  EXPECT_EQ(world.count(), 1);
}

TEST(ForeignClaims, exclude_claim_with_lost_answer) {
  Foreign world;
  bool is_first = true;
  world.api.fault = [&](std::size_t, const std::string& text) {
    return text.starts_with("create") && std::exchange(is_first, false)
               ? lost(Reason::deadline_exceeded)
               : Fault{};
  };
  world.start();
  world.api.put(trainer());
  world.settle();
  EXPECT_EQ(world.api.claims().size(), 1U);
  EXPECT_EQ(world.count(), 0);
}

TEST(ForeignClaims, exclude_claim_with_lost_answer_and_late_event) {
  Foreign world;
  bool is_first = true;
  world.api.fault = [&](std::size_t, const std::string& text) {
    return text.starts_with("create") && std::exchange(is_first, false)
               ? lost(Reason::deadline_exceeded)
               : Fault{};
  };
  world.start();
  world.hold_watch(World::Held::claims);
  world.api.put(trainer());
  world.settle();
  world.release_watch();
  world.settle();
  EXPECT_EQ(world.api.claims().size(), 1U);
  EXPECT_EQ(world.count(), 0);
}

TEST(ForeignClaims, exclude_claims_of_second_manager_of_ours) {
  Foreign world;
  world.start();
  world.run_for(2min);
  world.hold_watch(World::Held::pods);
  world.somebody_makes("trainer-gpus-b2tt8", "trainer");
  world.release_watch();
  world.settle();
  EXPECT_EQ(world.count(), 0);
}

TEST(ForeignClaims, are_not_counted_in_dry_run) {
  Foreign world;
  world.role = World::Role::dry_run;
  world.start();
  world.somebody_makes("theirs", "trainer");
  world.settle();
  EXPECT_EQ(world.count(), 0);
}

// The claim comes too late to be one of the previous leader.
struct Beside : Foreign {
  Beside() {
    start();
    run_for(2min);
    somebody_makes("theirs", "first");
    run_for(1s);
    calls();
  }
};

TEST(ForeignClaims, leave_next_pods_to_other_manager) {
  Beside world;
  EXPECT_EQ(world.held_back(), 1);
  world.api.put(trainer("second"));
  world.run_for(20s);
  EXPECT_THAT(world.calls(), testing::IsEmpty());
  world.somebody_makes("theirs-too", "second");
  world.settle();
  EXPECT_THAT(world.calls(), testing::IsEmpty());
  EXPECT_EQ(world.api.claims().size(), 2U);
  EXPECT_EQ(world.held_back(), 0) << "half an hour without a foreign claim";
  world.api.put(trainer("third"));
  world.run_for(1s);
  EXPECT_EQ(world.api.claims().size(), 3U);
}

TEST(ForeignClaims, give_pod_its_claim_30_s_after_other_manager_ends) {
  Beside world;
  world.api.put(trainer("second"));
  world.run_for(29s);
  EXPECT_THAT(world.calls(), testing::IsEmpty());
  world.run_for(2s);
  EXPECT_THAT(world.calls(), testing::SizeIs(2)) << "its claim, and its name";
  EXPECT_EQ(world.api.claims().size(), 2U);
}

TEST(ForeignClaims, leave_deleted_claim_to_other_manager_again) {
  Beside world;
  world.api.put(trainer("second"));
  world.run_for(5s);
  world.somebody_makes("theirs-too", "second");
  world.run_for(55s);
  world.calls();
  world.api.remove_claim("theirs-too");
  world.run_for(29s);
  EXPECT_THAT(world.calls(), testing::Not(testing::Contains(testing::StartsWith("create"))));
  world.run_for(2s);
  EXPECT_THAT(world.calls(), testing::Contains(testing::StartsWith("create")));
}

TEST(ForeignClaims, leave_our_deleted_claim_to_other_manager) {
  Beside world;
  world.api.put(trainer("second"));
  world.run_for(90s);
  world.calls();
  std::string ours;
  ASSERT_EQ(world.api.claims().size(), 2U);
  for (const auto& [name, claim] : world.api.claims()) {
    if (name != "theirs") ours = name;
  }
  world.api.remove_claim(ours);
  world.run_for(29s);
  EXPECT_THAT(world.calls(), testing::Not(testing::Contains(testing::StartsWith("create"))));
  world.run_for(2s);
  EXPECT_THAT(world.calls(), testing::Contains(testing::StartsWith("create")));
}

TEST(ForeignClaims, back_off_from_pod_whose_claim_is_refused) {
  Beside world;
  world.api.fault = [](std::size_t, const std::string& text) {
    return text.starts_with("create") ? refused({Reason::forbidden, "quota"}) : Fault{};
  };
  world.api.put(trainer("second"));
  for (int i = 0; i < 24; ++i) {
    world.somebody_makes("theirs-" + std::to_string(i), "elsewhere-" + std::to_string(i));
    world.run_for(5min);
  }
  EXPECT_EQ(world.held_back(), 1);
  const auto calls = world.calls();
  EXPECT_LE(std::ranges::count_if(
                calls, [](const std::string& call) { return call.starts_with("create"); }),
            35);
}

struct ClaimRow {
  const char* sentence;
  test::ClaimBuilder claim;
};

// Anybody who may create claims can create these: by hand, from a backup, from kubectl's output.
TEST(ForeignClaims, ignore_claims_that_any_user_can_create) {
  const ClaimRow rows[] = {
      {"a claim of a pod that does not exist", make_claim("x").generated_for("gone", "gpus")},
      {"one of a pod that does, under a name that we do not compute",
       make_claim("x").generated_for("live", "gpus")},
      {"one of its former self", make_claim("x").owned_by_uid("live", api::Uid("former"))},
      {"one whose annotation a policy has stripped", make_claim("x").owned_by("live")},
      {"one of a pod group", make_claim("x").generated_for_group("group", "gpus")},
  };
  for (const ClaimRow& row : rows) {
    Foreign world;
    world.api.put(trainer("live"));
    world.start();
    world.run_for(2min);
    world.api.put(row.claim);
    EXPECT_TRUE(world.serves_at_once("second")) << row.sentence;
    EXPECT_TRUE(world.serves_at_once("third", "another")) << row.sentence;
    EXPECT_EQ(world.count(), 0) << row.sentence;
    EXPECT_EQ(world.held_back(), 0) << row.sentence;
  }
}

TEST(ForeignClaims, ignore_restored_status_naming_claim_of_former_pod) {
  Foreign world;
  world.start();
  world.run_for(2min);
  world.api.put(make_claim("restored").owned_by_uid("live", api::Uid("former")));
  world.api.put(trainer("live"));
  world.somebody_names("restored", "live");
  world.run_for(1s);
  EXPECT_EQ(world.held_back(), 0);
  world.api.put(trainer("other"));
  world.somebody_names("not-there", "other");
  EXPECT_TRUE(world.serves_at_once("second"));
  EXPECT_EQ(world.count(), 0);
}

// A pod whose template is missing waits for its claim; its owner creates one, which is used then.
TEST(ForeignClaims, ignore_claim_that_we_adopt) {
  for (const Fault::Kind kind : {Fault::Kind::none, Fault::Kind::lost, Fault::Kind::refused}) {
    Foreign world;
    bool is_first = true;
    world.api.fault = [&](std::size_t, const std::string& text) {
      const bool is_hit = text.starts_with("write names") && std::exchange(is_first, false);
      return is_hit ? Fault{kind, Error{Reason::deadline_exceeded, "injected"}} : Fault{};
    };
    world.start();
    world.run_for(2min);
    world.api.put(make_pod("waits").from_template("gpus", "missing"));
    world.run_for(1s);
    world.api.put(make_claim("by-hand").generated_for("waits", "gpus"));
    world.run_for(1min);
    ASSERT_EQ(world.api.pod("waits")->claim_statuses[0].claim_name, "by-hand");
    EXPECT_EQ(world.count(), 0);
    EXPECT_TRUE(world.serves_at_once("second"));
  }
}

TEST(ForeignClaims, are_noticed_by_status_before_watch_shows_claim) {
  Foreign world;
  world.start();
  world.run_for(2min);
  world.hold_watch(World::Held::claims);
  world.somebody_makes("theirs", "first");
  world.run_for(1s);
  EXPECT_EQ(world.count(), 1) << "as soon as a look-up brings the claim";
  world.release_watch();
  EXPECT_EQ(world.count(), 1);
}

TEST(ForeignClaims, delay_no_other_namespace) {
  Foreign world;
  world.start();
  world.run_for(2min);
  for (int i = 0; i < 10; ++i) {
    const std::string name = "ns-" + std::to_string(i);
    world.api.put(trainer("p-" + name).in_namespace(name));
    world.api.put(
        make_claim("theirs-" + name).generated_for("p-" + name, "gpus").in_namespace(name));
    world.somebody_names("theirs-" + name, "p-" + name);
  }
  EXPECT_EQ(world.count(), 10);
  EXPECT_EQ(world.held_back(), 1);
  EXPECT_FALSE(world.serves_at_once("second", "ns-9"));
  EXPECT_TRUE(world.serves_at_once("third"));
}

TEST(ForeignClaims, ignore_deleted_claim_with_owner_in_other_namespace) {
  Beside world;
  world.api.put(trainer("second"));
  for (int i = 0; i < 3; ++i) {
    world.run_for(10s);
    world.api.put(make_claim("forged").generated_for("second", "gpus").in_namespace("tenant"));
    world.api.remove_claim("forged");
  }
  world.run_for(1s);
  EXPECT_EQ(world.api.claims().size(), 2U);
}

TEST(ForeignClaims, make_new_leader_wait_only_for_predecessors_last_claims) {
  Foreign world;
  world.start();
  world.somebody_makes("theirs", "first");
  world.run_for(1s);
  world.api.put(trainer("second"));
  world.run_for(8s);
  EXPECT_EQ(world.api.claims().size(), 1U);
  world.run_for(2s);
  EXPECT_EQ(world.api.claims().size(), 2U);
  EXPECT_EQ(world.count(), 0) << "no alert";
  EXPECT_EQ(world.lines(), 0);
}

TEST(ForeignClaims, are_reported_with_consequence_in_event_on_lease) {
  Beside world;
  EXPECT_THAT(world.events.texts,
              testing::Contains(testing::StartsWith(
                  "the-lease: ForeignClaims: Another manager made claim lab/theirs")));
  EXPECT_THAT(world.events.texts, testing::Contains(testing::HasSubstr(
                                      "this manager makes claims in that namespace only after")));
}

TEST(ForeignClaims, cause_no_wait_if_disabled_by_flag) {
  Beside world;
  Foreign regardless;
  regardless.foreign_claims = ForeignClaims::Policy::go_on;
  regardless.start();
  regardless.run_for(2min);
  regardless.somebody_makes("theirs", "first");
  regardless.run_for(1s);
  regardless.api.put(trainer("second"));
  regardless.run_for(1s);
  EXPECT_EQ(regardless.api.claims().size(), 2U);
  EXPECT_EQ(regardless.metric("dra_controller_manager_creates_held_back"), 0);
}

// As left when both have created a claim, and the scheduler used the one whose name was then
// overwritten.
TEST(ForeignClaims, are_replaced_in_pod_status) {
  const auto split = [](World& world) {
    world.api.put(make_claim("ours").generated_for("trainer", "gpus"));
    world.api.put(make_claim("theirs").generated_for("trainer", "gpus"));
    world.api.put(trainer().names("gpus", "ours"));
  };
  const auto reserve = [](api::ResourceClaim& claim) {
    claim.is_allocated = true;
    claim.reserved_for.push_back({"", "pods", "trainer", test::uid_of("trainer")});
  };
  Foreign before;
  split(before);
  before.api.change_claim("theirs", reserve);
  before.start();
  before.settle();
  EXPECT_EQ(before.api.pod("trainer")->claim_statuses[0].claim_name, "theirs");

  Foreign after;
  split(after);
  after.start();
  after.settle();
  EXPECT_THAT(after.calls(), testing::IsEmpty());
  after.api.change_claim("theirs", reserve);
  after.settle();
  EXPECT_EQ(after.api.pod("trainer")->claim_statuses[0].claim_name, "theirs");
  after.api.change_claim("ours", reserve);
  after.settle();
  EXPECT_EQ(after.api.pod("trainer")->claim_statuses[0].claim_name, "theirs")
      << "what is named and used stays named";
}

std::string told_of_claim(const World& world, const std::string& name) {
  std::string text;
  const auto topics = world.controller().explain_claim(world.api.claim(name), Miss::unknown);
  for (const common::Topic& topic : topics) {
    for (const common::Finding& finding : topic.findings) {
      text += std::string(to_string(finding.outlook)) + " " + finding.reason + ": " + finding.text +
              "\n";
    }
  }
  return text;
}

TEST(ForeignClaims, explain_surplus_claim_and_its_removal) {
  World world;
  world.api.put(make_claim("ours").generated_for("trainer", "gpus"));
  world.api.put(make_claim("theirs").generated_for("trainer", "gpus"));
  world.api.put(trainer().names("gpus", "ours"));
  world.start();
  world.settle();
  EXPECT_THAT(
      told_of_claim(world, "theirs"),
      testing::HasSubstr("note SurplusClaim: ResourceClaim \"theirs\" is a second claim for "
                         "pod claim \"gpus\": two managers have made claims. The pod uses "
                         "ResourceClaim \"ours\"."));
  EXPECT_THAT(told_of_claim(world, "theirs"),
              testing::HasSubstr("kubectl -n lab delete resourceclaim theirs"));
  EXPECT_THAT(told_of_claim(world, "ours"), testing::Not(testing::HasSubstr("Surplus")));
}

}  // namespace
}  // namespace dcm::resource_claim
