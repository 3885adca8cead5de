// The whole manager: its controllers and pages, in the frame of manager/run.hpp.
#pragma once

#include "cmd/dra-controller-manager/options.hpp"

namespace dcm::dra_manager {

// Runs until SIGTERM or SIGINT, or until a part of it fails. Returns the exit status (stop.hpp); an
// invalid configuration is reported in one line on standard error. Does not return when the lease
// is lost: the process exits then.
int run_manager(const Options& options);

}  // namespace dcm::dra_manager
