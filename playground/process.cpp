#include "playground/process.hpp"

#include <iostream>

#include "runtime/memory.hpp"
#include "runtime/one_line.hpp"
#include "runtime/open_files.hpp"

namespace dcm::playground {

Process::Process() {
  runtime::return_large_memory_at_once();
  runtime::allow_all_open_files();
}

PartContext Process::context(int verbosity) {
  auto backend = std::make_shared<runtime::LogBackend>(loop.time(), runtime::LogFormat::text,
                                                       runtime::write_to_stderr());
  backend->set_verbosity(verbosity);
  return {loop.executor(), loop.time(), rng, metrics, runtime::Logger(std::move(backend))};
}

int report_failure(const runtime::Error& error, std::string_view program) {
  // It may contain a server's message.
  std::cerr << program << ": " << runtime::one_line(error.message) << "\n";
  return 1;
}

}  // namespace dcm::playground
