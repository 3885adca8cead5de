#!/usr/bin/env python3
"""Gives the same scenes to the playground's small scheduler and to kube-scheduler.

    compare.py --playground DRA-PLAYGROUND --kube-scheduler KUBE-SCHEDULER [--seeds N] [--first N]

Each scheduler has a playground of its own. Pods come one after the other. For each, the small
scheduler must do one of these: place it as kube-scheduler does, with the same allocations of its
claims; refuse it by the name of a field that the scene has; or find no place where kube-scheduler
finds none. Anything else is a difference: exit status 1.

What a pod gets depends on what a scheduler has seen when it decides. So kube-scheduler starts anew
in each scene, when classes, slices and rules are there; and after each removal both schedulers must
show that they have seen it before the next pod comes.
"""
import argparse
import collections
import itertools
import json
import pathlib
import re
import sys
import tempfile
import time

import scenes
import wishes
from playgrounds import (Server, allocations, be_ready, extended_claim, has_caught_up, is_decided, misplace,
                         path, refusal, remove_claim, remove_extended, remove_pod, running, taint_node, touch_nodes, until,
                         verdict)
from published import published_scenes

NAMED = re.compile(r"does not know (.*)")
NUDGE_AFTER = 15.0


class Comparison:
    """Counts the actions of both, and describes differences."""

    def __init__(self, ours, theirs, kube_scheduler):
        self.ours, self.theirs, self.kube_scheduler = ours, theirs, kube_scheduler
        self.numbers = itertools.count()
        self.counts = collections.Counter()
        self.refused = collections.Counter()
        self.differences = []

    def both(self, action, *things):
        return [action(server, *things) for server in (self.ours, self.theirs)]

    def create(self, scene, thing):
        for status, body in self.both(Server.create, thing):
            if status != 201:
                raise SystemExit(f"{scene.name}: {body.get('message')}")

    def run(self, scene):
        things = [*scene.classes, *scene.slices, *scene.rules]
        self.both(Server.create, {"apiVersion": "v1", "kind": "Namespace", "metadata": {
            "name": scene.name, "labels": {"resource.kubernetes.io/admin-access": "true"}}})
        for node, taints in scene.node_taints.items():
            self.both(taint_node, node, taints)
        for thing in things:
            self.create(scene, thing)
        with running(self.kube_scheduler, self.theirs):
            placed, claims = self.place_all(scene)
        for node in scene.node_taints:
            self.both(taint_node, node, None)
        for pod in placed:
            self.both(remove_extended, pod)
            self.both(remove_pod, pod)
        for claim in claims:
            self.both(remove_claim, claim)
        for thing in things:
            self.both(lambda server, one: server.send("DELETE", path(one)), thing)

    def place_all(self, scene):
        """The pods that both have placed alike, and their claims."""
        placed, claims = [], []
        for pod, made, used in scene.pods:
            if any(claim not in claims and claim not in made for claim in used):
                continue  # it shares a claim that is gone
            if self.place(scene, pod, made, used):
                placed.append(pod)
                claims += made
            else:
                self.catch_up(scene)
        return placed, claims

    def catch_up(self, scene):
        """Until both have seen all changes of pods and claims: watches preserve the order of each
        kind."""
        number = next(self.numbers)
        claim, pod = wishes.impossible(scene.name, f"last-{number}")
        self.create(scene, claim)
        self.create(scene, pod)
        if not until(lambda: all(self.both(has_caught_up, pod, claim))):
            self.differ(scene, pod, "a scheduler does not refuse it")
        self.both(remove_pod, pod)
        self.both(remove_claim, claim)

    def place(self, scene, pod, made, used):
        """Whether both have placed it alike; if not, it is deleted from both."""
        for claim in made:
            self.create(scene, claim)
            self.both(misplace, scene, claim)
        self.create(scene, pod)
        outcome, why = self.judge(scene, pod, used)
        if scene.placed is not None and (outcome == "equal") != (pod["metadata"]["name"] in scene.placed):
            outcome, why = "different", f"the scene is not as it says: {outcome} {why} {verdict(self.theirs, pod)}"
        self.counts[outcome] += 1
        if outcome == "different":
            self.differ(scene, pod, why)
        if outcome == "equal":
            return True
        self.both(remove_extended, pod)
        self.both(remove_pod, pod)
        for claim in made:
            self.both(remove_claim, claim)
        return False

    def differ(self, scene, pod, why):
        self.differences.append(f"{scene.name}, {pod['metadata']['name']}: {why}")
        print(self.differences[-1], flush=True)

    def judge(self, scene, pod, used):
        until(lambda: self.both(be_ready, pod, used) and is_decided(self.ours, pod))
        node, message = verdict(self.ours, pod)
        names = NAMED.search(message)
        if names:
            fields = {field for field in scene.fields if field and field in names.group(1)}
            for field in fields:
                self.refused[field] += 1
            # It must not be removed while kube-scheduler is writing.
            until(lambda: be_ready(self.theirs, pod, used) or is_decided(self.theirs, pod))
            return ("refused", "") if fields else ("different", f"refused by a strange name: {message}")
        if not until(lambda: self.is_alike(pod, used), NUDGE_AFTER):
            # kube-scheduler can miss that it has itself deallocated a claim; a changed node wakes it.
            touch_nodes(self.theirs)
            until(lambda: self.is_alike(pod, used))
        (node, why), (their_node, their_why) = self.both(refusal, pod)
        if bool(node) != bool(their_node):
            return "different", f"{node or why} here, {their_node or their_why} there"
        if not node:
            return ("nowhere", "") if why == their_why else ("different", f"{why} here, {their_why} there")
        given, theirs = self.both(self.given, pod, used)
        if (node, given) == (their_node, theirs):
            return "equal", ""
        return "different", f"{node} {json.dumps(given)} here, {their_node} {json.dumps(theirs)} there"

    def is_alike(self, pod, used):
        """Whether both have reached the same result: a place, or the same words."""
        self.both(be_ready, pod, used)
        ours, theirs = self.both(verdict, pod)
        return bool(ours[0]) == bool(theirs[0]) and ours[1] == theirs[1] and all(self.both(is_decided, pod))

    @staticmethod
    def given(server, pod, used):
        """What the pod got: allocations, and everything about its extended resources."""
        claim, facts = extended_claim(server, pod)
        return allocations(server, used + ([claim] if claim else [])), facts


