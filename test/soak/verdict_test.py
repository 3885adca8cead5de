"""The verdict detects what it must, and nothing else."""
import random
import unittest

import samples
import verdict


REMEMBERED = 60 * 50 * 360    # bytes, of the pods created by run_of()


def run_of(memory, files=lambda part: 30, waiting=lambda part: 0, count=360):
    """A run of half an hour; each curve is a function of time from 0 to 1."""
    noise = random.Random(1)
    return [samples.Sample(seconds=5.0 * i, memory=memory(i / count) * noise.uniform(0.98, 1.02), cpu=0.1 * i,
                           files=files(i / count), waiting=waiting(i / count), objects=100, pods_made=50 * i)
            for i in range(count + 1)]


def verdicts(*arguments, **more):
    return [holds for holds, _ in verdict.judge(run_of(*arguments, **more))]


class Verdict(unittest.TestCase):
    def test_a_flat_curve_is_flat(self):
        self.assertEqual(verdicts(lambda part: 25e6), [True] * 4)

    def test_ignores_the_start(self):
        self.assertEqual(verdicts(lambda part: 10e6 + 15e6 * min(1, 4 * part)), [True] * 4)

    def test_a_spike_does_not_count(self):
        self.assertEqual(verdicts(lambda part: 60e6 if 0.8 < part < 0.85 else 25e6), [True] * 4)

    def test_ignores_remembered_pods(self):
        self.assertEqual(verdicts(lambda part: 20e6 + REMEMBERED * part), [True] * 4)
        self.assertEqual(verdicts(lambda part: 20e6 + 3 * REMEMBERED * part)[0], False)

    def test_ignores_many_connections_at_the_end(self):
        self.assertEqual(verdicts(lambda part: 27e6 if 0.91 < part < 0.97 else 25e6), [True] * 4)

    def test_a_steady_leak_is_found(self):
        self.assertEqual(verdicts(lambda part: 25e6 + (REMEMBERED + 3e6) * part)[0], False)

    def test_a_step_at_the_end_is_found(self):
        self.assertEqual(verdicts(lambda part: 28e6 if part > 0.85 else 25e6)[1], False)

    def test_finds_leaking_open_files(self):
        self.assertEqual(verdicts(lambda part: 25e6, files=lambda part: 30 + 40 * part)[2], False)

    def test_finds_queue_that_is_never_empty(self):
        self.assertEqual(verdicts(lambda part: 25e6, waiting=lambda part: 400)[3], False)

    def test_slope_of_a_line(self):
        self.assertAlmostEqual(verdict.slope([(x, 3 * x + 1) for x in range(20)] + [(20, 1000)]), 3)


class Samples(unittest.TestCase):
    def test_sums_of_series(self):
        text = '# HELP a b\na{x="1"} 2\na{x="2"} 3.5\nb 1e+06\n'
        self.assertEqual(samples.sums_of(text), {"a": 5.5, "b": 1e6})


if __name__ == "__main__":
    unittest.main()
