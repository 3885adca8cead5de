// A world: an API server, one or two managers, a workload, faults and checks, on virtual time.
// Everything in it is a function of its seed and of the allowed faults.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "test/simulation/faults.hpp"
#include "test/simulation/safety.hpp"
#include "test/simulation/timeline.hpp"

namespace dcm::simulation {

struct WorldOptions {
  std::uint64_t seed = 1;
  // The numbers of the faults that happen; nullopt: all that the seed draws.
  std::optional<std::set<std::size_t>> faults;
  Detail detail = Detail::none;
  // How long users and faults are active.
  runtime::Duration lasts = std::chrono::minutes(10);
  // How many pods users create; nullopt: drawn from the seed.
  std::optional<std::size_t> pods = std::nullopt;
};

struct Verdict {
  std::optional<Breach> breach;  // the first breach; nullopt: there was none
  std::vector<Fault> faults;     // all that the seed draws
  std::string timeline;
  runtime::Duration settled_after{};  // after the last fault
  std::uint64_t manager_writes = 0;
};

Verdict run_world(const WorldOptions& options);

// The numbers of a minimal set of faults that still lead to that breach.
std::set<std::size_t> shrink_faults(WorldOptions options, const Verdict& failed);

}  // namespace dcm::simulation
