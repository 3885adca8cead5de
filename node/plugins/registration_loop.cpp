#include "node/plugins/registration_loop.hpp"

#include <utility>

namespace dcm::node {

using runtime::Deadline;
using runtime::Task;

RegistrationLoop::RegistrationLoop(runtime::LoopRef loop, DriverConnections& plugins,
                                   std::string registry, runtime::Logger log)
    : loop_(loop),
      plugins_(plugins),
      registry_(loop.executor(), std::move(registry)),
      log_(std::move(log)),
      changed_(loop.time()),
      group_(loop.executor()) {}

Task<> RegistrationLoop::run() {
  group_.spawn("plugin registry", watch());
  group_.spawn("plugin registrations", work());
  co_await group_.join();
}

Task<> RegistrationLoop::watch() {
  while (true) {
    const auto change = registry_.look();
    if (!change) {
      log_.error("Cannot watch the plugin registry", {{"error", change.error().message}});
      co_await runtime::sleep_for(loop_.time(), kRetry);
      continue;
    }
    for (const std::string& path : change->removed) sockets_.observe_removed(path);
    for (const std::string& path : change->created) sockets_.observe_created(path);
    changed_.notify_all();
    if (!change->problem.empty()) {
      log_.error("Cannot watch the plugin registry", {{"error", change->problem}});
      co_await runtime::sleep_for(loop_.time(), kRetry);
      continue;
    }
    co_await registry_.wait();
    co_await runtime::sleep_for(loop_.time(), kGather);
  }
}

Task<> RegistrationLoop::work() {
  while (true) {
    const RegistrationSchedule::Step step = sockets_.begin_due(loop_.time().now());
    begin(step);
    co_await changed_.wait(step.next ? Deadline(*step.next) : Deadline());
  }
}

void RegistrationLoop::begin(const RegistrationSchedule::Step& step) {
  for (const RegistrationSchedule::Work& work : step.to_unregister) {
    group_.spawn("unregister " + work.path, unregister_one(work));
  }
  for (const RegistrationSchedule::Work& work : step.to_register) {
    group_.spawn("register " + work.path, register_one(work));
  }
}

Task<> RegistrationLoop::register_one(RegistrationSchedule::Work work) {
  const SocketOutcome outcome =
      co_await plugins_.register_plugin(work.path, registry_.changed_at(work.path));
  sockets_.finish_register(work, outcome, loop_.time().now());
  changed_.notify_all();
}

Task<> RegistrationLoop::unregister_one(RegistrationSchedule::Work work) {
  co_await plugins_.unregister_plugin(work.path);
  sockets_.finish_unregister(work);
  changed_.notify_all();
}

}  // namespace dcm::node
