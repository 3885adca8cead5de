"""The cluster's nodes. They share its processes, its network and the machine's kernel. Each has an address, and folders
of its own where kubelet and containerd look by default."""
import argparse
from typing import NamedTuple

MOST = 9  # two cores carry no more


class Node(NamedTuple):
    index: int

    @property
    def name(self):
        return f"node-{self.index}"

    @property
    def address(self):
        return f"10.200.0.{1 + self.index}"

    @property
    def pods(self):
        return f"10.244.{self.index}.0/24"

    @property
    def bridge(self):
        return f"cni{self.index}"

    def own(self, name):
        """The name of what each node has: `kubelet` of the first, `kubelet-1` of the next."""
        return f"{name}-{self.index}" if self.index else name


FIRST = Node(0)


def owner(name):
    """The node of `kubelet-1`, and what it is there."""
    base, _, index = name.rpartition("-")
    return (Node(int(index)), base) if index.isdecimal() else (FIRST, name)


def count(text):
    """The type of --nodes."""
    if not text.isdecimal() or not 1 <= int(text) <= MOST:
        raise argparse.ArgumentTypeError(f"{text}: expected 1 to {MOST} nodes")
    return int(text)
