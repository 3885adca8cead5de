// The clocks of one process under test, faked by libdcm-clock-shim.so (clock_shim.cpp).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace dcm::support {

class SkewedClock {
 public:
  // Stores its offsets in `file`. Throws std::runtime_error if it cannot be created.
  explicit SkewedClock(std::string file);

  // For the process to start with that clock. Without libc, a program sees the real clocks.
  std::map<std::string, std::string> environment() const;

  // The wall clock is wrong by that much; negative: behind.
  void shift_wall(std::chrono::seconds by);
  // All clocks jump forward, as when the machine has slept.
  void sleep(std::chrono::seconds duration);

 private:
  void write() const;

  std::string file_;
  std::int64_t wall_seconds_ = 0;
  std::int64_t forward_seconds_ = 0;
};

}  // namespace dcm::support
