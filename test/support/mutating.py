"""Mistakes put into sources on purpose, to see whether the tests find each.

A mutation is a place in a source and what stands there instead; `M` in it is "this mutation is
switched on": a call of dcm_mutant(), which the test program defines. The sources themselves know
nothing of this: a copy of the tree gets all mutations and is built once. A place that is not found,
or found twice, is an error, so that the lists stay true.
"""
import itertools
import pathlib
import re
import subprocess
import sys
import typing

ROOT = pathlib.Path(__file__).resolve().parents[2]
DECLARATION = "bool dcm_mutant(const char* name);\n"


class Mutation(typing.NamedTuple):
    name: str
    what: str
    file: str
    old: str
    new: str


def check(mutations):
    """Exits with the mutations whose place does not exist exactly once."""
    counts = [(each, (ROOT / each.file).read_text().count(each.old)) for each in mutations]
    if problems := [f"{each.name}: its place in {each.file} is there {count} times"
                    for each, count in counts if count != 1]:
        sys.exit("\n".join(problems))


def sources():
    files = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                           check=True, capture_output=True, text=True).stdout.split("\n")
    return {name: (ROOT / name).read_bytes() for name in filter(None, files) if (ROOT / name).is_file()}


def mutated(text, mutation):
    text = text.replace(mutation.old, re.sub(r"\bM\b", f'dcm_mutant("{mutation.name}")', mutation.new))
    if DECLARATION in text:
        return text
    if mutation.file.endswith(".hpp"):
        return text.replace("#pragma once\n", "#pragma once\n" + DECLARATION, 1)
    return DECLARATION + text


def mutate(mutations, copy, edits=()):
    """Updates the copy from the tree and inserts all mutations; `edits`: (file, old, new) for test
    programs."""
    texts = sources()
    for mutation in mutations:
        texts[mutation.file] = mutated(texts[mutation.file].decode(), mutation).encode()
    for name, old, new in edits:
        texts[name] = texts[name].decode().replace(old, new).encode()
    for name, text in texts.items():
        target = copy / name
        # An unchanged file keeps its time, and is not rebuilt.
        if target.is_file() and target.read_bytes() == text:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)
        target.chmod((ROOT / name).stat().st_mode)


def build(copy, preset, *targets):
    if not (copy / "build" / preset / "build.ninja").exists():
        subprocess.run(["cmake", "--preset", preset], cwd=copy, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "--preset", preset, "--target", *targets, "--", "--quiet"], cwd=copy, check=True)


def begin(parser, mutations, copy, targets, edits=()):
    """The arguments and the mutations that they name, once the copy has all mutations and is built."""
    parser.add_argument("names", nargs="*")
    parser.add_argument("--preset", default="release")
    parser.add_argument("--check", action="store_true", help="only whether the place of each is there")
    arguments = parser.parse_args()
    check(mutations)
    if arguments.check:
        sys.exit()
    mutate(mutations, copy, edits)
    build(copy, arguments.preset, *targets)
    return arguments, [each for each in mutations if not arguments.names or each.name in arguments.names]


def tabulate(columns, rows, page):
    """Prints each row of cells as it comes; with a page, writes the table between the marks in it."""
    table = []
    for cells in itertools.chain([columns, ["---"] * len(columns)], rows):
        table.append(f"| {' | '.join(str(cell) for cell in cells)} |")
        print(table[-1], flush=True)
    if page is None:
        return
    start, end = "<!-- mutations -->\n", "<!-- end of mutations -->"
    before, rest = page.read_text().split(start)
    page.write_text(before + start + "\n".join(table) + "\n" + end + rest.split(end)[1])
