#!/usr/bin/env python3
"""Checks `explain` against kube-scheduler: the advised step is done for a pod, and the pod must be
placed.

    oracle.py --manager DRA-CONTROLLER-MANAGER [--controlplane test/controlplane/controlplane]

Needs a real control plane with kube-scheduler; exit status 3 without one. A scene that fails is
printed with the explanation: exit status 1.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import scenes

HERE = pathlib.Path(__file__).resolve().parent
CLUSTER = "explain-oracle"
PATIENCE = 60.0


class Cluster:
    """A real API server, by kubectl."""

    def __init__(self, controlplane):
        self.controlplane = controlplane
        up = subprocess.run([controlplane, "up", "--name", CLUSTER], capture_output=True, text=True)
        if up.returncode != 0:
            raise SystemExit(up.returncode if up.returncode == 3 else f"no control plane: {up.stderr}")
        self.kubeconfig = up.stdout.splitlines()[0].removeprefix("kubeconfig: ")

    def path(self, program):
        found = subprocess.run([self.controlplane, "path", program], capture_output=True, text=True)
        if found.returncode != 0:
            raise SystemExit(3)
        return found.stdout.strip()

    def kubectl(self, *arguments, body=None, check=True):
        done = subprocess.run([self.path("kubectl"), "--kubeconfig", self.kubeconfig, *arguments],
                              input=json.dumps(body) if body is not None else None, capture_output=True, text=True)
        if check and done.returncode != 0:
            raise SystemExit(f"kubectl {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def apply(self, thing):
        self.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", body=thing)

    def get(self, *what):
        return json.loads(self.kubectl("get", *what, "-o", "json"))

    def down(self):
        subprocess.run([self.controlplane, "down", "--name", CLUSTER], capture_output=True)


def until(check):
    """The first true result of `check`; otherwise its last."""
    deadline = time.monotonic() + PATIENCE
    while not (said := check()) and time.monotonic() < deadline:
        time.sleep(0.1)  # between polls, until the deadline
    return said


def claim(namespace, name, requests, constraints=()):
    return {"apiVersion": scenes.API, "kind": "ResourceClaim", "metadata": {"name": name, "namespace": namespace},
            "spec": {"devices": {"requests": requests, "constraints": list(constraints)}}}


def pod(namespace, name, extended=None):
    """A pod with a claim of the same name; or with extended resources."""
    claims = [] if extended else [{"name": "c", "resourceClaimName": name}]
    resources = {"requests": extended, "limits": extended} if extended else {"claims": [{"name": "c"}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace}, "spec": {
        "resourceClaims": claims, "terminationGracePeriodSeconds": 0,
        "containers": [{"name": "c", "image": "i", "resources": resources}]}}


def node(name):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}


class Run:
    def __init__(self, cluster, manager):
        self.cluster, self.manager = cluster, manager

    def is_placed(self, namespace, name):
        return bool(self.cluster.get("pod", name, "-n", namespace)["spec"].get("nodeName"))

    def is_refused(self, namespace, name):
        status = self.cluster.get("pod", name, "-n", namespace).get("status", {})
        return any(c["type"] == "PodScheduled" and c["status"] == "False" for c in status.get("conditions", []))

    def explain(self, namespace, name):
        done = subprocess.run([self.manager, "explain", "pod", f"{namespace}/{name}", "-o", "json",
                               "--kubeconfig", self.cluster.kubeconfig], capture_output=True, text=True)
        if not done.stdout.startswith("{"):
            return done.stderr
        topics = json.loads(done.stdout)["topics"]
        return "\n".join(f"{f['outlook']} {f['reason']}: {f['text']}" for t in topics for f in t["findings"])

    def release(self, namespace, name):
        """Ends a pod, and does the controllers' work then."""
        status = self.cluster.get("pod", name, "-n", namespace).get("status", {})
        claim_name = status.get("extendedResourceClaimStatus", {}).get("resourceClaimName", name)
        self.cluster.kubectl("delete", "pod", name, "-n", namespace, "--grace-period=0", "--force")
        self.cluster.kubectl("patch", "resourceclaim", claim_name, "-n", namespace, "--subresource=status",
                             "--type=merge", "-p", '{"status":{"reservedFor":null,"allocation":null,"devices":null}}', check=False)

    def reserve(self, namespace, name, group):
        """The claim is held by a pod group, as with the gate GenericWorkload."""
        status = {"reservedFor": [{"apiGroup": "scheduling.k8s.io", "resource": "podgroups", "name": group, "uid": "g"}]}
        self.cluster.kubectl("patch", "resourceclaim", name, "-n", namespace, "--subresource=status", "--type=merge",
                             "-p", json.dumps({"status": status}))

    def carry_out(self, step, namespace):
        if step[0] == "end":
            self.release(namespace, step[1])
        elif step[0] == "put":
            self.cluster.apply(step[1])
        else:
            self.cluster.kubectl("delete", step[1], step[2])

    def make(self, scene, namespace):
        self.cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
        for thing in [*scene.slices, *scene.classes]:
            self.cluster.apply(thing)
        for number, requests in enumerate(scene.holders):
            name = f"h{number}"
            self.cluster.apply(claim(namespace, name, requests))
            self.cluster.apply(pod(namespace, name))
            if not until(lambda: self.is_placed(namespace, name)):
                return f"{name} is not placed"
            if scene.group:
                self.reserve(namespace, name, scene.group)
        for rule in scene.rules:
            self.cluster.apply(rule)
        if isinstance(scene.waits, dict):
            self.cluster.apply(pod(namespace, "p", scene.waits))
        else:
            self.cluster.apply(claim(namespace, "p", scene.waits, scene.constraints))
            self.cluster.apply(pod(namespace, "p"))
        return "" if until(lambda: self.is_refused(namespace, "p")) else "the scheduler says nothing"

    def judge(self, scene, namespace):
        """What is wrong; empty: nothing."""
        trouble = self.make(scene, namespace)
        if trouble:
            return trouble
        text = self.explain(namespace, "p")
        missing = [part for part in scene.said if part.format(ns=namespace) not in text]
        if missing:
            return f"not said: {missing}\n{text}"
        self.carry_out(scene.step, namespace)
        if not until(lambda: self.is_placed(namespace, "p")):
            return f"not placed after {scene.step}\n{text}"
        return ""

    def clean(self, namespace):
        pods = [p["metadata"]["name"] for p in self.cluster.get("pods", "-n", namespace)["items"]]
        for name in pods:
            self.release(namespace, name)
        self.cluster.kubectl("delete", "resourceslices,devicetaintrules", "--all")
        self.cluster.kubectl("delete", "deviceclass", "tpu", "--ignore-not-found")


