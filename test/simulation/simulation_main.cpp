// Runs worlds, and shows what went wrong in one: `./dev sim`.
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "options/program.hpp"
#include "test/simulation/mutant.hpp"
#include "test/simulation/world.hpp"

namespace {

using namespace dcm::options;
using namespace dcm::simulation;

struct Flags {
  std::uint64_t seeds = 100;
  std::uint64_t first = 1;
  std::uint64_t step = 1;
  std::uint64_t seed = 0;  // 0: `seeds` from `first`
  std::vector<std::size_t> faults;
  std::size_t pods = 0;  // 0: drawn from the seed
  bool has_no_faults = false;
  bool is_quiet = false;
  bool ends_at_failure = false;
  bool shrinks_not = false;
  std::string mutant;
};

WorldOptions options_of(const Flags& flags, std::uint64_t seed) {
  WorldOptions options{.seed = seed, .faults = {}};
  if (!flags.faults.empty() || flags.has_no_faults) {
    options.faults = std::set(flags.faults.begin(), flags.faults.end());
  }
  if (flags.pods > 0) options.pods = flags.pods;
  return options;
}

// In GoogleTest's format, for the same readers and scripts.
void report(std::uint64_t seed, const Verdict& verdict) {
  fmt::print("[{} ] Simulation.seed_{} (0 ms)\n", verdict.breach ? "  FAILED " : "       OK", seed);
  std::fflush(stdout);
}

void explain(const Flags& flags, std::uint64_t seed, const Verdict& failed) {
  fmt::print("seed {}: {}: {}\n", seed, failed.breach->invariant, failed.breach->details);
  if (flags.shrinks_not) return;
  const std::set<std::size_t> needed = shrink_faults(options_of(flags, seed), failed);
  const std::string choice =
      needed.empty() ? "--no-faults" : fmt::format("--faults {}", fmt::join(needed, ","));
  fmt::print("replay: ./dev sim --seed {} {}\n", seed, choice);
  for (const std::size_t number : needed) {
    fmt::print("  fault {}: {}\n", number, failed.faults[number].str());
  }
  std::fflush(stdout);
}

int run_many(const Flags& flags) {
  int failures = 0;
  for (std::uint64_t i = 0; i < flags.seeds; ++i) {
    const std::uint64_t seed = flags.first + i * flags.step;
    const Verdict verdict = run_world(options_of(flags, seed));
    report(seed, verdict);
    if (!verdict.breach) continue;
    explain(flags, seed, verdict);
    ++failures;
    if (flags.ends_at_failure) break;
  }
  return failures == 0 ? 0 : 1;
}

int run_one(const Flags& flags) {
  WorldOptions options = options_of(flags, flags.seed);
  options.detail = flags.is_quiet ? Detail::none : Detail::all;
  const Verdict verdict = run_world(options);
  fmt::print("{}", verdict.timeline);
  report(flags.seed, verdict);
  if (!verdict.breach) return 0;
  explain(flags, flags.seed, verdict);
  return 1;
}

Settings make_settings(Flags& flags) {
  return {
      number_setting({"seeds", "", "NUMBER", "How many worlds."}, flags.seeds, kWhole),
      number_setting({"first", "", "NUMBER", "The first seed."}, flags.first, kWhole),
      number_setting({"step", "", "NUMBER", "From one seed to the next."}, flags.step, kWhole),
      number_setting({"seed", "", "NUMBER", "This world alone, with its timeline; 0: none."},
                     flags.seed, kWhole),
      numbers_setting({"faults", "", "LIST", "Only these of its faults, by number."}, flags.faults),
      switch_setting({"no-faults", "", "", "None of its faults."}, flags.has_no_faults),
      number_setting({"pods", "", "NUMBER", "How many pods users make; 0: as the seed draws."},
                     flags.pods, kWhole),
      switch_setting({"no-timeline", "", "", "With --seed: the verdict alone."}, flags.is_quiet),
      switch_setting({"until-failure", "", "", "End with the first world that fails."},
                     flags.ends_at_failure),
      switch_setting({"no-shrink", "", "", "Do not look for fewer faults."}, flags.shrinks_not),
      text_setting({"mutant", "", "NAME", "Switch a mutation on (mutations.py)."}, flags.mutant),
  };
}

}  // namespace

int main(int argc, char** argv) {
  Flags flags;
  const Usage usage{
      .name = "simulation",
      .summary = "Worlds in which the manager is tried; each is a function of its seed."};
  const Settings table = make_settings(flags);
  const auto read = read_arguments(usage, table, Strings(argv + 1, argv + argc));
  if (!read) return print(read.error());
  set_mutant(flags.mutant);
  return flags.seed != 0 ? run_one(flags) : run_many(flags);
}