def run_scene(comparison, scene):
    known, began = len(comparison.differences), time.monotonic()
    comparison.run(scene)
    took = int(1000 * (time.monotonic() - began))
    word = "[       OK ]" if len(comparison.differences) == known else "[  FAILED  ]"
    print(f"{word} placements.{scene.name} ({took} ms)", flush=True)


def report(comparison):
    counts = comparison.counts
    print(f"{sum(counts.values())} pods: {counts['equal']} placed alike, {counts['nowhere']} without a "
          f"place in both, {counts['refused']} refused by name, {counts['different']} different")
    for field, count in sorted(comparison.refused.items()):
        print(f"  {count:5} {field}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--playground", type=pathlib.Path, required=True)
    parser.add_argument("--kube-scheduler", type=pathlib.Path, required=True)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--first", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as there:
        servers = []
        try:
            servers.append(Server(options.playground, here, "small"))
            servers.append(Server(options.playground, there, "none"))
            comparison = Comparison(*servers, options.kube_scheduler)
            for scene in published_scenes():
                run_scene(comparison, scene)
            for seed in range(options.first, options.first + options.seeds):
                run_scene(comparison, scenes.scene_of(seed))
        finally:
            for server in servers:
                server.stop()
    report(comparison)
    return 1 if comparison.differences else 0


if __name__ == "__main__":
    sys.exit(main())
