// Runs another program to its end without blocking the loop: credential plugins, and configured
// commands. The child inherits only what is stated here: no open file, no blocked or ignored
// signal, no terminal. It leads a process group, which does not outlive the call.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/deadline.hpp"
#include "runtime/error.hpp"
#include "runtime/task.hpp"

namespace dcm::runtime {

struct ProcessCommand {
  // The program and its arguments. A program without a slash is looked up in our PATH.
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // all of it, "NAME=value"
  std::size_t output_max = 1024 * 1024;
  // Where standard error goes: a file, created if missing, otherwise appended to.
  std::string error_file = "/dev/null";
};

struct ProcessEnd {
  int status;          // 128 + number if a signal ended it; 255 if unknown
  std::string output;  // its standard output
};

// A variable of this process; empty if it is not set.
std::string environment_variable(const char* name);
// The environment of this process, "NAME=value".
std::vector<std::string> own_environment();

// Runs `command` with an empty standard input. A process still running at the deadline, or when the
// caller is cancelled, is killed. A program that ran has a ProcessEnd, whatever its status. Errors:
// configuration (it cannot be started), deadline_exceeded, body_too_large (above `output_max`).
Task<Result<ProcessEnd>> run_process(Executor executor, TimeSource& time, ProcessCommand command,
                                     Deadline deadline);

}  // namespace dcm::runtime
