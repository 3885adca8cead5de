#include "node/plugins/wiping.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dcm::node {

void WipeTimers::observe_usable(const std::string& driver) {
  timers_.erase(driver);
}

void WipeTimers::observe_unusable(const std::string& driver, runtime::MonoTime now) {
  timers_.try_emplace(driver, Timer{.due = now + kWipingDelay});
}

std::vector<std::string> WipeTimers::begin_due(runtime::MonoTime now) {
  std::vector<std::string> drivers;
  for (auto& [driver, timer] : timers_) {
    if (timer.is_running || timer.due > now) continue;
    timer.is_running = true;
    drivers.push_back(driver);
  }
  return drivers;
}

void WipeTimers::finish(const std::string& driver) {
  const auto found = timers_.find(driver);
  if (found != timers_.end() && found->second.is_running) timers_.erase(found);
}

void WipeTimers::fail(const std::string& driver, runtime::MonoTime now) {
  const auto found = timers_.find(driver);
  if (found == timers_.end() || !found->second.is_running) return;
  Timer& timer = found->second;
  timer.is_running = false;
  timer.backoff = kWipeBackoff.after(timer.backoff);
  timer.due = now + timer.backoff;
}

std::optional<runtime::MonoTime> WipeTimers::next() const {
  std::optional<runtime::MonoTime> next;
  for (const auto& [driver, timer] : timers_) {
    if (!timer.is_running) next = std::min(next.value_or(timer.due), timer.due);
  }
  return next;
}

std::string slices_selector(const std::string& node, const std::string& driver) {
  if (driver.empty()) return fmt::format("spec.nodeName={}", node);
  return fmt::format("spec.driver={},spec.nodeName={}", driver, node);
}

}  // namespace dcm::node
