#!/usr/bin/env python3
"""Kubernetes' own allocator, tables and CEL next to a program that speaks the judge's protocol.

    judge.py PROGRAM [--worlds 1000] [--expressions 1000] [--seed S] [--suite NAME]

Prints the counts of each suite, and each difference; ends with 1 if there is one, and with 3
without Go. A program that always answers "no fit" and "false" must fail each suite. `./dev upstream
--allocator` runs this.
"""
import argparse
import pathlib
import random
import sys

import assemble

# name, its package, its test
SUITES = (("table", "judge", "TestTable"), ("worlds", "judge", "TestWorlds"), ("selectors", "cel", "TestSelectors"),
          ("corpus", "cel", "TestCorpus"), ("conformance", "cel", "TestConformance"), ("expressions", "cel", "TestExpressions"))
SHOWN = 20  # differences of a suite
NEGATIVE = [sys.executable, str(assemble.HERE / "no_fit.py")]


def run(module, suite, judged, flags):
    """(passed, failed, the test's statement about its cases, the differences)."""
    _, package, test = suite
    state, output, said = {}, {}, ""
    for event in module.test(package, test, judged, flags):
        name, action = event.get("Test"), event["Action"]
        if action == "output" and event["Output"].startswith("COUNTS map["):
            said = event["Output"][len("COUNTS map["):].strip().rstrip("]")
        elif action == "output":
            output.setdefault(name, []).append(event["Output"])
        elif name and action in ("pass", "fail"):
            state[name] = action
    parents = {name.rpartition("/")[0] for name in state}
    parents |= {str(parent) for name in parents for parent in pathlib.PurePath(name).parents}
    leaves = {name: action for name, action in state.items() if name not in parents}
    failed = [name for name, action in leaves.items() if action == "fail"]
    if not leaves:
        failed, output = [test], {test: output.get(None, [])}
    return len(leaves) - len(failed), len(failed), said, [(name, output.get(name, [])) for name in failed]


def report(name, result):
    passed, failed, said, differences = result
    print(f"{name}: {passed} passed, {failed} failed{f' ({said})' if said else ''}")
    for case, lines in differences[:SHOWN]:
        text = [line.strip() for line in lines if not line.startswith(("=== ", "--- "))]
        print(f"  {case}\n    " + "\n    ".join(line[:1000] for line in text if line and "--- FAIL" not in line))
    if failed > SHOWN:
        print(f"  … and {failed - SHOWN} more")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--worlds", type=int, default=1000)
    parser.add_argument("--expressions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.randrange(2**31))
    parser.add_argument("--suite", choices=[name for name, _, _ in SUITES])
    args = parser.parse_args()
    module = assemble.assemble()
    print(f"judged by Kubernetes {module.version}, seed {args.seed}")
    faults = 0
    for suite in SUITES:
        name = suite[0]
        if args.suite not in (None, name):
            continue
        sizes = {"worlds": args.worlds, "expressions": args.expressions}
        own = {name: sizes[name]} if name in sizes else {}
        result = run(module, suite, [args.program.resolve()], {"seed": args.seed} | own)
        report(name, result)
        few = {name: min(sizes[name], 100)} if name in sizes else {}
        noticed = run(module, suite, NEGATIVE, {"seed": args.seed} | few)[1]
        print(f'  of a program that says "no fit" and "false" {noticed} fail', flush=True)
        faults += result[1] + (noticed == 0)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
