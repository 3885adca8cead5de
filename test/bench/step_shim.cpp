// libdcm-step-shim.so, for LD_PRELOAD: how long a process with one event loop works between two
// waits for events, during which it serves nobody else.
//
// DCM_STEP_FILE names a file of two 64-bit numbers, the longest step until now: its duration, and
// its CPU time (lower, where others take the core), in nanoseconds. A reader may set them to 0, to
// start over.
#include <cstdint>
#include <cstdlib>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

namespace {

struct Longest {
  volatile std::int64_t duration;
  volatile std::int64_t cpu;
};

Longest* map_longest() {
  static Longest nobody_reads{};
  const char* name = std::getenv("DCM_STEP_FILE");
  const int file = name == nullptr ? -1 : open(name, O_RDWR | O_CLOEXEC);
  if (file < 0) return &nobody_reads;
  void* mapped = mmap(nullptr, sizeof(Longest), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return mapped == MAP_FAILED ? &nobody_reads : static_cast<Longest*>(mapped);
}

std::int64_t now(clockid_t clock) {
  timespec value{};
  clock_gettime(clock, &value);
  return value.tv_sec * std::int64_t{1'000'000'000} + value.tv_nsec;
}

void keep_longer(volatile std::int64_t& longest, std::int64_t value) {
  if (value > longest) longest = value;
}

}  // namespace

extern "C" int epoll_wait(int epoll, epoll_event* events, int max, int timeout) {
  static Longest* const longest = map_longest();
  static const auto real = reinterpret_cast<decltype(&epoll_wait)>(dlsym(RTLD_NEXT, "epoll_wait"));
  thread_local std::int64_t began = 0;
  thread_local std::int64_t began_cpu = 0;
  if (began != 0) {
    keep_longer(longest->duration, now(CLOCK_MONOTONIC) - began);
    keep_longer(longest->cpu, now(CLOCK_THREAD_CPUTIME_ID) - began_cpu);
  }
  const int count = real(epoll, events, max, timeout);
  began = now(CLOCK_MONOTONIC);
  began_cpu = now(CLOCK_THREAD_CPUTIME_ID);
  return count;
}
