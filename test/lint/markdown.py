#!/usr/bin/env python3
"""Markdown for terminals and diffs: lines of at most 120 columns.

    markdown.py FILE…    wraps the paragraphs of these files that have a longer line

Tables, code blocks, headings and comments stay as they are.
"""
import pathlib
import re
import sys

COLUMNS = 120
ITEM = re.compile(r"^( *)([-*+]|\d+\.) +")
# Words with a special meaning at the beginning of a line.
SPECIAL = re.compile(r"^([-*+#>|=]+|\d+\.)$|^[|>#]")


def prose(text):
    """(number of the first line, its lines) of each paragraph or list item, from 1."""
    block, start, is_code = [], 0, False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        is_fence = line.lstrip().startswith("```")
        plain = not is_code and not is_fence and line.strip() and not re.match(r"^ *(\||#|<!--|!\[|>)", line)
        if block and (not plain or ITEM.match(line)):
            yield start, block
            block = []
        if plain:
            start = start if block else number
            block.append(line)
        is_code ^= is_fence


def too_long(text):
    """Numbers of the lines that should have been wrapped."""
    return [number + offset for number, block in prose(text) for offset, line in enumerate(block)
            if len(line) > COLUMNS and " " in line.strip()]


def wrapped(block):
    item = ITEM.match(block[0])
    first = item[0] if item else re.match(r"^ *", block[0])[0]
    following = " " * len(first)
    words = " ".join([block[0][len(first):], *[line.strip() for line in block[1:]]]).split(" ")
    lines, line = [], first
    for word in filter(None, words):
        is_empty = line in (first, following)
        if not is_empty and len(line) + 1 + len(word) > COLUMNS and not SPECIAL.match(word):
            lines.append(line)
            line, is_empty = following, True
        line += word if is_empty else f" {word}"
    return [*lines, line]


def wrap(text):
    lines = text.splitlines()
    for number, block in reversed(list(prose(text))):
        if any(len(line) > COLUMNS for line in block):
            lines[number - 1:number - 1 + len(block)] = wrapped(block)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        if (new := wrap(path.read_text())) != path.read_text():
            path.write_text(new)
