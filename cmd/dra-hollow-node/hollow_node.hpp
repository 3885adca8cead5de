// A hollow node as a process: what it is made of, and in which order that starts and stops.
#pragma once

#include "cmd/dra-hollow-node/options.hpp"

namespace dcm::hollow_node {

// Runs until SIGTERM or SIGINT. Returns the exit status: 0 asked to stop; 1 something that it needs
// is not to be had (the cluster, a folder, the checkpoint, a port), after one line on standard
// error.
int run(const Options& options);

// Drops the entry of `options.forget`. 0 done; 1 there is none, or the checkpoint cannot be used.
int forget(const Options& options);

}  // namespace dcm::hollow_node
