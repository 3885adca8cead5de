// The process-wide parts of the playground, and its reports of fatal errors.
#pragma once

#include "playground/objects/connection.hpp"
#include "runtime/loop.hpp"

namespace dcm::playground {

// Created first, so that it is destroyed last.
struct Process {
  Process();

  runtime::Loop loop;
  runtime::MetricsRegistry metrics{"dra_playground"};
  runtime::Rng rng = runtime::Rng::from_system();

  // Logs to standard error.
  PartContext context(int verbosity);
};

// Prints one line on standard error; returns the exit status.
int report_failure(const runtime::Error& error, std::string_view program = "dra-playground");

}  // namespace dcm::playground
