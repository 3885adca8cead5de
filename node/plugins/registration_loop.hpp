// Finds plugins in the registry and keeps them registered: drives RegistrationSchedule and
// DriverConnections.
#pragma once

#include <string>

#include "node/plugins/driver_connections.hpp"
#include "node/plugins/registration_schedule.hpp"
#include "node/plugins/socket_folder_watch.hpp"
#include "runtime/condition.hpp"
#include "runtime/log.hpp"
#include "runtime/loop.hpp"
#include "runtime/task_group.hpp"

namespace dcm::node {

// Loop thread only.
class RegistrationLoop {
 public:
  // A burst of files is processed at once.
  static constexpr runtime::Duration kGather = std::chrono::milliseconds(20);
  // A registry that cannot be created or read is retried.
  static constexpr runtime::Duration kRetry = std::chrono::seconds(1);

  // `plugins` must outlive it.
  RegistrationLoop(runtime::LoopRef loop, DriverConnections& plugins, std::string registry,
                   runtime::Logger log);

  // Runs until cancelled. Plugins stay registered then: DriverConnections::stop() ends them.
  runtime::Task<> run();

 private:
  runtime::Task<> watch();
  runtime::Task<> work();
  void begin(const RegistrationSchedule::Step& step);
  runtime::Task<> register_one(RegistrationSchedule::Work work);
  runtime::Task<> unregister_one(RegistrationSchedule::Work work);

  runtime::LoopRef loop_;
  DriverConnections& plugins_;
  SocketFolderWatch registry_;
  runtime::Logger log_;
  RegistrationSchedule sockets_;
  runtime::Condition changed_;
  runtime::TaskGroup group_;
};

}  // namespace dcm::node
