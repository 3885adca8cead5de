// A driver's reports about its devices' health, for the nodes that watch them.
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

  // Sent at once, and to nodes that come before the first of its timeouts. Nothing is repeated: a
  // driver that goes on knowing says so again within its devices' timeouts, or they become unknown.
  // A report may leave devices out; they keep what was said of them.
  void report(const std::vector<node::HealthReport>& devices);

  // Adds v1 and v1alpha1 of DRAResourceHealth. `methods` must not outlive it.
  void add_to(grpc::Methods& methods);

 private:
  runtime::Task<grpc::Status> watch(grpc::AnswerWriter& answers);

  runtime::TimeSource& time_;
  runtime::Condition changed_;
  std::string last_;  // the message
  runtime::MonoTime good_until_;
  std::uint64_t number_ = 0;  // of reports
};

}  // namespace dcm::driver_kit
