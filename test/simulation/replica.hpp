// A manager of a cluster: a process, and its successor when it has ended.
#pragma once

#include <memory>
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
  };
  explicit Replica(Setup setup);

  // Keeps a process alive, until it must end.
  runtime::Task<> run();

  enum class Order { none, kill, stop, end };
  void command(Order order);
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
  // Why a part of a process failed; empty if none has.
  const std::string& failure() const { return failure_; }

 private:
  runtime::Task<Order> watch_process();
  runtime::Task<> await_orders(runtime::TaskGroup& group);
  runtime::Logger logger(const std::string& name);

  std::string name_;
  runtime::VirtualLoop& loop_;
  http::Transport& network_;
  Timeline& timeline_;
  const dra_manager::Options& options_;
  runtime::Rng rng_;
  ProcessClock clock_;
  std::size_t processes_ = 0;
  Order order_ = Order::none;
  runtime::Condition told_;
  bool is_frozen_ = false;
  runtime::Condition thawed_;
  std::unique_ptr<ManagerProcess> process_;
  std::string failure_;
};

}  // namespace dcm::simulation
