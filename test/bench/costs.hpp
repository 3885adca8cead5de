// The figures that several benchmarks share: what work has cost each manager, and the API server.
#pragma once

#include <map>
#include <string>

#include "test/bench/cluster.hpp"
#include "test/bench/report.hpp"

namespace dcm::bench {

struct Costs {
  // What was used from `before` to `after`, divided by the work done; memory and bytes are not.
  void add(Who who, const Usage& before, const Usage& after, double work);
  // A row each; `per` says what they are divided by: " per 1,000".
  void print(const std::string& per) const;

  std::map<Who, double> cpu, server_cpu, syscalls, wakeups, traffic, memory;
};

}  // namespace dcm::bench
