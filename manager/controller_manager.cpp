#include "manager/controller_manager.hpp"

#include <chrono>
#include <variant>

namespace dcm::manager {
namespace {

using runtime::Deadline;
using runtime::Task;

constexpr runtime::Duration kDiscoveryTimeout = std::chrono::seconds(30);

std::string why_not_found(const client::Availability& answer) {
  if (const auto* unknown = std::get_if<client::Unknown>(&answer)) {
    return runtime::to_string(unknown->error);
  }
  return std::get<client::NotServed>(answer).why;
}

// By value: it outlives the call that created it.
Task<> repeat(runtime::TimeSource& time, runtime::Duration interval, JobFunction job) {
  for (;; co_await runtime::sleep_for(time, interval)) co_await job();
}

}  // namespace

ControllerManager::ControllerManager(Dependencies dependencies, ManagerOptions options)
    : deps_(std::move(dependencies)),
      options_(std::move(options)),
      time_(deps_.process.loop.time()),
      recorder_(deps_.rest, time_, deps_.process.metrics, deps_.process.rng.fork(),
                deps_.process.log),
      leadership_(time_),
      stop_(time_, deps_.process.log),
      background_(deps_.process.loop.executor()),
      work_(deps_.process.loop.executor()),
      jobs_(deps_.process.loop.executor()) {
  health_.ready.add("caches", [this] { return why_not_ready(); });
  if (!options_.election) return;
  leader_.emplace(
      deps_.process, *options_.election, deps_.lease_rest, deps_.fence,
      [this](const api::ObjectReference& lease, std::string_view message) {
        recorder_.report(lease, api::EventType::normal, options_.program, "LeaderElection",
                         message);
      },
      leadership_);
  health_.ready.add("lease", [this] { return leader_->problem(); });
}

Worklist& ControllerManager::add_controller(std::string name, const ControllerOptions& options,
                                            Handler handler) {
  return controllers_.emplace_back(std::move(name), options, deps_.process, std::move(handler))
      .list;
}

workqueue::Outcome ControllerManager::retry(const api::NamespacedName& name,
                                            const runtime::Error& error) const {
  deps_.process.log.warning("A write failed; retrying",
                            {{"object", name.str()}, {"why", runtime::to_string(error)}});
  return workqueue::Outcome::retry(error.retry_after.value_or(runtime::Duration::zero()));
}

void ControllerManager::add_job(std::string name, RunsOn where, JobFunction run) {
  job_list_.push_back({std::move(name), where, std::move(run)});
}

void ControllerManager::add_periodic_job(runtime::Duration interval, std::string name, RunsOn where,
                                         JobFunction run) {
  add_job(std::move(name), where,
          [this, interval, run = std::move(run)] { return repeat(time_, interval, run); });
}

Task<> ControllerManager::run() {
  start();
  co_await stop_.wait();
  co_await stop();
}

void ControllerManager::start() {
  spawn(background_, "events", recorder_.run());
  if (leader_) {
    leader_->start(stop_);
  } else {
    deps_.fence.open_until(runtime::MonoTime::max());
    leadership_.begin();
  }
  start_jobs(RunsOn::every_instance);
  spawn(work_, "controllers", work());
}

void ControllerManager::start_jobs(RunsOn where) {
  for (const Job& job : job_list_) {
    if (job.where == where) spawn(jobs_, job.name, job.run());
  }
}

Task<> ControllerManager::work() {
  std::vector<informers::SyncState*> caches;
  for (Source& source : sources_) {
    co_await find_version(source);
    const std::string part = "cache of " + std::string(source.kind->plural);
    spawn(background_, part, source.run());
    caches.push_back(source.sync);
  }
  co_await informers::wait_for_sync(caches, Deadline::unreachable());
  co_await leadership_.wait();
  deps_.process.log.info("Working");
  is_working_ = true;
  start_jobs(RunsOn::leader);
  co_await run_controllers();
}

Task<> ControllerManager::find_version(Source& source) {
  client::Discovery discovery(deps_.rest);
  for (;;) {
    const client::Availability answer =
        co_await discovery.find({source.kind}, Deadline::after(time_, kDiscoveryTimeout));
    if (const auto* served = std::get_if<client::Served>(&answer)) {
      source.why_not_served.clear();
      source.use_version(served->version);
      co_return;
    }
    source.why_not_served = why_not_found(answer);
    deps_.process.log.warning("Waiting until a kind is served",
                              {{"kind", source.kind->plural}, {"why", source.why_not_served}});
    co_await runtime::sleep_for(time_, client::ask_again_after(answer));
  }
}

Task<> ControllerManager::run_controllers() {
  runtime::TaskGroup workers(deps_.process.loop.executor());
  for (Controller& controller : controllers_) {
    workers.spawn(controller.name, controller.list.run(controller.handler));
  }
  co_await workers.join();
}

Task<> ControllerManager::stop() {
  deps_.process.log.info("Stopping");
  for (Controller& controller : controllers_) controller.list.stop();
  jobs_.cancel();
  // Either no work has begun, or the lease is lost and all writes are refused.
  if (!is_working_ || (leader_ && !leader_->is_leading())) work_.cancel();
  const runtime::TimerId give_up = time_.schedule(
      Deadline::after(time_, options_.drain_timeout).time(), [this] { work_.cancel(); });
  co_await work_.join();
  time_.cancel(give_up);
  co_await jobs_.join();
  if (leader_) co_await leader_->stop();
  deps_.fence.close();
  background_.cancel();
  co_await background_.join();
  deps_.process.log.info("Stopped");
}

// A failure of any of these ends the process in order.
void ControllerManager::spawn(runtime::TaskGroup& group, const std::string& part, Task<> task) {
  group.spawn(part, stop_.guard(part, std::move(task)));
}

std::optional<std::string> ControllerManager::why_not_ready() const {
  if (stop_.is_requested()) return "stopping";
  for (const Source& source : sources_) {
    if (!source.why_not_served.empty()) {
      return std::string(source.kind->plural) + ": not served: " + source.why_not_served;
    }
    if (!source.sync->is_synced()) return source.sync->describe();
  }
  return std::nullopt;
}

}  // namespace dcm::manager
