"""How figures are drawn: bars in proportion, whatever is missing, zero, or far too long."""
import re
import tempfile
import unittest
import xml.etree.ElementTree as xml

import picture

SVG = "{http://www.w3.org/2000/svg}"


def row(of="claims", what="CPU", unit="s", **figures):
    return {"of": of, "what": what, "unit": unit, "figures": figures}


def drawn(*rows, **about):
    return xml.fromstring(picture.picture(about, rows))


def lengths(svg):
    """Of all bars, from top to bottom."""
    ends = [re.match(r"M([\d.]+) \d+H([\d.]+)", path.get("d")) for path in svg.iter(f"{SVG}path") if path.get("fill")]
    return [float(end[2]) - float(end[1]) for end in ends]


def words(svg):
    return ["  ".join(text.itertext()) for text in svg.iter(f"{SVG}text")]


class Bars(unittest.TestCase):
    def test_are_proportional_to_the_reference(self):
        first, before, reference = lengths(drawn(row(ours=1, before=2, reference=4)))
        self.assertAlmostEqual(first / reference, 0.25, places=2)
        self.assertAlmostEqual(before / reference, 0.5, places=2)

    def test_of_all_figures_have_one_scale(self):
        _, one, _, other = lengths(drawn(row(ours=1, reference=4), row(ours=300, reference=200)))
        self.assertEqual(one, other)

    def test_stay_in_the_picture_and_end_in_an_arrow_if_far_too_long(self):
        svg = drawn(row(ours=1000, reference=1), row(what="a label that takes much of the width of the picture", ours=1))
        self.assertEqual(len([path for path in svg.iter(f"{SVG}path") if "l-" in path.get("d")]), 1)
        self.assertLess(max(lengths(svg)), picture.WIDTH)
        self.assertIn("1,000 s  100,000 %", words(svg))

    def test_bars_of_zero_are_omitted_but_their_figures_shown(self):
        svg = drawn(row(unit="", ours=0, reference=19551))
        self.assertEqual(len(lengths(svg)), 1)
        self.assertIn("0", words(svg))
        self.assertIn("19,551", words(svg))


class Missing(unittest.TestCase):
    def heights(self, *rows):
        return float(drawn(*rows).get("height"))

    def test_figures_leave_no_gap(self):
        alone, two, three = (self.heights(row(**figures)) for figures in (
            {"ours": 1}, {"ours": 1, "reference": 2}, {"ours": 1, "before": 2, "reference": 2}))
        self.assertEqual((two - alone, three - two), (picture.PITCH, picture.PITCH))

    def test_names_are_not_in_the_legend(self):
        said = words(drawn(row(ours=1, before=2)))
        self.assertIn("dra-controller-manager, before", said)
        self.assertNotIn("kube-controller-manager", " ".join(said))

    def test_previous_build_is_100_percent_without_reference(self):
        self.assertIn("1 s  50 %", words(drawn(row(ours=1, before=2))))

    def test_a_reference_of_zero_leaves_figures_without_percentages(self):
        svg = drawn(row(ours=3, reference=0))
        self.assertIn("3 s", words(svg))
        self.assertEqual(len(lengths(svg)), 1)
        self.assertEqual(lengths(drawn(row(ours=0, reference=0))), [])

    def test_omits_unknown_facts_of_the_run(self):
        self.assertIn("2026-11-23, 4 cores; shorter is better", words(drawn(row(ours=1), date="2026-11-23", cores=4)))


class Words(unittest.TestCase):
    def test_are_escaped(self):
        svg = drawn(row(of="<of> & ", what="<what>", unit="<unit>", ours=1, reference=2), commit="<commit>")
        for word in ("<of> & ", "<what>", "1 <unit>  50 %"):
            self.assertIn(word, words(svg))

    def test_prints_each_heading_once_with_readable_numbers(self):
        said = words(drawn(*[row(of="claims for 5000 pods", ours=1)] * 2))
        self.assertEqual(said.count("Claims for 5,000 pods"), 1)

    def test_numbers_are_short(self):
        self.assertEqual([picture.number(n) for n in (0, 0.0574, 1.5, 12.36, 999.9, 8201.4)],
                         ["0", "0.0574", "1.5", "12.4", "1,000", "8,201"])

    def test_each_colour_has_a_dark_variant(self):
        text = picture.picture({}, [row(ours=1, before=2, reference=2)])
        self.assertEqual(set(re.findall(r'(?:fill|stroke)="(#\w+)"(?!\])', text)), set(picture.AT_NIGHT))


class Files(unittest.TestCase):
    def test_merges_several_into_one_picture(self):
        with tempfile.NamedTemporaryFile("w") as one, tempfile.NamedTemporaryFile("w") as other:
            one.write('{"date": "2026-11-23"}\n{"of": "a", "what": "b", "unit": "", "figures": {"ours": 1}}\n')
            other.write('{"of": "c", "what": "d", "unit": "", "figures": {"ours": 2.3E-1}}\n')
            one.flush()
            other.flush()
            about, rows = picture.read([one.name, other.name])
        self.assertEqual((about, [row["of"] for row in rows]), ({"date": "2026-11-23"}, ["a", "c"]))


if __name__ == "__main__":
    unittest.main()
