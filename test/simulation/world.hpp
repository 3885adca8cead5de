// A world: an API server, one or two managers, a workload, faults and checks, on virtual time. All
// that happens in it is a function of its seed and of the faults that are allowed.
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
  // The numbers of the faults that happen; nothing: all that the seed draws.
  std::optional<std::set<std::size_t>> faults;
  Detail detail = Detail::none;
  // How long users and faults are at it.
  runtime::Duration lasts = std::chrono::minutes(10);
  // How many pods users make; nothing: as the seed draws it.
  std::optional<std::size_t> pods = std::nullopt;
};

struct Verdict {
  std::optional<Breach> breach;  // the first; nothing: the world was as it should be
  std::vector<Fault> faults;     // all that the seed draws
  std::string timeline;
  runtime::Duration settled_after{};  // after the last fault
  std::uint64_t manager_writes = 0;
};

Verdict run_world(const WorldOptions& options);

// The numbers of as few faults as still lead to that breach.
std::set<std::size_t> shrink_faults(WorldOptions options, const Verdict& failed);

}  // namespace dcm::simulation
