#!/usr/bin/env python3
"""The promises of the record of seeds."""
import unittest

import seeds

LOG = """\
[       OK ] Simulation.seed_11 (0 ms)
[  FAILED  ] Simulation.seed_12 (0 ms)
seed 12: one claim per pod claim: lab/pod-1 c0 has 2
[       OK ] Simulation.seed_13 (0 ms)
[       OK ] Simulation.seed_15 (0 ms)
"""


class SeedsTest(unittest.TestCase):
    def test_run_continues_after_the_last_seed_of_the_file(self):
        self.assertEqual(seeds.next_seed("# first\tlast\n1\t500\tabc\t2026-01-01\t-\n"), 501)

    def test_a_file_without_runs_begins_with_the_first_world(self):
        self.assertEqual(seeds.next_seed("# first\tlast\n"), 1)

    def test_line_names_failures_and_ends_before_the_first_gap(self):
        line = seeds.line_of(11, seeds.verdicts(LOG), "abc", "2026-01-01")
        self.assertEqual(line, "11\t13\tabc\t2026-01-01\t12\n")

    def test_omits_runs_without_a_world(self):
        self.assertIsNone(seeds.line_of(11, seeds.verdicts(""), "abc", "2026-01-01"))


if __name__ == "__main__":
    unittest.main()
