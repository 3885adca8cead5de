// A driver's health reports, for the nodes that watch them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "node/devices/health.hpp"
#include "runtime/condition.hpp"
#include "runtime/grpc/server.hpp"

namespace dcm::driver_kit {

// Loop thread only.
class HealthFeed {
 public:
  // `time` must outlive it.
  explicit HealthFeed(runtime::TimeSource& time) : time_(time), changed_(time) {}

  // Sends `devices` at once, and to nodes that connect before the first timeout of a device.
  // Nothing is repeated: a driver must report again within its devices' timeouts, or they become
  // unknown. A report may omit devices; they keep their previous health.
  void report(const std::vector<node::HealthReport>& devices);

  // Adds v1 and v1alpha1 of DRAResourceHealth. `methods` must not outlive it.
  void add_to(grpc::Methods& methods);

 private:
  runtime::Task<grpc::Status> watch(grpc::AnswerWriter& answers);

  runtime::TimeSource& time_;
  runtime::Condition changed_;
  std::string last_;  // the message
  runtime::MonoTime good_until_;
  std::uint64_t number_ = 0;  // number of reports so far
};

}  // namespace dcm::driver_kit
