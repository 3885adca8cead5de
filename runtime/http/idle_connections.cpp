#include "runtime/http/idle_connections.hpp"

namespace dcm::http {

std::unique_ptr<Connection> IdleConnections::take() {
  std::unique_ptr<Connection> taken;
  while (!entries_.empty() && taken == nullptr) {
    std::unique_ptr<Connection> last = std::move(entries_.back().connection);
    entries_.pop_back();
    if (last->stream->is_quiet()) taken = std::move(last);
  }
  return taken;
}

void IdleConnections::put(std::unique_ptr<Connection> connection) {
  if (connection->generation != generation_) return;
  // Last in, first out; a connection that was needed during a peak may stay unused for long.
  if (!entries_.empty()) entries_.back().connection->trim();
  entries_.push_back({std::move(connection), time_.now() + idle_max_});
  if (!timer_) arm();
}

void IdleConnections::close_all() {
  ++generation_;
  entries_.clear();
  if (timer_) time_.cancel(*timer_);
  timer_.reset();
}

// A timer that finds nothing to close costs less than moving it on each take and put.
void IdleConnections::arm() {
  timer_ = time_.schedule(entries_.front().close_at, [this] {
    timer_.reset();
    close_expired();
  });
}

void IdleConnections::close_expired() {
  while (!entries_.empty() && entries_.front().close_at <= time_.now()) entries_.pop_front();
  if (!entries_.empty()) arm();
}

}  // namespace dcm::http
