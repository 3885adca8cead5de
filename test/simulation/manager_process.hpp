// A manager as a process of the simulated world: all that main() makes, but no ports and files.
#pragma once

#include <optional>
#include <string>

#include "client/events/event_recorder.hpp"
#include "client/leader_election/elector.hpp"
#include "cmd/dra-controller-manager/options.hpp"
#include "cmd/dra-controller-manager/session.hpp"
#include "cmd/dra-controller-manager/sessions.hpp"
#include "manager/leadership.hpp"
#include "runtime/http2/client.hpp"
#include "test/simulation/process_clock.hpp"
#include "test/simulation/process_transport.hpp"

namespace dcm::simulation {

class NoCredentials final : public client::Credentials {
 public:
  runtime::Task<runtime::Result<>> authorize(http::Headers&, runtime::Deadline) override {
    co_return runtime::Result<>();
  }
  runtime::Task<Refreshed> refresh(std::string, runtime::Deadline) override {
    co_return Refreshed::no;
  }
};

// Starts with empty caches. kill() or stop() before it is destroyed.
class ManagerProcess final : leader_election::ElectionListener, common::EventSink {
 public:
  struct Setup {
    std::string name;  // its user agent and its identity for the lease: never used twice
    runtime::Executor executor;
    ProcessClock& clock;
    runtime::TimeSource& time;  // that of the world, which no fault of the process touches
    http::Transport& network;
    runtime::Rng rng;
    runtime::Logger log;
    const manager::Options& options;
  };
  explicit ManagerProcess(Setup setup);

  const std::string& name() const { return name_; }
  void start();
  // As SIGKILL does: nothing leaves any more, whatever it waits for.
  runtime::Task<> kill();
  // As SIGTERM does: what is in hand is finished, the lease is given back.
  runtime::Task<> stop();
  // Ends when the process is lost by itself: it has lost the lease, or a part of it has failed.
  runtime::Task<> wait_until_lost();
  // Why a part has failed: an invariant of the manager is broken. Empty: none has.
  const std::string& failure() const { return failure_; }
  std::string metrics() { return metrics_.expose(); }
  void cut_connections() { transport_.cut(); }
  // Nothing leaves any more; kill() has to follow.
  void die() { transport_.die(); }
  // Stops the process, or lets it go on, but for its timers (ProcessClock).
  void freeze() { transport_.freeze(); }
  void thaw() { transport_.thaw(); }

 private:
  runtime::Task<> elect();
  runtime::Task<> guard(std::string part, runtime::Task<> task);
  void lose();
  void on_leading(const api::ObjectMeta& lease) override;
  void on_lost(std::string_view why) override;
  void report(const api::ObjectReference& about, api::EventType type, std::string_view component,
              std::string_view reason, std::string_view message) override;
  std::unique_ptr<http::Client> make_http();
  client::RestClient::Dependencies dependencies(http::Client& http, const client::WriteGate& gate);

  std::string name_;
  runtime::LoopRef loop_;
  ProcessClock& time_;
  const manager::Options& options_;
  runtime::Rng rng_;
  runtime::Logger log_;
  runtime::MetricsRegistry metrics_;
  ProcessTransport transport_;
  NoCredentials credentials_;
  client::OpenWriteGate open_gate_;
  leader_election::Fence fence_;
  http2::Client* http2_ = nullptr;  // http_, if it may speak that
  std::unique_ptr<http::Client> http_;
  std::unique_ptr<http::Client> lease_http_;
  client::RestClient rest_;
  client::RestClient lease_rest_;
  client::EventRecorder recorder_;
  manager::Process process_;
  manager::Leadership leadership_;
  manager::Stop stop_;
  manager::Sessions sessions_;
  std::optional<leader_election::Elector> elector_;
  std::string failure_;
  bool is_lost_ = false;
  runtime::Condition lost_;
  runtime::TaskGroup election_;
  runtime::TaskGroup background_;
  runtime::TaskGroup work_;
};

}  // namespace dcm::simulation
