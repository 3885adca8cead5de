#include "manager/own_process.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "runtime/keyed_hash.hpp"
#include "runtime/memory.hpp"
#include "runtime/one_line.hpp"
#include "runtime/open_files.hpp"

namespace dcm::manager {
namespace {

std::string in_metrics(std::string name) {
  std::ranges::replace_if(name, [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

}  // namespace

OwnProcess::OwnProcess(std::string name, int verbosity, runtime::LogFormat format)
    : metrics(in_metrics(std::move(name))),
      log_backend(
          std::make_shared<runtime::LogBackend>(loop.time(), format, runtime::write_to_stderr())) {
  runtime::choose_hash_key();
  std::signal(SIGPIPE, SIG_IGN);
  runtime::return_large_memory_at_once();
  runtime::allow_all_open_files();
  log_backend->set_verbosity(verbosity);
}

SignalMeans StopSignals::observe(runtime::MonoTime now) {
  if (!first_) {
    first_ = now;
    return SignalMeans::stop;
  }
  return now - *first_ < kSame ? SignalMeans::nothing : SignalMeans::end_at_once;
}

void stop_on_signals(runtime::Loop& loop, std::function<void()> stop, runtime::Logger log) {
  loop.on_signals({SIGTERM, SIGINT}, [&time = loop.time(), stop = std::move(stop),
                                      log = std::move(log), signals = StopSignals()](int) mutable {
    switch (signals.observe(time.now())) {
      case SignalMeans::stop:
        return stop();
      case SignalMeans::nothing:
        return;
      case SignalMeans::end_at_once:
        log.warning("A second signal: ending at once; a lease that is held stays until it expires");
        std::_Exit(static_cast<int>(ExitStatus::lease_lost));
    }
  });
}

void end_process(int status) {
  std::exit(status);  // not _Exit: profiles and reports of leaks are written at the exit
}

int refuse(std::string_view program, std::string_view why, int status) {
  std::fputs(fmt::format("{}: {}\n", program, runtime::one_line(why)).c_str(), stderr);
  return status;
}

}  // namespace dcm::manager
