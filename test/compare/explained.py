"""The table of intended differences: what the in-memory server does not do, and why.

Each row is as narrow as it can be: kinds, the place in the object, and which side lacks it.
apiserver/README.md describes the same in prose.
"""
import dataclasses
import enum

ALL = ("Pod", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice", "DeviceClass",
       "DeviceTaintRule", "Node", "Namespace", "Lease", "Event", "ConfigMap")


class Shape(enum.Enum):
    ONLY_REAL = "the real server has it, ours does not"
    ONLY_MEMORY = "ours has it, the real server does not"
    VALUE = "both have it, with other values"

    def holds(self, memory, real, missing):
        if self is Shape.ONLY_REAL:
            return memory == missing
        if self is Shape.ONLY_MEMORY:
            return real == missing
        return missing not in (memory, real)


@dataclasses.dataclass(frozen=True)
class Row:
    kinds: tuple
    path: tuple
    shape: Shape
    why: str


def rows(kinds, shape, why, *paths):
    return [Row(kinds, tuple(path.split("/")), shape, why) for path in paths]


EXPLAINED = [
]
