// The whole manager: its controllers and pages, in the frame of manager/run.hpp.
#pragma once

#include "cmd/dra-controller-manager/options.hpp"

namespace dcm::manager {

// Runs until SIGTERM or SIGINT, or until a part of it fails. Returns the exit status (stop.hpp); a
// configuration that cannot be read is one line on standard error. Does not return when the lease
// is lost: that is the end of the process.
int run_manager(const Options& options);

}  // namespace dcm::manager
