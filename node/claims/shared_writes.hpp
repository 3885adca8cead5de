// Writes of the checkpoint that operations share: an operation that arrives before a write begins
// waits for that write.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "runtime/error.hpp"
#include "runtime/task.hpp"
#include "runtime/time.hpp"

namespace dcm::node {

// Loop thread only.
class SharedWrites {
 public:
  // Too short to delay a pod's start noticeably, and about as long as an fsync.
  static constexpr runtime::Duration kGather = std::chrono::milliseconds(5);

  // `write` writes the state at the time of its call.
  SharedWrites(runtime::TimeSource& time, std::function<runtime::Result<>()> write);

  // Returns when a write that began after this call has ended, with its result.
  runtime::Task<runtime::Result<>> write();

 private:
  struct Round;

  runtime::TimeSource& time_;
  std::function<runtime::Result<>()> write_;
  std::shared_ptr<Round> gathering_;  // null: no caller waits
};

}  // namespace dcm::node
