// When to delete the ResourceSlices of a lost driver. Pure: takes the driver's connection state and
// the time. The timer starts when a driver becomes unusable, continues through other events, and is
// cancelled when an instance connects. A driver that registers and never connects is unusable from
// the start.
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
  // An instance of the driver is connected. A waiting retry of a failed wipe is cancelled: slices
  // may be fresh.
  void observe_usable(const std::string& driver);
  // No instance is connected, or registered.
  void observe_unusable(const std::string& driver, runtime::MonoTime now);

  // The drivers whose slices must be deleted now; each is named once until its attempt has ended.
  std::vector<std::string> begin_due(runtime::MonoTime now);
  void finish(const std::string& driver);
  // Retried after 1, 2, 4, … s, and then indefinitely every 5 min.
  void fail(const std::string& driver, runtime::MonoTime now);
  // When the next deletion is due.
  std::optional<runtime::MonoTime> next() const;

 private:
  struct Timer {
    runtime::MonoTime due;
    runtime::Duration backoff{};
    bool is_running = false;
  };
  std::map<std::string, Timer> timers_;
};

// The selector of a driver's slices on a node; of all drivers if none is given. Keys are sorted.
std::string slices_selector(const std::string& node, const std::string& driver);

}  // namespace dcm::node
