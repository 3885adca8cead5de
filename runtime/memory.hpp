// The heap of the process.
#pragma once

namespace dcm::runtime {

// Gives what is free on the heap back to the system: after a burst of short-lived memory, such as
// the first lists.
void return_free_memory();

}  // namespace dcm::runtime
