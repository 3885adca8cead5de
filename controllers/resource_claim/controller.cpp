#include "controllers/resource_claim/controller.hpp"

#include <boost/asio/this_coro.hpp>

#include "runtime/task_group.hpp"

namespace dcm::resource_claim {
namespace {

constexpr const char* kQueueName = "resource_claim";

// Until somebody grants us a permission, or a pod that the cache does not have ends.
constexpr runtime::Duration kSlowRetry = std::chrono::minutes(1);

workqueue::Outcome outcome_of(Retry retry) {
  switch (retry.kind) {
    case Retry::never:
      return workqueue::Outcome::done();
    case Retry::when_woken:
      return workqueue::Outcome::set_aside();
    case Retry::with_backoff:
      return workqueue::Outcome::retry(retry.at_least);
    case Retry::slowly:
      return workqueue::Outcome::retry_after(kSlowRetry);
  }
  return workqueue::Outcome::done();
}

}  // namespace

Controller::Controller(Dependencies dependencies, ControllerOptions options)
    : options_(options),
      time_(dependencies.time),
      stores_(dependencies.stores),
      create_metrics_(dependencies.metrics, common::group_claims(options.gates)),
      census_(dependencies.metrics),
      queue_(dependencies.time, dependencies.metrics,
             workqueue::Options(kQueueName, options.workers)),
      failures_(dependencies.metrics, kQueueName, dependencies.log),
      problems_(dependencies.time),
      wakeups_(dependencies.stores, queue_, options.gates, options.deleted_uids_remembered,
               dependencies.log),
      generation_(dependencies.stores, dependencies.api, create_metrics_, dependencies.log),
      pod_sync_(
          dependencies.stores, dependencies.api, generation_,
          {dependencies.events, problems_, dependencies.log}, options.gates,
          [this](const auto& waiting, auto because) { wake(waiting, because); }, dependencies.log),
      group_sync_(dependencies.stores, dependencies.api, generation_,
                  {dependencies.events, problems_, dependencies.log}, options.gates,
                  dependencies.log),
      claim_sync_(dependencies.stores, wakeups_.deleted_consumers(), dependencies.api, problems_,
                  options.gates, dependencies.log) {}

Task<> Controller::run() {
  const runtime::Executor executor = co_await boost::asio::this_coro::executor;
  wakeups_.activate();
  runtime::TaskGroup group(executor);
  group.spawn("backlog", wakeups_.wake_all());
  const auto handler = [this](Item item) { return handle(std::move(item)); };
  const auto words = [](const Item& item) { return describe(item); };
  group.spawn("workers", workqueue::run_workers(executor, options_.workers, queue_, handler, words,
                                                failures_));
  co_await group.join();
}

void Controller::stop() {
  queue_.shut_down(workqueue::ShutDown::drop_waiting);
}

void Controller::wake(const WaitingItem& waiting, WaitingItem::Because because) {
  const auto& [item, priority] = waiting;
  if (because == WaitingItem::Because::it_succeeded) return queue_.add(item, priority);
  queue_.add_rate_limited(item, priority);
}

Task<workqueue::Outcome> Controller::handle(Item item) {
  const Attempt attempt{queue_.running_priority(item), queue_.failures(item)};
  problems_.begin(item);
  const Retry retry = co_await sync(item, attempt);
  const workqueue::Outcome outcome = outcome_of(retry);
  if (outcome != workqueue::Outcome::set_aside()) problems_.end(item);
  co_return outcome;
}

Task<Retry> Controller::sync(Item item, Attempt attempt) {
  switch (item.kind) {
    case Item::Kind::pod:
      return pod_sync_.sync(item.key, attempt);
    case Item::Kind::group:
      return group_sync_.sync(item.key, attempt);
    case Item::Kind::claim:
      break;
  }
  return claim_sync_.sync(item.key, attempt);
}

}  // namespace dcm::resource_claim
