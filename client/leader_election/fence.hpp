// The fence before each write: open for as long as no other candidate can lead.
#pragma once

#include "client/request/write_gate.hpp"
#include "runtime/time.hpp"

namespace dcm::leader_election {

// Closed at first. Each renewal opens it until a certain time, and it is checked right before the
// bytes of a write leave: for a process that was paused, or is too busy to renew, it closes by
// itself. The clock must advance while the machine sleeps.
//
// A request that has passed the check cannot be recalled. So each write also carries the UID (and
// where it matters the version) of its object.
class Fence final : public client::WriteGate {
 public:
  // `time` must outlive it.
  explicit Fence(const runtime::TimeSource& time) : time_(time) {}

  void open_until(runtime::MonoTime when) { open_until_ = when; }
  void close() { open_until_ = runtime::MonoTime::min(); }

  runtime::Result<> check() const override {
    if (time_.now() < open_until_) return {};
    return runtime::fail(runtime::Reason::shutting_down,
                         open_until_ == runtime::MonoTime::min()
                             ? "not sent: this process does not hold the lease"
                             : "not sent: the lease was not renewed in time");
  }

 private:
  const runtime::TimeSource& time_;
  runtime::MonoTime open_until_ = runtime::MonoTime::min();
};

}  // namespace dcm::leader_election
