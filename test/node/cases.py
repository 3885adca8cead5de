#!/usr/bin/env python3
"""cases.py [--write]: compares the table of cases in README.md with the tests: the row of case N lists exactly the tests,
and the steps of compare.py, crash.py and hostile.py, that are marked [N]."""
import collections
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).parent
ROOT = FOLDER.parent.parent
ROW = re.compile(r"^\| (\d+) \| (.*) \| ([^|]*) \|$")
TEST = re.compile(r"^(?:CO_)?TEST(?:_F|_P)?\((\w+), (\w+)\)")
STEP = re.compile(r"^\s*(?:async )?def (?:do_)?(\w+)\(")
COUNT = 85


def shown():
    """The tests of each case."""
    found = collections.defaultdict(list)
    unit = ROOT / "test/unit"
    for path in sorted([*unit.glob("driver_kit/*_test.cpp"), *unit.glob("node/*_test.cpp")]):
        lines = path.read_text().splitlines()
        for at, line in enumerate(lines):
            if match := TEST.match(line):
                near = line + (lines[at - 1] if lines[at - 1].startswith("//") else "")
                note(found, near, ".".join(match.groups()))
    for script in ("compare", "crash", "hostile", "hollow_node_test"):
        path = FOLDER / f"{script}.py"
        for line in path.read_text().splitlines() if path.exists() else []:
            if match := STEP.match(line):
                note(found, line.partition("#")[2], f"{script}.py {match[1]}")
    return found


def note(found, text, name):
    for number in re.findall(r"\[(\d+)\]", text):
        found[int(number)].append(name)


def main():
    found, seen, wrong = shown(), [], []
    lines = (FOLDER / "README.md").read_text().splitlines()
    for at, line in enumerate(lines):
        if not (match := ROW.match(line)):
            continue
        number, tests = int(match[1]), ", ".join(found[int(match[1])]) or "open"
        seen.append(number)
        if match[3] != tests:
            wrong.append(f"test/node/README.md:{at + 1}: case {number}: the tests are: {tests}")
        lines[at] = f"| {match[1]} | {match[2]} | {tests} |"
    if seen != list(range(1, COUNT + 1)):
        sys.exit(f"test/node/README.md: the table must have the cases 1 to {COUNT} in their order")
    if sys.argv[1:] == ["--write"]:
        (FOLDER / "README.md").write_text("\n".join(lines) + "\n")
        print(f"{sum(bool(found[number]) for number in seen)} of {COUNT} cases have a test")
    elif wrong:
        sys.exit("\n".join(wrong) + "\ntest/node/cases.py --write corrects the table")


if __name__ == "__main__":
    main()
