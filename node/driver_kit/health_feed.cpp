#include "node/driver_kit/health_feed.hpp"

#include <algorithm>

#include "node/driver_kit/messages.hpp"

namespace dcm::driver_kit {

using runtime::Deadline;
using runtime::Task;

void HealthFeed::report(const std::vector<node::HealthReport>& devices) {
  runtime::Duration shortest = runtime::Duration::max();
  for (const node::HealthReport& each : devices) {
    const bool is_given = each.timeout > runtime::Duration::zero();
    shortest = std::min(shortest, is_given ? each.timeout : node::kHealthTimeout);
  }
  last_ = encode_health(devices);
  good_until_ = Deadline::after(time_, shortest).time();
  ++number_;
  changed_.notify_all();
}

void HealthFeed::add_to(grpc::Methods& methods) {
  for (const auto version : {node::HealthVersion::v1, node::HealthVersion::v1alpha1}) {
    methods.streams[node::health_path(version)] = [this](std::string, grpc::AnswerWriter& answers,
                                                         Deadline) { return watch(answers); };
  }
}

Task<grpc::Status> HealthFeed::watch(grpc::AnswerWriter& answers) {
  std::uint64_t seen = time_.now() < good_until_ ? 0 : number_;
  // A node that has just connected gives the driver time.
  runtime::MonoTime good_until = Deadline::after(time_, node::kHealthTimeout).time();
  while (true) {
    co_await wait_for_report(seen, good_until);
    seen = number_;
    good_until = good_until_;
    const std::string message = last_;
    const grpc::Result<void> written = co_await answers.write(message);
    if (!written) co_return written.error();
  }
}

Task<> HealthFeed::wait_for_report(std::uint64_t seen, runtime::MonoTime good_until) {
  while (seen == number_) {
    const bool has_warned = warned_ == number_;
    co_await changed_.wait(has_warned ? Deadline() : Deadline(good_until));
    if (seen != number_ || warned_ == number_ || time_.now() < good_until) continue;
    warned_ = number_;
    log_.warning("The driver has not reported health in time; nodes show its devices as unknown");
  }
}

}  // namespace dcm::driver_kit
