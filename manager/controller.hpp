// A controller as the lifecycle sees it, whatever it does: a value in the list of an epoch.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "informers/sync_state.hpp"
#include "manager/cache.hpp"
#include "runtime/task.hpp"
#include "workqueue/scheduler.hpp"

namespace dcm::manager {

// The cache of a kind, whatever its type. The code that adds it keeps it until the epoch has ended.
struct AnyCache {
  informers::SyncState* sync;
  std::function<runtime::Task<>()> run;
};

template <class T>
AnyCache any_cache(Cache<T>& cache) {
  return {&cache.sync(), [&cache] { return cache.run(); }};
}

// A kind that a controller uses if it is served, in a version of its own. The controller begins
// when that is known, works without the kind, and gets it if it is served later. The epoch ends
// when the kind is no longer served as it was: in another version, with or without a status.
struct OptionalKind {
  const api::ResourceKind* kind;
  // Called at most once, when the kind is served. Returns its cache.
  std::function<AnyCache(const client::Served&)> use;
  // For the log: the work begins without this kind.
  std::function<void()> on_missing;
};

struct Controller {
  std::string name;  // in running_managed_controllers
  // Must be complete before the controller works.
  std::vector<informers::SyncState*> caches = {};
  std::optional<OptionalKind> optional_kind = std::nullopt;
  // Called when the caches are complete, perhaps long before the lease is acquired.
  std::function<void()> on_synced = {};
  // Called once, with complete caches and the lease. Runs until stop() or cancellation.
  std::function<runtime::Task<>()> run;
  // Nothing new is begun, and run() ends when work in progress is done. Idempotent, and may be
  // called before run(). Empty: run() is cancelled.
  std::function<void()> stop = {};
  // Called when the API server works again: retries earlier failures at once.
  std::function<void()> retry_now = {};
  // The load of its queue; `queue` is the name by which a stuck queue is reported.
  std::function<workqueue::Load()> load = {};
  std::string queue = {};
};

}  // namespace dcm::manager
