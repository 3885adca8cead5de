// Allows one call at a time into a driver: within one process, or with a file among all processes
// that serve a driver, as during a rolling update.
#pragma once

#include <string>

#include "runtime/file_descriptor.hpp"
#include "runtime/slots.hpp"
#include "runtime/task.hpp"

namespace dcm::driver_kit {

// Loop thread only.
class CallLock {
 public:
  // Returns the turn on destruction.
  class Turn {
   public:
    Turn(runtime::Slots::Slot slot, int file) : slot_(std::move(slot)), file_(file) {}
    int file() const noexcept { return file_.get(); }

   private:
    runtime::Slots::Slot slot_;
    runtime::FileDescriptor file_;
  };

  // How often a file locked by another process is polled.
  static constexpr runtime::Duration kLook = std::chrono::milliseconds(10);

  // `file`: created if missing; empty: only this process. `time` must outlive it.
  CallLock(runtime::TimeSource& time, std::string file)
      : time_(time), slots_(time, 1), file_(std::move(file)) {}

  // Errors: deadline_exceeded; configuration (the file cannot be created).
  runtime::Task<runtime::Result<Turn>> take(runtime::Deadline deadline);

 private:
  runtime::TimeSource& time_;
  runtime::Slots slots_;
  std::string file_;
};

}  // namespace dcm::driver_kit
