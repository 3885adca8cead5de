#include "runtime/memory.hpp"

#include <malloc.h>

namespace dcm::runtime {

void return_free_memory() {
  malloc_trim(0);
}

}  // namespace dcm::runtime
