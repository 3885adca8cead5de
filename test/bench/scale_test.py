"""How figures of clusters of several sizes are shown."""
import unittest
import xml.etree.ElementTree as xml

from scale import Figure, LONGEST, picture, sizes, table


def figures(scale):
    return [Figure("start", "first useful write", "s", 0.2 * scale), Figure("start", "peak memory", "MB", 20.0 * scale),
            Figure("taint", "to the DELETE of the pod", "ms", 3.0), Figure("rule", LONGEST, "ms", 2.0),
            Figure("start", "CPU", "s", 1.0)]


class Shown(unittest.TestCase):
    def test_table_has_a_column_for_each_size(self):
        lines = table({(1000, "ours"): figures(1), (10_000, "ours"): figures(10)}).splitlines()
        self.assertEqual(lines[0].split()[-2:], ["1,000", "10,000"])
        self.assertEqual(lines[2].split(), ["start:", "peak", "memory", "MB", "20", "200"])

    def test_picture_has_a_line_for_each_figure_that_is_drawn(self):
        drawn = xml.fromstring(picture({1000: figures(1), 10_000: figures(10)}))
        lines = drawn.findall("{http://www.w3.org/2000/svg}polyline")
        self.assertEqual(len(lines), 4)
        heights = {tuple(float(point.split(",")[1]) for point in line.get("points").split()) for line in lines}
        grows = [first > last for first, last in heights]
        self.assertEqual(sorted(grows), [False, False, True, True])

    def test_sizes_are_numbers_above_0(self):
        self.assertEqual(sizes("1000,20"), [1000, 20])
        for wrong in ("", "0", "a", "1,,2"):
            with self.assertRaises(ValueError):
                sizes(wrong)


if __name__ == "__main__":
    unittest.main()
