// Whether writes may be sent: the interface for leader election's fence.
#pragma once

#include <string>
#include <utility>

#include "runtime/error.hpp"

namespace dcm::client {

// Called right before the bytes of a fenced write are sent, and again before each retry.
class WriteGate {
 public:
  virtual ~WriteGate() = default;
  // Errors: shutting_down, with why: the lease is lost or was not renewed in time.
  virtual runtime::Result<> check() const = 0;
};

// For a manager that needs no lease (`--leader-elect=false`).
class OpenWriteGate final : public WriteGate {
 public:
  runtime::Result<> check() const override { return {}; }
};

// For programs that must not write: refuses every write.
class ClosedWriteGate final : public WriteGate {
 public:
  // `why` is the error's message.
  explicit ClosedWriteGate(std::string why) : why_(std::move(why)) {}

  runtime::Result<> check() const override {
    return runtime::fail(runtime::Reason::shutting_down, why_);
  }

 private:
  std::string why_;
};

}  // namespace dcm::client
