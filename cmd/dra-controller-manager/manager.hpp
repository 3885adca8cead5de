// The whole manager: what it is made of, and in which order that starts and stops.
#pragma once

#include "cmd/dra-controller-manager/options.hpp"

namespace dcm::manager {

// Runs until SIGTERM or SIGINT. Returns the exit status: 0 asked to stop; 1 a configuration that
// cannot be read, after one line on standard error.
int run_manager(const Options& options);

}  // namespace dcm::manager
