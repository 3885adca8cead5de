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

// Devices per slice of a walk, and pods queued at once: about 1 ms each.
constexpr std::size_t kWalkSlice = 128;
constexpr std::size_t kDueSlice = 1000;

// Due times are wall time, and that may jump while the loop's clock goes on evenly.
constexpr runtime::Duration kLookAgain = 1min;

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
      conditions_({tracker_, dependencies.api, problems_, dependencies.time, dependencies.log,
                   [this](const RulePtr& rule) { own_rules_->record(rule); }}),
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
  pods_.stop();
  is_stopped_ = true;
  notify();
}

void Controller::notify() {
  has_changed_ = true;
  changed_.notify_all();
}

// Conditions go to the queue when a walk has counted all that the rule concerns, and before the
// pods that it has found.
Task<> Controller::follow() {
  while (!is_stopped_) {
    has_changed_ = false;
    if (tracker_.has_walk() && !tracker_.advance_walk(kWalkSlice)) {
      co_await runtime::yield();
      continue;
    }
    report_cancelled();
    queue_given_up_pods();
    queue_rules();
    const bool has_more = queue_due_pods();
    if (has_more || tracker_.has_walk()) {
      co_await runtime::yield();
      continue;
    }
    priority_ = Priority::live;
    if (!has_changed_) co_await changed_.wait(next_turn().value_or(runtime::Deadline()));
  }
}

void Controller::report_cancelled() {
  for (const PodRef& pod : tracker_.take_cancelled()) pods_.report_cancelled(pod);
}

// Perhaps one of the attempts has made them go, and it is not known yet.
void Controller::queue_given_up_pods() {
  for (const PodRef& pod : tracker_.pending().take_given_up()) {
    queue_.add(Item::pod(pod), Priority::live);
  }
}

void Controller::queue_rules() {
  for (const std::string& name : tracker_.take_touched_rules()) {
    const Item item = Item::rule(name);
    const Rule& rule = *tracker_.rules().find(name);
    const auto& condition = rule.object->condition;
    const bool is_seen = condition && condition->observed_generation == rule.object->generation;
    const bool may_wait = is_seen || conditions_.has_tried(rule);
    // One that waits for its 10 s, or after a failure, will see what there is then.
    if (may_wait && queue_.state(item) == workqueue::ItemState::delayed) continue;
    queue_.add(item, Priority::live);
  }
}

bool Controller::queue_due_pods() {
  const WallTime now = time_.wall_now();
  PendingPods& pending = tracker_.pending();
  for (std::size_t queued = 0; queued < kDueSlice; ++queued) {
    const auto due = pending.next_due();
    if (!due || *due > now || !pace_.try_take(time_.now())) return false;
    PendingPod* pod = pending.take_due(now);
    pod->has_turn = true;
    queue_.add(Item::pod(pod->pod), priority_);
  }
  return true;
}

// When follow() has to look again without being told.
std::optional<runtime::Deadline> Controller::next_turn() const {
  const auto due = tracker_.pending().next_due();
  if (!due) return std::nullopt;
  const WallTime wall = time_.wall_now();
  const runtime::MonoTime now = time_.now();
  if (*due <= wall) return runtime::Deadline(pace_.next(now).value_or(now));
  // No difference is taken of times that are centuries apart.
  const bool is_near = *due < wall + kLookAgain;
  return runtime::Deadline(now + (is_near ? *due - wall : kLookAgain));
}

Task<workqueue::Outcome> Controller::handle(Item item) {
  auto work = item.kind == Item::Kind::pod ? pods_.evict(item.subject)
                                           : conditions_.sync(item.subject.key.name);
  problems_.begin(item);
  const workqueue::Outcome outcome = co_await std::move(work);
  if (outcome != workqueue::Outcome::set_aside()) problems_.end(item);
  notify();
  co_return outcome;
}

}  // namespace dcm::device_taint_eviction
