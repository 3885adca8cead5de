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

void stop_on_signals(runtime::Loop& loop, std::function<void()> stop) {
  loop.on_signals({SIGTERM, SIGINT}, [stop = std::move(stop), count = 0](int) mutable {
    if (++count > 1) std::_Exit(1);
    stop();
  });
}

int refuse(std::string_view program, std::string_view why, int status) {
  std::fputs(fmt::format("{}: {}\n", program, runtime::one_line(why)).c_str(), stderr);
  return status;
}

}  // namespace dcm::manager
