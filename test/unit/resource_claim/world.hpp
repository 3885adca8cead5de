// A small cluster around one resource claim controller: a fake API server, its watch, the stores,
// the process, on virtual time.
//
//   World world;
//   world.api.put(make_template("gpu"));
//   world.start();
//   world.api.put(make_pod("trainer").from_template("gpus", "gpu"));
//   world.settle();
//   EXPECT_EQ(world.calls(), …);
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "controllers/resource_claim/api/shadow_api.hpp"
#include "controllers/resource_claim/controller.hpp"
#include "controllers/resource_claim/sync/foreign_claims.hpp"
#include "runtime/loop.hpp"
#include "runtime/task_group.hpp"
#include "test/support/fake_claim_api.hpp"
#include "test/support/objects.hpp"

namespace dcm::resource_claim {

// Records what users would see: "trainer: FailedResourceClaimCreation: PodResourceClaim …".
class RecordedEvents final : public api::EventSink {
 public:
  void report(const api::ObjectReference& about, api::EventType type, std::string_view component,
              std::string_view reason, std::string_view message) override;

  std::vector<std::string> texts;
  std::vector<api::ObjectReference> subjects;
};

class World {
 public:
  World();
  ~World();

  // Starts a process with fresh caches, filled from the API server, and the controller on standby.
  void start_standby();
  // Gives that process the right to write.
  void activate();
  void start() {
    start_standby();
    activate();
  }
  // The process is killed, whatever it is doing.
  void kill();
  // The process stops in order.
  void stop();

  enum class Held : std::uint8_t { nothing, claims, pods, groups, everything };
  // From now on these watches deliver nothing, until release_watch(). Own writes are still seen.
  void hold_watch(Held what = Held::everything) { held_kinds_ = what; }
  void release_watch();
  // The watch of claims has expired: they are listed.
  void list_claims();

  // Runs long enough for all retries.
  void settle() { loop.run_for(std::chrono::minutes(30)); }
  void run_for(runtime::Duration duration) { loop.run_for(duration); }

  // The calls since the last query.
  std::vector<std::string> calls();
  // The state of the cluster, in words that do not depend on its history.
  std::string describe() const;
  double metric(const std::string& line);
  const Controller& controller() const { return process_->controller; }

  runtime::VirtualLoop loop;
  test::FakeClaimApi api{loop.time()};
  RecordedEvents events;
  std::vector<std::string> log;
  runtime::MetricsRegistry& metrics() { return process_->metrics; }
  common::FeatureGates gates;
  std::size_t workers = 50;
  // Whether the next process writes, or only observes (for 30 s, with working watches).
  enum class Role : std::uint8_t { writes, dry_run };
  Role role = Role::writes;
  bool is_watching = true;
  ForeignClaims::Policy foreign_claims = ForeignClaims::Policy::give_way;

 private:
  struct Process {
    explicit Process(World& world);
    void deliver(const test::FakeClaimApi::Change& change);
    void sync(const World& world);

    runtime::MetricsRegistry metrics;
    informers::Store<api::Pod> pods;
    informers::Store<api::ResourceClaim> claims;
    informers::Store<api::ResourceClaimTemplate> templates;
    informers::Store<api::PodGroup> groups;
    informers::StoreWriter<api::Pod> pod_writer;
    informers::StoreWriter<api::ResourceClaim> claim_writer;
    informers::StoreWriter<api::ResourceClaimTemplate> template_writer;
    informers::StoreWriter<api::PodGroup> group_writer;
    Stores stores;
    ForeignClaims foreign;
    common::Expectations expectations;
    common::ShadowEvents shadow_events;
    ShadowApi shadow;
    Controller controller;
    runtime::TaskGroup group;
  };

  runtime::Logger logger();

  bool is_held(const test::FakeClaimApi::Change& change) const;

  Held held_kinds_ = Held::nothing;
  std::deque<test::FakeClaimApi::Change> held_;
  std::size_t calls_told_ = 0;
  std::unique_ptr<Process> process_;
};

}  // namespace dcm::resource_claim
