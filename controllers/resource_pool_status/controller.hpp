// The resource pool status request controller: answers how many devices the pools of a driver have.
//
// Does the work of kube-controller-manager's resourcepoolstatusrequest-controller (KEP-5677); never
// run both. A request is answered once, from slices, claims and rules that are listed for it; what
// the answer says is decided in rules/decide_status.hpp.
#pragma once

#include <chrono>
#include <optional>
#include <unordered_map>

#include "controllers/api/resource_slice.hpp"
#include "controllers/resource_pool_status/api/api.hpp"
#include "controllers/resource_pool_status/metrics.hpp"
#include "controllers/resource_pool_status/rules/decide_status.hpp"
#include "informers/on_change.hpp"
#include "informers/store.hpp"
#include "runtime/log.hpp"
#include "runtime/metrics.hpp"
#include "runtime/time.hpp"
#include "workqueue/queue.hpp"
#include "workqueue/workers.hpp"

namespace dcm::resource_pool_status {

// The time to wait for missing slices. Then the answer names them as missing.
inline constexpr runtime::Duration kPatience = std::chrono::seconds(30);
// The time to retry an API server that refuses a list. Then the answer is Failed.
inline constexpr runtime::Duration kRefusalMax = std::chrono::minutes(5);
inline constexpr runtime::Duration kCleanUpPeriod = std::chrono::minutes(10);

// Lifetime: created before the informers run; observe() subscribes to their changes; on standby
// until run(), which is called once, with all stores synced and the right to write; stop() ends it.
class Controller {
 public:
  // All references must outlive it.
  struct Dependencies {
    informers::StoreReader<api::ResourcePoolStatusRequest> requests;
    informers::OwnWrites<api::ResourcePoolStatusRequest> own_requests;
    PoolStatusApi& api;
    runtime::TimeSource& time;
    runtime::MetricsRegistry& metrics;
    runtime::Logger log;
  };
  explicit Controller(Dependencies dependencies);
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // Call before the informers run. The arguments are informers or bare stores, and must outlive it.
  // Slices are not kept: they only wake waiting requests.
  template <class Requests, class Slices>
  void observe(Requests& requests, Slices& slices) {
    requests.add_observer(requests_observer_);
    slices.add_observer(slices_observer_);
  }

  Task<> run();
  // Begins nothing new; run() ends when current work is done. Idempotent.
  void stop();
  // The API server works again: retries earlier failures at once.
  void retry_now() { queue_.retry_now(); }
  workqueue::Load load() const { return queue_.load(); }

 private:
  using Request = api::ResourcePoolStatusRequest;
  // Requests are cluster-scoped: in the queue, drivers take turns as namespaces do elsewhere, so
  // that thousands of requests for one driver do not delay another's.
  struct Item {
    api::InternedString driver;
    api::InternedString name;

    friend bool operator==(const Item&, const Item&) = default;
  };
  struct ItemHash {
    std::size_t operator()(const Item& item) const noexcept {
      return item.name.hash() * 31 + item.driver.hash();
    }
  };
  struct DriverOf {
    api::InternedString operator()(const Item& item) const { return item.driver; }
  };
  // A request without an answer.
  struct Pending {
    api::Uid uid;
    api::InternedString driver;
    runtime::MonoTime since;
    std::optional<runtime::MonoTime> refused_since = {};
    bool awaits_slices = false;
  };

  void observe_request(const RequestPtr& after, workqueue::Priority priority);
  void observe_slice(const api::ResourceSlice& slice);
  Task<workqueue::Outcome> handle(Item item);
  Task<workqueue::Outcome> answer(RequestPtr request);
  static workqueue::Outcome wait_for_slices(Pending& pending, runtime::Duration patience);
  std::optional<api::PoolStatusAnswer> give_up(Pending& pending, const runtime::Error& error) const;
  Task<Result<RequestPtr>> send(RequestPtr request, api::PoolStatusAnswer answer);
  Task<workqueue::Outcome> write(RequestPtr request, api::PoolStatusAnswer answer,
                                 runtime::MonoTime begun);
  workqueue::Outcome settle_refusal(const Request& request, const runtime::Error& error);
  // The current request, if it still has no answer.
  RequestPtr find_pending(const api::InternedString& name) const;
  Pending& pending_of(const Request& request);

  Task<> clean_up();
  Task<> remove(RequestPtr request);

  Dependencies deps_;
  PoolStatusMetrics metrics_;
  workqueue::Queue<Item, DriverOf, ItemHash> queue_;
  workqueue::HandlerFailures failures_;
  informers::OnChange<Request> requests_observer_;
  informers::OnChange<api::ResourceSlice> slices_observer_;
  std::unordered_map<api::InternedString, Pending> pending_;  // by name
  bool takes_generation_zero_ = true;                         // until the API server refuses it
  bool is_working_ = false;                                   // run() was called
};

}  // namespace dcm::resource_pool_status
