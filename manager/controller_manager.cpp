#include "manager/controller_manager.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>

#include "runtime/cancellation.hpp"
#include "runtime/failure.hpp"

namespace dcm::manager {
namespace {

using runtime::Task;

// Takes its parameters by value, because the task outlives the call that created it.
Task<> repeat(runtime::TimeSource& time, runtime::Duration interval, JobFunction job) {
  for (;; co_await runtime::sleep_for(time, interval)) co_await job();
}

// Names the job in its exception: it ends the controllers' part of the program as a whole. `job`
// must outlive the task.
Task<> run_named(const std::string& name, const JobFunction& job) {
  std::exception_ptr failure;
  try {
    co_await job();
  } catch (...) {
    failure = std::current_exception();
  }
  if (!failure) co_return;
  if (runtime::is_cancellation(failure)) std::rethrow_exception(failure);
  throw std::runtime_error("the job \"" + name + "\": " + runtime::text_of(failure));
}

}  // namespace

ControllerManager::ControllerManager(Lifecycle& lifecycle)
    : lifecycle_(lifecycle), field_manager_(std::make_shared<std::string>(program())) {
  lifecycle_.use({.fill = [this](Epoch& epoch) { fill(epoch); }});
}

void ControllerManager::check_not_running(const std::string& call) const {
  if (lifecycle_.is_running()) throw std::logic_error("call " + call + " before run()");
}

void ControllerManager::check_new_cache(const std::string& name) const {
  check_not_running("cache(\"" + name + "\")");
  if (std::ranges::find(sources_, name, &Source::name) == sources_.end()) return;
  throw std::invalid_argument("there are two caches with the name \"" + name +
                              "\": set `.name` in the CacheOptions of the second");
}

Worklist& ControllerManager::add_controller(std::string name, const ControllerOptions& options,
                                            Handler handler) {
  check_not_running("controller(\"" + name + "\")");
  if (std::ranges::find(queues_, name, &Queue::name) != queues_.end()) {
    throw std::invalid_argument("there are two controllers with the name \"" + name +
                                "\": give each a name of its own");
  }
  if (options.workers == 0) {
    throw std::invalid_argument("the controller \"" + name + "\" needs a worker");
  }
  if (options.backoff.first <= runtime::Duration::zero() ||
      options.backoff.most < options.backoff.first) {
    throw std::invalid_argument(
        "the controller \"" + name +
        "\" needs a first back-off above zero, and at most the longest one");
  }
  if (!queues_.empty()) field_manager_->clear();
  return queues_.emplace_back(std::move(name), options, process(), std::move(handler)).list;
}

workqueue::Outcome ControllerManager::retry(const api::NamespacedName& name,
                                            const runtime::Error& error) const {
  const std::string object = name.str();
  const std::string text = runtime::to_string(error);
  if (!runtime::is_conflict(error) && !runtime::is_object_gone(error)) {
    log().warning("A write failed; retrying", {{"object", object}, {"error", text}});
  } else if (log().v(2)) {
    log().info("The object has changed; retrying", {{"object", object}, {"error", text}});
  }
  return workqueue::Outcome::retry(error.retry_after.value_or(runtime::Duration::zero()));
}

void ControllerManager::add_job(std::string name, RunsOn where, JobFunction run) {
  check_not_running("job(\"" + name + "\")");
  if (where == RunsOn::every_instance) {
    lifecycle_.add_job(std::move(name), std::move(run));
  } else {
    leader_jobs_.push_back({std::move(name), std::move(run)});
  }
}

void ControllerManager::add_periodic_job(runtime::Duration interval, std::string name, RunsOn where,
                                         JobFunction run) {
  if (interval <= runtime::Duration::zero()) {
    throw std::invalid_argument("the job \"" + name + "\" needs an interval above zero");
  }
  add_job(std::move(name), where,
          [this, interval, run = std::move(run)] { return repeat(time(), interval, run); });
}

// Which caches a reconciler reads is not known, so each waits for all of them.
void ControllerManager::fill(Epoch& epoch) {
  std::vector<informers::SyncState*> caches;
  for (const Source& source : sources_) {
    epoch.add_cache(source.cache, *source.kind, source.use_version);
    caches.push_back(source.cache.sync);
  }
  for (const Job& job : leader_jobs_) {
    epoch.add({.name = job.name, .caches = caches, .run = [&job] {
                 return run_named(job.name, job.run);
               }});
  }
  for (Queue& queue : queues_) {
    Worklist& list = queue.list;
    epoch.add({.name = queue.name,
               .caches = caches,
               .run = [&queue] { return queue.list.run(queue.handler); },
               .stop = [&list] { list.stop(); },
               .retry_now = [&list] { list.retry_now(); },
               .load = [&list] { return list.load(); },
               .queue = queue.name});
  }
  epoch.on_working([this] { log().info("Working"); });
}

}  // namespace dcm::manager
