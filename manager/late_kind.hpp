// A kind that the API server may or may not serve, in its own version, possibly starting later.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "client/discovery/discovery.hpp"
#include "informers/sync_state.hpp"
#include "runtime/task.hpp"
#include "runtime/time.hpp"

namespace dcm::manager {

// Looked up before the work begins, and followed from then on. Only what was found first is used:
// another version, or a status that has come or gone, needs a new epoch.
class LateKind {
 public:
  struct Dependencies {
    client::Discovery& discovery;
    runtime::TimeSource& time;
  };
  // Callbacks for its appearance and disappearance.
  struct Hooks {
    // The kind is served: start filling its cache. Called at most once.
    std::function<informers::SyncState&(const client::Served&)> start;
    std::function<void()> not_served;  // called if it is not served when the work begins
    // The version is served no longer, or not as the best one, or no longer in the same way.
    std::function<void(const std::string& version)> has_lost;
  };
  // All dependencies must outlive it.
  LateKind(Dependencies dependencies, const api::ResourceKind& kind, Hooks hooks);

  // Waits until it is known whether it is served.
  runtime::Task<> find();
  // Waits until what was found is lost. Call this after find().
  runtime::Task<> follow();
  const api::ResourceKind& kind() const { return kind_; }
  // The cache of the version in use; null if none.
  informers::SyncState* cache() const { return cache_; }
  // Why it is not known yet whether the kind is served; nullopt if it is known.
  const std::optional<runtime::Problem>& missing() const { return missing_; }

 private:
  runtime::Task<client::Availability> ask();
  void take(const client::Availability& availability);
  bool has_lost(const client::Availability& availability) const;

  Dependencies deps_;
  const api::ResourceKind& kind_;
  Hooks hooks_;
  std::optional<runtime::Problem> missing_;
  std::optional<client::Served> in_use_;
  informers::SyncState* cache_ = nullptr;  // the cache of the version in use
  client::Availability last_answer_ = client::NotServed{};
};

}  // namespace dcm::manager
