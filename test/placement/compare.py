#!/usr/bin/env python3
"""Gives the same scenes to the playground's small scheduler and to kube-scheduler.

    compare.py --playground DRA-PLAYGROUND --kube-scheduler KUBE-SCHEDULER [--seeds N] [--first N]

Each scheduler has a playground of its own. Pods come one after the other. For each, the small
scheduler must do one of these: place it as kube-scheduler does, with the same allocations of its
claims; refuse it by the name of a field that the scene has; or find no place where kube-scheduler
finds none. Anything else is a difference: exit status 1.
"""
import argparse
import collections
import http.client
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import scenes
from devices import API, NODES

# Each scheduler must finish within this time after the other.
PATIENCE = 30.0
NAMED = re.compile(r"does not know (.*)")
RESOURCES = {"DeviceClass": "deviceclasses", "ResourceSlice": "resourceslices",
             "DeviceTaintRule": "devicetaintrules", "ResourceClaim": "resourceclaims"}
MERGE = "application/merge-patch+json"


class Server:
    """A playground, by JSON over HTTP."""

    def __init__(self, binary, folder, *flags):
        kubeconfig = f"{folder}/kubeconfig"
        self.process = subprocess.Popen(
            [binary, "--nodes", str(len(NODES)), "--devices", "0", "--kubeconfig-out", kubeconfig,
             *flags], stdout=subprocess.PIPE, text=True)
        lines = [self.process.stdout.readline() for _ in range(3)]
        self.address = re.search(r"http://([^/]+)/ui", lines[1]).group(1)
        self.connection = http.client.HTTPConnection(self.address)

    def send(self, method, path, body=None, content="application/json"):
        self.connection.request(method, path, json.dumps(body) if body is not None else None,
                                {"Content-Type": content})
        answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read())

    def create(self, thing):
        return self.send("POST", collection(thing), thing)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def collection(thing):
    namespace = thing["metadata"].get("namespace")
    if thing["kind"] in ("Pod", "Namespace"):
        return f"/api/v1/namespaces/{namespace}/pods" if namespace else "/api/v1/namespaces"
    within = f"/namespaces/{namespace}" if namespace else ""
    return f"/apis/{API}{within}/{RESOURCES[thing['kind']]}"


def path(thing):
    return f"{collection(thing)}/{thing['metadata']['name']}"


def verdict(server, pod):
    """The node's name, or why there is none; nothing yet: ("", "")."""
    _, seen = server.send("GET", path(pod))
    node = seen.get("spec", {}).get("nodeName", "")
    conditions = seen.get("status", {}).get("conditions", [])
    messages = [c.get("message", "") for c in conditions if c["type"] == "PodScheduled" and c["status"] == "False"]
    return node, "" if node or not messages else messages[0]


def until(check, patience=PATIENCE):
    """The first true result of `check`; else its last."""
    deadline = time.monotonic() + patience
    while not (said := check()) and time.monotonic() < deadline:
        time.sleep(0.005)  # between looks, until the deadline
    return said


def status_of(server, claim):
    """A claim's status; empty while there is no such claim."""
    code, seen = server.send("GET", path(claim))
    return seen.get("status", {}) if code == 200 else {}


def allocations(server, claims):
    """The allocations of a pod's claims, in their order."""
    given = []
    for claim in claims:
        allocation = status_of(server, claim).get("allocation")
        if allocation:
            allocation.pop("allocationTimestamp", None)
            for result in allocation["devices"].get("results", ()):
                if "shareID" in result:
                    result["shareID"] = "random"
        given.append(allocation)
    return given


def extended_claim(server, pod):
    """The claim for the pod's extended resources, and what the pod's status says of it; else none."""
    _, seen = server.send("GET", path(pod))
    status = seen.get("status", {}).get("extendedResourceClaimStatus")
    if not status:
        return None, None
    claim = {"kind": "ResourceClaim", "metadata": {"namespace": pod["metadata"]["namespace"],
                                                   "name": status["resourceClaimName"]}}
    _, made = server.send("GET", path(claim))
    return claim, [status["requestMappings"], made["spec"], made["metadata"]["annotations"],
                   re.sub("-[^-]*$", "", made["metadata"]["name"])]


