// The lifecycle of the controller: standby, backlog, priorities, stopping, metrics.
#include <gmock/gmock.h>

#include "test/unit/resource_claim/world.hpp"

namespace dcm::resource_claim {
namespace {

using namespace std::chrono_literals;
using api::PodPhase;
using test::make_claim;
using test::make_pod;
using test::make_template;
using testing::ElementsAre;
using testing::IsEmpty;
using workqueue::Priority;

test::PodBuilder trainer(int number) {
  return make_pod("trainer-" + std::to_string(number)).from_template("gpus", "gpu");
}

TEST(Lifecycle, does_nothing_on_standby) {
  World world;
  world.api.put(make_template("gpu"));
  world.start_standby();
  world.api.put(trainer(0));
  world.api.put(make_claim("s").allocated().reserved_for("gone"));
  world.settle();
  EXPECT_THAT(world.calls(), IsEmpty());
  world.activate();
  world.settle();
  EXPECT_THAT(world.calls(),
              testing::UnorderedElementsAre("create trainer-0-gpus-6vbww for gpus",
                                            "write names gpus=trainer-0-gpus-6vbww", "get pod gone",
                                            "release gone-uid of s"));
}

TEST(Lifecycle, remembers_pods_deleted_on_standby) {
  World world;
  world.api.put(make_claim("s").allocated().with_finalizer().reserved_for("p"));
  world.api.put(make_pod("p").uses("a", "s").on_node("n"));
  world.start_standby();
  world.api.remove_pod("p");
  world.settle();
  world.activate();
  world.settle();
  EXPECT_THAT(world.calls(),
              ElementsAre("release p-uid, deallocate of s", "remove finalizer of s"));
}

TEST(Lifecycle, treats_initial_objects_as_backlog_and_changes_as_live) {
  World world;
  world.workers = 1;
  world.api.put(make_template("gpu"));
  for (int i = 0; i < 1'000; ++i) world.api.put(trainer(i));
  world.start();
  world.run_for(20ms);
  const std::size_t before = world.calls().size();
  EXPECT_LT(before, 100U);
  world.api.put(make_pod("new").from_template("gpus", "gpu"));
  world.run_for(20ms);
  const std::vector<std::string> after = world.calls();
  const auto made = std::ranges::find(after, "create new-gpus-2m79r for gpus");
  ASSERT_NE(made, after.end());
  EXPECT_LE(made - after.begin(), 4) << "behind the requests that were under way";
  EXPECT_EQ(world.api.priorities.front(), Priority::backlog);
  const auto number = static_cast<std::ptrdiff_t>(before) + (made - after.begin());
  EXPECT_EQ(world.api.priorities[static_cast<std::size_t>(number)], Priority::live);
}

TEST(Lifecycle, limits_concurrency_to_workers) {
  World world;
  world.workers = 7;
  world.api.put(make_template("gpu"));
  for (int i = 0; i < 100; ++i) world.api.put(trainer(i));
  world.start();
  world.settle();
  EXPECT_EQ(world.api.in_flight_max, 7U);
  EXPECT_EQ(world.api.claims().size(), 100U);
}

TEST(Lifecycle, does_not_queue_finished_objects_at_start) {
  World world;
  for (int i = 0; i < 500; ++i) {
    const std::string pod = "trainer-" + std::to_string(i);
    world.api.put(trainer(i).names("gpus", pod + "-x"));
    world.api.put(make_claim(pod + "-x").generated_for(pod, "gpus"));
  }
  world.start();
  world.settle();
  EXPECT_THAT(world.calls(), IsEmpty());
  EXPECT_EQ(world.metric("workqueue_adds_total{name=\"resource_claim\"}"), 0);
}

TEST(Lifecycle, finishes_started_work_on_stop) {
  World world;
  world.workers = 2;
  world.api.put(make_template("gpu"));
  for (int i = 0; i < 10; ++i) world.api.put(trainer(i));
  world.start();
  world.run_for(100us);
  world.stop();
  EXPECT_TRUE(world.describe().contains("trainer-0 gpus=trainer-0-gpus-"));
  EXPECT_EQ(world.calls().size(), 4U);  // two pods, a create and a write each
}

TEST(Lifecycle, counts_creates) {
  World world;
  world.api.put(make_template("gpu"));
  world.api.put(make_template("admin").with_admin_access());
  world.start();
  world.api.fault = [](std::size_t number, const std::string&) {
    return number == 0 ? test::refused(runtime::Reason::internal_error) : test::Fault{};
  };
  world.api.put(trainer(0));
  world.api.put(make_pod("admin").from_template("a", "admin"));
  world.settle();
  const auto creates = [&](const std::string& admin, const std::string& status) {
    return world.metric("dynamic_resource_allocation_resourceclaim_creates_total{admin_access=\"" +
                        admin + "\",owner_api_group=\"\",owner_api_kind=\"Pod\",status=\"" +
                        status + "\"}");
  };
  EXPECT_EQ(creates("false", "failure"), 1);
  EXPECT_EQ(creates("false", "success"), 1);
  EXPECT_EQ(creates("true", "failure"), 0);
  EXPECT_EQ(creates("true", "success"), 1);
}

TEST(Lifecycle, does_not_count_unsent_create) {
  for (const auto reason : {runtime::Reason::unreachable, runtime::Reason::request_too_large}) {
    World world;
    world.api.put(make_template("gpu"));
    world.start();
    world.api.fault = [reason](std::size_t number, const std::string&) {
      if (number > 0) return test::Fault{};
      return test::refused({reason, "not sent"});
    };
    world.api.put(trainer(0));
    world.settle();
    EXPECT_EQ(
        world.metric("dynamic_resource_allocation_resourceclaim_creates_total{admin_access="
                     "\"false\",owner_api_group=\"\",owner_api_kind=\"Pod\",status=\"failure\"}"),
        0);
  }
}

TEST(Lifecycle, counts_claims_in_twelve_series) {
  World world;
  world.api.put(make_claim("user"));
  world.api.put(make_claim("admin").with_admin_access().allocated());
  world.start();
  const auto claims = [&](const std::string& admin, const std::string& allocated,
                          const std::string& source) {
    return world.metric("dynamic_resource_allocation_resource_claims{admin_access=\"" + admin +
                        "\",allocated=\"" + allocated + "\",source=\"" + source + "\"}");
  };
  const std::string made = "resource_claim_template";
  const std::string extended = "extended_resource";
  EXPECT_EQ(claims("false", "false", ""), 1);
  EXPECT_EQ(claims("true", "true", ""), 1);
  for (const char* admin : {"false", "true"}) {
    for (const char* allocated : {"false", "true"}) {
      EXPECT_EQ(claims(admin, allocated, made), 0);
      EXPECT_EQ(claims(admin, allocated, extended), 0);
    }
  }
  world.api.put(make_claim("x").generated_for("p", "gpus"));
  world.api.put(make_claim("e").for_extended_resources_of("p").allocated());
  EXPECT_EQ(claims("false", "false", made), 1);
  EXPECT_EQ(claims("false", "true", extended), 1);
  world.api.change_claim("x", [](api::ResourceClaim& claim) { claim.is_allocated = true; });
  EXPECT_EQ(claims("false", "false", made), 0);
  EXPECT_EQ(claims("false", "true", made), 1);
  world.api.remove_claim("x");
  EXPECT_EQ(claims("false", "true", made), 0);
}

TEST(Lifecycle, starts_census_at_zero) {
  runtime::MetricsRegistry metrics;
  const runtime::VirtualTime time;
  for (int session = 0; session < 2; ++session) {
    ClaimCensus(metrics, time).observe_added(ClaimPtr(make_claim("c")), informers::Origin::initial);
  }
  EXPECT_THAT(
      metrics.expose(),
      testing::HasSubstr("dynamic_resource_allocation_resource_claims{admin_access=\"false\","
                         "allocated=\"false\",source=\"\"} 1\n"));
}

TEST(ClaimLatency, measures_from_pod_creation_to_claim_and_name) {
  World world;
  world.api.put(make_template("gpu"));
  world.start();
  world.api.put(trainer(0).created(world.loop.time().wall_now() - 4s));
  world.settle();
  const std::string metric = "dra_controller_manager_pod_claim_creation_sli_duration_seconds";
  EXPECT_EQ(world.metric(metric + "_bucket{le=\"3\"}"), 0);
  EXPECT_EQ(world.metric(metric + "_bucket{le=\"5\"}"), 1);
  EXPECT_EQ(world.metric("dra_controller_manager_pod_claim_name_sli_duration_seconds_count"), 1);
}

TEST(ClaimLatency, measures_from_pod_creation_centuries_ago) {
  World world;
  world.api.put(make_template("gpu"));
  world.start();
  world.api.put(trainer(0).created(runtime::WallTime::min()));
  world.settle();
  EXPECT_GT(world.metric("dra_controller_manager_pod_claim_creation_sli_duration_seconds_sum"),
            9e9);
}

TEST(ClaimLatency, excludes_pod_that_waited_for_user) {
  World world;
  world.start();
  world.api.put(trainer(0));
  world.run_for(10s);
  world.api.put(make_template("gpu"));
  world.settle();
  EXPECT_EQ(world.describe().contains("claim trainer-0-gpus"), true) << world.describe();
  EXPECT_EQ(world.metric("dra_controller_manager_pod_claim_creation_sli_duration_seconds_count"),
            0);
  EXPECT_EQ(world.metric("dra_controller_manager_pod_claim_name_sli_duration_seconds_count"), 0);
}

TEST(FailingObjects, are_counted_once_with_namespaces) {
  World world;
  world.start();
  world.api.put(trainer(0));
  world.api.put(trainer(1));
  world.run_for(60s);
  EXPECT_EQ(world.metric("dra_controller_manager_failing_objects{kind=\"pod\"}"), 2);
  EXPECT_EQ(world.metric("dra_controller_manager_failing_namespaces{kind=\"pod\"}"), 1);
  world.api.put(make_template("gpu"));
  world.settle();
  EXPECT_EQ(world.metric("dra_controller_manager_failing_objects{kind=\"pod\"}"), 0);
}

TEST(Lifecycle, counts_deleted_claims_kept_by_finalizers) {
  World world;
  world.api.put(make_claim("s").allocated().with_finalizer().reserved_for("p"));
  world.api.put(make_pod("p").uses("a", "s").on_node("n"));
  world.start();
  const auto count = [&] { return world.metric("dra_controller_manager_claims_being_deleted"); };
  EXPECT_EQ(count(), 0);
  world.api.change_claim("s",
                         [](api::ResourceClaim& claim) { claim.meta.is_being_deleted = true; });
  EXPECT_EQ(count(), 1);
  world.run_for(100s);
  EXPECT_EQ(world.metric("dra_controller_manager_claim_deletion_age_seconds"), 100);
  world.api.remove_pod("p");
  world.settle();
  EXPECT_EQ(world.api.claim("s"), nullptr);
  EXPECT_EQ(count(), 0);
}

TEST(Lifecycle, forgets_deletion_that_was_taken_back_or_is_over) {
  const auto claim = [] { return make_claim("s").allocated().with_finalizer().reserved_for("p"); };
  for (const auto& after : {claim(), claim().with_uid("another").being_deleted()}) {
    World world;
    world.api.put(claim().being_deleted());
    world.api.put(make_pod("p").uses("a", "s").on_node("n"));
    world.start();
    const auto age = [&] {
      return world.metric("dra_controller_manager_claim_deletion_age_seconds");
    };
    world.run_for(100s);
    EXPECT_EQ(age(), 100);
    world.api.put(after);
    EXPECT_EQ(age(), 0);
  }
}

}  // namespace
}  // namespace dcm::resource_claim
