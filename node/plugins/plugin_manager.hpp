// Finds plugins in the registry and keeps them registered: drives `sockets` and `plugins`.
#pragma once

#include <string>

#include "node/plugins/plugins.hpp"
#include "node/plugins/registry_watch.hpp"
#include "node/plugins/sockets.hpp"
#include "runtime/condition.hpp"
#include "runtime/log.hpp"
#include "runtime/loop.hpp"
#include "runtime/task_group.hpp"

namespace dcm::node {

// Loop thread only.
class PluginManager {
 public:
  // A burst of files is processed at once.
  static constexpr runtime::Duration kGather = std::chrono::milliseconds(20);
  // A registry that cannot be created or read is retried.
  static constexpr runtime::Duration kRetry = std::chrono::seconds(1);

  // `plugins` must outlive it.
  PluginManager(runtime::LoopRef loop, Plugins& plugins, std::string registry, runtime::Logger log);

  // Runs until cancelled. Plugins then stay registered: Plugins::stop() ends them.
  runtime::Task<> run();

 private:
  runtime::Task<> watch();
  runtime::Task<> work();
  void begin(const PluginSockets::Step& step);
  runtime::Task<> register_one(PluginSockets::Work work);
  runtime::Task<> unregister_one(PluginSockets::Work work);

  runtime::LoopRef loop_;
  Plugins& plugins_;
  RegistryWatch registry_;
  runtime::Logger log_;
  PluginSockets sockets_;
  runtime::Condition changed_;
  runtime::TaskGroup group_;
};

}  // namespace dcm::node
