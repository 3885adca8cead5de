// The controllers with their caches, for one version of resource.k8s.io.
//
// A cluster that is upgraded may stop serving the version that discovery chose: the session ends
// then, and another one is made. Nothing in here outlives it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/discovery.hpp"
#include "cmd/dra-controller-manager/cache.hpp"
#include "cmd/dra-controller-manager/controls.hpp"
#include "cmd/dra-controller-manager/options.hpp"
#include "controllers/common/event_sink.hpp"
#include "runtime/task_group.hpp"

namespace dcm::manager {

class Session {
 public:
  // All references must outlive it.
  Session(Process process, client::RestClient& rest, common::EventSink& events,
          const Options& options, const client::Served& served);

  // Fills the caches, then works, until stop() or cancellation.
  runtime::Task<> run();
  // Nothing new is begun; run() ends when what is in hand is done. Idempotent.
  void stop();

  const std::string& version() const { return version_; }
  // What the caches still lack, one line each; empty: they are complete.
  std::vector<std::string> missing() const;
  // Whether a cache cannot be kept fresh: perhaps the version is not served any more.
  bool has_failing_watch() const;

 private:
  // A cache belongs to the session from now on: it is filled, and waited for.
  template <class T>
  void run_cache(Cache<T>& cache);
  // Waits for the caches, works, and ends the informers.
  runtime::Task<> run_controllers();
  runtime::Task<> find_rules();
  runtime::Task<> wait_for_rules();
  std::optional<std::string> start_rules(const client::Availability& availability);

  Process process_;
  std::string version_;
  client::Discovery discovery_;
  Cache<api::Pod> pods_;
  Cache<api::ResourceClaim> claims_;
  std::optional<ClaimControl> claim_control_;
  std::optional<EvictionControl> eviction_control_;

  std::vector<informers::SyncState*> running_caches_;
  // Why taint rules are not known yet; nothing: they are, or there are none.
  std::optional<std::string> rules_missing_;
  bool is_working_ = false;
  runtime::TaskGroup tasks_;
};

}  // namespace dcm::manager
