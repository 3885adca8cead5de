// The common base of scheduler, hollow nodes and garbage collector.
#pragma once

#include "informers/on_change.hpp"
#include "manager/worklist.hpp"
#include "runtime/log.hpp"
#include "runtime/metrics.hpp"
#include "runtime/rng.hpp"

namespace dcm::playground {

using informers::OnChange;
using manager::Worklist;
using workqueue::Outcome;

// The dependencies of every part. All references must outlive it.
struct PartContext {
  runtime::Executor executor;
  runtime::TimeSource& time;
  runtime::Rng& rng;
  runtime::MetricsRegistry& metrics;
  runtime::Logger log;

  manager::Process process() const { return {{executor, time}, metrics, rng, log}; }
};

}  // namespace dcm::playground
