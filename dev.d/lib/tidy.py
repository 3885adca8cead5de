#!/usr/bin/env python3
"""clang-tidy on the sources of a configured build, in the groups in which the build compiles them.

What has passed is remembered in a folder, and checked again when a source of its group, any header or the checks change.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUTSIDE = re.compile(r"^(build|test|examples)/")


def sources(unit):
    """The sources that a translation unit has: those that it includes, or itself."""
    grouped = re.findall(r'^#include "(/.*\.cpp)"$', unit.read_text(), re.M) if "/Unity/" in str(unit) else []
    return [pathlib.Path(source) for source in grouped] or [unit]


def is_checked(unit):
    first = sources(unit)[0]
    return first.is_relative_to(ROOT) and not OUTSIDE.match(str(first.relative_to(ROOT)))


def headers():
    files = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.hpp"], cwd=ROOT,
                           capture_output=True, text=True, check=True).stdout.split()
    return hashlib.sha256(b"".join((ROOT / file).read_bytes() for file in [*sorted(files), ".clang-tidy"]))


def main():
    build, passed = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    passed.mkdir(parents=True, exist_ok=True)
    common = headers()

    def passes(unit):
        key = common.copy()
        for source in sources(unit):
            key.update(source.read_bytes())
        note = passed / key.hexdigest()[:40]
        if note.exists():
            return True
        done = subprocess.run(["clang-tidy-19", "--quiet", "-p", build, unit], stderr=subprocess.DEVNULL)
        if done.returncode == 0:
            note.touch()
        return done.returncode == 0

    units = [pathlib.Path(entry["file"]) for entry in json.loads((build / "compile_commands.json").read_text())]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        sys.exit(not all(list(pool.map(passes, filter(is_checked, units)))))


if __name__ == "__main__":
    main()
