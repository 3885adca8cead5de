#!/usr/bin/env python3
"""The curves of a soak as an SVG: draw.py SAMPLES.csv >PICTURE.svg"""
import math
import pathlib
import sys

import samples
import verdict

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from svg import BLUE, DARK, RED, text  # noqa: E402

WIDTH, HEIGHT, LEFT, RIGHT, TOP = 960, 150, 70, 24, 64


def nice(value):
    """The next round number above."""
    power = 10 ** math.floor(math.log10(value)) if value > 0 else 1
    return next((power * step for step in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if power * step >= value), 1)


def rates(taken):
    """CPU seconds per second, over a minute each, so that clock ticks do not show."""
    step = 12
    return [(b.seconds, (b.cpu - a.cpu) / (b.seconds - a.seconds)) for a, b in zip(taken, taken[step:])]


class Chart:
    """One curve over time, from zero."""

    def __init__(self, title, points, length, y, said):
        self._title, self._points, self._length, self._y, self._said = title, points, length, y, said
        self._highest = nice(max((value for _, value in points), default=1))

    def x_of(self, seconds):
        return LEFT + (WIDTH - LEFT - RIGHT) * seconds / self._length

    def y_of(self, value):
        return self._y + HEIGHT - 30 - (HEIGHT - 60) * value / self._highest

    def parts(self, faults):
        yield text(LEFT, self._y + 20, self._title, 13, DARK, font_weight="bold")
        for part in (0, 0.5, 1):
            level = self.y_of(self._highest * part)
            yield f'<path d="M{LEFT} {level:.1f}H{WIDTH - RIGHT}" stroke="#e2e8f0"/>'
            yield text(LEFT - 6, level + 4, self._said(self._highest * part), 10, text_anchor="end")
        for seconds, _ in faults:
            yield (f'<path d="M{self.x_of(seconds):.1f} {self.y_of(0):.1f}V{self.y_of(self._highest):.1f}" '
                   f'stroke="{RED}" stroke-dasharray="3 3"/>')
        points = " ".join(f"{self.x_of(x):.1f},{self.y_of(y):.1f}" for x, y in self._points)
        yield f'<polyline points="{points}" fill="none" stroke="{BLUE}" stroke-width="1.5"/>'

    def trend(self, begin, end, per_second, middle):
        """A line through the middle of its subject."""
        half = (end - begin) / 2 * per_second
        yield (f'<path d="M{self.x_of(begin):.1f} {self.y_of(middle - half):.1f}L{self.x_of(end):.1f} '
               f'{self.y_of(middle + half):.1f}" stroke="{DARK}" stroke-dasharray="7 4"/>')


def charts(taken):
    length = taken[-1].seconds
    megabytes = lambda value: f"{value:.0f} MB"
    number = lambda value: f"{value:.0f}"
    rows = [("Resident memory", [(s.seconds, s.memory / 1e6) for s in taken], megabytes),
            ("CPU, over a minute each", rates(taken), lambda value: f"{value:.1%}"),
            ("Open files", [(s.seconds, s.files) for s in taken], number),
            ("Items in the queues", [(s.seconds, s.waiting) for s in taken], number),
            ("Objects in the caches", [(s.seconds, s.objects) for s in taken], number)]
    return [Chart(title, points, length, TOP + HEIGHT * row, said) for row, (title, points, said) in enumerate(rows)]


def minutes(chart, length, bottom):
    step = max(1, round(length / 60 / 6))
    for minute in range(0, int(length / 60) + 1, step):
        yield text(chart.x_of(60 * minute), bottom, f"{minute} min", 10, text_anchor="middle")


def picture(taken):
    faults = [(s.seconds, s.fault) for s in taken if s.fault]
    length, all_charts = taken[-1].seconds, charts(taken)
    height = TOP + HEIGHT * len(all_charts) + 24
    made = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif">',
            '<rect width="100%" height="100%" fill="#fff"/>',
            text(LEFT, 26, f"The manager while {taken[-1].pods_made:,.0f} pods with claims come and go", 16, DARK,
                 font_weight="bold"),
            text(LEFT, 46, "red: the API server is killed and started again, or its history compacted; dashed: the "
                           "trend of the last two thirds", 11)]
    for chart in all_charts:
        made.extend(chart.parts(faults))
    worked = verdict.between(taken, 1 / 3, 1)
    memory = sorted(s.memory / 1e6 for s in worked)
    per_second = verdict.slope(verdict.thinned([(s.seconds, s.memory / 1e6) for s in worked]))
    made.extend(all_charts[0].trend(length / 3, length, per_second, memory[len(memory) // 2]))
    made.extend(minutes(all_charts[0], length, height - 14))
    return "\n".join([*made, "</svg>", ""])


if __name__ == "__main__":
    sys.stdout.write(picture(samples.read(sys.argv[1])))
