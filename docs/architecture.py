#!/usr/bin/env python3
"""Draws who includes whom, from the sources.

    architecture.py              writes docs/architecture.svg: the folders of ARCHITECTURE.md's table
    architecture.py FOLDER       draws the subfolders and headers of a folder, to standard output
    architecture.py --check      says whether docs/architecture.svg is current, and finds circles within folders

A box is above everything that it includes. Arrows implied by others are left out. Circles are an error.
"""
import html
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs/architecture.svg"
sys.path.append(str(ROOT / "test/lint"))

import lint  # noqa: E402

INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.M)
LETTER, HEIGHT, GAP, LAYER = 7.2, 30, 18, 84


def sources():
    listed = subprocess.run(["git", "ls-files", "*.hpp", "*.cpp"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [path for path in listed.stdout.split()
            if not path.startswith(("test/", "examples/")) and (ROOT / path).exists()]


def room_of(path):
    return lint.folder_of(path)


def idea_in(folder):
    """The subfolder of a path in the folder, or its name without the suffix."""
    def idea(path):
        if not path.startswith(folder + "/"):
            return None
        rest = path[len(folder) + 1:]
        return rest.split("/")[0] + "/" if "/" in rest else rest.rsplit(".", 1)[0]
    return idea


def includes(box_of, suffixes=(".hpp", ".cpp")):
    """For each box, the boxes that it includes."""
    graph = {}
    for path in sources():
        if not path.endswith(suffixes):
            continue
        box = box_of(path)
        if box is None:
            continue
        targets = {box_of(target) for target in INCLUDE.findall((ROOT / path).read_text())}
        graph.setdefault(box, set()).update(targets - {box, None})
    return graph


def layers_of(graph):
    """Boxes by height: each above everything that it includes."""
    height = {}
    while len(height) < len(graph):
        free = [box for box in graph if box not in height and all(target in height for target in graph[box])]
        if not free:
            circle = ", ".join(sorted(set(graph) - set(height)))
            sys.exit(f"architecture.py: these include each other in a circle: {circle}")
        for box in free:
            height[box] = max((height[target] + 1 for target in graph[box]), default=0)
    layers = [[] for _ in range(max(height.values()) + 1)]
    for box in sorted(graph):
        layers[height[box]].append(box)
    return layers


def reachable(graph, box):
    found, left = set(), list(graph[box])
    while left:
        if (target := left.pop()) not in found:
            found.add(target)
            left += graph[target]
    return found


def arrows_of(graph):
    """The includes not implied by others."""
    below = {box: reachable(graph, box) for box in graph}
    return {box: sorted(target for target in graph[box] if not any(target in below[other] for other in graph[box]))
            for box in graph}


def place(layers, arrows):
    """The centre of each box; a box is placed near its targets."""
    width = max(sum(len(box) * LETTER + 20 + GAP for box in layer) for layer in layers) + GAP
    middle = {}
    for number, layer in enumerate(layers):
        def pull(box):
            return (sum(middle[target][0] for target in arrows[box]) / len(arrows[box]) if arrows[box] else 0, box)
        layer.sort(key=pull)
        free = width - sum(len(box) * LETTER + 20 for box in layer)
        x = gap = free / (len(layer) + 1)
        for box in layer:
            size = len(box) * LETTER + 20
            middle[box] = (x + size / 2, (len(layers) - number) * LAYER - LAYER / 2)
            x += size + gap
    return width, middle


def draw(graph):
    layers, arrows = layers_of(graph), arrows_of(graph)
    width, middle = place(layers, arrows)
    height = len(layers) * LAYER
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" font-family="monospace" '
           'font-size="12">', '<rect width="100%" height="100%" fill="#fff"/>',
           '<marker id="a" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
           '<path d="M0 0L8 4L0 8z" fill="#718096"/></marker>']
    for box in sorted(graph):
        x, y = middle[box]
        for target in arrows[box]:
            to_x, to_y = middle[target]
            out.append(f'<path d="M{x:.0f} {y + HEIGHT / 2:.0f}C{x:.0f} {y + LAYER / 2:.0f} {to_x:.0f} '
                       f'{to_y - LAYER / 2:.0f} {to_x:.0f} {to_y - HEIGHT / 2:.0f}" fill="none" stroke="#a0aec0" '
                       'marker-end="url(#a)"/>')
    for box in sorted(graph):
        x, y = middle[box]
        size = len(box) * LETTER + 20
        out.append(f'<rect x="{x - size / 2:.0f}" y="{y - HEIGHT / 2:.0f}" width="{size:.0f}" height="{HEIGHT}" rx="4" '
                   'fill="#ebf8ff" stroke="#2b6cb0"/>')
        out.append(f'<text x="{x:.0f}" y="{y + 4:.0f}" text-anchor="middle" fill="#1a202c">{html.escape(box)}</text>')
    return "\n".join([*out, "</svg>", ""])


def main():
    arguments = sys.argv[1:]
    if arguments and arguments[0] != "--check":
        graph = includes(idea_in(arguments[0].rstrip("/")), ".hpp")
        if not graph:
            sys.exit(f"architecture.py: no headers in {arguments[0]}")
        print(draw(graph), end="")
        return
    for folder in lint.INCLUDES:
        if not folder.startswith("test"):
            layers_of(includes(idea_in(folder), ".hpp"))
    picture = draw(includes(room_of))
    if "--check" not in arguments:
        PICTURE.write_text(picture)
    elif not PICTURE.exists() or PICTURE.read_text() != picture:
        sys.exit("docs/architecture.svg is out of date: run docs/architecture.py")


if __name__ == "__main__":
    main()
