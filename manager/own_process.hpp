// What a whole process owns: loop, log, metrics, randomness. Created first, so that it is destroyed
// last.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "manager/process.hpp"
#include "manager/stop.hpp"
#include "runtime/loop.hpp"

namespace dcm::manager {

struct OwnProcess {
  // `name` is the program's; with underscores, it begins the names of its metrics. Logs to
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

// What a signal that requests the end means. A second one ends the process at once, unless it comes
// right after the first: `timeout` and some supervisors send it to the process and to its group.
enum class SignalMeans : std::uint8_t { stop, nothing, end_at_once };
class StopSignals {
 public:
  static constexpr runtime::Duration kSame = std::chrono::milliseconds(500);
  SignalMeans observe(runtime::MonoTime now);

 private:
  std::optional<runtime::MonoTime> first_;
};

// Calls `stop` at the first SIGTERM or SIGINT; the second one ends the process at once, with exit
// status 1, and a warning in `log`.
void stop_on_signals(runtime::Loop& loop, std::function<void()> stop, runtime::Logger log);

// Ends the process after its loop has run. To return from main would destroy the loop, and that
// waits for a look-up of a name that still runs: half a minute, if the name server is silent.
[[noreturn]] void end_process(int status);

// Prints `why` as one line on standard error, after the program's name. Returns the exit status.
int refuse(std::string_view program, std::string_view why,
           int status = static_cast<int>(ExitStatus::bad_configuration));

}  // namespace dcm::manager
