#include "runtime/memory.hpp"

#include <malloc.h>

namespace dcm::runtime {

void return_large_memory_at_once() {
  constexpr int kLargeBytes = 256 * 1024;
  constexpr int kFreeAtTheTop = 1024 * 1024;
  // Fast bins are emptied all at once, which takes a tenth of a second after a million frees.
  mallopt(M_MXFAST, 0);
  mallopt(M_MMAP_THRESHOLD, kLargeBytes);
  mallopt(M_TRIM_THRESHOLD, kFreeAtTheTop);
}

void return_free_memory() {
  malloc_trim(0);
}

Task<> keep_returning_free_memory(TimeSource& time) {
  while (true) {
    co_await sleep_for(time, std::chrono::minutes(1));
    return_free_memory();
  }
}

}  // namespace dcm::runtime
