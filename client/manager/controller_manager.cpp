#include "client/manager/controller_manager.hpp"

#include <chrono>
#include <variant>

namespace dcm::manager {
namespace {

using runtime::Deadline;
using runtime::Task;

// How long work in flight may take once the stop is requested.
constexpr runtime::Duration kDrainTimeout = std::chrono::seconds(20);
constexpr runtime::Duration kDiscoveryTimeout = std::chrono::seconds(30);

std::string why_not_found(const client::Availability& answer) {
  if (const auto* unknown = std::get_if<client::Unknown>(&answer)) return unknown->error.message;
  return std::get<client::NotServed>(answer).why;
}

}  // namespace

ControllerManager::ControllerManager(Dependencies dependencies, std::string program,
                                     const LeaderElectionOptions& election)
    : deps_(std::move(dependencies)),
      time_(deps_.process.loop.time()),
      recorder_(deps_.rest, time_, deps_.process.metrics, deps_.process.rng.fork(),
                deps_.process.log),
      leadership_(time_),
      leader_(
          deps_.process, election, deps_.lease_rest, deps_.fence,
          [this, program = std::move(program)](const api::ObjectReference& lease,
                                               std::string_view message) {
            recorder_.report(lease, api::EventType::normal, program, "LeaderElection", message);
          },
          leadership_),
      stop_(time_, deps_.process.log),
      background_(deps_.process.loop.executor()),
      work_(deps_.process.loop.executor()) {
  health_.ready.add("caches", [this] { return why_not_ready(); });
  health_.ready.add("lease", [this] { return leader_.problem(); });
}

Worklist& ControllerManager::controller(std::string name, std::size_t workers, Handler handler) {
  return controllers_.emplace_back(std::move(name), workers, deps_.process, std::move(handler))
      .list;
}

Task<> ControllerManager::run() {
  start();
  co_await stop_.wait();
  co_await stop();
}

void ControllerManager::start() {
  spawn(background_, "events", recorder_.run());
  leader_.start(stop_);
  spawn(work_, "controllers", work());
}

Task<> ControllerManager::work() {
  std::vector<informers::SyncState*> caches;
  for (const Source& source : sources_) {
    co_await find_version(source);
    const std::string part = "cache of " + std::string(source.kind->plural);
    spawn(background_, part, source.run());
    caches.push_back(source.sync);
  }
  co_await informers::wait_for_sync(caches, Deadline::unreachable());
  co_await leadership_.wait();
  deps_.process.log.info("Working");
  co_await run_controllers();
}

Task<> ControllerManager::find_version(const Source& source) {
  client::Discovery discovery(deps_.rest);
  for (;;) {
    const client::Availability answer =
        co_await discovery.find({source.kind}, Deadline::after(time_, kDiscoveryTimeout));
    if (const auto* served = std::get_if<client::Served>(&answer)) {
      source.use_version(served->version);
      co_return;
    }
    deps_.process.log.warning("Waiting until a kind is served",
                              {{"kind", source.kind->plural}, {"why", why_not_found(answer)}});
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
  // Without the lease, nothing has begun.
  if (!leader_.is_leading()) work_.cancel();
  const runtime::TimerId give_up =
      time_.schedule(Deadline::after(time_, kDrainTimeout).time(), [this] { work_.cancel(); });
  co_await work_.join();
  time_.cancel(give_up);
  co_await leader_.stop();
  background_.cancel();
  co_await background_.join();
  deps_.process.log.info("Stopped");
}

// A failure of any of these ends the process in good order.
void ControllerManager::spawn(runtime::TaskGroup& group, const std::string& part, Task<> task) {
  group.spawn(part, stop_.guard(part, std::move(task)));
}

std::optional<std::string> ControllerManager::why_not_ready() const {
  if (stop_.is_requested()) return "stopping";
  for (const Source& source : sources_) {
    if (!source.sync->is_synced()) return source.sync->describe();
  }
  return std::nullopt;
}

}  // namespace dcm::manager
