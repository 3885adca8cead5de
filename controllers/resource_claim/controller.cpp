#include "controllers/resource_claim/controller.hpp"

#include <boost/asio/this_coro.hpp>

#include "controllers/api/resources.hpp"
#include "controllers/resource_claim/explain/explain.hpp"
#include "controllers/resource_claim/stores.hpp"
#include "runtime/task_group.hpp"

namespace dcm::resource_claim {
namespace {

constexpr const char* kQueueName = "resource_claim";

}  // namespace

Controller::Controller(Dependencies dependencies, ControllerOptions options)
    : options_(options),
      time_(dependencies.time),
      stores_(dependencies.stores),
      create_metrics_(dependencies.metrics, common::group_claims(options.gates)),
      latency_(dependencies.metrics, dependencies.time),
      census_(dependencies.metrics, dependencies.time),
      queue_(dependencies.time, dependencies.metrics,
             workqueue::Options(kQueueName, options.workers)),
      failures_(dependencies.metrics, kQueueName, dependencies.log),
      problems_(dependencies.time),
      failing_(dependencies.metrics, problems_),
      wakeups_(dependencies.stores, queue_, options.gates, options.deleted_uids_remembered,
               dependencies.log),
      user_sync_({dependencies.stores, dependencies.api, create_metrics_, latency_,
                  dependencies.events, problems_, dependencies.foreign, dependencies.log},
                 options.gates,
                 [this](const auto& waiting, Outcome outcome) { wake(waiting, outcome); }),
      claim_sync_(dependencies.stores, wakeups_.deleted_consumers(), dependencies.api, problems_,
                  dependencies.time, options.gates, dependencies.log) {}

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

void Controller::wake(const WaitingItem& waiting, Outcome outcome) {
  const auto& [item, priority] = waiting;
  queue_.add(item, {.rate_limited = outcome != Outcome::done(), .priority = priority});
}

Task<Outcome> Controller::handle(Item item) {
  const Priority priority = queue_.running_priority(item);
  problems_.begin(item);
  const Outcome outcome = co_await sync(item, priority);
  if (outcome != Outcome::set_aside()) problems_.end(item);
  co_return outcome;
}

Task<Outcome> Controller::sync(Item item, Priority priority) {
  switch (item.kind) {
    case Item::Kind::pod:
      return user_sync_.sync_pod(item.key, priority);
    case Item::Kind::group:
      return user_sync_.sync_group(item.key, priority);
    case Item::Kind::claim_users:
    case Item::Kind::template_users:
    case Item::Kind::group_members:
      return wakeups_.wake_many(std::move(item), priority);
    case Item::Kind::claims_of_ended:
      return wakeups_.wake_claims_of_ended(std::move(item.key), priority);
    case Item::Kind::claim:
      break;
  }
  return claim_sync_.sync(item.key, priority);
}

std::vector<common::Topic> Controller::explain_pod(const PodPtr& pod, Miss miss) const {
  const auto snapshot_of = [this](const ClaimPtr& claim) {
    return make_claim_snapshot(stores_, wakeups_.deleted_consumers(), options_.gates, claim);
  };
  auto topics =
      resource_claim::explain_pod(user_sync_.snapshot_of(pod), options_.gates, miss, snapshot_of);
  explain_work({Item::Kind::pod, pod->meta.key}, topics);
  return topics;
}

std::vector<common::Topic> Controller::explain_claim(const ClaimPtr& claim, Miss miss) const {
  auto topics = resource_claim::explain_claim(
      make_claim_snapshot(stores_, wakeups_.deleted_consumers(), options_.gates, claim), miss);
  if (const PodPtr pod = stores_.owner_pod_of(*claim)) {
    explain_surplus(user_sync_.snapshot_of(pod), options_.gates, *claim, topics.front());
  }
  std::vector<std::string> users;
  stores_.pods_by_claim.for_each(claim->meta.key, [&](const PodPtr& pod) {
    users.push_back("\"" + pod->meta.key.name.str() + "\"");
  });
  topics.front().add(
      {common::Outlook::note, {common::Input::pods}}, "Users",
      users.empty() ? "No pod refers to it that may still run."
                    : "Pods that refer to it and may still run: " + common::enumerate(users) + ".");
  explain_work({Item::Kind::claim, claim->meta.key}, topics);
  return topics;
}

std::vector<common::Topic> Controller::explain_group(const GroupPtr& group, Miss miss) const {
  auto topics = resource_claim::explain_group(user_sync_.snapshot_of(group), options_.gates, miss);
  explain_work({Item::Kind::group, group->meta.key}, topics);
  return topics;
}

void Controller::explain_work(const Item& item, std::vector<common::Topic>& topics) const {
  const workqueue::Now now{time_.now(), time_.wall_now()};
  common::add_work(describe(problems_.find(item), now), describe(queue_.report(item), now), topics);
}

common::Explainer explainer_of(const Controller& controller, Miss miss) {
  const auto explain_group = [&controller, miss](const api::ResourceKind& kind,
                                                 const api::NamespacedName& key) {
    const GroupPtr group = &kind == &api::kPodGroups ? controller.find_group(key) : nullptr;
    if (group == nullptr) return std::optional<common::Draft>();
    return std::optional(common::draft_about(kind, group->meta,
                                             describe(*group, controller.pods_of(*group)),
                                             controller.explain_group(group, miss)));
  };
  return {
      .pod = [&controller, miss](const PodPtr& pod) { return controller.explain_pod(pod, miss); },
      .claim = [&controller,
                miss](const ClaimPtr& claim) { return controller.explain_claim(claim, miss); },
      .other = explain_group};
}

}  // namespace dcm::resource_claim
