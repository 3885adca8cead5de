"""What differs between the tracks of two nodes, and which known difference explains it."""
import dataclasses
import difflib
import re

from tracks import is_set

THEN = " → "


@dataclasses.dataclass(frozen=True)
class Difference:
    """Where a track of the real node and one of the hollow node part; empty: the other one has more."""
    scene: str
    track: str
    real: tuple
    hollow: tuple
    place: str = "only"  # in the track: first, between, last

    def __str__(self):
        return "\n".join([f"  {self.track}", f"    real    {THEN.join(self.real) or '-'}",
                          f"    hollow  {THEN.join(self.hollow) or '-'}"])


@dataclasses.dataclass(frozen=True)
class Known:
    """A difference that has a row in node/README.md, by the row's name. The patterns must match the whole."""
    name: str
    track: str
    real: str = ".*"
    hollow: str = ".*"
    scenes: str = ".*"
    place: str = ".*"
    at_times: bool = False  # it need not occur in a run

    def explains(self, difference):
        pairs = ((self.scenes, difference.scene), (self.track, difference.track), (self.place, difference.place),
                 (self.real, THEN.join(difference.real)), (self.hollow, THEN.join(difference.hollow)))
        return all(re.fullmatch(pattern, text, re.S) for pattern, text in pairs)


def differences(scene, real, hollow):
    """Of two sets of tracks, in the order of their names."""
    found = []
    for track in sorted({*real, *hollow}):
        one, other = real.get(track, []), hollow.get(track, [])
        found += of_sets(scene, track, one, other) if is_set(track) else of_sequences(scene, track, one, other)
        if not one and not other and (track in real) != (track in hollow):
            found.append(Difference(scene, track, *(("there",) if track in each else () for each in (real, hollow))))
    return found


def of_sets(scene, track, real, hollow):
    return ([Difference(scene, track, (each,), ()) for each in real if each not in hollow]
            + [Difference(scene, track, (), (each,)) for each in hollow if each not in real])


def of_sequences(scene, track, real, hollow):
    codes = difflib.SequenceMatcher(None, real, hollow, autojunk=False).get_opcodes()
    found = []
    for number, (kind, a, b, c, d) in enumerate(codes):
        if kind != "equal":
            is_first, is_last = number == 0, number == len(codes) - 1
            place = "only" if is_first and is_last else "first" if is_first else "last" if is_last else "between"
            found.append(Difference(scene, track, tuple(real[a:b]), tuple(hollow[c:d]), place))
    return found


def explained(found, known):
    """→ (the known differences that occur, with how often; those that nobody knows)"""
    used, unknown = {}, []
    for difference in found:
        reasons = [each for each in known if each.explains(difference)]
        if not reasons:
            unknown.append(difference)
        for each in reasons[:1]:
            used[each] = used.get(each, 0) + 1
    return used, unknown


def unneeded(used, known):
    """Known differences that have not occurred although they must: the nodes agree by now."""
    return [each for each in known if each not in used and not each.at_times]
