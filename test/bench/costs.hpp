// Shared figures of several benchmarks: the cost of work for each manager, and the API server.
#pragma once

#include <map>
#include <string>

#include "test/bench/cluster.hpp"
#include "test/bench/report.hpp"

namespace dcm::bench {

struct Costs {
  // What was used from `before` to `after`, divided by the work done; memory, bytes and ended
  // watches are not divided.
  void add(Who who, const Usage& before, const Usage& after, double work);
  // Prints one row per figure; `per` is the divisor: " per 1,000".
  void print(const std::string& per) const;

  std::map<Who, double> cpu, server_cpu, ended_watches, syscalls, wakeups, traffic, memory;
};

}  // namespace dcm::bench
