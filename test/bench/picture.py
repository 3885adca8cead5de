#!/usr/bin/env python3
"""The figures of benchmarks as bars: picture.py FIGURES.json… >PICTURE.svg

A file has one JSON object a line. The benchmarks write one for each figure, `./dev bench --picture` one before them:

    {"date": "2026-11-23", "commit": "453154e", "cores": 4}
    {"of": "claims for 5000 waiting pods", "what": "CPU per 1,000", "unit": "s", "figures": {"ours": 0.23, "reference": 1.5}}

Bars of one figure are as long as their parts of the reference's. Without a reference, that is the build before.
"""
import html
import json
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from svg import BLUE, DARK, GREY, text  # noqa: E402

WIDTH, MARGIN, GAP = 880, 28, 16
BAR, PITCH = 10, 13             # the height of a bar, and the distance to the next
HEAD, SECTION, ROW = 88, 38, 8  # heights: above everything, of a heading, between figures
LETTER = 5.9                    # the maximum and average width of a character, at the size of labels
LONGEST = 2                     # times the reference; a longer bar ends in an arrow
PAPER, LINE, PALE, SILVER = "#ffffff", "#e2e8f0", "#90b8e0", "#b8c2cf"
# The owners of figures, from top to bottom.
WHO = {"ours": ("dra-controller-manager", BLUE), "before": ("dra-controller-manager, before", PALE),
       "reference": ("kube-controller-manager", SILVER)}
# In dark mode, instead of the colours above.
AT_NIGHT = {PAPER: "#0d1117", LINE: "#30363d", DARK: "#e6edf3", GREY: "#9da7b3", BLUE: "#4c9aff", PALE: "#2f5d94",
            SILVER: "#5b6673"}


def read(paths):
    """(the statement about the run, the figures)"""
    about, rows = {}, []
    for path in paths:
        for line in pathlib.Path(path).read_text().splitlines():
            entry = json.loads(line)
            if "figures" in entry:
                rows.append(entry)
            else:
                about.update(entry)
    return about, rows


def number(value):
    """Formatted for people."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def title(words):
    """Capitalized, with commas in long numbers."""
    words = re.sub(r"\d{4,}", lambda digits: f"{int(digits[0]):,}", words)
    return words[:1].upper() + words[1:]


def measure_of(figures):
    """The owner of the figure that counts as 100 %, if there is one."""
    who = next((who for who in ("reference", "before") if who in figures), None)
    return who if figures.get(who, 0) > 0 else None


def bars(row):
    """[(owner, length relative to the measure, the figure and its share as written)]"""
    figures, measure = row["figures"], measure_of(row["figures"])
    whole = figures[measure] if measure else max(figures.values())
    for who in WHO:
        if who not in figures:
            continue
        length = figures[who] / whole if whole > 0 else 0
        written = f"{number(figures[who])} {row['unit']}".strip()
        share = f"{100 * length:.2g} %" if length < 0.01 else f"{100 * length:,.0f} %"
        yield who, length, written, share if measure not in (None, who) and length > 0 else ""


class Columns:
    """Where labels end, and how long a bar is, so that all have room."""

    def __init__(self, rows):
        drawn = [bar for row in rows for bar in bars(row)]
        self._zero = MARGIN + LETTER * max(len(row["what"]) for row in rows) + GAP
        written = LETTER * max(len(f"{value}  {share}") for _, _, value, share in drawn) + GAP
        longest = min(LONGEST, max(1, *(length for _, length, _, _ in drawn)))
        self._one = (WIDTH - MARGIN - written - self._zero) / longest

    def label(self, y, words):
        return text(self._zero - GAP, y, title(words), 11.5, DARK, text_anchor="end")

    def bar(self, y, who, length, value, share):
        end, half = self._zero + self._one * min(length, LONGEST), BAR / 2
        if length > 0:
            tip = f"l{half} {half}l-{half} {half}" if length > LONGEST else f"v{BAR}"
            yield f'<path d="M{self._zero:.1f} {y}H{end:.1f}{tip}H{self._zero:.1f}z" fill="{WHO[who][1]}"/>'
        colour = BLUE if who == "ours" else GREY
        bold = f'<tspan dx="7" fill="{colour}" font-weight="bold">{share}</tspan>' if share else ""
        yield (f'<text x="{end + half + 3:.1f}" y="{y + BAR - 1}" font-size="10.5" fill="{GREY}">{html.escape(value)}{bold}'
               '</text>')


def legend(rows):
    x = MARGIN
    for who, (name, colour) in WHO.items():
        if any(who in row["figures"] for row in rows):
            yield f'<rect x="{x:.0f}" y="{HEAD - 25}" width="11" height="11" fill="{colour}"/>'
            yield text(x + 17, HEAD - 15, name, 12, DARK)
            x += 17 + 6.3 * len(name) + 22


def said_of(about, rows):
    names = {"date": "{}", "commit": "commit {}", "cores": "{} cores"}
    said = ", ".join(words.format(about[name]) for name, words in names.items() if about.get(name))
    whole = "kube-controller-manager is 100 %" if any("reference" in row["figures"] for row in rows) else ""
    return "; ".join(filter(None, [said, "shorter is better", whole]))


def night():
    colours = "".join(f'[fill="{day}"]{{fill:{dark}}}[stroke="{day}"]{{stroke:{dark}}}' for day, dark in AT_NIGHT.items())
    return f"<style>@media(prefers-color-scheme:dark){{{colours}}}</style>"


def picture(about, rows):
    columns, y, heading, body = Columns(rows), HEAD, None, []
    for row in rows:
        if row["of"] != heading:
            heading = row["of"]
            body += [f'<path d="M{MARGIN} {y + 4}H{WIDTH - MARGIN}" stroke="{LINE}"/>',
                     text(MARGIN, y + 25, title(heading), 13, DARK, font_weight="bold")]
            y += SECTION
        drawn = list(bars(row))
        body.append(columns.label(y + PITCH * len(drawn) / 2 + 3, row["what"]))
        for bar in drawn:
            body.extend(columns.bar(y, *bar))
            y += PITCH
        y += ROW
    height = y + 10
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'font-family="-apple-system,Segoe UI,Helvetica,Arial,sans-serif">',
        night(),
        f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="6" fill="{PAPER}" stroke="{LINE}"/>',
        text(MARGIN, 31, "What the controllers cost", 17, DARK, font_weight="bold"),
        text(MARGIN, 50, said_of(about, rows), 11.5), *legend(rows), *body, "</svg>", ""])


if __name__ == "__main__":
    about_the_run, figures_of_it = read(sys.argv[1:])
    if not figures_of_it:
        sys.exit("picture.py: no figures")
    sys.stdout.write(picture(about_the_run, figures_of_it))
