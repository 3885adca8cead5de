// The common base of scheduler, hollow nodes and garbage collector.
#pragma once

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

// Allows as many concurrent requests as there are workers, plus the watches. The program's own rate
// is not limited.
inline manager::ConnectionOptions connection_options(std::string_view program = kProgram) {
  return {.user_agent = std::string(program) + "/" + std::string(runtime::kVersion),
          .qps = 0,
          .burst = 1,
          .inflight_max = 100};
}

inline runtime::Result<manager::Cluster> open_cluster(const client::ConfigOverrides& which,
                                                      const Process& process,
                                                      std::string_view program = kProgram) {
  return manager::open_cluster(which, connection_options(program), process);
}

// Prints one line on standard error; returns the exit status.
inline int report_failure(const runtime::Error& error, std::string_view program = kProgram) {
  // The message may contain text of a server.
  return manager::refuse(program, error.message, 1);
}

}  // namespace dcm::playground
