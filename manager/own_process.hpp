// What a whole process owns: loop, log, metrics, randomness. Created first, so that it is destroyed
// last.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "manager/process.hpp"
#include "manager/stop.hpp"
#include "runtime/loop.hpp"

namespace dcm::manager {

struct OwnProcess {
  // `name` is that of the program: with underscores, it begins the names of its metrics. Logs to
  // standard error. A closed pipe or connection is an error of that write from now on, and does not
  // end the process.
  explicit OwnProcess(std::string name, int verbosity = 0,
                      runtime::LogFormat format = runtime::LogFormat::text);

  runtime::Loop loop;
  runtime::MetricsRegistry metrics;
  runtime::Rng rng = runtime::Rng::from_system();
  std::shared_ptr<runtime::LogBackend> log_backend;

  Process process() { return {loop, metrics, rng, runtime::Logger(log_backend)}; }
};

// Calls `stop` at the first SIGTERM or SIGINT; the second one ends the process at once.
void stop_on_signals(runtime::Loop& loop, std::function<void()> stop);

// Prints `why` as one line on standard error, after the program's name. Returns the exit status.
int refuse(std::string_view program, std::string_view why,
           int status = static_cast<int>(ExitStatus::bad_configuration));

}  // namespace dcm::manager
