// A driver's health reports, for the nodes that watch them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "node/devices/health.hpp"
#include "runtime/condition.hpp"
#include "runtime/grpc/server.hpp"
#include "runtime/log.hpp"

namespace dcm::driver_kit {

// Loop thread only.
class HealthFeed {
 public:
  // `time` must outlive it.
  explicit HealthFeed(runtime::TimeSource& time, runtime::Logger log = {})
      : time_(time), log_(std::move(log)), changed_(time) {}

  // Sends `devices` at once, and to nodes that connect before the first timeout of a device.
  // Nothing is repeated: a driver must report again within its devices' timeouts, or they become
  // unknown, which is logged once if a node watches. A report may omit devices; they keep their
  // previous health.
  void report(const std::vector<node::HealthReport>& devices);

  // Adds v1 and v1alpha1 of DRAResourceHealth. `methods` must not outlive it.
  void add_to(grpc::Methods& methods);

 private:
  runtime::Task<grpc::Status> watch(grpc::AnswerWriter& answers);

  // Waits for another report than number `seen`, which holds until `good_until`.
  runtime::Task<> wait_for_report(std::uint64_t seen, runtime::MonoTime good_until);

  runtime::TimeSource& time_;
  runtime::Logger log_;
  runtime::Condition changed_;
  std::string last_;  // the message
  runtime::MonoTime good_until_;
  std::uint64_t number_ = 0;                  // number of reports so far
  std::optional<std::uint64_t> warned_ = {};  // `number_` when silence was logged
};

}  // namespace dcm::driver_kit
