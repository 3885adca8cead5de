#include "runtime/memory.hpp"

#include <malloc.h>

namespace dcm::runtime {

void return_free_memory() {
  malloc_trim(0);
}

Task<> keep_returning_free_memory(TimeSource& time) {
  for (;;) {
    co_await sleep_for(time, std::chrono::minutes(1));
    return_free_memory();
  }
}

}  // namespace dcm::runtime
