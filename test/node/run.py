#!/usr/bin/env python3
"""Runs the tests of this folder that are written with unittest: run.py [PART-OF-A-NAME…]. Needs a release build, the
programs in build/node and the example driver's examples (./dev node)."""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

from report import run_tests  # noqa: E402

if __name__ == "__main__":
    sys.exit(0 if run_tests(HERE, sys.argv[1:]) else 1)
