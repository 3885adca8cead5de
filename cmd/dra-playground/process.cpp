#include "cmd/dra-playground/process.hpp"

#include <iostream>

namespace dcm::playground {

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
