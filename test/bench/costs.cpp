#include "test/bench/costs.hpp"

#include <fmt/format.h>

namespace dcm::bench {

void Costs::add(Who who, const Usage& before, const Usage& after, double work) {
  cpu[who] = (after.cpu_seconds - before.cpu_seconds) / work;
  server_cpu[who] = (after.server_cpu_seconds - before.server_cpu_seconds) / work;
  ended_watches[who] = after.ended_watches - before.ended_watches;
  wakeups[who] = (after.wakeups - before.wakeups) / work;
  traffic[who] = after.traffic_mb - before.traffic_mb;
  memory[who] = after.peak_memory_mb;
  if (after.syscalls) syscalls[who] = (*after.syscalls - before.syscalls.value_or(0)) / work;
}

void Costs::print(const std::string& per) const {
  print_row("CPU" + per, cpu, "s");
  print_row("CPU of the API server" + per, server_cpu, "s");
  print_row("watches that the API server ended", ended_watches, "", Drawn::no);
  if (syscalls.empty()) fmt::print("  (system calls cannot be counted here)\n");
  print_row("system calls" + per, syscalls, "");
  print_row("wake-ups" + per, wakeups, "");
  print_row("bytes to and from the API server", traffic, "MB");
  print_row("peak resident memory", memory, "MB");
}

}  // namespace dcm::bench