def verdict(name, trouble, seconds):
    took = f"{name} ({seconds * 1000:.0f} ms)"
    return f"{trouble}\n[  FAILED  ] {took}" if trouble else f"[       OK ] {took}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manager", required=True)
    parser.add_argument("--controlplane", default=str(HERE.parent / "controlplane/controlplane"))
    options = parser.parse_args()
    cluster = Cluster(options.controlplane)
    failed = 0
    with tempfile.TemporaryFile() as log:
        scheduler = subprocess.Popen([cluster.path("kube-scheduler"), "--kubeconfig", cluster.kubeconfig,
                                      "--leader-elect=false", "--secure-port=0"], stdout=log, stderr=log)
        try:
            for name in ("node-1", "node-2"):
                cluster.apply(node(name))
                cluster.kubectl("patch", "node", name, "--subresource=status", "--type=merge", "-p",
                                '{"status":{"allocatable":{"cpu":"8","memory":"8Gi","pods":"100"},'
                                '"conditions":[{"type":"Ready","status":"True"}]}}')
            cluster.kubectl("taint", "nodes", "--all", "node.kubernetes.io/not-ready-", check=False)
            cluster.apply({"apiVersion": scenes.API, "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {
                "selectors": [scenes.cel(f'device.driver == "{scenes.DRIVER}"')],
                "extendedResourceName": scenes.EXTENDED}})
            run = Run(cluster, options.manager)
            for number, scene in enumerate(scenes.SCENES):
                name = "Explain." + re.sub(r"\W+", "_", scene.name)
                print(f"[ RUN      ] {name}", flush=True)
                begin = time.monotonic()
                trouble = run.judge(scene, f"scene-{number}")
                print(verdict(name, trouble, time.monotonic() - begin), flush=True)
                failed += bool(trouble)
                run.clean(f"scene-{number}")
        finally:
            scheduler.terminate()
            scheduler.wait()
            cluster.down()
    print(f"{len(scenes.SCENES) - failed} of {len(scenes.SCENES)} explanations hold")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
