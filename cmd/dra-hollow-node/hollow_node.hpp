// A hollow node as a process: its parts, and the order in which they start and stop.
#pragma once

#include "cmd/dra-hollow-node/options.hpp"

namespace dcm::hollow_node {

// Runs until SIGTERM or SIGINT. Returns the exit status: 0 after a signal; 1 if something it needs
// is missing (the cluster, a folder, the checkpoint, a port), explained in one line on standard
// error.
int run(const Options& options);

// Drops the entry `options.forget`. Returns 0; 1 if there is none or the checkpoint is unusable.
int forget(const Options& options);

}  // namespace dcm::hollow_node
