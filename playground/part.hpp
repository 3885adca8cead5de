// The common base of scheduler, hollow nodes and garbage collector.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "informers/on_change.hpp"
#include "manager/cache.hpp"
#include "manager/connection.hpp"
#include "manager/own_process.hpp"
#include "manager/worklist.hpp"
#include "runtime/version.hpp"

namespace dcm::playground {

using informers::OnChange;
using manager::Cache;
using manager::Connection;
using manager::OwnProcess;
using manager::Process;
using manager::Worklist;
using workqueue::Outcome;

inline constexpr std::string_view kProgram = "dra-playground";

// As many requests at a time as there are workers, and the watches. Of the program's own rate,
// there is no limit.
inline manager::ConnectionOptions connection_options(std::string_view program = kProgram) {
  return {.user_agent = std::string(program) + "/" + std::string(runtime::kVersion),
          .qps = 0,
          .burst = 1,
          .inflight_max = 100};
}

// Prints one line on standard error; returns the exit status.
inline int report_failure(const runtime::Error& error, std::string_view program = kProgram) {
  // A server's words may be part of it.
  return manager::refuse(program, error.message, 1);
}

}  // namespace dcm::playground
