// A small cluster around one eviction controller: a fake API server, its watches, the stores, the
// process, on virtual time.
//
//   Cluster cluster;
//   cluster.add_pod("p");
//   cluster.start_with_rule(1s);
//   EXPECT_EQ(cluster.calls(), …);
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "controllers/device_taint_eviction/api/shadow_api.hpp"
#include "controllers/device_taint_eviction/controller.hpp"
#include "runtime/loop.hpp"
#include "runtime/task_group.hpp"
#include "test/unit/device_taint_eviction/fake_eviction_api.hpp"
#include "test/unit/device_taint_eviction/world.hpp"

namespace dcm::device_taint_eviction {

// Records what users would see: "p: Marking for deletion".
class RecordedEvents final : public api::EventSink {
 public:
  void report(const api::ObjectReference& about, api::EventType type, std::string_view component,
              std::string_view reason, std::string_view message) override;

  std::vector<std::string> texts;
};

class Cluster {
 public:
  explicit Cluster(ControllerOptions options = {});
  ~Cluster();

  // Adds a pod on a node, with gpu-0 of pool "pool-<name>" by a claim reserved for it.
  void add_pod(const std::string& name, std::vector<api::DeviceToleration> tolerations = {});
  // "p0", "p1", …
  void add_pods(const std::string& prefix, int count,
                const std::vector<api::DeviceToleration>& tolerations = {});
  // A taint on all devices, `added` seconds from kStart.
  static test::RuleBuilder rule_for_all(seconds added = 0s) {
    return test::make_rule("r", no_execute("burnt", added)).selects_all();
  }

  enum class Rules : std::uint8_t { served, served_without_status, not_served };
  // Starts a process with fresh caches, filled from the API server, and the controller on standby.
  void start_standby(Rules rules = Rules::served);
  // Gives that process the right to write.
  void activate();
  void start() {
    start_standby();
    activate();
  }
  // Starts, adds rule_for_all(), and lets that time pass.
  void start_with_rule(runtime::Duration duration);
  // From now on, the rules are served.
  void serve_rules() { process_->observe_rules(*this, Rules::served); }
  // The process is killed, whatever it is doing.
  void kill();
  // The process stops in order.
  void stop();

  // From now on the watches deliver nothing, until release_watch().
  void hold_watch() { is_held_ = true; }
  void release_watch();

  // A restore of etcd (with a bumped revision) brings back those pods, and the cache lists them.
  void restore(FakeEvictionApi::Objects<api::Pod> backup);

  void run_for(runtime::Duration duration) { loop.run_for(duration); }

  // The calls since the last query: all; without those for conditions; only those for conditions.
  std::vector<std::string> calls();
  std::vector<std::string> pod_calls();
  std::vector<std::string> condition_calls();
  double metric(const std::string& line);
  const Controller& controller() const { return process_->controller; }
  // The API server works again.
  void retry_now() { process_->controller.retry_now(); }
  bool logged(std::string_view text) const;
  // Whether the explanation of the pod has a finding with this reason.
  bool explains(const std::string& pod, std::string_view reason) const;
  std::string condition(const std::string& rule = "r") const;

  runtime::VirtualLoop loop;
  FakeEvictionApi api{loop.time()};
  RecordedEvents events;
  std::vector<std::string> log;
  // Whether the next process writes, or only observes (for 30 s).
  enum class Role : std::uint8_t { writes, dry_run };
  Role role = Role::writes;

 private:
  struct Process {
    Process(Cluster& cluster, Rules rules);
    void deliver(const FakeEvictionApi::Change& change);
    void observe_rules(Cluster& cluster, Rules which);

    runtime::MetricsRegistry metrics;
    informers::Store<api::Pod> pods;
    informers::Store<api::ResourceClaim> claims;
    informers::Store<api::ResourceSlice> slices;
    informers::Store<api::DeviceTaintRule> rules;
    informers::StoreWriter<api::Pod> pod_writer;
    informers::StoreWriter<api::ResourceClaim> claim_writer;
    informers::StoreWriter<api::ResourceSlice> slice_writer;
    informers::StoreWriter<api::DeviceTaintRule> rule_writer;
    bool has_rules = false;
    common::Expectations expectations;
    common::ShadowEvents shadow_events;
    ShadowApi shadow;
    Controller controller;
    runtime::TaskGroup group;
  };

  runtime::Logger logger();

  ControllerOptions options_;
  bool is_held_ = false;
  std::deque<FakeEvictionApi::Change> held_;
  std::size_t calls_told_ = 0;
  std::unique_ptr<Process> process_;
};

}  // namespace dcm::device_taint_eviction
