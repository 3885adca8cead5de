// The line of one manager to the network: it can be cut, and it dies with its process.
#pragma once

#include <map>
#include <memory>

#include "runtime/http/stream.hpp"

namespace dcm::simulation {

class Line final : public http::Transport {
 public:
  // `network` must outlive it. Outlives its streams.
  explicit Line(http::Transport& network) : network_(network) {}

  http::Task<http::Result<std::unique_ptr<http::Stream>>> connect(http::Endpoint endpoint,
                                                                  http::Deadline deadline) override;

  // Breaks every connection; new ones can be made.
  void cut();
  // Nothing leaves any more.
  void die();

 private:
  class End;

  http::Transport& network_;
  bool is_dead_ = false;
  // By number, so that cutting them has the same order in each run.
  std::map<std::uint64_t, http::Stream*> open_;
  std::uint64_t next_ = 0;
};

}  // namespace dcm::simulation
