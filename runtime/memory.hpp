// The heap of the process.
#pragma once

#include "runtime/task.hpp"
#include "runtime/time.hpp"

namespace dcm::runtime {

// From now on memory for what is large (256 KiB and more) goes back to the system when it is freed.
// Left to itself, the allocator takes a large block for a sign of more, and keeps such blocks, and
// the holes between them, in its heap from then on.
void return_large_memory_at_once();

// Gives what is free on the heap back to the system: after a burst of short-lived memory, such as
// the first lists.
void return_free_memory();

// Does so once a minute until it is cancelled. Bursts come again (when an API server
// restarts, all clients reconnect at once), and each leaves holes that the next does not
// quite fit in.
Task<> keep_returning_free_memory(TimeSource& time);

}  // namespace dcm::runtime
