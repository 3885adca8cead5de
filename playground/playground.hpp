// The whole playground: what it is made of, and in which order that starts and stops.
#pragma once

#include "playground/options.hpp"

namespace dcm::playground {

// Runs until SIGTERM or SIGINT. Returns the exit status: 0 asked to stop; 1 something that it needs
// is not to be had (a port, a file, the cluster), after one line on standard error.
int run_playground(const Options& options);

}  // namespace dcm::playground
