// The dependencies of every part of a process.
#pragma once

#include "runtime/log.hpp"
#include "runtime/loop.hpp"
#include "runtime/metrics.hpp"
#include "runtime/rng.hpp"

namespace dcm::manager {

// Must outlive all of the parts.
struct Process {
  runtime::LoopRef loop;
  runtime::MetricsRegistry& metrics;
  runtime::Rng& rng;
  runtime::Logger log;
};

}  // namespace dcm::manager
