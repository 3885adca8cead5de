// Deletes the ResourceSlices of drivers that are gone, so that nobody is scheduled to devices that
// no driver would prepare: what drives `wiping`.
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

// What becomes, at the start, of slices that an earlier life of the node has left.
enum class FirstWipe : std::uint8_t {
  // All go at once, as in kubelet. A driver that has been there all the time publishes them again;
  // one that is made with the Go helper after 30 s.
  at_start,
  // Those of drivers that are not connected after the wiping delay.
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
  // Ends by cancellation only.
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
