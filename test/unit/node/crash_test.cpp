// The node dies at every point between two steps of a file or driver, as a process and as a
// machine, and is restarted with what is left. Windows are the rows of the specification's crash
// table; numbers in brackets are its cases.
#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"
#include "test/unit/node/claims_world.hpp"

namespace dcm::node {
namespace {

using runtime::Task;
using test::ClaimsWorld;
using test::make_claim;
using test::make_pod;
using Names = test::MemoryFiles::UnsyncedNames;

constexpr const char* kGpu = "gpu.example.com";
constexpr const char* kNic = "nic.example.com";

api::ObjectPtr<api::Pod> first_pod() {
  return make_pod("p").uses("own", "c1").uses("shared", "c2");
}
api::ObjectPtr<api::Pod> second_pod() {
  return make_pod("q").uses("shared", "c2");
}

void put_claims(ClaimsWorld& world) {
  world.claims.put(make_claim("c1")
                       .with_device_of(kGpu, "node-0", "d0")
                       .with_device_of(kNic, "node-0", "n0")
                       .reserved_for("p"));
  world.claims.put(
      make_claim("c2").with_device_of(kGpu, "node-0", "d1").reserved_for("p").reserved_for("q"));
}

// A life with every window: two drivers, a claim of one pod, a claim of two.
Task<> live(ClaimsWorld& world) {
  EXPECT_TRUE(co_await world.manager->prepare(first_pod()));
  EXPECT_TRUE(co_await world.manager->prepare(second_pod()));
  EXPECT_TRUE(co_await world.manager->unprepare(first_pod()));
  EXPECT_TRUE(co_await world.manager->unprepare(second_pod()));
}

enum class Failure { process, machine_loses_names, machine_keeps_names };
enum class Pods { active, gone };

void die(ClaimsWorld& world, Failure failure) {
  world.kill();
  world.points.die_at(0);
  if (failure == Failure::machine_loses_names) world.files.fail_machine(Names::lost);
  if (failure == Failure::machine_keeps_names) world.files.fail_machine(Names::kept);
}

// Whatever a driver holds has an entry.
void expect_entries_for_all(const ClaimsWorld& world, const std::string& where) {
  std::set<std::string> known;
  for (const auto& [key, held] : world.manager->book()) {
    for (const auto& [driver, state] : held.entry.drivers) {
      known.insert(driver + ' ' + held.entry.uid);
    }
  }
  for (const std::string& prepared : world.drivers.prepared) {
    EXPECT_TRUE(known.contains(prepared)) << prepared << " is forgotten: " << where;
  }
}

void expect_nothing_left(const ClaimsWorld& world, const std::string& where) {
  EXPECT_TRUE(world.manager->book().empty()) << where;
  EXPECT_TRUE(world.drivers.prepared.empty()) << where;
  EXPECT_TRUE(world.drivers.without_checkpoint.empty()) << where;
  EXPECT_EQ(world.files.names().size(), 1U) << where;
}

// Existing pods continue; deleted ones are orphans.
Task<> recover(ClaimsWorld& world, Pods pods, std::string where) {
  EXPECT_TRUE(world.start()) << where;
  expect_entries_for_all(world, where);
  world.manager->observe_pods(pods == Pods::gone ? std::set<std::string>()
                                                 : std::set<std::string>{"p-uid", "q-uid"});
  EXPECT_TRUE((co_await world.manager->unprepare_orphans()).empty()) << where;
  if (pods == Pods::active) co_await live(world);
  expect_nothing_left(world, where);
}

// The names of all points, in order.
std::vector<std::string> all_points() {
  runtime::VirtualLoop loop;
  ClaimsWorld world(loop);
  put_claims(world);
  EXPECT_TRUE(world.start());
  loop.run(live(world));
  expect_nothing_left(world, "without a crash");
  return world.points.names();
}

void die_at(std::size_t point, Failure failure, Pods pods) {
  runtime::VirtualLoop loop;
  ClaimsWorld world(loop);
  put_claims(world);
  world.points.die_at(point);
  std::string where = "never";
  try {
    EXPECT_TRUE(world.start());
    loop.run(live(world));
  } catch (const test::Died& died) {
    where = std::to_string(point) + ", before: " + died.at;
  }
  EXPECT_NE(where, "never");
  die(world, failure);
  loop.run(recover(world, pods, where));
}

// Windows 1 to 9 and 11 to 14, each wherever it occurs in that life. [62], [63], [68]
TEST(Crash, is_survived_at_every_point) {
  const std::vector<std::string> points = all_points();
  EXPECT_GE(points.size(), 35U);
  for (std::size_t point = 1; point <= points.size(); ++point) {
    for (const Failure failure :
         {Failure::process, Failure::machine_loses_names, Failure::machine_keeps_names}) {
      die_at(point, failure, Pods::active);
      die_at(point, failure, Pods::gone);
    }
  }
}

// Each window is one of the points above: between which steps it lies.
TEST(Crash, covers_windows_of_table) {  // windows 1 to 9, 11 to 13
  const std::vector<std::string> points = all_points();
  const std::vector<std::string> first_prepare{
      "create /state/.dra_manager_state",   // 1
      "sync /state/.dra_manager_state",     // 2
      "rename /state/.dra_manager_state",   // 2
      "sync_folder /state",                 // 3
      "send prepare to gpu.example.com",    // 4
      "send prepare to nic.example.com",    // 5: the other is at work
      "answer prepare of gpu.example.com",  // 6
      "answer prepare of nic.example.com",  // 7
      "create /state/.dra_manager_state",   // 8
      "sync /state/.dra_manager_state",     //
      "rename /state/.dra_manager_state",   //
      "sync_folder /state",                 // 9 comes after it
  };
  const auto begin = std::ranges::find(points, "send prepare to gpu.example.com") - 4;
  EXPECT_EQ(std::vector(begin, begin + static_cast<std::ptrdiff_t>(first_prepare.size())),
            first_prepare);
  EXPECT_EQ(points.back(), "sync_folder /state") << "11 to 13 end in a write";
}

// The pod itself needs no call: its containers run. Windows 10 and 18: whether or not the machine
// has restarted meanwhile.
CO_TEST(Crash, windows_10_and_18_call_drivers_again_for_starting_pod) {  // [77]
  ClaimsWorld world(loop);
  put_claims(world);
  CO_ASSERT_TRUE(world.start());
  CO_ASSERT_TRUE(co_await world.manager->prepare(first_pod()));
  die(world, Failure::machine_loses_names);
  CO_ASSERT_TRUE(world.start());
  world.manager->observe_pods({"p-uid", "q-uid"});
  world.drivers.journal.clear();
  CO_ASSERT_TRUE(co_await world.manager->prepare(second_pod()));
  EXPECT_EQ(world.drivers.journal, std::vector<std::string>{"gpu.example.com prepare c2-uid"});
}

// The driver has unprepared, but its answer was lost; then another pod with the claim comes.
CO_TEST(Crash, window_12_does_not_treat_unpreparable_claim_as_prepared) {
  ClaimsWorld world(loop);
  put_claims(world);
  CO_ASSERT_TRUE(world.start());
  CO_ASSERT_TRUE(co_await world.manager->prepare(second_pod()));
  world.drivers.refusals[kGpu] = {"rpc error: code = Unavailable desc = EOF"};
  world.drivers.prepared.clear();
  EXPECT_FALSE(co_await world.manager->unprepare(second_pod()));
  die(world, Failure::process);
  CO_ASSERT_TRUE(world.start());
  world.manager->observe_pods({"p-uid", "q-uid"});
  CO_ASSERT_TRUE(co_await world.manager->prepare(first_pod()));
  EXPECT_TRUE(world.drivers.prepared.contains("gpu.example.com c2-uid"));
}

CO_TEST(Crash, window_14_leaves_orphan_of_deleted_pod) {  // [61]
  ClaimsWorld world(loop);
  put_claims(world);
  CO_ASSERT_TRUE(world.start());
  CO_ASSERT_TRUE(co_await world.manager->prepare(first_pod()));
  die(world, Failure::process);
  CO_ASSERT_TRUE(world.start());
  EXPECT_TRUE((co_await world.manager->unprepare_orphans()).empty());
  EXPECT_EQ(world.manager->book().size(), 2U) << "nothing is an orphan before pods are listed";
  world.manager->observe_pods({});
  world.drivers.missing = {kGpu};
  EXPECT_FALSE((co_await world.manager->unprepare_orphans()).empty());
  world.drivers.missing.clear();
  EXPECT_TRUE((co_await world.manager->unprepare_orphans()).empty());
  expect_nothing_left(world, "after the driver is back");
}

CO_TEST(Crash, window_15_separates_other_claim_of_same_name) {  // [52]
  ClaimsWorld world(loop);
  put_claims(world);
  CO_ASSERT_TRUE(world.start());
  CO_ASSERT_TRUE(co_await world.manager->prepare(first_pod()));
  die(world, Failure::process);
  world.claims.put(
      make_claim("c2").with_uid("c2-new").with_device_of(kGpu, "node-0", "d1").reserved_for("q"));
  CO_ASSERT_TRUE(world.start());
  world.drivers.journal.clear();
  const ClaimResult refused = co_await world.manager->prepare(second_pod());
  EXPECT_EQ(refused.error(),
            "prepare dynamic resources: old ResourceClaim with same name c2 and different UID "
            "c2-uid still exists (previous pod force-deleted?!)");
  world.manager->observe_pods({"q-uid"});
  CO_ASSERT_TRUE(co_await world.manager->prepare(second_pod()));
  EXPECT_EQ(world.drivers.journal, (std::vector<std::string>{"gpu.example.com unprepare c2-uid",
                                                             "gpu.example.com prepare c2-new"}));
}

CO_TEST(Crash, window_16_handles_claim_reallocated_to_other_driver) {  // [50], [51]
  ClaimsWorld world(loop);
  put_claims(world);
  CO_ASSERT_TRUE(world.start());
  CO_ASSERT_TRUE(co_await world.manager->prepare(first_pod()));
  die(world, Failure::process);
  world.claims.put(make_claim("c2").with_device_of(kNic, "node-0", "n7").reserved_for("q"));
  CO_ASSERT_TRUE(world.start());
  world.drivers.journal.clear();
  CO_ASSERT_TRUE(!(co_await world.manager->prepare(second_pod())));
  EXPECT_TRUE(world.drivers.journal.empty());
  world.manager->observe_pods({"q-uid"});
  CO_ASSERT_TRUE(co_await world.manager->prepare(second_pod()));
  EXPECT_EQ(world.drivers.journal, (std::vector<std::string>{"gpu.example.com unprepare c2-uid",
                                                             "nic.example.com prepare c2-uid"}));
}

}  // namespace
}  // namespace dcm::node
