#!/usr/bin/env python3
"""Goes through new worlds, and keeps in seeds.tsv which were run, at which commit: `./dev sim --go-on`.

Each line is a range of seeds, the commit, the date, and the seeds that failed ("-": none). The next run begins after
the last seed of the file, at whatever commit it is: a world that has passed is not worth a second run, apart from the
first few hundred, which continuous integration runs each time. A seed means nothing without its commit:
`./dev sim --commit COMMIT --seed N` builds that commit and replays it.

    seeds.py next                                     prints the first seed that was not run
    seeds.py record --first N --log FILE              adds a line for what the log of a run says
"""
import argparse
import datetime
import pathlib
import re
import subprocess
import sys

SEEDS = pathlib.Path(__file__).with_name("seeds.tsv")


def ranges(text):
    """The ranges of a file's text, as (first, last)."""
    lines = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return [(int(line[0]), int(line[1])) for line in lines]


def next_seed(text):
    return max((last for _, last in ranges(text)), default=0) + 1


def verdicts(log):
    """The log of a simulation: from seed to whether its world has passed."""
    return {int(seed): verdict == "      OK" for verdict, seed in
            re.findall(r"^\[ ( {6}OK| FAILED ) \] Simulation\.seed_(\d+)", log, re.M)}


def line_of(first, results, commit, date):
    """For the seeds from the first on without a gap: an interrupted run has done some of each half."""
    last = first
    while last in results:
        last += 1
    if last == first:
        return None
    failed = [str(seed) for seed in range(first, last) if not results[seed]]
    return f"{first}\t{last - 1}\t{commit}\t{date}\t{','.join(failed) or '-'}\n"


def commit_of_tree():
    """The commit of the sources, followed by "+" if they differ from it."""
    def git(*command):
        return subprocess.run(["git", *command], cwd=SEEDS.parent, check=True, capture_output=True, text=True).stdout
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ":/", f":!{SEEDS.name}")
    return git("rev-parse", "--short=12", "HEAD").strip() + ("+" if changed else "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["next", "record"])
    parser.add_argument("--first", type=int)
    parser.add_argument("--log", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.what == "next":
        return print(next_seed(SEEDS.read_text()))
    line = line_of(arguments.first, verdicts(arguments.log.read_text()), commit_of_tree(), datetime.date.today())
    if line is None:
        sys.exit("seeds.py: no world was run")
    with SEEDS.open("a") as file:
        file.write(line)
    print(f"{SEEDS.name}: {line}", end="")


if __name__ == "__main__":
    main()
