// The claim manager with drivers and files in memory, on virtual time. Numbers in brackets are the
// cases of the node's specification.
#include "node/claims/manager.hpp"

#include <gmock/gmock.h>

#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"
#include "test/unit/node/claims_world.hpp"

namespace dcm::node {
namespace {

using namespace std::chrono_literals;
using runtime::Task;
using test::ClaimsWorld;
using test::make_claim;
using test::make_pod;

constexpr const char* kGpu = "gpu.example.com";
constexpr const char* kNic = "nic.example.com";
using Lines = std::vector<std::string>;

// A claim with a device of each driver, for the pods. By default the devices are not shared.
void put_claim(ClaimsWorld& world, const std::string& name, const Lines& drivers, const Lines& pods,
               const std::string& device = "") {
  test::ClaimBuilder claim = make_claim(name);
  for (const std::string& driver : drivers) {
    claim.with_device_of(driver, "node-0", device.empty() ? name + "-d0" : device);
  }
  for (const std::string& pod : pods) claim.reserved_for(pod);
  world.claims.put(claim);
}

std::vector<Entry> on_disk(const ClaimsWorld& world) {
  const auto entries = decode_checkpoint(world.files.content_of(test::kCheckpoint));
  EXPECT_TRUE(entries);
  return entries.value_or(std::vector<Entry>());
}

CO_TEST(ClaimManager, prepares_and_unprepares_claim) {  // [35], [55], [68]
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  put_claim(world, "c1", {kGpu}, {"p"});
  const api::ObjectPtr<api::Pod> pod = make_pod("p").uses("gpu", "c1");
  CO_ASSERT_TRUE(co_await world.manager->prepare(pod));
  CO_ASSERT_EQ(world.drivers.journal, Lines{"gpu.example.com prepare c1-uid"});
  CO_ASSERT_EQ(on_disk(world).size(), 1U);
  EXPECT_EQ(on_disk(world).front().drivers.at(kGpu).devices.front().cdi_ids,
            Lines{"gpu.example.com/gpu=c1-uid"});
  EXPECT_TRUE(world.drivers.without_checkpoint.empty());
  EXPECT_FALSE(claims_of_pod(world.manager->book(), "p-uid").empty());
  CO_ASSERT_TRUE(co_await world.manager->unprepare(pod));
  EXPECT_TRUE(world.drivers.prepared.empty());
  EXPECT_TRUE(on_disk(world).empty());
  EXPECT_TRUE(claims_of_pod(world.manager->book(), "p-uid").empty());
}

CO_TEST(ClaimManager, calls_drivers_concurrently) {  // [37]
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  put_claim(world, "c1", {kGpu, kNic}, {"p"});
  world.drivers.works_for = {{kGpu, 3s}, {kNic, 3s}};
  const runtime::MonoTime start = loop.time().now();
  CO_ASSERT_TRUE(co_await world.manager->prepare(make_pod("p").uses("gpu", "c1")));
  EXPECT_LT(loop.time().now() - start, 4s);
}

CO_TEST(ClaimManager, prepares_shared_claim_once_until_last_pod) {  // [38]
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  put_claim(world, "c1", {kGpu}, {"p", "q"});
  world.drivers.works_for = {{kGpu, 3s}};
  const api::ObjectPtr<api::Pod> p = make_pod("p").uses("gpu", "c1");
  const api::ObjectPtr<api::Pod> q = make_pod("q").uses("gpu", "c1");
  runtime::TaskGroup group(loop.executor());
  const auto prepare = [&](api::ObjectPtr<api::Pod> pod) -> Task<> {
    EXPECT_TRUE(co_await world.manager->prepare(pod));
  };
  group.spawn("p", prepare(p));
  group.spawn("q", prepare(q));
  co_await group.join();
  CO_ASSERT_TRUE(co_await world.manager->unprepare(p));
  EXPECT_EQ(world.drivers.journal, Lines{"gpu.example.com prepare c1-uid"});
  CO_ASSERT_TRUE(co_await world.manager->unprepare(q));
  EXPECT_EQ(world.drivers.journal.size(), 2U);
  EXPECT_TRUE(on_disk(world).empty());
}

CO_TEST(ClaimManager, keeps_no_entry_after_refusal_by_api_server) {  // [39], [41]
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  const api::ObjectPtr<api::Pod> pod = make_pod("p").uses("gpu", "c1");
  const ClaimResult no_claim = co_await world.manager->prepare(pod);
  EXPECT_EQ(no_claim.error(),
            "prepare dynamic resources: fetch ResourceClaim c1: resourceclaims.resource.k8s.io "
            "\"c1\" not found");
  put_claim(world, "c1", {kGpu}, {"p"});
  world.drivers.missing = {kGpu};
  const ClaimResult no_driver = co_await world.manager->prepare(pod);
  EXPECT_EQ(no_driver.error(),
            "prepare dynamic resources: DRA driver gpu.example.com is not registered");
  EXPECT_TRUE(claims_of_pod(world.manager->book(), "p-uid").empty())
      << "so that the pod may be deleted at once";
  CO_ASSERT_TRUE(co_await world.manager->unprepare(pod));
  EXPECT_TRUE(world.drivers.journal.empty());
}

CO_TEST(ClaimManager, retries_refusal) {  // [43]
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  put_claim(world, "c1", {kGpu}, {"p"});
  world.drivers.refusals[kGpu] = {"rpc error: code = Internal desc = broken"};
  const api::ObjectPtr<api::Pod> pod = make_pod("p").uses("gpu", "c1");
  const ClaimResult refused = co_await world.manager->prepare(pod);
  EXPECT_EQ(refused.error(),
            "prepare dynamic resources: NodePrepareResources: rpc error: code = Internal desc = "
            "broken");
  EXPECT_EQ(on_disk(world).size(), 1U) << "nobody knows what the driver has done";
  CO_ASSERT_TRUE(co_await world.manager->prepare(pod));
  EXPECT_EQ(on_disk(world).front().drivers.at(kGpu).devices.size(), 1U);
}

CO_TEST(ClaimManager, does_not_repeat_call_to_successful_driver) {  // [49]
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  put_claim(world, "c1", {kGpu, kNic}, {"p"});
  world.drivers.refusals[kNic] = {"rpc error: code = Internal desc = broken"};
  const api::ObjectPtr<api::Pod> pod = make_pod("p").uses("gpu", "c1");
  CO_ASSERT_TRUE(!(co_await world.manager->prepare(pod)));
  EXPECT_EQ(on_disk(world).front().drivers.at(kGpu).devices.size(), 1U);
  world.drivers.journal.clear();
  CO_ASSERT_TRUE(co_await world.manager->prepare(pod));
  EXPECT_EQ(world.drivers.journal, Lines{"nic.example.com prepare c1-uid"});
  EXPECT_EQ(on_disk(world).front().drivers.at(kGpu).devices.size(), 1U);
}

CO_TEST(ClaimManager, accepts_answer_without_devices) {  // [46]
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  put_claim(world, "c1", {kGpu}, {"p"});
  world.drivers.answers[kGpu] = {};
  CO_ASSERT_TRUE(co_await world.manager->prepare(make_pod("p").uses("gpu", "c1")));
  EXPECT_TRUE(on_disk(world).front().drivers.at(kGpu).devices.empty());
}

CO_TEST(ClaimManager, keeps_or_unprepares_claim_of_lost_checkpoint) {
  for (const UnknownClaims unknown : {UnknownClaims::leave, UnknownClaims::unprepare}) {
    ClaimsWorld world(loop);
    world.unknown = unknown;
    CO_ASSERT_TRUE(world.start());
    put_claim(world, "c1", {kGpu}, {"p"});
    put_claim(world, "others", {kGpu}, {"q"});
    const api::ObjectPtr<api::Pod> pod = make_pod("p").uses("gpu", "c1").uses("more", "others");
    CO_ASSERT_TRUE(co_await world.manager->unprepare(pod));
    const bool is_left = unknown == UnknownClaims::leave;
    EXPECT_EQ(world.drivers.journal, is_left ? Lines() : Lines{"gpu.example.com unprepare c1-uid"});
    EXPECT_TRUE(on_disk(world).empty());
  }
}

CO_TEST(ClaimManager, keeps_claim_of_lost_checkpoint_until_last_pod_ends) {
  ClaimsWorld world(loop);
  world.unknown = UnknownClaims::unprepare;
  CO_ASSERT_TRUE(world.start());
  put_claim(world, "c1", {kGpu}, {"p", "q", "elsewhere"});
  world.manager->observe_pods({"p-uid", "q-uid"});
  CO_ASSERT_TRUE(co_await world.manager->unprepare(make_pod("p").uses("gpu", "c1")));
  EXPECT_TRUE(world.drivers.journal.empty());
  CO_ASSERT_TRUE(co_await world.manager->unprepare(make_pod("q").uses("gpu", "c1")));
  EXPECT_EQ(world.drivers.journal, Lines{"gpu.example.com unprepare c1-uid"});
}

CO_TEST(ClaimManager, rebuilds_entries_from_api_server) {
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  put_claim(world, "c1", {kGpu}, {"p"});
  const api::ObjectPtr<api::Pod> pod = make_pod("p").uses("gpu", "c1").uses("gone", "c2");
  CO_ASSERT_TRUE(co_await world.manager->enter(pod));
  CO_ASSERT_EQ(on_disk(world).size(), 1U);
  EXPECT_TRUE(world.drivers.journal.empty()) << "no call";
  CO_ASSERT_TRUE(co_await world.manager->enter(pod));
  CO_ASSERT_TRUE(co_await world.manager->unprepare(pod));
  EXPECT_EQ(world.drivers.journal, Lines{"gpu.example.com unprepare c1-uid"});
}

CO_TEST(ClaimManager, adds_running_pod_to_entry_of_new_pod) {
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  put_claim(world, "c1", {kGpu}, {"new"});  // reserved for a group, for example
  put_claim(world, "later", {kGpu}, {"new"});
  const api::ObjectPtr<api::Pod> fresh = make_pod("new").uses("gpu", "c1").uses("more", "later");
  CO_ASSERT_TRUE(co_await world.manager->prepare(fresh));
  put_claim(world, "c1", {kGpu}, {"new", "old"});
  put_claim(world, "later", {kGpu}, {"old"},
            "d1");  // reallocated, so different from the prepared one
  const api::ObjectPtr<api::Pod> old = make_pod("old").uses("gpu", "c1").uses("more", "later");
  CO_ASSERT_TRUE(co_await world.manager->enter(old));
  world.drivers.journal.clear();
  CO_ASSERT_TRUE(co_await world.manager->unprepare(fresh));
  EXPECT_EQ(world.drivers.journal, Lines{"gpu.example.com unprepare later-uid"});
  world.drivers.journal.clear();
  CO_ASSERT_TRUE(co_await world.manager->unprepare(old));
  EXPECT_EQ(world.drivers.journal, Lines{"gpu.example.com unprepare c1-uid"});
}

CO_TEST(ClaimManager, retries_unprepare_until_success) {  // [57], [58], [60]
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  put_claim(world, "c1", {kGpu, kNic}, {"p", "q"});
  const api::ObjectPtr<api::Pod> pod = make_pod("p").uses("gpu", "c1");
  CO_ASSERT_TRUE(co_await world.manager->prepare(pod));
  world.drivers.missing = {kGpu, kNic};
  const ClaimResult gone = co_await world.manager->unprepare(pod);
  EXPECT_EQ(gone.error(),
            "unprepare dynamic resources: DRA driver gpu.example.com is not registered");
  EXPECT_FALSE(world.manager->book().begin()->second.is_going) << "no call was sent";
  world.drivers.missing.clear();
  world.drivers.refusals[kNic] = {"rpc error: code = Internal desc = 1"};
  CO_ASSERT_TRUE(!(co_await world.manager->unprepare(pod)));
  EXPECT_FALSE(claims_of_pod(world.manager->book(), "p-uid").empty());
  const ClaimResult refused = co_await world.manager->prepare(make_pod("q").uses("gpu", "c1"));
  EXPECT_EQ(refused.error(), "prepare dynamic resources: ResourceClaim c1 is being unprepared");
  world.drivers.journal.clear();
  CO_ASSERT_TRUE(co_await world.manager->unprepare(pod));
  EXPECT_EQ(world.drivers.journal, Lines{"nic.example.com unprepare c1-uid"});
  EXPECT_TRUE(on_disk(world).empty());
}

// A restore of etcd may show a pod of a node as unbound, and the scheduler binds it there again.
CO_TEST(ClaimManager, prepares_pod_that_returns_after_failed_unprepare) {
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  put_claim(world, "c1", {kGpu}, {"p"});
  const api::ObjectPtr<api::Pod> pod = make_pod("p").uses("gpu", "c1");
  CO_ASSERT_TRUE(co_await world.manager->prepare(pod));
  world.drivers.refusals[kGpu] = {"rpc error: code = Internal desc = 1"};
  CO_ASSERT_TRUE(!(co_await world.manager->unprepare(pod)));
  world.manager->observe_pods({"p-uid"});
  world.drivers.journal.clear();
  CO_ASSERT_TRUE(co_await world.manager->prepare(pod));
  EXPECT_EQ(world.drivers.journal,
            (Lines{"gpu.example.com unprepare c1-uid", "gpu.example.com prepare c1-uid"}));
}

// As in kubelet: found by test/node/compare.py.
CO_TEST(ClaimManager, does_not_delay_shared_claim_for_refusing_driver) {  // [38], [57]
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  put_claim(world, "own", {kNic}, {"p"});
  put_claim(world, "shared", {kGpu}, {"p", "q"});
  const api::ObjectPtr<api::Pod> first = make_pod("p").uses("a", "own").uses("b", "shared");
  const api::ObjectPtr<api::Pod> second = make_pod("q").uses("b", "shared");
  CO_ASSERT_TRUE(co_await world.manager->prepare(first));
  CO_ASSERT_TRUE(co_await world.manager->prepare(second));
  world.drivers.refusals[kNic] = {"refused"};
  CO_ASSERT_TRUE(!(co_await world.manager->unprepare(first)));
  world.drivers.journal.clear();
  CO_ASSERT_TRUE(co_await world.manager->unprepare(second));
  EXPECT_EQ(world.drivers.journal, Lines{"gpu.example.com unprepare shared-uid"});
}

CO_TEST(ClaimManager, merges_concurrent_unprepares) {  // [59]
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  put_claim(world, "c1", {kGpu}, {"p"});
  const api::ObjectPtr<api::Pod> pod = make_pod("p").uses("gpu", "c1");
  CO_ASSERT_TRUE(co_await world.manager->prepare(pod));
  world.drivers.journal.clear();
  world.drivers.works_for = {{kGpu, 1s}};
  runtime::TaskGroup group(loop.executor());
  const auto unprepare = [&]() -> Task<> { EXPECT_TRUE(co_await world.manager->unprepare(pod)); };
  group.spawn("one", unprepare());
  group.spawn("two", unprepare());
  co_await group.join();
  EXPECT_EQ(world.drivers.journal, Lines{"gpu.example.com unprepare c1-uid"});
}

CO_TEST(ClaimManager, unprepares_after_hanging_prepare) {  // [56]
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  put_claim(world, "c1", {kGpu}, {"p"});
  world.drivers.works_for = {{kGpu, 45s}};
  world.drivers.refusals[kGpu] = {"rpc error: code = DeadlineExceeded desc = context deadline"};
  const api::ObjectPtr<api::Pod> pod = make_pod("p").uses("gpu", "c1");
  runtime::TaskGroup group(loop.executor());
  const auto prepare = [&]() -> Task<> { EXPECT_FALSE(co_await world.manager->prepare(pod)); };
  group.spawn("prepare", prepare());
  co_await runtime::sleep_for(loop.time(), 1s);
  CO_ASSERT_TRUE(co_await world.manager->unprepare(pod));
  co_await group.join();
  EXPECT_EQ(world.drivers.journal,
            (Lines{"gpu.example.com prepare c1-uid", "gpu.example.com unprepare c1-uid"}));
  EXPECT_TRUE(on_disk(world).empty());
}

CO_TEST(ClaimManager, prepares_reallocated_claim_after_old_pod) {  // [50]
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  put_claim(world, "c1", {kGpu}, {"old"});
  CO_ASSERT_TRUE(co_await world.manager->prepare(make_pod("old").uses("gpu", "c1")));
  put_claim(world, "c1", {kGpu}, {"p"}, "d7");
  world.manager->observe_pods({"old-uid", "p-uid"});
  const api::ObjectPtr<api::Pod> pod = make_pod("p").uses("gpu", "c1");
  const ClaimResult refused = co_await world.manager->prepare(pod);
  EXPECT_EQ(refused.error(),
            "prepare dynamic resources: ResourceClaim c1: devices of an older allocation are still "
            "prepared");
  world.manager->observe_pods({"p-uid"});
  CO_ASSERT_TRUE(co_await world.manager->prepare(pod));
  EXPECT_EQ(world.drivers.journal,
            (Lines{"gpu.example.com prepare c1-uid", "gpu.example.com unprepare c1-uid",
                   "gpu.example.com prepare c1-uid"}));
}

CO_TEST(ClaimManager, fails_operation_on_full_disk_and_keeps_state) {  // [67]
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  put_claim(world, "c1", {kGpu}, {"p"});
  const api::ObjectPtr<api::Pod> pod = make_pod("p").uses("gpu", "c1");
  world.is_disk_full = true;
  const ClaimResult refused = co_await world.manager->prepare(pod);
  EXPECT_EQ(refused.error(),
            "prepare dynamic resources: checkpoint ResourceClaim cache: No space left on device");
  EXPECT_TRUE(world.drivers.journal.empty()) << "no call without an entry on disk";
  EXPECT_TRUE(world.manager->book().empty());
  world.is_disk_full = false;
  CO_ASSERT_TRUE(co_await world.manager->prepare(pod));
  world.is_disk_full = true;
  EXPECT_FALSE(co_await world.manager->unprepare(pod));
  EXPECT_FALSE(claims_of_pod(world.manager->book(), "p-uid").empty());
  world.is_disk_full = false;
  world.drivers.journal.clear();
  CO_ASSERT_TRUE(co_await world.manager->unprepare(pod));
  EXPECT_TRUE(world.drivers.journal.empty()) << "the driver has done it";
  EXPECT_TRUE(on_disk(world).empty());
}

CO_TEST(ClaimManager, shares_writes_among_burst_of_pods) {  // [78]
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  runtime::TaskGroup group(loop.executor());
  const auto run = [&](std::string name) -> Task<> {
    const api::ObjectPtr<api::Pod> pod = make_pod(name).uses("gpu", name);
    EXPECT_TRUE(co_await world.manager->prepare(pod));
  };
  for (int i = 0; i < 500; ++i) {
    const std::string name = "p" + std::to_string(i);
    put_claim(world, name, {kGpu}, {name});
    group.spawn(name, run(name));
  }
  co_await group.join();
  EXPECT_EQ(world.manager->book().size(), 500U);
  EXPECT_LE(world.renames, 50U);
  EXPECT_TRUE(world.drivers.without_checkpoint.empty());
}

CO_TEST(ClaimManager, shares_writes_among_orphans) {
  ClaimsWorld world(loop);
  std::vector<Entry> entries;
  for (int i = 0; i < 200; ++i) {
    const std::string name = "c" + std::to_string(i);
    entries.push_back({.namespace_ = "default",
                       .name = name,
                       .uid = name + "-uid",
                       .pod_uids = {"p-uid", "q-uid"},
                       .drivers = {{i < 40 ? kNic : kGpu, {}}}});
  }
  world.files.put(test::kCheckpoint, encode_checkpoint(entries));
  CO_ASSERT_TRUE(world.start());
  world.manager->observe_pods({});
  world.drivers.works_for = {{kNic, 45s}};
  std::vector<std::string> failures;
  const auto round = [&]() -> Task<> { failures = co_await world.manager->unprepare_orphans(); };
  runtime::TaskGroup group(loop.executor());
  group.spawn("orphans", round());
  co_await runtime::sleep_for(loop.time(), 10s);
  EXPECT_EQ(on_disk(world).size(), 40U) << "a driver that hangs holds up no other's claims";
  co_await group.join();
  EXPECT_TRUE(failures.empty());
  EXPECT_TRUE(on_disk(world).empty());
  EXPECT_EQ(world.drivers.journal.size(), 200U);
  EXPECT_LT(world.renames, 60U);
}

// kubelet prepares it at once: then the driver has the device prepared for both.
CO_TEST(ClaimManager, prepares_device_for_second_claim_only_after_unprepare) {
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  put_claim(world, "c1", {kGpu}, {"p"}, "d0");
  put_claim(world, "c2", {kGpu}, {"q"}, "d0");
  const api::ObjectPtr<api::Pod> p = make_pod("p").uses("gpu", "c1");
  const api::ObjectPtr<api::Pod> q = make_pod("q").uses("gpu", "c2");
  world.manager->observe_pods({"p-uid", "q-uid"});
  CO_ASSERT_TRUE(co_await world.manager->prepare(p));
  const ClaimResult refused = co_await world.manager->prepare(q);
  CO_ASSERT_TRUE(!refused);
  EXPECT_EQ(
      refused.error(),
      "prepare dynamic resources: ResourceClaim c2: device gpu.example.com/node-0/d0 is still "
      "prepared for ResourceClaim c1");
  EXPECT_TRUE(claims_of_pod(world.manager->book(), "q-uid").empty());
  world.manager->observe_pods({"q-uid"});  // p was force-deleted
  world.drivers.refusals[kGpu] = {"not yet"};
  EXPECT_FALSE(co_await world.manager->prepare(q));
  CO_ASSERT_TRUE(co_await world.manager->prepare(q));
  EXPECT_EQ(world.drivers.journal,
            (Lines{"gpu.example.com prepare c1-uid", "gpu.example.com unprepare c1-uid",
                   "gpu.example.com unprepare c1-uid", "gpu.example.com prepare c2-uid"}));
}

CO_TEST(ClaimManager, avoids_deadlock_of_pods_that_exchange_devices) {
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  put_claim(world, "c1", {kGpu}, {"p"}, "d1");
  put_claim(world, "c2", {kGpu}, {"q"}, "d2");
  CO_ASSERT_TRUE(co_await world.manager->prepare(make_pod("p").uses("gpu", "c1")));
  CO_ASSERT_TRUE(co_await world.manager->prepare(make_pod("q").uses("gpu", "c2")));
  put_claim(world, "c3", {kGpu}, {"r"}, "d1");
  put_claim(world, "c4", {kGpu}, {"s"}, "d2");
  world.manager->observe_pods({"r-uid", "s-uid"});
  runtime::TaskGroup group(loop.executor());
  const auto prepare = [&](std::string pod, std::string claim) -> Task<> {
    EXPECT_TRUE(co_await world.manager->prepare(make_pod(pod).uses("gpu", claim)));
  };
  group.spawn("r", prepare("r", "c3"));
  group.spawn("s", prepare("s", "c4"));
  co_await group.join();
  EXPECT_EQ(world.drivers.prepared,
            (std::set<std::string>{"gpu.example.com c3-uid", "gpu.example.com c4-uid"}));
}

CO_TEST(ClaimManager, allows_shares_and_admin_access_for_several_claims) {
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  for (const char* const name : {"c1", "c2"}) {
    test::ClaimBuilder claim = make_claim(name);
    claim.with_device_of(kGpu, "node-0", "shared").reserved_for("p");
    world.claims.put(claim, {{"shared", std::string(name) + "-share"}});
    CO_ASSERT_TRUE(co_await world.manager->prepare(make_pod("p").uses("gpu", name)));
  }
  ClaimView admin{.claim = make_claim("c3").with_device_of(kGpu, "node-0", "d").reserved_for("p"),
                  .results = {{.device = {kGpu, "node-0", "d", "", true}}}};
  world.claims.put(admin);
  put_claim(world, "c4", {kGpu}, {"p"}, "d");
  CO_ASSERT_TRUE(co_await world.manager->prepare(make_pod("p").uses("gpu", "c4")));
  CO_ASSERT_TRUE(co_await world.manager->prepare(make_pod("p").uses("gpu", "c3")));
}

// The checkpoint as kubelet writes it: without the data that it has no field for.
void let_kubelet_write(ClaimsWorld& world) {
  std::vector<Entry> entries = on_disk(world);
  for (Entry& entry : entries) entry.extra.reset();
  world.kill();
  world.files.put(test::kCheckpoint, encode_checkpoint(entries));
}

CO_TEST(ClaimManager, asks_claim_of_kubelets_entry_about_admin_access) {
  for (const bool is_admin : {true, false}) {
    for (const bool is_gone : {true, false}) {
      ClaimsWorld world(loop);
      CO_ASSERT_TRUE(world.start());
      world.drivers.answers[kGpu] = {.devices = {{.pool = "node-0", .device = "d"}}};
      world.claims.put(
          {.claim = make_claim("c1").with_device_of(kGpu, "node-0", "d").reserved_for("p"),
           .results = {{.device = {kGpu, "node-0", "d", "", is_admin}}}});
      CO_ASSERT_TRUE(co_await world.manager->prepare(make_pod("p").uses("gpu", "c1")));
      let_kubelet_write(world);
      CO_ASSERT_TRUE(world.start());
      world.manager->observe_pods({"p-uid", "q-uid"});
      if (is_gone) world.claims.remove("c1");
      put_claim(world, "c2", {kGpu}, {"q"}, "d");
      const ClaimResult prepared = co_await world.manager->prepare(make_pod("q").uses("gpu", "c2"));
      EXPECT_EQ(prepared.has_value(), is_admin && !is_gone) << is_admin << is_gone;
    }
  }
}

CO_TEST(ClaimManager, unprepares_entries_that_no_claim_can_have) {
  const auto strange = [](const char* space, const char* name, const char* uid) {
    return Entry{.namespace_ = space,
                 .name = name,
                 .uid = uid,
                 .pod_uids = {"gone"},
                 .drivers = {{kGpu, {.devices = {{.pool = "node-0", .device = "d"}}}}}};
  };
  ClaimsWorld world(loop);
  world.files.put(test::kCheckpoint,
                  encode_checkpoint({strange("", "", ""), strange("a/b", "../..", "u")}));
  CO_ASSERT_TRUE(world.start());
  EXPECT_THAT(world.log, testing::HasSubstr("has entries that no claim can have"));
  world.manager->observe_pods({"p-uid"});
  put_claim(world, "c1", {kGpu}, {"p"}, "d");
  CO_ASSERT_TRUE(co_await world.manager->prepare(make_pod("p").uses("gpu", "c1")));
  EXPECT_EQ(world.drivers.journal,
            (Lines{"gpu.example.com unprepare ", "gpu.example.com unprepare u",
                   "gpu.example.com prepare c1-uid"}));
  EXPECT_EQ(on_disk(world).size(), 1U);
}

CO_TEST(ClaimManager, keeps_kubelets_devices_of_older_allocation) {
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  world.drivers.answers[kGpu] = {.devices = {{.pool = "node-0", .device = "d"}}};
  put_claim(world, "c1", {kGpu}, {"p"}, "d");
  CO_ASSERT_TRUE(co_await world.manager->prepare(make_pod("p").uses("gpu", "c1")));
  let_kubelet_write(world);
  CO_ASSERT_TRUE(world.start());
  world.manager->observe_pods({"p-uid", "q-uid"});
  put_claim(world, "c1", {kGpu}, {"p"}, "other");
  put_claim(world, "c2", {kGpu}, {"q"}, "d");
  EXPECT_FALSE(co_await world.manager->prepare(make_pod("q").uses("gpu", "c2")));
}

// kubelet fails here, so such a pod stays until it is force-deleted. [59]
CO_TEST(ClaimManager, ends_pod_whose_claim_was_never_created) {
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  EXPECT_TRUE(co_await world.manager->unprepare(make_pod("p").from_template("own", "t")));
  EXPECT_TRUE(world.drivers.journal.empty());
}

CO_TEST(ClaimManager, treats_cancelled_prepare_as_unsuccessful) {
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  put_claim(world, "c1", {kGpu}, {"p"});
  world.drivers.works_for[kGpu] = 10s;
  const api::ObjectPtr<api::Pod> pod = make_pod("p").uses("gpu", "c1");
  bool has_succeeded = false;
  const auto prepare = [&]() -> Task<> {
    has_succeeded = (co_await world.manager->prepare(pod)).has_value();
  };
  runtime::TaskGroup group(loop.executor());
  group.spawn("prepare", prepare());
  co_await runtime::sleep_for(loop.time(), 1s);
  group.cancel();
  co_await group.join();
  EXPECT_FALSE(has_succeeded);
}

CO_TEST(ClaimManager, lets_go_of_pod_that_waits_for_shared_claim) {
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  put_claim(world, "c1", {kGpu}, {"p", "q"});
  world.drivers.works_for[kGpu] = 45s;
  const auto prepare = [&](api::ObjectPtr<api::Pod> pod) -> Task<> {
    (void)co_await world.manager->prepare(pod);
  };
  const api::ObjectPtr<api::Pod> q = make_pod("q").uses("gpu", "c1");
  runtime::TaskGroup first(loop.executor());
  first.spawn("p", prepare(make_pod("p").uses("gpu", "c1")));
  co_await runtime::sleep_for(loop.time(), 1s);
  runtime::TaskGroup second(loop.executor());
  second.spawn("q", prepare(q));
  co_await runtime::sleep_for(loop.time(), 1s);
  second.cancel();
  co_await second.join();
  const runtime::MonoTime deleted = loop.time().now();
  EXPECT_TRUE(co_await world.manager->unprepare(q));
  EXPECT_LT(loop.time().now() - deleted, 1s);
  co_await first.join();
}

// Each waiting pod must show why it waits.
CO_TEST(ClaimManager, does_not_queue_pods_of_shared_claim_for_hanging_driver) {
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  const Lines pods{"p0", "p1", "p2", "p3", "p4", "p5"};
  put_claim(world, "c1", {kGpu}, pods);
  world.drivers.works_for[kGpu] = 45s;
  world.drivers.refusals[kGpu] = Lines(pods.size(), "rpc error: code = DeadlineExceeded");
  Lines errors;
  const auto prepare = [&](std::string pod) -> Task<> {
    const ClaimResult result = co_await world.manager->prepare(make_pod(pod).uses("gpu", "c1"));
    errors.push_back(result ? "" : result.error());
  };
  runtime::TaskGroup group(loop.executor());
  for (const std::string& pod : pods) group.spawn(pod, prepare(pod));
  co_await runtime::sleep_for(loop.time(), 61s);
  EXPECT_THAT(errors, testing::SizeIs(pods.size() - 1)) << "the second pod has its turn";
  EXPECT_THAT(errors,
              testing::Contains("prepare dynamic resources: ResourceClaim c1 is still being "
                                "prepared or unprepared for another pod"));
  co_await group.join();
  EXPECT_EQ(world.drivers.journal.size(), 2U);
}

CO_TEST(ClaimManager, writes_for_others_if_leader_of_write_is_cancelled) {
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  put_claim(world, "c1", {kGpu}, {"p"});
  put_claim(world, "c2", {kGpu}, {"q"});
  const auto prepare = [&](std::string pod, std::string claim, bool& succeeded) -> Task<> {
    succeeded = (co_await world.manager->prepare(make_pod(pod).uses("gpu", claim))).has_value();
  };
  bool p = false;
  bool q = false;
  runtime::TaskGroup first(loop.executor());
  runtime::TaskGroup second(loop.executor());
  first.spawn("p", prepare("p", "c1", p));
  second.spawn("q", prepare("q", "c2", q));
  co_await runtime::sleep_for(loop.time(), SharedWrites::kGather / 2);
  first.cancel();
  co_await first.join();
  co_await second.join();
  EXPECT_FALSE(p);
  EXPECT_TRUE(q);
  EXPECT_EQ(on_disk(world).size(), 1U);
}

// The answer is accepted, as in kubelet. [48]
CO_TEST(ClaimManager, reports_unallocated_device) {
  ClaimsWorld world(loop);
  CO_ASSERT_TRUE(world.start());
  put_claim(world, "c1", {kGpu}, {"p"});
  world.drivers.answers[kGpu] = {.devices = {{.pool = "node-0", .device = "stray"}}};
  CO_ASSERT_TRUE(co_await world.manager->prepare(make_pod("p").uses("gpu", "c1")));
  EXPECT_THAT(world.log, testing::HasSubstr("gpu.example.com/node-0/stray"));
}

}  // namespace
}  // namespace dcm::node
