#!/usr/bin/env python3
"""Checks unit-tests.md: every row of the reference's tables is there, and every test of ours that it
names exists, with the quoted sentence."""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "test/upstream/unit-tests.md"
PINS = ROOT / "test/controlplane/v1.37"
THEIRS = {"resourceclaim": "controller_test.go", "devicetainteviction": "device_taint_eviction_test.go"}
ROW = re.compile(r'\t\t\t(?:\{)?name: +"([^"]+)"|\t\t"([^"]+)": +\{|\ttCtx\.SyncTest\("([^"]+)"')


def page_rows(text):
    """(section, their row, ours) of each row."""
    rows, section = [], None
    for line in text.splitlines():
        if line.startswith("## "):
            section = line[3:]
        cells = re.match(r"\| `([^`]+)` \| (.+) \|$", line)
        if cells:
            rows.append((section, cells[1], cells[2]))
    return rows


def our_tests(sources):
    """The text after the beginning of each test, up to the next one; adjacent literals are joined."""
    tests = {}
    for source in sources:
        pieces = re.split(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", source, flags=re.M)
        for suite, name, body in zip(pieces[1::3], pieces[2::3], pieces[3::3]):
            tests[f"{suite}.{name}"] = re.sub(r'"\s*\n\s*"', "", body)
    return tests


def faults_of_ours(ours, tests):
    """The error of one cell."""
    named = None
    if not ours.startswith("None: ") and not re.search(r"`\w+\.\w+`", ours):
        yield "names no test and no reason"
    for test, quoted in re.findall(r'`(\w+\.\w+)`|"([^"]+)"', ours):
        if test:
            named = test
            if test not in tests:
                yield f"there is no {test} in test/unit"
        elif f'"{quoted}"' not in tests.get(named, ""):
            yield f'{named} has no row "{quoted}"'


def their_rows(package, source):
    """(section, row) of the tables of a test file; a test without a table is a row itself."""
    pieces = re.split(r"^func (?:sync)?[tT]est(\w+)\(", source, flags=re.M)
    tests = {}
    for name, body in zip(pieces[1::2], pieces[2::2]):
        rows = tests.setdefault(name, [])
        rows += [next(filter(None, groups)) for groups in ROW.findall(body)]
    ours = re.findall(r"^func Test(\w+)\(t \*testing\.T\)", source, flags=re.M)
    return {(f"{package}: Test{name}", row) for name in ours for row in tests[name] or [f"Test{name}"]}


def kubernetes():
    """The folder of the Go module, or none if it is not in the module cache."""
    try:
        found = subprocess.run(["go", "list", "-mod=readonly", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes"],
                               cwd=PINS, env=os.environ | {"GOPROXY": "off", "GOWORK": "off", "GOTOOLCHAIN": "local"},
                               capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
    return pathlib.Path(found) if found else None


def main():
    rows = page_rows(PAGE.read_text())
    tests = our_tests(path.read_text() for path in (ROOT / "test/unit").rglob("*_test.cpp"))
    faults = [f"{section}, {row}: {fault}" for section, row, ours in rows for fault in faults_of_ours(ours, tests)]
    folder = kubernetes()
    if folder:
        theirs = set()
        for package, file in THEIRS.items():
            theirs |= their_rows(package, (folder / "pkg/controller" / package / file).read_text())
        listed = {(section, row) for section, row, _ in rows}
        faults += [f"{section}, {row}: is not in the page" for section, row in sorted(theirs - listed)]
        faults += [f"{section}, {row}: is not theirs" for section, row in sorted(listed - theirs)]
    else:
        print("upstream rows: not compared with Kubernetes, whose Go module is not in the cache")
    for fault in faults:
        print(f"{PAGE.relative_to(ROOT)}: {fault}")
    print(f"upstream rows: {len(rows)}, {len(faults)} faults")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
