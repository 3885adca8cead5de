#!/usr/bin/env python3
"""clang-tidy on the sources of a configured build, in the groups in which the build compiles them.

What has passed is remembered in a folder, and checked again when a source of its group, a header that it includes
directly or indirectly, or the checks change.
"""
import concurrent.futures
import functools
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


@functools.cache
def headers(source):
    """This project's headers that a file includes."""
    named = re.findall(r'^\s*#include "([^"]+)"', source.read_text(), re.M)
    return [ROOT / name for name in named if (ROOT / name).exists()]


def read_files(unit):
    """All files of this project that are read when a translation unit is compiled."""
    found, left = set(), sources(unit)
    while left:
        file = left.pop()
        if file not in found:
            found.add(file)
            left += headers(file)
    return sorted(found)


def main():
    build, passed = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    passed.mkdir(parents=True, exist_ok=True)

    def passes(unit):
        key = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
        for file in read_files(unit):
            key.update(file.read_bytes())
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
