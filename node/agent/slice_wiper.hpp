// Deletes the ResourceSlices of lost drivers, so that no pod is scheduled to devices that no driver
// would prepare: the loop around `wiping`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "node/agent/node_api.hpp"
#include "node/plugins/wiping.hpp"
#include "runtime/condition.hpp"
#include "runtime/log.hpp"
#include "runtime/loop.hpp"
#include "runtime/metrics.hpp"
#include "runtime/task_group.hpp"

namespace dcm::node {

// How to treat slices from before the start of the node.
enum class FirstWipe : std::uint8_t {
  // Deletes all slices at once, like kubelet. A driver that was running all the time publishes them
  // again; one that was built with the Go helper does so after 30 s.
  at_start,
  // Deletes the slices of drivers that have not connected after the wiping delay.
  late,
};

// Loop thread only.
class SliceWiper {
 public:
  // Which drivers are connected.
  using Connected = std::function<std::vector<std::string>()>;

  // `api` must outlive it.
  SliceWiper(runtime::LoopRef loop, NodeApi& api, std::string node, FirstWipe first,
             Connected connected, runtime::MetricsRegistry& metrics, runtime::Logger log);

  void observe(const std::string& driver, bool is_connected);
  // Ends only by cancellation.
  runtime::Task<> run();

 private:
  runtime::Task<> schedule();
  runtime::Task<> wipe(std::string driver);
  std::string selector_of(const std::string& driver) const;

  runtime::LoopRef loop_;
  NodeApi& api_;
  std::string node_;
  FirstWipe first_;
  Connected connected_;
  runtime::MetricsRegistry& metrics_;
  runtime::Logger log_;
  WipeTimers timers_;
  runtime::Condition changed_;
  runtime::TaskGroup group_;
};

}  // namespace dcm::node
