// Acquires and keeps the lease: the coroutine around election.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "client/leader_election/election.hpp"
#include "client/leader_election/fence.hpp"
#include "client/request/rest_client.hpp"
#include "runtime/condition.hpp"
#include "runtime/log.hpp"
#include "runtime/metrics.hpp"
#include "runtime/problem.hpp"
#include "runtime/rng.hpp"

namespace dcm::leader_election {

// Neither call may wait, or destroy the elector.
class LeaderCallbacks {
 public:
  virtual ~LeaderCallbacks() = default;
  // Called once, when the lease is acquired. The fence is open.
  virtual void on_started_leading(const api::ObjectMeta& lease) = 0;
  // Called once, last. The fence is closed for good. Also called for a follower, when the server
  // has gone back to an earlier state: watches do not show what was lost then, so no cache of this
  // process can be believed.
  virtual void on_lost(std::string_view why) = 0;
};

// Loop thread only. Its requests are not fenced, and the client's limits do not apply; give it a
// client with a connection of its own, so that they never queue behind other requests.
class LeaderElector {
 public:
  // All references must outlive it.
  struct Dependencies {
    client::RestClient& rest;
    runtime::TimeSource& time;
    runtime::MetricsRegistry& metrics;
    Fence& fence;
    LeaderCallbacks& callbacks;
  };

  LeaderElector(Dependencies dependencies, api::NamespacedName lease, Candidate self,
                runtime::Rng rng, runtime::Logger log);
  ~LeaderElector();
  LeaderElector(const LeaderElector&) = delete;
  LeaderElector& operator=(const LeaderElector&) = delete;

  // Reads the lease, before run(): run() then notices if the server has gone back in between.
  runtime::Task<> look();
  // Tries to become the leader, and renews. Ends after on_lost(), or after stop() when it is
  // released (or if that fails: it expires by itself). If cancelled, ends without releasing it.
  runtime::Task<> run();
  // Closes the fence. Call it when all writes are done: then other candidates need not wait for the
  // lease to expire. Idempotent.
  void stop();

  bool is_leading() const { return std::holds_alternative<Leading>(state_); }
  // The leader at the last read or write of the lease; empty if unknown.
  const std::string& leader() const { return leader_; }
  // Why we cannot take part; nullopt: the last read or write of the lease succeeded.
  const std::optional<runtime::Problem>& problem() const { return problem_; }
  // For how long reads and writes have failed since the last success; nullopt: they do not fail, or
  // none has succeeded yet.
  std::optional<Duration> failing() const;

 private:
  runtime::Task<> read();
  runtime::Task<> write(Write write);
  void take_written(const Answer& answer);
  runtime::Task<Answer> send(client::ApiRequest request);
  Result<std::optional<LeaseSpec>> decode(Result<http::Response> answer);

  void move_to(State next);
  void follow_fence();
  void begin_leading();
  void lose(std::string_view why);
  void report(std::string_view what, const Answer& answer);
  void report_holder();
  void refresh_gauges();

  Dependencies deps_;
  api::NamespacedName lease_;
  Candidate self_;
  runtime::Rng rng_;
  runtime::Logger log_;
  State state_ = Following{};
  std::string stored_;  // the lease as last sent by the server
  api::ObjectMeta meta_;
  std::string leader_;  // the leader that was last reported
  std::optional<runtime::Problem> problem_ = runtime::Problem("the lease was not read yet");
  std::optional<MonoTime> failing_since_;  // nullopt: see failing()
  bool is_stopping_ = false;
  bool is_over_ = false;
  runtime::Condition stop_requested_;
  runtime::RepeatGuard failure_guard_;
  // Fires when the fence closes, whatever the loop of run() is waiting for.
  std::optional<runtime::TimerId> fence_timer_;
  runtime::Gauge& is_master_;
  runtime::Counter& slow_paths_;
  runtime::Gauge& renew_age_;
  runtime::Gauge& is_others_;
  runtime::Refresh refresh_;
};

}  // namespace dcm::leader_election
