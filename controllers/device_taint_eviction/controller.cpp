#include "controllers/device_taint_eviction/controller.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "runtime/task_group.hpp"

namespace dcm::device_taint_eviction {
namespace {

using namespace std::chrono_literals;

constexpr const char* kQueueName = "device-taint-eviction-controller";

// Steps of the tracker's work per slice, and pods queued per slice: about 1 ms each.
constexpr std::size_t kSlice = 250;
constexpr std::size_t kDueSlice = 250;

// Due times are wall time, which may jump while the loop's clock advances evenly.
constexpr runtime::Duration kLookAgain = 1min;

// The disruption controller needs this time to record changes of pods that we already see.
constexpr runtime::Duration kUntilBudgetsKnow = 1s;

}  // namespace

Controller::Controller(Dependencies dependencies, ControllerOptions options)
    : options_(options),
      time_(dependencies.time),
      lookup_(dependencies.lookup),
      pending_(rules_),
      tracker_(lookup_, rules_, pending_),
      metrics_(dependencies.metrics, pending_, dependencies.time),
      device_metrics_(dependencies.metrics,
                      [this] {
                        const auto& published = tracker_.published();
                        const bool has_more =
                            device_count_.advance(published, tracker_.allocated(), rules_);
                        return has_more ? nullptr : &device_count_.counts();
                      }),
      pace_(options.evictions_per_second),
      queue_(dependencies.time, dependencies.metrics,
             workqueue::Options(kQueueName, options.workers)),
      failures_(dependencies.metrics, kQueueName, dependencies.log),
      problems_(dependencies.time),
      pods_({tracker_, pending_, dependencies.api, dependencies.events, metrics_, pace_, problems_,
             dependencies.time, dependencies.rng, dependencies.log,
             [this](api::Decoded<api::Pod> pod) { own_pods_->record(std::move(pod)); }},
            options.mode),
      conditions_({tracker_, rules_, dependencies.api, problems_, dependencies.time,
                   dependencies.log, [this](const RulePtr& rule) { own_rules_->record(rule); }}),
      observers_(
          tracker_, [this] { notify(); }, dependencies.log),
      changed_(dependencies.time) {}

Task<> Controller::run() {
  const runtime::Executor executor = co_await boost::asio::this_coro::executor;
  is_working_ = true;
  tracker_.start();
  runtime::TaskGroup group(executor);
  group.spawn("follow changes", follow());
  const auto handler = [this](Item item) { return handle(std::move(item)); };
  const auto words = [](const Item& item) { return describe(item); };
  group.spawn("workers", workqueue::run_workers(executor, options_.workers, queue_, handler, words,
                                                failures_));
  co_await group.join();
}

void Controller::stop() {
  queue_.shut_down(workqueue::ShutDown::drop_waiting);
  is_stopped_ = true;
  notify();
}

void Controller::notify() {
  has_changed_ = true;
  changed_.notify_all();
}

// A rule is queued before the pods that are due because of it.
Task<> Controller::follow() {
  while (!is_stopped_) {
    has_changed_ = false;
    tracker_.recheck_evictions(time_.now());
    tracker_.advance(kSlice);
    for (const Released& released : tracker_.take_released()) pods_.conclude(released);
    queue_rules();
    const bool has_more = queue_due_pods();
    if (has_more || tracker_.has_work()) {
      co_await runtime::yield();
      continue;
    }
    priority_ = Priority::live;
    if (!has_changed_) co_await changed_.wait(next_turn().value_or(runtime::Deadline()));
  }
}

void Controller::retry_now() {
  queue_.retry_now();
  pending_.retry_now(time_.now());
  notify();
}

void Controller::queue_rules() {
  auto touched = tracker_.take_touched_rules();
  if (rule_status_ == RuleStatus::not_served) return;
  for (std::string& name : touched) touched_rules_.insert(std::move(name));
  std::erase_if(touched_rules_, [this](const std::string& name) { return queue_rule(name); });
}

bool Controller::queue_rule(const std::string& name) {
  using enum workqueue::ItemState;
  const Rule* rule = rules_.find(name);
  if (rule == nullptr) return true;
  const Item item = Item::rule(*rule->object);
  const auto& condition = rule->object->condition;
  const bool is_seen = condition && condition->observed_generation == rule->object->generation;
  const bool may_wait = is_seen || conditions_.has_tried(*rule);
  // The outcome alone decides whether it is written again at once; after a failure, it is not.
  if (may_wait && queue_.state(item) == processing) return false;
  // A rule that is delayed, by its 10 s or after a failure, will use the state of that later time.
  if (!may_wait || queue_.state(item) != delayed) queue_.add(item, Priority::live);
  return true;
}

bool Controller::queue_due_pods() {
  const Now now{time_.now(), time_.wall_now()};
  pending_.wake_stirred(now.mono + kUntilBudgetsKnow);
  for (std::size_t queued = 0; queued < kDueSlice; ++queued) {
    if (pace_.next(now.mono)) return false;
    const PendingPod* pod = pending_.take(now);
    if (pod == nullptr) return false;
    pace_.take(now.mono);
    queue_.add(Item::pod(pod->pod), pod->failures == 0 ? priority_ : Priority::live);
  }
  return true;
}

// When follow() must look again without an event.
std::optional<runtime::Deadline> Controller::next_turn() const {
  const auto due = pending_.next_due();
  std::optional<runtime::MonoTime> next = pending_.next_retry();
  if (const auto recheck = tracker_.next_recheck())
    next = std::min(next.value_or(*recheck), *recheck);
  const runtime::MonoTime now = time_.now();
  if (due) {
    const WallTime wall = time_.wall_now();
    // Distant times are not subtracted: the difference might overflow.
    const bool is_near = *due < wall + kLookAgain;
    const runtime::Duration left = is_near ? std::max(*due, wall) - wall : kLookAgain;
    next = std::min(next.value_or(now + left), now + left);
  }
  if (!next) return std::nullopt;
  return runtime::Deadline(std::max(*next, pace_.next(now).value_or(now)));
}

Task<workqueue::Outcome> Controller::handle(Item item) {
  problems_.begin(item);
  workqueue::Outcome outcome = workqueue::Outcome::done();
  if (item.kind == Item::Kind::pod) {
    co_await pods_.evict(item.subject);
  } else {
    outcome = co_await conditions_.sync(item.subject.key.name.str(), item.subject.uid);
  }
  if (outcome != workqueue::Outcome::set_aside()) problems_.end(item);
  notify();
  co_return outcome;
}

}  // namespace dcm::device_taint_eviction
