#!/usr/bin/env python3
"""Runs the tests of this folder, with output in GoogleTest's format (`./dev test` counts it).

    run.py [--cluster NAME] [PART-OF-A-NAME…]

Every `*_test.py` beside it is taken, in one process: they share one control plane, started by the first
test that asks for it and stopped at the end. `--cluster` uses one that runs already, and leaves it there.
"""
import argparse
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import cluster  # noqa: E402
from report import run_tests  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cluster", help="name of a running control plane to use")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    cluster.use(arguments.cluster)
    try:
        passed = run_tests(HERE, arguments.names)
    finally:
        cluster.stop()
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
