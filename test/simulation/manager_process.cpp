#include "test/simulation/manager_process.hpp"

#include <exception>
#include <utility>

#include "runtime/cancellation.hpp"
#include "test/simulation/faulty_server.hpp"

namespace dcm::simulation {
namespace {

using namespace std::chrono_literals;
using runtime::Task;

client::RestClientOptions rest_options(const std::string& name, const manager::Options& options) {
  return {.server = kServer,
          .user_agent = name,
          .limits = {.qps = options.kube_api_qps,
                     .burst = static_cast<double>(options.kube_api_burst),
                     .inflight_max = options.max_inflight_requests}};
}

}  // namespace

ManagerProcess::ManagerProcess(Setup setup)
    : name_(std::move(setup.name)),
      loop_(setup.executor, setup.clock),
      time_(setup.clock),
      options_(setup.options),
      rng_(setup.rng),
      log_(std::move(setup.log)),
      transport_(setup.network, setup.time),
      fence_(time_),
      http_(make_http()),
      lease_http_(http::make_client(transport_, time_, {.origin = kServer, .connections_max = 1})),
      rest_(dependencies(*http_, options_.leader_election
                                     ? static_cast<const client::WriteGate&>(fence_)
                                     : static_cast<const client::WriteGate&>(open_gate_)),
            rest_options(name_, options_), rng_.fork(), log_),
      lease_rest_(dependencies(*lease_http_, open_gate_), rest_options(name_, options_),
                  rng_.fork(), log_),
      recorder_(rest_, time_, metrics_, rng_.fork(), log_),
      process_{loop_, metrics_, rng_, log_},
      leadership_(time_),
      stop_(time_, log_),
      sessions_(manager::make_sessions({process_, rest_, *this, leadership_, options_}, stop_)),
      lost_(time_),
      election_(loop_.executor()),
      background_(loop_.executor()),
      work_(loop_.executor()) {
  if (!options_.leader_election) {
    leadership_.begin();
    return;
  }
  const manager::LeaderElectionOptions& election = *options_.leader_election;
  elector_.emplace(
      leader_election::Elector::Dependencies{.rest = lease_rest_,
                                             .time = time_,
                                             .metrics = metrics_,
                                             .fence = fence_,
                                             .listener = *this},
      leader_election::ElectorOptions{.lease = election.lease,
                                      .candidate = {.identity = name_, .timing = election.timing}},
      rng_.fork(), log_);
}

std::unique_ptr<http::Client> ManagerProcess::make_http() {
  const http::ClientOptions wanted{.origin = kServer,
                                   .connections_max = options_.max_inflight_requests};
  if (!options_.kube_api_http2) return http::make_client(transport_, time_, wanted);
  auto made = http2::make_client(loop_, transport_, wanted, http2::Cleartext::http2);
  http2_ = made.get();
  return made;
}

client::RestClient::Dependencies ManagerProcess::dependencies(http::Client& http,
                                                              const client::WriteGate& gate) {
  return {
      .http = http, .credentials = credentials_, .gate = gate, .time = time_, .metrics = metrics_};
}

void ManagerProcess::start() {
  if (http2_ != nullptr) background_.spawn("HTTP/2", guard("HTTP/2", http2_->run()));
  background_.spawn("events", guard("events", recorder_.run()));
  if (elector_) election_.spawn("election", guard("election", elect()));
  work_.spawn("sessions", guard("sessions", sessions_.run()));
}

Task<> ManagerProcess::elect() {
  co_await leadership_.wait_until_wanted();
  co_await elector_->run();
}

Task<> ManagerProcess::guard(std::string part, Task<> task) {
  try {
    co_await std::move(task);
  } catch (const std::exception& failure) {
    if (runtime::is_cancellation(std::current_exception())) throw;
    failure_ = part + ": " + failure.what();
    lose();
  }
}

Task<> ManagerProcess::kill() {
  transport_.die();
  for (auto* group : {&work_, &election_, &background_}) {
    group->cancel();
    co_await group->join();
  }
}

// The order is that of the real one (cmd/dra-controller-manager/manager.cpp).
Task<> ManagerProcess::stop() {
  stop_.request();
  if (!sessions_.stop_current()) work_.cancel();
  const runtime::TimerId give_up = time_.schedule(time_.now() + 20s, [this] { work_.cancel(); });
  co_await work_.join();
  time_.cancel(give_up);
  if (elector_) {
    elector_->stop();
    if (!leadership_.is_wanted()) election_.cancel();
    co_await election_.join();
  }
  background_.cancel();
  co_await background_.join();
  transport_.die();
}

Task<> ManagerProcess::wait_until_lost() {
  while (!is_lost_) co_await lost_.wait();
}

void ManagerProcess::lose() {
  transport_.die();
  is_lost_ = true;
  lost_.notify_all();
}

void ManagerProcess::on_leading(const api::ObjectMeta& /*lease*/) {
  leadership_.begin();
}

void ManagerProcess::on_lost(std::string_view /*why*/) {
  lose();
}

void ManagerProcess::report(const api::ObjectReference& about, api::EventType type,
                            std::string_view component, std::string_view reason,
                            std::string_view message) {
  recorder_.report(about, type, component, reason, message);
}

}  // namespace dcm::simulation
