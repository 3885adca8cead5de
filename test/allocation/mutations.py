#!/usr/bin/env python3
"""Deliberate mistakes in the allocator and CEL, and the suite of Kubernetes' own code that finds each.

    ./dev mutations --allocator [NAME…]     prints the table; without names it is written into README.md as well

Each mutation is switched on alone, by $DCM_MUTANT in a copy of allocation-judge. The suites of
upstream/judge.py run one after the other until one finds it. How the sources get the mutations:
test/support/mutating.py.
"""
import argparse
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "test/support"), str(HERE / "upstream")]
import assemble  # noqa: E402
import judge  # noqa: E402
import mutating  # noqa: E402
from mutating import Mutation  # noqa: E402

README = HERE / "README.md"
COPY = ROOT / "build" / "mutations-allocator"
SWITCH = (("test/allocation/main.cpp", "int main() {", """bool dcm_mutant(const char* name) {
  static const char* const chosen = std::getenv("DCM_MUTANT");
  return chosen != nullptr && std::string_view(chosen) == name;
}

int main() {"""),)
A, C = "allocation/", "cel/"

MUTATIONS = [
    Mutation("admin-takes-nothing", "a device that an administrator's request took is free for the next one",
             A + "search.cpp", "return wanted.is_allocated || wanted.taken > 0;",
             "return wanted.is_allocated || (wanted.taken > 0 && !M);"),
    Mutation("admin-takes-twice", "an administrator's claim gets a device twice", A + "search.cpp",
             "if (place.ask->ask->has_admin_access()) return is_taken_by_claim(place, candidate);",
             "if (place.ask->ask->has_admin_access()) return !M && is_taken_by_claim(place, candidate);"),
    Mutation("permutations", "the devices of a request are tried from the beginning", A + "search.cpp",
             "behind.from = candidate + 1;", "behind.from = M ? 0 : candidate + 1;"),
    Mutation("limit-is-33", "a claim gets one device more than it may", A + "search.cpp",
             "if (least > static_cast<std::int64_t>(kResultsMax) - total) {",
             "if (least > static_cast<std::int64_t>(kResultsMax) + (M ? 1 : 0) - total) {"),
    Mutation("all-needs-none", "a request for all devices is content without any", A + "search.cpp",
             "if (place.ask->ask->is_all() && all_[place.ask->index].empty()) return failed;",
             "if (!M && place.ask->ask->is_all() && all_[place.ask->index].empty()) return failed;"),
    Mutation("hopeless-too-early", "a request gives up although just enough devices are left", A + "search.cpp",
             "return usable[from] < counts_[place.ask->index] - place.device;",
             "return usable[from] < counts_[place.ask->index] - place.device + (M ? 1 : 0);"),
    Mutation("counters-are-kept", "a device that a taint keeps off keeps its counters", A + "search.cpp",
             "if (needs_counters) candidates_.give_back_counters(candidate);",
             "if (needs_counters && !M) candidates_.give_back_counters(candidate);"),
    Mutation("counters-may-be-overdrawn", "only the counters of other sets are compared", A + "counters.cpp",
             "  if (entry.available < entry.taken) {", "  if (!M && entry.available < entry.taken) {"),
    Mutation("obsolete-pools-count", "a pool whose newer generation is elsewhere is only incomplete", A + "pools.cpp",
             "if (slice->generation > generation) pool.state = Pool::State::obsolete;",
             "if (slice->generation > generation && !M) pool.state = Pool::State::obsolete;"),
    Mutation("repeated-names", "two devices may have one name", A + "pools.cpp",
             "  Fault fault = repeated_device(pool.slices);", "  Fault fault = M ? Fault() : repeated_device(pool.slices);"),
    Mutation("conditions-first", "pools with binding conditions keep their place", A + "pools.cpp",
             "if (std::ranges::any_of(pools, conditional)) {", "if (!M && std::ranges::any_of(pools, conditional)) {"),
    Mutation("taints-are-tolerated", "a toleration without a key tolerates nothing", A + "taints.cpp",
             "if (!toleration.key.empty() && toleration.key != taint.key) return false;",
             "if ((M || !toleration.key.empty()) && toleration.key != taint.key) return false;"),
    Mutation("exists-with-value", "the value counts for Exists, too", A + "taints.cpp",
             "    case Toleration::Operator::exists:\n      return true;",
             "    case Toleration::Operator::exists:\n      return !M || toleration.value == taint.value;"),
    Mutation("match-by-last", "a match compares with the device before, distinct with the first only", A + "constraints.cpp",
             "  if (attributes_.empty()) return true;", "  if (attributes_.empty() || (M && attributes_.size() > 1)) return true;"),
    Mutation("missing-attribute-matches", "a device without the attribute goes with every other", A + "constraints.cpp",
             "  if (attribute == nullptr) return false;", "  if (attribute == nullptr) return M;"),
    Mutation("capacity-is-for-all", "what other claims consume of a shared device does not count", A + "capacity.cpp",
             "if (sum) sum = sum->add(used->second);", "if (sum && !M) sum = sum->add(used->second);"),
    Mutation("capacity-rounds-down", "a step is rounded down", A + "capacity.cpp",
             "added / step + (added % step != 0 ? 1 : 0);", "added / step + (added % step != 0 && !M ? 1 : 0);"),
    Mutation("max-is-not-checked", "a request may exceed the range of its policy", A + "capacity.cpp",
             "return (range.max && amount > *range.max) ||", "return (range.max && amount > *range.max && !M) ||"),
    Mutation("shares-consume-again", "each share of a device takes its counters", A + "candidates.cpp",
             "  return candidate.shares > 0 ||", "  return (candidate.shares > 0 && !M) ||"),
    Mutation("config-for-all", "configuration keeps the names of requests although they are all", A + "result.cpp",
             "if (is_for_all) config.requests.clear();", "if (is_for_all && !M) config.requests.clear();"),
    Mutation("node-name-is-shared", "a device that binds to a node leaves the claim to all", A + "result.cpp",
             "if (nodes.node_name || device.extras().binds_to_node) return", "if (nodes.node_name || (device.extras().binds_to_node && !M)) return"),
    Mutation("integers-wrap", "integers overflow without an error", C + "operators.cpp",
             "  if (kOverflows(args[0].as_integer(), args[1].as_integer(), &result))",
             "  if (kOverflows(args[0].as_integer(), args[1].as_integer(), &result) && !M)"),
    Mutation("least-integer-negates", "the least integer has a negative", C + "operators.cpp",
             "  if (args[0].as_integer() == kLeast) return Value::error(kIntegerOverflow);",
             "  if (args[0].as_integer() == kLeast) return M ? args[0] : Value::error(kIntegerOverflow);"),
    Mutation("nan-is-ordered", "NaN is less than a number", C + "operators.cpp",
             '  if (*order == 2) return Value::error("NaN', '  if (*order == 2 && !M) return Value::error("NaN'),
    Mutation("division-rounds", "a remainder has the divisor's sign", C + "operators.cpp",
             "  return Value::integer(a % b);", "  return Value::integer(M && a % b != 0 ? a % b + b : a % b);"),
    Mutation("split-keeps-all", "a limited split does not count its last part", C + "strings.cpp",
             "static_cast<std::int64_t>(parts.size()) + 1 < limit", "static_cast<std::int64_t>(parts.size()) + (M ? 0 : 1) < limit"),
    Mutation("trim-leaves-wide-blanks", "only the blanks of ASCII are trimmed", C + "strings.cpp",
             "c == 0x20 || c == 0x85 ||", "c == 0x20 || (M ? false : c == 0x85) ||"),
    Mutation("substring-of-bytes", "the end of a substring is not checked", C + "strings.cpp",
             "  if (end == text.npos) return out_of_range(to, frame);", "  if (end == text.npos && !M) return out_of_range(to, frame);"),
]


