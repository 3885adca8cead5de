"""Runs Python's unit tests with output in GoogleTest's format (`./dev test` counts it)."""
import sys
import time
import traceback
import unittest


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


def run_tests(folder, names):
    """Whether all tests of `folder` (those that contain one of `names`, if any) have passed."""
    found = unittest.defaultTestLoader.discover(str(folder), pattern="*_test.py")
    chosen = [test for test in tests_of(found)
              if not names or any(name in full_name(test) for name in names)]
    if not chosen:
        sys.exit("no test has such a name")
    result = Report()
    unittest.TestSuite(chosen).run(result)
    return result.wasSuccessful()
