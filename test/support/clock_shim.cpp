// libdcm-clock-shim.so, for LD_PRELOAD: gives a process clocks that a test sets.
//
// DCM_CLOCK_FILE names a file of two numbers, seconds to add to the wall clock and to the clocks
// that only go forward (CLOCK_MONOTONIC and CLOCK_BOOTTIME). It is read whenever a clock is read,
// so a test can make the process believe that its machine has slept. Waiting is not changed: a
// timer fires when the kernel says so, and the process notices then how late it is.
#include <cstdint>
#include <cstdlib>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace {

struct Offsets {
  std::int64_t wall_seconds;
  std::int64_t forward_seconds;
};

// Mapped once: a write to the file is seen on the next read.
const volatile Offsets* map_offsets() {
  static const Offsets none{0, 0};
  const char* name = std::getenv("DCM_CLOCK_FILE");
  const int file = name == nullptr ? -1 : open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return &none;
  void* mapped = mmap(nullptr, sizeof(Offsets), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  return mapped == MAP_FAILED ? &none : static_cast<const Offsets*>(mapped);
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* value) noexcept {
  static const volatile Offsets* offsets = map_offsets();
  const long result = syscall(SYS_clock_gettime, clock, value);
  if (result != 0) return static_cast<int>(result);
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) {
    value->tv_sec += offsets->wall_seconds;
  } else if (clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME) {
    value->tv_sec += offsets->forward_seconds;
  }
  return 0;
}

// OpenSSL uses this time to judge certificates.
extern "C" time_t time(time_t* out) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}
