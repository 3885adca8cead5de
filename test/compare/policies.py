#!/usr/bin/env python3
"""Compares admission policies of the in-memory server with a real one by random policies and writes.

A round puts policies with their bindings on both servers, waits until they are in force, and sends
writes that they are about. Statuses, reasons, whole messages, causes and warnings must agree. Each
policy is for the objects that carry its name as a label, so that a round holds many.
"""
import argparse
import json
import os
import random
import re
import sys
import time

from policy_draws import draw_policy, draw_writes
from rounds import run_rounds

ADMISSION = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic"
POLICIES, BINDINGS = ADMISSION + "ies", ADMISSION + "ybindings"
JSON, MERGE = "application/json", "application/merge-patch+json"
IN_FORCE_SECONDS = 30
# Only one of the servers says this, and it is not about policies.
OWN_WARNINGS = re.compile(r"this API server has no authorization|is deprecated in v1")
# Go's names of types and of members that have none in JSON.
GO_NAMES = re.compile(r"(cannot unmarshal \w+ into Go struct field )[^\"]*")
UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
TIME = re.compile(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z")


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev compare --policies", description=__doc__)
    parser.add_argument("--seeds", type=int, default=10, help="rounds (10)")
    parser.add_argument("--first", type=int, default=1, help="the first one (1)")
    parser.add_argument("--count", type=int, default=25, help="policies of a round (25)")
    parser.add_argument("--real", metavar="KUBECONFIG",
                        help="a control plane that runs already; else one is started")
    return parser.parse_args()


class Round:
    """One seed on both servers."""

    def __init__(self, servers, seed, count):
        self.connections = [server.connect() for server in servers]
        self.draw = random.Random(f"policies {seed}")
        self.place = f"policies-{os.getpid()}-{seed}"
        self.count = count
        self.requests = 0
        self.denied = 0
        self.differences = []

    def ask(self, method, path, body=None, kind=JSON, headers=None):
        """→ both answers"""
        text = None if body is None else json.dumps(body, sort_keys=True)
        self.requests += 1
        return [answer_of(connection, *connection.request(
            method, path, kind if body is not None else "", text, headers or {}))
            for connection in self.connections]

    def compare(self, what, method, path, body=None, kind=JSON, headers=None):
        """→ both answers"""
        memory, real = self.ask(method, path, body, kind, headers)
        self.denied += "denied request" in str(real.get("message"))
        if memory != real:
            self.differences.append((what, f"{method} {path} {json.dumps(body)} {headers or ''}",
                                     memory, real))
        return memory["status"] < 300 and real["status"] < 300

    def run(self):
        self.make("/api/v1/namespaces", {"metadata": {"name": self.place,
                                                       "labels": {"tier": "one"}}})
        params = {"metadata": {"name": "limits", "labels": {"p": "1"}}, "data": {"max": "2"}}
        self.make(f"/api/v1/namespaces/{self.place}/configmaps", params)
        policies = [draw_policy(self.draw, f"{self.place}-{n}") for n in range(self.count)]
        kept = [p for p in policies if self.install(*p)]
        self.wait_until_in_force()
        for policy, binding in kept:
            self.write(policy, binding)
        for policy, binding in kept:
            self.ask("DELETE", f"{BINDINGS}/{binding['metadata']['name']}")
            self.ask("DELETE", f"{POLICIES}/{policy['metadata']['name']}")
        return self.differences

    def make(self, path, body):
        """On both; a real server still knows policies of an earlier round for a moment."""
        deadline = time.monotonic() + IN_FORCE_SECONDS
        while any(answer["status"] not in (201, 409) for answer in self.ask("POST", path, body)):
            if time.monotonic() > deadline:
                raise RuntimeError(f"cannot make {body}")
            time.sleep(0.1)

    def install(self, policy, binding):
        made = self.compare(policy, "POST", POLICIES, policy)
        return self.compare(binding, "POST", BINDINGS, binding) and made

    def wait_until_in_force(self):
        """The last policy rejects a probe: by then all are known."""
        name = self.place + "-probe"
        rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
                "resources": ["configmaps"], "resourceNames": [name]}
        self.ask("POST", POLICIES, {"metadata": {"name": name}, "spec": {
            "matchConstraints": {"resourceRules": [rule]},
            "validations": [{"expression": "false"}]}})
        self.ask("POST", BINDINGS, {"metadata": {"name": name}, "spec": {
            "policyName": name, "validationActions": ["Deny"]}})
        deadline = time.monotonic() + IN_FORCE_SECONDS
        while not all(answer["status"] == 422 for answer in self.ask(
                "POST", f"/api/v1/namespaces/{self.place}/configmaps?dryRun=All",
                {"metadata": {"name": name}})):
            if time.monotonic() > deadline:
                raise RuntimeError("the policies do not come into force")
            time.sleep(0.1)
        self.ask("DELETE", f"{BINDINGS}/{name}")
        self.ask("DELETE", f"{POLICIES}/{name}")

    def write(self, policy, binding):
        for method, path, body, kind, headers in draw_writes(
                self.draw, self.place, policy["metadata"]["name"]):
            self.compare([policy["spec"], binding["spec"]], method, path, body, kind, headers)


def answer_of(connection, status, text):
    warnings = sorted(w for w in connection.warnings if not OWN_WARNINGS.search(w))
    try:
        body = json.loads(text)
    except ValueError:
        body = {"text": text}
    answer = {"status": status, "warnings": warnings}
    if status >= 400:
        answer.update({key: body.get(key) for key in ("reason", "message", "details")})
    text = GO_NAMES.sub(r"\1<names>", json.dumps(answer))
    return json.loads(TIME.sub("<time>", UID.sub("<uid>", text)))


def keep_params_known(connections):
    """A policy that lasts: with the last one of a kind of parameters, a real server stops to look at
    these, and does not begin again."""
    name = f"policies-{os.getpid()}-keeper"
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
            "resources": ["configmaps"], "resourceNames": [name]}
    policy = {"metadata": {"name": name}, "spec": {
        "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
        "matchConstraints": {"resourceRules": [rule]}, "validations": [{"expression": "true"}]}}
    binding = {"metadata": {"name": name}, "spec": {
        "policyName": name, "validationActions": ["Deny"],
        "paramRef": {"name": name, "parameterNotFoundAction": "Allow"}}}
    for connection in connections:
        connection.request("POST", POLICIES, JSON, json.dumps(policy))
        connection.request("POST", BINDINGS, JSON, json.dumps(binding))


def main():
    def prepare(servers):
        keep_params_known([server.connect() for server in servers])

    return run_rounds(parse_arguments(), Round, "policies", "policy", "denied", prepare)


if __name__ == "__main__":
    sys.exit(main())
