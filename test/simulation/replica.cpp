#include "test/simulation/replica.hpp"

#include <utility>

#include <fmt/format.h>

#include "runtime/task.hpp"

namespace dcm::simulation {

using runtime::Task;

namespace {

// Twenty seconds for work in progress, and two attempts to release the lease, of five seconds each
// with a look at it before.
constexpr runtime::Duration kStopMax = std::chrono::seconds(45);

}  // namespace

Replica::Replica(Setup setup)
    : name_(std::move(setup.name)),
      loop_(setup.loop),
      network_(setup.network),
      timeline_(setup.timeline),
      options_(setup.options),
      rng_(setup.rng),
      on_stopped_(std::move(setup.on_stopped)),
      clock_(setup.loop.time(), setup.freezing),
      told_(setup.loop.time()),
      thawed_(setup.loop.time()) {}

void Replica::command(Order order) {
  order_ = order;
  told_.notify_all();
}

void Replica::cut_connections() {
  if (process_ != nullptr) process_->cut_connections();
}

void Replica::die() {
  if (process_ == nullptr) return;
  process_->die();
  command(Order::kill);
}

void Replica::freeze() {
  if (process_ == nullptr) return;
  is_frozen_ = true;
  frozen_last_ = loop_.time().now();
  clock_.freeze();
  process_->freeze();
}

Task<> Replica::thaw() {
  if (!std::exchange(is_frozen_, false)) co_return;
  if (process_ != nullptr) process_->thaw();
  co_await runtime::yield();
  clock_.thaw();
  thawed_.notify_all();
}

runtime::Logger Replica::logger(const std::string& name) {
  if (!timeline_.is_kept()) return {};
  const auto backend = std::make_shared<runtime::LogBackend>(
      loop_.time(), runtime::LogFormat::text,
      [this, name](runtime::Severity, std::string_view line) { timeline_.note(name, line); });
  backend->set_verbosity(4);
  return runtime::Logger(backend);
}

Task<> Replica::await_orders(runtime::TaskGroup& group) {
  while (order_ == Order::none) co_await told_.wait();
  group.cancel();
}

// Returns the received order, or none if the process ends by itself.
Task<Replica::Order> Replica::watch_process() {
  const auto until_lost = [](ManagerProcess& process, runtime::TaskGroup& group) -> Task<> {
    co_await process.wait_until_lost();
    group.cancel();
  };
  runtime::TaskGroup either(loop_.executor());
  either.spawn("orders", await_orders(either));
  either.spawn("lost", until_lost(*process_, either));
  co_await either.join();
  co_return std::exchange(order_, Order::none);
}

Task<> Replica::stop_process() {
  while (is_frozen_) co_await thawed_.wait();
  const runtime::MonoTime begin = loop_.time().now();
  co_await process_->stop();
  const bool ran_on = frozen_last_ < begin;
  const runtime::Duration took = loop_.time().now() - begin;
  if (ran_on && took > kStopMax) failure_ = "a stop has taken too long";
  if (on_stopped_ && !process_->has_lost_lease()) on_stopped_(process_->name(), took);
}

Task<> Replica::run() {
  while (true) {
    const std::string name = fmt::format("{}.{}", name_, processes_++);
    process_ = std::make_unique<ManagerProcess>(
        ManagerProcess::Setup{name, loop_.executor(), clock_, loop_.time(), network_, rng_.fork(),
                              logger(name), options_});
    timeline_.note(name, "starts");
    process_->start();
    if (const auto stop = std::exchange(next_stop_, std::nullopt)) {
      loop_.after_tasks(stop->tasks, [this, until = stop->until] {
        if (order_ == Order::none && loop_.time().now() < until) command(Order::stop);
      });
    }
    const Order order = co_await watch_process();
    timeline_.note(name, order == Order::stop ? "stops" : "ends");
    if (order == Order::stop) {
      co_await stop_process();
    } else {
      co_await process_->kill();
    }
    if (!process_->failure().empty()) failure_ = process_->failure();
    process_.reset();
    co_await thaw();
    if (order == Order::end || order_ == Order::end) co_return;
    co_await runtime::sleep_for(loop_.time(), std::chrono::milliseconds(rng_.below(20'000)));
  }
}

}  // namespace dcm::simulation
