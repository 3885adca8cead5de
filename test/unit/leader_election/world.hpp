// Candidates for one lease against the in-memory API server, on virtual time.
//
// Each has its own clock, which may be fast, slow or offset, and which continues while the
// candidate is stopped (SIGSTOP, a sleeping machine); and a connection to the server that may be
// slow, lose requests or answers, or be dead. Each writes constantly while its fence is open: tests
// check the record of these writes.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/front/direct.hpp"
#include "apiserver/front/server.hpp"
#include "client/leader_election/leader_elector.hpp"
#include "runtime/http/client.hpp"
#include "runtime/loop.hpp"
#include "runtime/task_group.hpp"
#include "test/unit/client/rest_client_fixture.hpp"

namespace dcm::leader_election {

// A clock different from the test's.
class LocalTime final : public runtime::TimeSource {
 public:
  LocalTime(runtime::VirtualTime& world, double rate, Duration ahead)
      : world_(world), rate_(rate), ahead_(ahead), thawed_(world) {}

  MonoTime now() const noexcept override;
  runtime::WallTime wall_now() const noexcept override { return world_.wall_now() + wall_step; }
  runtime::TimerId schedule(MonoTime when, std::function<void()> callback) override;
  void cancel(runtime::TimerId id) noexcept override;

  // Nothing of this candidate runs, but its clock advances.
  void freeze() { is_frozen_ = true; }
  void thaw();
  bool is_frozen() const { return is_frozen_; }
  runtime::Task<> wait_until_thawed();

  Duration wall_step{};

 private:
  runtime::VirtualTime& world_;
  double rate_;
  Duration ahead_;
  void run_due(runtime::TimerId id);

  struct Timer {
    runtime::TimerId in_world;
    std::function<void()> callback;
    bool is_due = false;  // but held back while frozen
  };
  bool is_frozen_ = false;
  std::map<runtime::TimerId, Timer> timers_;
  std::uint64_t sequence_ = 0;
  runtime::Condition thawed_;
};

// The connection of one candidate: requests go directly into the server.
class Line final : public http::Client {
 public:
  enum class State {
    good,
    refused,        // nobody listens there
    silent,         // nothing arrives, nothing comes back
    loses_answers,  // requests are executed, and the connection breaks
    goes_back,      // answers have the resourceVersions of an earlier state
    adds_levels     // answers have a field with more levels than can be written back
  };

  Line(apiserver::Server& server, runtime::VirtualTime& world, LocalTime& time)
      : server_(server), world_(world), time_(time) {}

  http::Task<http::Result<http::Response>> send(http::Request request,
                                                http::ExchangeLimits limits) override;
  http::Task<http::Result<std::unique_ptr<http::StreamingResponse>>> open(
      http::Request request, http::Deadline deadline) override;
  void close_idle() override {}

  State state = State::good;
  Duration there{};  // the latency of requests
  Duration back{};   // the latency of answers

 private:
  apiserver::Server& server_;
  runtime::VirtualTime& world_;
  LocalTime& time_;
};

struct Clock {
  double rate = 1;
  Duration ahead{};
};

class World;

class Node final : LeaderCallbacks {
 public:
  Node(World& world, std::string name, Timing timing, Clock clock);

  // Runs the elector, and writes every 100 ms while the fence is open.
  runtime::Task<> run();

  bool has_begun = false;           // on_started_leading() was called
  std::optional<std::string> lost;  // why it was lost

 private:
  runtime::Task<> write_all_the_time();
  void on_started_leading(const api::ObjectMeta& lease) override;
  void on_lost(std::string_view why) override;

  World& world_;

 public:
  std::string name;
  LocalTime time;
  Line line;
  client::FakeCredentials credentials;
  client::OpenWriteGate gate;
  runtime::MetricsRegistry metrics;
  client::RestClient rest;
  Fence fence;
  LeaderElector elector;
  bool has_ended = false;
};

class World {
 public:
  explicit World(runtime::VirtualLoop& loop);

  // Adds a candidate that starts now.
  Node& add(Timing timing = {}, Clock clock = {});
  void run_for(Duration duration) { loop.run_for(duration); }
  // Asks all candidates to stop, and waits until they have.
  void stop();

  LeaseSpec lease();
  void edit_lease(const std::string& spec);
  void delete_lease();
  // The candidate that may write now, or null. Fails the test if there are several.
  Node* writer();
  // The longest time without writes between two writers.
  Duration longest_gap() const;
  // Each process writes in one stretch: once another process writes, the first never writes again.
  void expect_one_after_the_other() const;

  struct Write {
    MonoTime when;
    const Node* node;
  };
  runtime::VirtualLoop& loop;
  apiserver::Server server;
  apiserver::Direct api;
  std::list<Node> nodes;
  std::vector<Write> writes;
  runtime::TaskGroup tasks;
};

}  // namespace dcm::leader_election
