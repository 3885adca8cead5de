#include "test/support/skewed_clock.hpp"

#include <array>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "test/support/paths.hpp"

namespace dcm::support {

SkewedClock::SkewedClock(std::string file) : file_(std::move(file)) {
  write();
}

std::map<std::string, std::string> SkewedClock::environment() const {
  return {{"LD_PRELOAD", binary("libdcm-clock-shim.so")}, {"DCM_CLOCK_FILE", file_}};
}

void SkewedClock::shift_wall(std::chrono::seconds by) {
  wall_seconds_ += by.count();
  write();
}

void SkewedClock::sleep(std::chrono::seconds duration) {
  wall_seconds_ += duration.count();
  forward_seconds_ += duration.count();
  write();
}

// In place: the process has the file mapped, and would not see a new one.
void SkewedClock::write() const {
  const std::array<std::int64_t, 2> offsets{wall_seconds_, forward_seconds_};
  std::fstream out(file_, std::ios::binary | std::ios::in | std::ios::out);
  if (!out) out.open(file_, std::ios::binary | std::ios::out);
  out.write(reinterpret_cast<const char*>(offsets.data()), sizeof(offsets));
  if (!out.flush()) throw std::runtime_error("cannot write " + file_);
}

}  // namespace dcm::support
