// Tries every order of the small worlds: `./dev explore`.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "options/program.hpp"
#include "test/simulation/mutant.hpp"
#include "test/simulation/small_world.hpp"

namespace {

using namespace dcm::options;
using namespace dcm::simulation;

struct Flags {
  std::vector<std::string> names;
  std::size_t deviations = 2;
  std::vector<std::size_t> order;
  bool shows_one = false;
  bool ends_at_failure = false;
  std::string mutant;
};

struct Tried {
  std::size_t orders = 0;
  bool has_failed = false;
};

void explain(const SmallWorld& world, const Choices& choices, const Breach& breach) {
  fmt::print("{}: {}: {}\nreplay: ./dev explore {} --order={}\n", world.name, breach.invariant,
             breach.details, world.name, fmt::join(choices.order(), ","));
}

Tried explore(const SmallWorld& world, std::size_t deviations) {
  Choices choices(deviations);
  Tried tried;
  do {
    const SmallVerdict verdict = run_small_world(world, choices, Detail::none);
    ++tried.orders;
    tried.has_failed = verdict.breach.has_value();
    if (tried.has_failed) explain(world, choices, *verdict.breach);
  } while (!tried.has_failed && choices.next());
  fmt::print("[{} ] Explore.{}, {} orders (0 ms)\n", tried.has_failed ? "  FAILED " : "       OK",
             world.name, tried.orders);
  std::fflush(stdout);
  return tried;
}

int show(const SmallWorld& world, const std::vector<std::size_t>& order) {
  Choices choices(order);
  const SmallVerdict verdict = run_small_world(world, choices, Detail::all);
  fmt::print("{}", verdict.timeline);
  if (!verdict.breach) return 0;
  explain(world, choices, *verdict.breach);
  return 1;
}

bool is_named(const Flags& flags, const SmallWorld& world) {
  return flags.names.empty() || std::ranges::find(flags.names, world.name) != flags.names.end();
}

int run(const Flags& flags) {
  std::size_t worlds = 0;
  std::size_t orders = 0;
  std::size_t failed = 0;
  for (const SmallWorld& world : catalogue()) {
    if (!is_named(flags, world)) continue;
    ++worlds;
    if (flags.shows_one) return show(world, flags.order);
    const Tried tried = explore(world, flags.deviations);
    orders += tried.orders;
    if (!tried.has_failed) continue;
    ++failed;
    if (flags.ends_at_failure) break;
  }
  fmt::print("{} worlds, all {} orders with at most {} deviations, {} failed\n", worlds, orders,
             flags.deviations, failed);
  return worlds > 0 && failed == 0 ? 0 : 1;
}

Settings make_settings(Flags& flags) {
  return {
      number_setting({"deviations", "", "NUMBER",
                      "How often an order may choose anything but the oldest message."},
                     flags.deviations, kWhole),
      numbers_setting({"order", "", "LIST", "This order alone, with its timeline."}, flags.order),
      switch_setting({"until-failure", "", "", "End with the first world that fails."},
                     flags.ends_at_failure),
      text_setting({"mutant", "", "NAME", "Switch a mutation on (mutations.py)."}, flags.mutant),
  };
}

}  // namespace

int main(int argc, char** argv) {
  Flags flags;
  const Usage usage{.name = "explore",
                    .summary = "Tries every order of messages in small worlds.",
                    .synopsis = "[WORLD…]"};
  const Settings table = make_settings(flags);
  auto read = read_arguments(usage, table, Strings(argv + 1, argv + argc));
  if (!read) return print(read.error());
  flags.names = std::move(read->line.words);
  const Setting* const order = find_flag(table, "order");
  flags.shows_one =
      std::ranges::find(read->line.given, order, &Given::setting) != read->line.given.end();
  set_mutant(flags.mutant);
  return run(flags);
}
