// The whole playground: its parts, and the order in which they start and stop.
#pragma once

#include "playground/options.hpp"

namespace dcm::playground {

// Runs until SIGTERM or SIGINT, and ends the process. Its exit status: 0 after a signal; 1 if
// something it needs is missing (a port, a file, the cluster), explained in one line on standard
// error.
[[noreturn]] void run_playground(const Options& options);

}  // namespace dcm::playground
