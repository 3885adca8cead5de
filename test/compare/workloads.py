#!/usr/bin/env python3
"""Compares workloads, secrets and claims for volumes of the in-memory server with a real one.

A round makes random objects on both servers and changes them. Statuses, reasons, causes, warnings and whole objects
must agree. Nothing acts on the objects.
"""
import argparse
import os
import random
import re
import sys

import definitions
from rounds import run_rounds
from workload_draws import GVK, draw_fragment, draw_workload

CHANGES = 3  # of each object
# A real server reports more causes for a change of a PersistentVolumeClaim.
CHANGED = set(GVK) - {"persistentvolumeclaims"}
MERGE = "application/merge-patch+json"
# Values that a message shows as a Go struct, and the difference of two.
STRUCTS = re.compile(r"(Invalid|Unsupported) value: (?:null|[\[{].*[\]}])(?=: |$)|()\n@@(?s:.*)")

OVERLONG = re.compile(r"fractional byte value .*1{30}")


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev compare --workloads", description=__doc__)
    parser.add_argument("--seeds", type=int, default=10, help="rounds (10)")
    parser.add_argument("--first", type=int, default=1, help="the first one (1)")
    parser.add_argument("--count", type=int, default=40, help="objects of a round (40)")
    parser.add_argument("--real", metavar="KUBECONFIG",
                        help="a control plane that runs already; else one is started")
    return parser.parse_args()


def without_structs(answer):
    if answer["body"].get("kind") == "ReplicationController":
        answer["warnings"] = []  # a real server warns about the old object
    # Of amounts beyond the range of a Quantity, as the longest texts are, only a real server warns.
    answer["warnings"] = [one for one in answer["warnings"] if not OVERLONG.search(one)]
    answer["body"].get("metadata", {}).pop("finalizers", None)  # only the real server adds some to PersistentVolumeClaims
    for cause in answer["body"].get("details", {}).get("causes", []):
        cause["message"] = STRUCTS.sub(r"\1 <struct>", cause["message"])
    return answer


class Round(definitions.Round):
    """One seed on both servers."""

    def __init__(self, servers, seed, count):
        super().__init__(servers, seed, count)
        self.draw = random.Random(f"workloads {seed}")
        self.prefix = f"w{seed}-{os.getpid()}"

    def ask(self, *arguments):
        return [without_structs(answer) for answer in super().ask(*arguments)]

    def run(self):
        for number in range(self.count):
            plural = self.draw.choice(list(GVK))
            body = draw_workload(self.draw, plural, f"{self.prefix}-{number}")
            version, kind = body["apiVersion"], body["kind"]
            root = f"/api/{version}" if version == "v1" else f"/apis/{version}"
            path = f"{root}/namespaces/default/{plural}"
            if not self.compare(kind, "POST", path, body):
                continue
            for _ in range(CHANGES if plural in CHANGED else 0):
                self.compare(kind, "PATCH", f"{path}/{body['metadata']['name']}", draw_fragment(self.draw, plural), MERGE)
        return self.differences


def main():
    return run_rounds(parse_arguments(), Round, "workloads", "kind", "refused")


if __name__ == "__main__":
    sys.exit(main())
