// One process's connections: they can be cut, freeze with the process, and die with it.
#pragma once

#include <map>
#include <memory>

#include "runtime/condition.hpp"
#include "runtime/http/stream.hpp"

namespace dcm::simulation {

class ProcessTransport final : public http::Transport {
 public:
  // Both references must outlive it. Outlives its streams.
  ProcessTransport(http::Transport& network, runtime::TimeSource& time)
      : network_(network), thawed_(time) {}

  http::Task<http::Result<std::unique_ptr<http::Stream>>> connect(http::Endpoint endpoint,
                                                                  http::Deadline deadline) override;

  // Breaks every connection; new ones can be made. Every second one breaks in the middle of the
  // next data.
  void cut();
  // Nothing is sent any longer.
  void die();
  // Incoming bytes are not noticed before thaw().
  void freeze() { is_frozen_ = true; }
  void thaw();

 private:
  class End;

  http::Task<> wait_while_frozen();

  http::Transport& network_;
  bool is_frozen_ = false;
  runtime::Condition thawed_;
  bool is_dead_ = false;
  // By number, so that they are cut in the same order in each run.
  std::map<std::uint64_t, End*> open_;
  std::uint64_t next_ = 0;
};

}  // namespace dcm::simulation
