#include "manager/leader_election.hpp"

#include <chrono>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "client/leader_election/identity.hpp"
#include "manager/progress.hpp"
#include "runtime/http/tcp.hpp"

namespace dcm::manager {
namespace {

constexpr runtime::Duration kLookEvery = std::chrono::seconds(2);

}  // namespace

LeaderElection::LeaderElection(const Process& process, const LeaderElectionOptions& options,
                               client::RestClient& rest, leader_election::Fence& fence,
                               Report report, Elected& elected)
    : identity_(options.identity.empty()
                    ? leader_election::make_identity(http::host_name(), process.rng)
                    : options.identity),
      report_(std::move(report)),
      on_lost_(options.on_lost),
      time_(process.loop.time()),
      elected_(elected),
      elector_({.rest = rest,
                .time = process.loop.time(),
                .metrics = process.metrics,
                .fence = fence,
                .callbacks = *this},
               options.lease, {.identity = identity_, .timing = options.timing}, process.rng.fork(),
               process.log),
      tasks_(process.loop.executor()) {}

void LeaderElection::start(Stop& stop) {
  constexpr const char* kPart = "leader election";
  tasks_.spawn(kPart, stop.guard(kPart, run()));
}

runtime::Task<> LeaderElection::run() {
  // While the caches are being filled, only the lease shows that etcd was restored.
  while (!elected_.is_wanted()) {
    co_await elector_.look();
    co_await elected_.wait_until_wanted(runtime::Deadline::after(time_, kLookEvery));
  }
  co_await elector_.run();
}

runtime::Task<> LeaderElection::stop() {
  elector_.stop();
  if (!elected_.is_wanted()) tasks_.cancel();
  co_await tasks_.join();
}

runtime::Task<> LeaderElection::abandon() {
  tasks_.cancel();
  co_await tasks_.join();
}

std::optional<runtime::Problem> LeaderElection::problem() const {
  const bool is_passing = elector_.failing().value_or(kFailingMax) < kFailingMax;
  return elected_.is_wanted() && !is_passing ? elector_.problem() : std::nullopt;
}

void LeaderElection::on_started_leading(const api::ObjectMeta& lease) {
  elected_.set();
  report_(api::reference_to({&api::kLeases, "v1"}, lease),
          fmt::format("{} became leader", identity_));
}

// The log has said why. No waiting: requests in flight are fenced, and an orderly end would only
// take time.
void LeaderElection::on_lost(std::string_view /*why*/) {
  if (on_lost_) return on_lost_();
  std::_Exit(static_cast<int>(ExitStatus::lease_lost));
}

}  // namespace dcm::manager
