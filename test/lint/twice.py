"""Facts that are documented twice: one of them will be wrong some day.

A measured figure (a number with a fraction, or in MB; limits are in MiB) and a table (three rows or more that
begin alike) stand on one page; others link to it. Not looked at: code, and pages that are made or that repeat on
purpose: the front page, the history, comparisons, and reports of dated measurements.
"""
import collections
import re

FIGURE = re.compile(r"\b(\d[\d,]*\.\d+ (?:s|ms|minutes|cores|MB|GB|KB|MiB|%)|\d[\d,]* (?:MB|GB))\b")
REPEAT_ON_PURPOSE = {"README.md", "CHANGELOG.md", "docs/reference.md", "docs/benchmarks.md",
                     "docs/compared-with-kube-controller-manager.md"}
ROWS_ALIKE = 3


def is_looked_at(path):
    of_users = path.startswith("docs/") or path.startswith("manifests/") or "/" not in path
    return path.endswith(".md") and of_users and path not in REPEAT_ON_PURPOSE


def without_code(text):
    return re.sub(r"^ *```.*?^ *```", lambda block: "\n" * block[0].count("\n"), text, flags=re.M | re.S)


def figures(text):
    """(line, figure)"""
    for number, line in enumerate(without_code(text).splitlines(), 1):
        for figure in FIGURE.findall(line):
            yield number, figure


def tables(text):
    """(first line, the first cells of its rows)"""
    first, cells = 0, []
    for number, line in enumerate([*without_code(text).splitlines(), ""], 1):
        if line.lstrip().startswith("| "):
            first = first or number
            cells.append(line.lstrip()[2:].partition(" | ")[0].strip())
        elif cells:
            yield first, {cell for cell in cells[2:] if re.search(r"[a-zA-Z]", cell)}
            first, cells = 0, []


def check(pages):
    """Breaches in {path: text}."""
    places = collections.defaultdict(dict)
    seen = []
    for path in filter(is_looked_at, sorted(pages)):
        for number, figure in figures(pages[path]):
            places[figure].setdefault(path, number)
        for number, rows in tables(pages[path]):
            for other, at, known in seen:
                if other != path and len(rows & known) >= ROWS_ALIKE:
                    yield f"{path}:{number}: this table stands at {other}:{at} too; keep one, and link to it"
            seen.append((path, number, rows))
    for figure, pages_of_it in sorted(places.items()):
        (first, _), *others = pages_of_it.items()
        for path, number in others:
            yield f"{path}:{number}: {figure} stands in {first} too; keep one, and link to it"
