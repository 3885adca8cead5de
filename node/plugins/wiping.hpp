// When the ResourceSlices of a driver that is gone are to be deleted. Pure: is told whether a
// driver is connected, and the time.
//
// The timer starts when a driver becomes unusable, goes on whatever happens then, and is cancelled
// when an instance connects. A driver that registers and never connects is unusable from the start.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/backoff.hpp"

namespace dcm::node {

inline constexpr runtime::Duration kWipingDelay = std::chrono::seconds(30);
inline constexpr runtime::Backoff kWipeBackoff{std::chrono::seconds(1), std::chrono::minutes(5)};

class WipeTimers {
 public:
  // An instance of the driver is connected. A wipe that failed and waits is given up: slices may be
  // fresh.
  void observe_usable(const std::string& driver);
  // None is, or none is registered.
  void observe_unusable(const std::string& driver, runtime::MonoTime now);

  // The drivers whose slices are to be deleted now; each is named once until its attempt has ended.
  std::vector<std::string> begin_due(runtime::MonoTime now);
  void finish(const std::string& driver);
  // Tried again after 1, 2, 4, … s, for ever every 5 min.
  void fail(const std::string& driver, runtime::MonoTime now);
  // When the next one is due.
  std::optional<runtime::MonoTime> next() const;

 private:
  struct Timer {
    runtime::MonoTime due;
    runtime::Duration backoff{};
    bool is_running = false;
  };
  std::map<std::string, Timer> timers_;
};

// The selector of the slices of one driver on a node; of all, without a driver. Keys are sorted.
std::string slices_selector(const std::string& node, const std::string& driver);

}  // namespace dcm::node
