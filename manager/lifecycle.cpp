#include "manager/lifecycle.hpp"

#include <utility>

#include "manager/find_version.hpp"

namespace dcm::manager {

using runtime::Deadline;
using runtime::Task;

Lifecycle::Lifecycle(Dependencies dependencies, LifecycleOptions options)
    : deps_(std::move(dependencies)),
      options_(std::move(options)),
      time_(deps_.process.loop.time()),
      recorder_(deps_.rest, time_, deps_.process.metrics, deps_.process.rng.fork(),
                deps_.process.log),
      elected_(time_),
      stop_(time_, deps_.process.log),
      background_(deps_.process.loop.executor()),
      job_tasks_(deps_.process.loop.executor()),
      work_(deps_.process.loop.executor()) {
  health_.live.add("progress", [this] { return epochs_ ? epochs_->why_stuck() : std::nullopt; });
  health_.ready.add("caches", [this] { return why_not_ready(); });
  if (!options_.election) return;
  election_.emplace(
      deps_.process, *options_.election, deps_.lease_rest, *deps_.fence,
      [this](const api::ObjectReference& lease, std::string_view message) {
        recorder_.report(lease, api::EventType::normal, options_.program, "LeaderElection",
                         message);
      },
      elected_);
  health_.ready.add("lease", [this] { return election_->problem(); });
}

void Lifecycle::use(Controllers controllers) {
  controllers_ = std::move(controllers);
  const client::KindSet& kinds = controllers_.kinds;
  epochs_.emplace(
      time_, deps_.process.log, stop_, [this] { return find(); },
      [this](const client::Served& served) { return make_epoch(served); },
      kinds.empty() ? std::string() : std::string(kinds.front()->group));
}

void Lifecycle::add_foundation(std::string name, JobFunction run) {
  foundations_.push_back({std::move(name), std::move(run)});
}

void Lifecycle::add_job(std::string name, JobFunction run) {
  jobs_.push_back({std::move(name), std::move(run)});
}

Task<client::Availability> Lifecycle::find() {
  if (controllers_.kinds.empty()) co_return client::Served{};
  client::Discovery discovery(deps_.rest);
  co_return co_await ask_once(discovery, time_, controllers_.kinds);
}

std::unique_ptr<Epoch> Lifecycle::make_epoch(const client::Served& served) {
  auto epoch = std::make_unique<Epoch>(
      EpochContext{options_.program, deps_.process, deps_.rest, elected_}, served);
  controllers_.fill(*epoch);
  return epoch;
}

Task<> Lifecycle::run() {
  start();
  co_await stop_.wait();
  co_await stop();
}

void Lifecycle::start() {
  is_running_ = true;
  for (const Part& part : foundations_) spawn(background_, part.name, part.run());
  spawn(background_, "events", recorder_.run());
  if (election_) {
    election_->start(stop_);
  } else {
    if (deps_.fence != nullptr) deps_.fence->open_until(runtime::MonoTime::max());
    elected_.set();
  }
  for (const Part& part : jobs_) spawn(job_tasks_, part.name, part.run());
  if (epochs_) spawn(work_, "controllers", work());
}

Task<> Lifecycle::work() {
  if (controllers_.before) co_await controllers_.before();
  co_await epochs_->run();
}

// Jobs are cancelled at once; then everything stops in the reverse order of the start.
Task<> Lifecycle::stop() {
  deps_.process.log.info("Stopping");
  job_tasks_.cancel();
  const bool is_draining = epochs_ && epochs_->stop_current();
  // After a lost lease all writes are refused.
  if (!is_draining || has_lost_lease()) work_.cancel();
  co_await drain();
  co_await job_tasks_.join();
  if (election_) co_await election_->stop();
  if (deps_.fence != nullptr) deps_.fence->close();
  if (epochs_) epochs_->drop_last();
  background_.cancel();
  co_await background_.join();
  deps_.process.log.info("Stopped");
}

Task<> Lifecycle::drain() {
  struct Timer {
    runtime::TimeSource& time;
    runtime::TimerId id;
    ~Timer() { time.cancel(id); }
  } const timer{time_, time_.schedule(Deadline::after(time_, options_.drain_timeout).time(),
                                      [this] { give_up(); })};
  co_await work_.join();
}

void Lifecycle::give_up() {
  for (const std::string& name : work_.running_names()) {
    deps_.process.log.warning("A part has not ended in time; going on without it",
                              {{"part", name}});
  }
  work_.cancel();
}

Task<> Lifecycle::abandon() {
  for (runtime::TaskGroup* group : {&work_, &job_tasks_, &background_}) {
    group->cancel();
    co_await group->join();
  }
  if (election_) co_await election_->abandon();
  if (epochs_) epochs_->drop_last();
}

bool Lifecycle::has_lost_lease() const {
  return election_ && elected_.is_set() && !election_->is_leading();
}

// If any of these fails, the process stops in an orderly way.
void Lifecycle::spawn(runtime::TaskGroup& group, const std::string& part, Task<> task) {
  group.spawn(part, stop_.guard(part, std::move(task)));
}

std::optional<runtime::Problem> Lifecycle::why_not_ready() const {
  if (stop_.is_requested()) return runtime::Problem("stopping");
  return epochs_ ? epochs_->why_not_ready() : std::nullopt;
}

}  // namespace dcm::manager
