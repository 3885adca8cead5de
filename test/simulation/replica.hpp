// A manager of a cluster: a process, and its successor when it has ended.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "runtime/condition.hpp"
#include "test/simulation/manager_process.hpp"
#include "test/simulation/timeline.hpp"

namespace dcm::simulation {

class Replica {
 public:
  // All references must outlive it.
  struct Setup {
    std::string name;
    runtime::VirtualLoop& loop;
    http::Transport& network;
    Timeline& timeline;
    const dra_manager::Options& options;
    ProcessClock::Freezing freezing;
    runtime::Rng rng;
    // Called when a process has stopped in an orderly way.
    std::function<void(const std::string& process, runtime::Duration took)> on_stopped = {};
  };
  explicit Replica(Setup setup);

  // Keeps a process alive, until it must end.
  runtime::Task<> run();

  enum class Order { none, kill, stop, end };
  void command(Order order);
  // Stops the next process after so many tasks, unless that is after `until`.
  void stop_next_after(std::uint64_t tasks, runtime::MonoTime until) {
    next_stop_ = NextStop{tasks, until};
  }
  void cut_connections();
  // Nothing leaves the process from this moment on; it is killed soon.
  void die();
  void freeze();
  // The delayed events have no fixed order: messages may be read before it notices how late it is.
  runtime::Task<> thaw();
  ProcessClock& clock() { return clock_; }
  // The user agent of the running process; empty: none runs.
  std::string process_name() const { return process_ ? process_->name() : std::string(); }
  // Empty: none runs.
  std::string metrics() { return process_ ? process_->metrics() : std::string(); }
  // How many have been started.
  std::size_t processes() const { return processes_; }
  // Why a part of a process failed; empty if none has.
  const std::string& failure() const { return failure_; }

 private:
  runtime::Task<Order> watch_process();
  runtime::Task<> stop_process();
  runtime::Task<> await_orders(runtime::TaskGroup& group);
  runtime::Logger logger(const std::string& name);

  std::string name_;
  runtime::VirtualLoop& loop_;
  http::Transport& network_;
  Timeline& timeline_;
  const dra_manager::Options& options_;
  runtime::Rng rng_;
  std::function<void(const std::string&, runtime::Duration)> on_stopped_;
  ProcessClock clock_;
  std::size_t processes_ = 0;
  Order order_ = Order::none;
  struct NextStop {
    std::uint64_t tasks;
    runtime::MonoTime until;
  };
  std::optional<NextStop> next_stop_;
  runtime::Condition told_;
  bool is_frozen_ = false;
  runtime::MonoTime frozen_last_{};
  runtime::Condition thawed_;
  std::unique_ptr<ManagerProcess> process_;
  std::string failure_;
};

}  // namespace dcm::simulation
