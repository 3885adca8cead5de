#!/usr/bin/env python3
"""Scenes on a real cluster: run.py [--manager ours|reference|none] [--node real|hollow] [--keep] [PART-OF-A-NAME…].

With a hollow node, dra-hollow-node is in the place of kubelet and containerd.
`none` is the negative control: nobody creates claims or evicts, and a scene that passes anyway proves nothing.
Exit status 3: this machine cannot have a real node."""
import argparse
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
sys.dont_write_bytecode = True

from report import Report, full_name, tests_of  # noqa: E402
from world import NONE, Cluster, World, cluster_name, life  # noqa: E402


class Reversed(Report):
    """A scene that passes without a manager has failed."""

    def stopTest(self, test):
        passed = "OK" in self.verdict
        self.verdict = "  FAILED  " if passed else "       OK "
        if passed:
            print("passes although no controller runs")
            self.failures.append((test, ""))
        else:
            self.errors, self.failures = [], [each for each in self.failures if each[1] == ""]
        super().stopTest(test)


def chosen(names):
    found = unittest.defaultTestLoader.discover(str(HERE), pattern="*_test.py")
    scenes = [test for test in tests_of(found) if not names or any(name in full_name(test) for name in names)]
    if not scenes:
        sys.exit("no scene has such a name")
    return scenes


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manager", choices=("ours", "reference", "none"), default="ours")
    parser.add_argument("--node", choices=("real", "hollow"), default="real")
    parser.add_argument("--keep", action="store_true", help="leave the cluster up")
    parser.add_argument("--name", type=cluster_name, default="e2e",
                        help="of the cluster: runs at the same time need different ones")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    life.exit_on_signals()
    scenes = chosen(arguments.names)
    World.cluster = Cluster(arguments.name)
    if lacks := life.missing(World.cluster.folder.parent):
        print(f"e2e: {lacks}")
        sys.exit(3)
    result = Reversed() if arguments.manager == NONE else Report()
    try:
        World.up(arguments.manager, arguments.node)
        unittest.TestSuite(scenes).run(result)
    finally:
        if not arguments.keep:
            World.down()
    sys.exit(0 if result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
