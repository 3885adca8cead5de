// The heap of the process.
#pragma once

#include "runtime/task.hpp"
#include "runtime/time.hpp"

namespace dcm::runtime {

// From now on, large blocks (256 KiB and more) return to the system when freed. By default, a large
// free raises malloc's mmap threshold: it then keeps such blocks, and the holes between them, in
// its heap. Small blocks are merged when freed, and never a million of them at once.
void return_large_memory_at_once();

// Returns free heap memory to the system. For use after a burst of short-lived memory, such as the
// first lists.
void return_free_memory();

// Does that once a minute until cancelled. Bursts recur (when an API server restarts, all clients
// reconnect at once), and each leaves holes that do not quite fit the next one.
Task<> keep_returning_free_memory(TimeSource& time);

}  // namespace dcm::runtime
