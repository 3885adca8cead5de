#include "node/agent/slice_wiper.hpp"

#include <utility>

namespace dcm::node {

using runtime::Deadline;
using runtime::Task;

namespace {

// The wipe at the start, in place of a driver's name.
const std::string kEveryDriver;

}  // namespace

SliceWiper::SliceWiper(runtime::LoopRef loop, NodeApi& api, std::string node, FirstWipe first,
                       Connected connected, runtime::MetricsRegistry& metrics, runtime::Logger log)
    : loop_(loop),
      api_(api),
      node_(std::move(node)),
      first_(first),
      connected_(std::move(connected)),
      metrics_(metrics),
      log_(std::move(log)),
      changed_(loop.time()),
      group_(loop.executor()) {}

void SliceWiper::observe(const std::string& driver, bool is_connected) {
  if (is_connected) {
    timers_.observe_usable(driver);
  } else {
    timers_.observe_unusable(driver, loop_.time().now());
  }
  changed_.notify_all();
}

Task<> SliceWiper::run() {
  group_.spawn("schedule of wipes", schedule());
  co_await group_.join();
}

Task<> SliceWiper::schedule() {
  const runtime::MonoTime now = loop_.time().now();
  timers_.observe_unusable(kEveryDriver, first_ == FirstWipe::late ? now : now - kWipingDelay);
  while (true) {
    for (std::string& driver : timers_.begin_due(loop_.time().now())) {
      std::string task = "wipe of " + driver;
      group_.spawn(std::move(task), wipe(std::move(driver)));
    }
    const auto next = timers_.next();
    co_await changed_.wait(next ? Deadline(*next) : Deadline());
  }
}

Task<> SliceWiper::wipe(std::string driver) {
  const std::string selector = selector_of(driver);
  const runtime::Result<> wiped = co_await api_.delete_slices(selector);
  if (wiped) {
    log_.info("Deleted all ResourceSlices of missing drivers", {{"selector", selector}});
    timers_.finish(driver);
  } else {
    log_.warning("Cannot delete ResourceSlices of missing drivers; retrying",
                 {{"selector", selector}, {"error", wiped.error().message}});
    timers_.fail(driver, loop_.time().now());
  }
  metrics_
      .counter("dra_hollow_node_slice_wipes_total",
               "Attempts to delete the ResourceSlices of a missing driver.",
               {{"driver_name", driver}, {"result", wiped ? "success" : "error"}})
      .Increment();
  changed_.notify_all();
}

std::string SliceWiper::selector_of(const std::string& driver) const {
  if (driver != kEveryDriver || first_ == FirstWipe::at_start) {
    return slices_selector(node_, driver);
  }
  std::string spared;
  for (const std::string& name : connected_()) spared += "spec.driver!=" + name + ",";
  return spared + slices_selector(node_, {});
}

}  // namespace dcm::node
