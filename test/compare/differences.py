"""Where two normalised transcripts differ."""
import dataclasses

from explained import EXPLAINED
from kinds import BY_PLURAL

MISSING = "–"


@dataclasses.dataclass(frozen=True)
class Difference:
    step: int
    path: tuple  # of keys and indexes, below the entry: ("body", "metadata", "labels")
    memory: object
    real: object


def differences(memory, real):
    """Entry by entry; both transcripts are of the same steps."""
    found = []
    for ours, theirs in zip(memory, real, strict=True):
        found += [Difference(ours["step"], *rest) for rest in compare(ours, theirs, ())]
    return found


def compare(ours, theirs, path):
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted(ours.keys() | theirs.keys()):
            yield from compare(ours.get(key, MISSING), theirs.get(key, MISSING), path + (key,))
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for index, (left, right) in enumerate(zip(ours, theirs)):
            yield from compare(left, right, path + (index,))
    elif ours != theirs or isinstance(ours, bool) != isinstance(theirs, bool):
        yield path, ours, theirs


def split(found, steps):
    """→ (unexplained, {row of EXPLAINED: how often})"""
    by_id = {step["id"]: step for step in steps}
    unexplained, used = [], {}
    for difference in found:
        row = explanation(difference, by_id[difference.step])
        if row is None:
            unexplained.append(difference)
        else:
            used[row] = used.get(row, 0) + 1
    return unexplained, used


def explanation(difference, step, table=tuple(EXPLAINED)):
    kind = BY_PLURAL[step["kind"]].kind if step["kind"] in BY_PLURAL else ""
    path = within_object(difference.path)
    for row in table:
        if kind in row.kinds and matches(path, row.path) and \
                row.shape.holds(difference.memory, difference.real, MISSING):
            return row
    return None


def within_object(path):
    """A path below an object, whether it is an answer, an item of a list or in an event."""
    if path[:2] == ("body", "items"):
        return path[3:]
    if path[:1] == ("events",):
        return path[3:]
    return path[1:] if path[:1] == ("body",) else path


def matches(path, pattern):
    """Part by part; `*` matches any one, a trailing `**` any number."""
    if pattern and pattern[-1] == "**":
        path, pattern = path[:len(pattern) - 1], pattern[:-1]
    return len(path) == len(pattern) and all(
        wanted in ("*", part) or (wanted.endswith("*") and str(part).startswith(wanted[:-1]))
        for part, wanted in zip(path, pattern))
