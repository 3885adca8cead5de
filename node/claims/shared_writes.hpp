// Writes of the checkpoint that operations share: an operation that comes before a write begins
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
  // As long as a pod's start does not notice, and as an fsync takes anyhow.
  static constexpr runtime::Duration kGather = std::chrono::milliseconds(5);

  // `write` writes the state as it is when it is called.
  SharedWrites(runtime::TimeSource& time, std::function<runtime::Result<>()> write);

  // Returns when a write that began after this call has ended, with what came of it.
  runtime::Task<runtime::Result<>> write();

 private:
  struct Round;

  runtime::TimeSource& time_;
  std::function<runtime::Result<>()> write_;
  std::shared_ptr<Round> gathering_;  // null: nobody waits
};

}  // namespace dcm::node
