#!/usr/bin/env python3
"""Runs the tests of this folder, and says so in GoogleTest's words (`./dev test` counts those).

    run.py [--cluster NAME] [PART-OF-A-NAME…]

Every `*_test.py` beside it is taken, in one process: they share one control plane, started by the first
test that asks for it and stopped at the end. `--cluster` uses one that runs already, and leaves it there.
"""
import argparse
import pathlib
import sys
import time
import traceback
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import cluster  # noqa: E402


def full_name(test):
    suite = type(test).__name__
    return f"{suite}.{test.id().rsplit('.', 1)[1].removeprefix('test_')}"


class Report(unittest.TestResult):
    """One line when a test begins, one when it ends."""

    def startTest(self, test):
        super().startTest(test)
        self.started = time.monotonic()
        self.verdict = "       OK "
        print(f"[ RUN      ] {full_name(test)}", flush=True)

    def failed(self, error):
        self.verdict = "  FAILED  "
        traceback.print_exception(*error, file=sys.stdout)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.failed(err)

    def addError(self, test, err):
        super().addError(test, err)
        self.failed(err)
        if not hasattr(test, "_testMethodName"):  # a fixture of a module or class
            print(f"[  FAILED  ] {test} (0 ms)", flush=True)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            print(f"in {subtest}")
            self.failed(err)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.verdict = "  SKIPPED "
        print(reason)
        if not hasattr(test, "_testMethodName"):
            print(f"[  SKIPPED ] {test} (0 ms)", flush=True)

    def stopTest(self, test):
        super().stopTest(test)
        milliseconds = int((time.monotonic() - self.started) * 1000)
        print(f"[{self.verdict}] {full_name(test)} ({milliseconds} ms)", flush=True)


def tests_of(suite):
    for entry in suite:
        if isinstance(entry, unittest.TestSuite):
            yield from tests_of(entry)
        else:
            yield entry


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cluster", help="name of a running control plane to use")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    cluster.use(arguments.cluster)
    found = unittest.defaultTestLoader.discover(str(HERE), pattern="*_test.py")
    chosen = [test for test in tests_of(found)
              if not arguments.names or any(name in full_name(test) for name in arguments.names)]
    if not chosen:
        sys.exit("no test has such a name")
    result = Report()
    try:
        unittest.TestSuite(chosen).run(result)
    finally:
        cluster.stop()
    sys.exit(0 if result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
