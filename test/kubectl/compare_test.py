"""Shows that the comparison can fail, and what it tolerates."""
import unittest

from compare import compared
from normalise import normalise
from step import Except, Step

LIST = (0, "NAME    AGE\npod-a   3s\n", "")


def step(*excepts):
    return Step("get", "get pods", excepts=excepts)


class Compared(unittest.TestCase):
    def test_equal_values_are_equal(self):
        self.assertEqual(compared(step(), [LIST, LIST]), [])

    def test_output_exit_status_and_errors_count(self):
        for other in ((0, "NAME    AGE\npod-b   3s\n", ""), (1, *LIST[1:]), (*LIST[:2], "no\n")):
            self.assertTrue(compared(step(), [LIST, other]), other)

    def test_the_order_of_lines_counts(self):
        self.assertTrue(compared(step(), [(0, "a\nb\n", ""), (0, "b\na\n", "")]))

    def test_exception_applies_only_to_its_lines(self):
        known = Except("^service/", "no services")
        more = (0, LIST[1] + "service/kubernetes  9d\n", "")
        self.assertEqual(compared(step(known), [LIST, more]), [])
        self.assertTrue(compared(step(known), [LIST, (0, more[1] + "pod-b  1s\n", "")]))

    def test_unneeded_exception_is_a_failure(self):
        self.assertTrue(compared(step(Except("^service/", "no services")), [LIST, LIST]))
        needed, unneeded = Except("^a", "one"), Except("^b", "two")
        self.assertEqual(compared(step(needed, unneeded), [(0, "a\n", ""), (0, "", "")]),
                         ["there is no such difference: two"])

    def test_exception_for_occasional_differences_may_be_unused(self):
        at_times = Except("^service/", "no services", at_times=True)
        self.assertEqual(compared(step(at_times), [LIST, LIST]), [])
        more = (0, LIST[1] + "service/kubernetes  9d\n", "")
        self.assertEqual(compared(step(at_times), [LIST, more]), [])


class Normalised(unittest.TestCase):
    def test_replaces_unique_values_by_a_word(self):
        for text, word in (("uid: 6415327e-290e-49b2-b46e-3c8137ecb33b", "uid: <uid>"),
                           ('resourceVersion: "292"', 'resourceVersion: "<version>"'),
                           ("Resource Version:  292", "Resource Version:  <version>"),
                           ('t: "2026-11-21T17:31:22Z"', 't: "<time>"'),
                           ("pod  1/1  4m30s", "pod  1/1  <age>"), ("a   17s", "a  <age>"),
                           ("    x:  1", "    x:  1")):
            self.assertEqual(normalise(text), [word])

    def test_names_and_numbers_stay(self):
        for text in ("pod-3s", "10.0.0.1", "count: 3", "v1.37.0", "0/1"):
            self.assertEqual(normalise(text), [text])


if __name__ == "__main__":
    unittest.main()
