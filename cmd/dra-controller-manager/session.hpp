// The controllers with their caches, for one version of resource.k8s.io.
//
// An upgraded cluster may stop serving the version that discovery chose: then the session ends, and
// another one starts. Nothing in here outlives it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/discovery/discovery.hpp"
#include "cmd/dra-controller-manager/controls.hpp"
#include "cmd/dra-controller-manager/late_kind.hpp"
#include "cmd/dra-controller-manager/options.hpp"
#include "cmd/dra-controller-manager/sessions.hpp"
#include "controllers/common/event_sink.hpp"
#include "explain/source.hpp"
#include "informers/sync_state.hpp"
#include "manager/cache.hpp"
#include "manager/leadership.hpp"
#include "runtime/task_group.hpp"
#include "workqueue/scheduler.hpp"

namespace dcm::manager {

// The kinds that a session needs in the same version.
client::KindSet kinds_of_one_version(const Options& options);

// The dependencies of sessions. All references must outlive them.
struct SessionContext {
  Process process;
  client::RestClient& rest;
  common::EventSink& events;
  Leadership& leadership;
  const Options& options;
};

// Creates one session after the other, each for the version that the API server serves at that
// time. `stop` must outlive them.
Sessions make_sessions(const SessionContext& context, Stop& stop);

class Session final : public VersionedWork {
 public:
  Session(const SessionContext& context, const client::Served& served);

  // Fills the caches, stands by until leadership begins, then works.
  runtime::Task<> run() override;
  void stop() override;

  const std::string& version() const override { return version_; }
  // The caches that are not synced yet.
  std::vector<std::string> missing() const override;
  std::vector<std::string> stuck() const override;
  bool has_failing_watch() const override;
  const ExplanationSource* explanations() const override { return &*explanations_; }

 private:
  // A controller from its preparation on: it waits for no cache that only the other one needs.
  struct Part {
    const char* name;
    informers::SyncState* cache = nullptr;  // in addition to pods and claims
    std::optional<LateKind> late_kind{};
    bool is_working = false;
    runtime::TaskGroup preparation;
  };

  // Adds a cache to the session: it is filled, and checked.
  template <class T>
  void run_cache(common::Input input, Cache<T>& cache);
  void retry_now();
  // Works, and ends the informers.
  runtime::Task<> run_controllers();
  template <class Control>
  runtime::Task<> run_controller(Control& control, Part& part);
  runtime::Task<> prepare(Part& part);
  void expect_rules();
  void expect_groups();
  runtime::Task<> retry_when_synced(informers::SyncState& cache);

  Process process_;
  Leadership& leadership_;
  const Options& options_;
  std::string version_;
  client::Discovery discovery_;
  Cache<api::Pod> pods_;
  Cache<api::ResourceClaim> claims_;
  std::optional<ClaimControl> claim_control_;
  std::optional<EvictionControl> eviction_control_;

  std::optional<ControllersSource> explanations_;  // always set, once created

  // Inputs of the explanations that are unknown.
  common::Sight sight() const;

  struct RunningCache {
    common::Input input;
    const informers::SyncState* state;
  };
  std::vector<RunningCache> running_caches_;
  Part claim_part_;
  Part eviction_part_;
  runtime::TaskGroup tasks_;
};

// ---- whether a part has stopped in a way that only a restart mends ------------------------------
//
// An answer of the process shows that its loop turns. A cluster that is unreachable or refuses us
// is no reason to restart: those parts report it themselves, and continue.

// A watch brings a bookmark a minute. A healthy watch that is silent for this long has lost its
// connection without noticing.
inline constexpr runtime::Duration kSilenceMax = std::chrono::minutes(15);
// Every request has a much earlier deadline, so a worker that takes longer is stuck.
inline constexpr runtime::Duration kWorkMax = std::chrono::minutes(15);

// nullopt: it makes progress, or reports itself why not.
std::optional<std::string> why_stuck(const informers::SyncState& cache);
std::optional<std::string> why_stuck(std::string_view queue, const workqueue::Load& load);

}  // namespace dcm::manager
