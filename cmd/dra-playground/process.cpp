#include "cmd/dra-playground/process.hpp"

#include <iostream>

#include "runtime/memory.hpp"

namespace dcm::playground {

Process::Process() {
  runtime::return_large_memory_at_once();
}

PartContext Process::context(int verbosity) {
  auto backend = std::make_shared<runtime::LogBackend>(loop.time(), runtime::LogFormat::text,
                                                       runtime::write_to_stderr());
  backend->set_verbosity(verbosity);
  return {loop.executor(), loop.time(), rng, metrics, runtime::Logger(std::move(backend))};
}

int report_failure(const runtime::Error& error, std::string_view program) {
  std::cerr << program << ": " << error.message << "\n";
  return 1;
}

}  // namespace dcm::playground
