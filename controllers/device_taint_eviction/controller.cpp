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

// Steps of the tracker's work at once, and pods queued at once: about 1 ms each.
constexpr std::size_t kSlice = 2'000;
constexpr std::size_t kDueSlice = 1'000;

// Due times are wall time, and that may jump while the loop's clock goes on evenly.
constexpr runtime::Duration kLookAgain = 1min;

// The disruption controller needs this time to record pods that we see already.
constexpr runtime::Duration kUntilBudgetsKnow = 1s;

}  // namespace

Controller::Controller(Dependencies dependencies, ControllerOptions options)
    : options_(options),
      time_(dependencies.time),
      lookup_(dependencies.lookup),
      tracker_(lookup_),
      metrics_(dependencies.metrics, tracker_.pending()),
      pace_(options.evictions_per_second),
      queue_(dependencies.time, dependencies.metrics,
             workqueue::Options(kQueueName, options.workers)),
      failures_(dependencies.metrics, kQueueName, dependencies.log),
      problems_(dependencies.time),
      pods_({tracker_, dependencies.api, dependencies.events, metrics_, pace_, problems_,
             dependencies.time, dependencies.log},
            options.mode),
      conditions_({tracker_, tracker_.rules(), dependencies.api, problems_, dependencies.time,
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

// A rule goes to the queue before the pods that are due because of it.
Task<> Controller::follow() {
  while (!is_stopped_) {
    has_changed_ = false;
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
  tracker_.pending().retry_now(time_.now());
  notify();
}

void Controller::queue_rules() {
  for (const std::string& name : tracker_.take_touched_rules()) {
    const Item item = Item::rule(name);
    const Rule& rule = *tracker_.rules().find(name);
    const auto& condition = rule.object->condition;
    const bool is_seen = condition && condition->observed_generation == rule.object->generation;
    const bool may_wait = is_seen || conditions_.has_tried(rule);
    // A rule that waits for its 10 s, or after a failure, will see the state of that time.
    if (may_wait && queue_.state(item) == workqueue::ItemState::delayed) continue;
    queue_.add(item, Priority::live);
  }
}

bool Controller::queue_due_pods() {
  const Now now{time_.now(), time_.wall_now()};
  PendingPods& pending = tracker_.pending();
  pending.wake_stirred(now.mono + kUntilBudgetsKnow);
  for (std::size_t queued = 0; queued < kDueSlice; ++queued) {
    if (pace_.next(now.mono)) return false;
    const PendingPod* pod = pending.take(now);
    if (pod == nullptr) return false;
    pace_.take(now.mono);
    queue_.add(Item::pod(pod->pod), pod->failures == 0 ? priority_ : Priority::live);
  }
  return true;
}

// When follow() has to look again without being told.
std::optional<runtime::Deadline> Controller::next_turn() const {
  const auto due = tracker_.pending().next_due();
  std::optional<runtime::MonoTime> next = tracker_.pending().next_retry();
  const runtime::MonoTime now = time_.now();
  if (due) {
    const WallTime wall = time_.wall_now();
    // No difference is taken of times that are centuries apart.
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
    const workqueue::Outcome wanted = co_await conditions_.sync(item.subject.key.name);
    outcome = wanted;
  }
  problems_.end(item);
  notify();
  co_return outcome;
}

}  // namespace dcm::device_taint_eviction
