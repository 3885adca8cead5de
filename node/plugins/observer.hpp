// Observes the node's drivers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "node/devices/health.hpp"
#include "runtime/grpc/status.hpp"
#include "runtime/time.hpp"

namespace dcm::node {

// Loop thread only. Calls must not wait.
class DriverObserver {
 public:
  virtual ~DriverObserver() = default;
  // An instance of the driver has appeared, connected, lost its connection or disappeared.
  virtual void observe_driver(const std::string& /*driver*/) {}
  virtual void observe_health(const std::string& /*driver*/, const std::string& /*instance*/,
                              const std::vector<HealthReport>& /*report*/) {}
  // The instance's stream has ended; another one may begin.
  virtual void observe_health_end(const std::string& /*driver*/, const std::string& /*instance*/) {}
  virtual void observe_call(const std::string& /*driver*/, std::string_view /*method*/,
                            grpc::Code /*code*/, runtime::Duration /*duration*/) {}
};

}  // namespace dcm::node