def be_ready(server, claims):
    """What a driver does whose devices have binding conditions."""
    for claim in claims:
        status = status_of(server, claim)
        waiting = [r for r in status.get("allocation", {}).get("devices", {}).get("results", ())
                   if "bindingConditions" in r]
        if waiting and "devices" not in status:
            code, body = server.send("PATCH", path(claim) + "/status", {"status": {"devices": [
                {**{key: r[key] for key in ("driver", "pool", "device", "shareID") if key in r},
                 "conditions": [{"type": r["bindingConditions"][0], "status": "True", "reason": "Ready",
                                 "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}
                for r in waiting]}}, MERGE)
            if code not in (200, 409):
                raise SystemExit(f"{claim['metadata']['name']}: {body.get('message')}")


def misplace(server, scene, claim):
    allocation = scene.misplaced.get(claim["metadata"]["name"])
    if allocation:
        server.send("PATCH", path(claim) + "/status", {"status": {"allocation": allocation}}, MERGE)


def remove_claim(server, claim):
    server.send("PATCH", path(claim) + "/status", {"status": {"allocation": None, "reservedFor": None}}, MERGE)
    server.send("PATCH", path(claim), {"metadata": {"finalizers": None}}, MERGE)
    server.send("DELETE", path(claim))


def remove_extended(server, pod):
    claim, _ = extended_claim(server, pod)
    if claim:
        remove_claim(server, claim)


def remove_pod(server, pod):
    server.send("DELETE", path(pod), {"gracePeriodSeconds": 0})


class Comparison:
    """Counts what both did, and says what differs."""

    def __init__(self, ours, theirs):
        self.ours, self.theirs = ours, theirs
        self.counts = collections.Counter()
        self.refused = collections.Counter()
        self.differences = []

    def both(self, action, *things):
        return [action(server, *things) for server in (self.ours, self.theirs)]

    def create(self, scene, thing):
        for status, body in self.both(Server.create, thing):
            if status != 201:
                raise SystemExit(f"scene {scene.seed}: {body.get('message')}")

    def run(self, scene):
        things = [*scene.classes, *scene.slices, *scene.rules]
        self.both(Server.create, {"apiVersion": "v1", "kind": "Namespace", "metadata": {
            "name": scene.namespace, "labels": {"resource.kubernetes.io/admin-access": "true"}}})
        for thing in things:
            self.create(scene, thing)
        placed, claims = [], []
        for pod, made, used in scene.pods:
            if any(claim not in claims and claim not in made for claim in used):
                continue  # it shares a claim that is gone
            if self.place(scene, pod, made, used):
                placed.append(pod)
                claims += made
        for pod in placed:
            self.both(remove_extended, pod)
            self.both(remove_pod, pod)
        for claim in claims:
            self.both(remove_claim, claim)
        for thing in things:
            self.both(lambda server, one: server.send("DELETE", path(one)), thing)

    def place(self, scene, pod, made, used):
        """Whether both have placed it alike; if not, it is gone from both."""
        for claim in made:
            self.create(scene, claim)
            self.both(misplace, scene, claim)
        self.create(scene, pod)
        outcome, why = self.judge(scene, pod, used)
        self.counts[outcome] += 1
        if outcome == "different":
            self.differences.append(f"scene {scene.seed}, {pod['metadata']['name']}: {why}")
            print(self.differences[-1], flush=True)
        if outcome == "equal":
            return True
        self.both(remove_pod, pod)
        for claim in made:
            self.both(remove_claim, claim)
        return False

    def judge(self, scene, pod, used):
        node, message = until(lambda: next((v for v in [verdict(self.ours, pod)] if any(v)), None)) or ("", "")
        names = NAMED.search(message)
        if names:
            fields = {field for field in scene.fields if field and field in names.group(1)}
            for field in fields:
                self.refused[field] += 1
            # It is not to be removed while kube-scheduler is writing; on conditions that devices
            # wait for, it waits for longer than that.
            until(lambda: any(verdict(self.theirs, pod)), 2.0)
            return ("refused", "") if fields else ("different", f"refused by a strange name: {message}")
        until(lambda: self.is_alike(pod, used))
        (node, message), (their_node, their_message) = self.both(verdict, pod)
        if bool(node) != bool(their_node):
            return "different", f"{node or message!r} here, {their_node or their_message!r} there"
        if not node:
            return ("nowhere", "") if message == their_message else ("different", f"{message!r} here, {their_message!r} there")
        given, theirs = self.both(self.given, pod, used)
        if (node, given) == (their_node, theirs):
            return "equal", ""
        return "different", f"{node} {json.dumps(given)} here, {their_node} {json.dumps(theirs)} there"

    def is_alike(self, pod, used):
        """Whether both have come to the same: a place, or the same words."""
        self.both(be_ready, used)
        ours, theirs = self.both(verdict, pod)
        return bool(ours[0]) == bool(theirs[0]) and any(ours) and ours[1] == theirs[1]

    @staticmethod
    def given(server, pod, used):
        """What the pod got: allocations, and all about its extended resources."""
        claim, facts = extended_claim(server, pod)
        return allocations(server, used + ([claim] if claim else [])), facts


def run_scene(comparison, seed):
    """A scene that differs is played once more: kube-scheduler may have decided by a cache that lags behind what the
    scene before took away, or still be backing off. What is a difference of the two differs again."""
    known, began = len(comparison.differences), time.monotonic()
    comparison.run(scenes.scene_of(seed))
    if len(comparison.differences) > known:
        del comparison.differences[known:]
        comparison.run(scenes.scene_of(seed))
    took = int(1000 * (time.monotonic() - began))
    word = "[       OK ]" if len(comparison.differences) == known else "[  FAILED  ]"
    print(f"{word} placements.scene-{seed} ({took} ms)", flush=True)


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
            servers.append(Server(options.playground, here))
            servers.append(Server(options.playground, there, f"--kube-scheduler={options.kube_scheduler}"))
            comparison = Comparison(*servers)
            for seed in range(options.first, options.first + options.seeds):
                run_scene(comparison, seed)
        finally:
            for server in servers:
                server.stop()
    report(comparison)
    return 1 if comparison.differences else 0


if __name__ == "__main__":
    sys.exit(main())
