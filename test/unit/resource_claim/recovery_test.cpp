// Whatever call fails, and wherever the process dies: after recovery, the state is the same.
#include <functional>

#include <gmock/gmock.h>

#include "test/unit/resource_claim/world.hpp"

namespace dcm::resource_claim {
namespace {

using namespace std::chrono_literals;
using api::PodPhase;
using runtime::Error;
using runtime::Reason;
using test::Fault;
using test::lost;
using test::make_claim;
using test::make_pod;
using test::make_template;
using test::refused;

// Everything that happens to claims, one thing after the other. After each step the cluster may
// settle; `settle` belongs to the test, so that it can restart the process.
void play(World& world, const std::function<void()>& settle) {
  world.api.put(make_template("gpu"));
  world.api.put(make_template("net"));
  world.api.put(make_claim("shared").allocated().with_finalizer());
  world.start();
  world.api.put(make_pod("trainer")
                    .from_template("gpus", "gpu")
                    .from_template("nic", "net")
                    .uses("shared", "shared")
                    .on_node("n"));
  settle();
  for (const auto& [name, claim] : std::map(world.api.claims())) {
    world.api.change_claim(name, [](api::ResourceClaim& changed) {
      changed.is_allocated = true;
      changed.has_delete_protection = true;
    });
  }
  settle();
  world.api.put(make_pod("other").uses("shared", "shared").on_node("n"));
  settle();
  world.api.change_pod("trainer", [](api::Pod& pod) { pod.phase = PodPhase::succeeded; });
  settle();
  world.api.remove_pod("other");
  settle();
}

const char* const kEnd =
    "pod trainer gpus=trainer-gpus-b2tt8 nic=trainer-nic-mrf9g\n"
    "claim shared\n";

TEST(Recovery, completes_without_faults) {
  World world;
  play(world, [&] { world.settle(); });
  EXPECT_EQ(world.describe(), kEnd);
  EXPECT_THAT(world.calls(), testing::SizeIs(16))
      << "two creates and a write of names, four reservations; for the finished pod three "
         "releases, "
         "two finalizers and two deletions; for the deleted one a release and a finalizer";
}

// Repeats the story, with a fault at each of its calls in turn.
void check_every_failure(const char* what, Fault fault) {
  for (std::size_t failing = 0;; ++failing) {
    World world;
    world.api.fault = [&](std::size_t number, const std::string&) {
      return number == failing ? fault : Fault{};
    };
    play(world, [&] { world.settle(); });
    EXPECT_EQ(world.describe(), kEnd)
        << what << " at call " << failing << ": "
        << world.api.calls[std::min(failing, world.api.calls.size() - 1)];
    if (world.api.calls.size() <= failing) break;
    ASSERT_LT(failing, 100U);
  }
}

TEST(Recovery, survives_refusal_of_each_call) {
  check_every_failure("refused", refused(Reason::internal_error));
}

TEST(Recovery, survives_conflict_of_each_call) {
  check_every_failure("conflict", refused(Reason::conflict));
}

TEST(Recovery, survives_lost_answer_to_each_call) {
  check_every_failure("lost", lost(Reason::deadline_exceeded));
}

TEST(Recovery, survives_loss_of_each_call) {
  check_every_failure("lost", refused(Reason::disconnected));
}

// From the failing call on nothing is answered; then the process dies and a new one starts.
void check_every_crash(const char* what, Fault::Kind last_call) {
  for (std::size_t crashing = 0;; ++crashing) {
    World world;
    bool is_dead = false;
    world.api.fault = [&](std::size_t number, const std::string&) {
      if (number == crashing) {
        is_dead = true;
        return Fault{last_call, Error{Reason::shutting_down, "dead"}};
      }
      return is_dead ? refused(Reason::shutting_down) : Fault{};
    };
    play(world, [&] {
      world.settle();
      if (!std::exchange(is_dead, false)) return;
      world.kill();
      world.start();
      world.settle();
    });
    EXPECT_EQ(world.describe(), kEnd) << what << " at call " << crashing;
    if (world.api.calls.size() <= crashing) break;
    ASSERT_LT(crashing, 100U);
  }
}

TEST(Recovery, survives_crash_before_each_call) {
  check_every_crash("dies before", Fault::Kind::refused);
}

TEST(Recovery, survives_crash_after_each_call) {
  check_every_crash("dies after", Fault::Kind::lost);
}

// The backup was older than what the manager has seen since: a pod's end, and that of its claim.
TEST(Recovery, starts_over_with_objects_that_restore_brings_back) {
  World world;
  world.start();
  const auto pod = make_pod("p").uses("shared", "shared").on_node("n").get();
  const auto shared = make_claim("shared").allocated().with_finalizer().reserved_for("p").get();
  const auto generated = make_claim("generated").generated_for("q", "gpus").get();
  const auto finished = make_pod("q").from_template("gpus", "gpu").phase(PodPhase::succeeded).get();
  for (int time = 0; time < 2; ++time) {
    world.api.put(pod);
    world.api.put(shared);
    world.api.put(finished);
    world.api.put(generated);
    world.settle();
    EXPECT_EQ(world.describe(), "pod p\npod q\nclaim shared allocated protected reserved for p\n")
        << time;
    world.api.remove_pod("p");
    world.api.remove_pod("q");
    world.settle();
    EXPECT_EQ(world.describe(), "claim shared\n") << time;
  }
}

TEST(Recovery, keeps_reservation_of_restored_pod_that_is_listed_later) {
  World world;
  world.start();
  const auto pod = make_pod("p").uses("shared", "shared").on_node("n").get();
  const auto shared = make_claim("shared").allocated().with_finalizer().reserved_for("p").get();
  world.api.put(pod);
  world.api.put(shared);
  world.settle();
  world.api.remove_pod("p");
  world.settle();
  world.hold_watch();
  world.api.put(pod);
  world.api.put(shared);
  world.list_claims();
  world.settle();
  EXPECT_EQ(world.describe(), "pod p\nclaim shared allocated protected reserved for p\n");
}

TEST(Recovery, leaves_nothing_behind_after_kill) {
  for (int micros = 0; micros < 6'000; micros += 250) {
    World world;
    world.api.put(make_template("gpu"));
    world.start();
    world.api.put(make_pod("trainer").from_template("gpus", "gpu"));
    world.run_for(std::chrono::microseconds(micros));
    world.kill();
    world.start();
    world.settle();
    EXPECT_EQ(world.describe(), "pod trainer gpus=trainer-gpus-b2tt8\nclaim trainer-gpus-b2tt8\n")
        << micros << " us";
  }
}

}  // namespace
}  // namespace dcm::resource_claim
