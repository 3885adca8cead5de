#!/usr/bin/env python3
"""A Doxygen filter for our plain comments: a comment before or after a declaration describes it;
the first one of a file describes the file. Links to the repository, which is not there, are
removed."""
import pathlib
import re
import sys

COMMENT = re.compile(r"^(\s*)//(?!/)\s?(.*)$")
BEHIND = re.compile(r"^(.*[;,{(])(\s+)// (.*)$")


def escape(text):
    """What Doxygen would interpret as a command, a link or HTML; not in code."""
    return "`".join(part if number % 2 else re.sub(r"([\\@<>#%])", r"\\\1", part)
                    for number, part in enumerate(text.split("`")))


def main():
    path = pathlib.Path(sys.argv[1])
    if path.suffix == ".md":
        parts = re.split(r"(```.*?```)", path.read_text(), flags=re.S)  # every second one is code
        for number in range(0, len(parts), 2):
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", parts[number])
            # a CMake target, no C++ name
            parts[number] = re.sub(r"`(dcm-kit)::(\w+)`", r"<tt>\1\\::\2</tt>", text)
        print("".join(parts))
        return
    in_first = True
    for number, line in enumerate(path.read_text().splitlines()):
        comment = COMMENT.match(line)
        if number == 0 and comment:
            print("/// @file")
        if comment:
            print(f"{comment[1]}/// {escape(comment[2])}")
        elif behind := BEHIND.match(line):
            print(f"{behind[1]}{behind[2]}///< {escape(behind[3])}")
        else:
            if in_first:
                print()
            print(line)
        in_first = in_first and bool(comment)


main()
