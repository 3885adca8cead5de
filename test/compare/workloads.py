#!/usr/bin/env python3
"""Compares workloads, secrets and claims for volumes of the in-memory server with a real one.

A round makes random objects on both servers and changes them. Statuses, reasons, messages, causes, warnings and
whole objects with their managed fields must agree. Nothing acts on the objects.
"""
import os
import re
import sys

import definitions
import rounds
from draws import MERGE
from workload_draws import KINDS, draw_fragment, draw_workload

CHANGES = 3  # of each object
# A real server reports more causes for a change of a PersistentVolumeClaim.
CHANGED = set(KINDS) - {"persistentvolumeclaims"}
# Values that a message shows as a Go struct, and the difference of two.
STRUCTS = re.compile(r"(Invalid|Unsupported) value: (?:null|[\[{].*[\]}])(?=: |$)|()\n@@(?s:.*)")
OVERLONG = re.compile(r"fractional byte value .*1{30}")


def comparable_workload(answer):
    if answer["body"].get("kind") == "ReplicationController":
        answer["warnings"] = []  # a real server warns about the old object
    # Of amounts beyond the range of a Quantity, as the longest texts are, only a real server warns.
    answer["warnings"] = [one for one in answer["warnings"] if not OVERLONG.search(one)]
    answer["body"].get("metadata", {}).pop("finalizers", None)  # only the real server adds some to PersistentVolumeClaims
    for cause in answer["body"].get("details", {}).get("causes", []):
        cause["message"] = STRUCTS.sub(r"\1 <struct>", cause["message"])
    return answer


class Round(rounds.Round):
    name, subject = "workloads", "kind"

    @staticmethod
    def answer_of(*answer):
        return comparable_workload(definitions.answer_of(*answer))

    def run(self):
        for number in range(self.count):
            plural = self.draw.choice(list(KINDS))
            body = draw_workload(self.draw, plural, f"w{self.seed}-{os.getpid()}-{number}")
            version, kind = body["apiVersion"], body["kind"]
            root = f"/api/{version}" if version == "v1" else f"/apis/{version}"
            path = f"{root}/namespaces/default/{plural}"
            if not self.compare(kind, "POST", path, body):
                continue
            for _ in range(CHANGES if plural in CHANGED else 0):
                self.compare(kind, "PATCH", f"{path}/{body['metadata']['name']}", draw_fragment(self.draw, plural), MERGE)


def main():
    return rounds.run_rounds(rounds.parse_arguments("workloads", __doc__, 40, "objects"), Round)


if __name__ == "__main__":
    sys.exit(main())