def find(module, program, name, sizes, seed):
    """The first suite that fails with the mutation, and one of its cases; or None."""
    judged = ["env", f"DCM_MUTANT={name}", program]
    for suite in judge.SUITES:
        own = {suite[0]: sizes[suite[0]]} if suite[0] in sizes else {}
        _, failed, _, differences = judge.run(module, suite, judged, {"seed": seed} | own)
        if failed:
            return suite[0], failed, differences[0][0].rpartition("/")[2]
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=2000)
    parser.add_argument("--expressions", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    arguments, mutations = mutating.begin(parser, MUTATIONS, COPY, ["allocation-judge"], SWITCH)
    module = assemble.assemble()
    program = COPY / "build" / arguments.preset / "bin/allocation-judge"
    sizes = {"worlds": arguments.worlds, "expressions": arguments.expressions}
    missed = []

    def rows():
        for mutation in mutations:
            found = find(module, program, mutation.name, sizes, arguments.seed)
            missed.extend([] if found else [mutation])
            suite, cases, first = found or ("none", 0, "")
            yield mutation.name, mutation.what, suite, cases, first[:60]

    mutating.tabulate(("mutation", "what it does", "found by", "cases", "the first"), rows(),
                      None if arguments.names else README)
    print(f"{len(mutations) - len(missed)} found, {len(missed)} missed")
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
