#!/usr/bin/env python3
"""Compares admission policies of the in-memory server with a real one by random policies and writes.

A round puts policies with their bindings on both servers, waits until they are in force, and sends
writes that they are about. Statuses, reasons, whole messages, causes and warnings must agree. Each
policy is for the objects that carry its name as a label, so that a round holds many.
"""
import json
import os
import re
import sys

import rounds
from draws import JSON
from policy_draws import draw_policy, draw_writes

ADMISSION = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic"
POLICIES, BINDINGS = ADMISSION + "ies", ADMISSION + "ybindings"
# Only one of the servers says this, and it is not about policies.
OWN_WARNINGS = re.compile(r"this API server has no authorization|is deprecated in v1")
# Go's names of types and of members that have none in JSON.
GO_NAMES = re.compile(r"(cannot unmarshal \w+ into Go struct field )[^\"]*")


class Round(rounds.Round):
    name, subject = "policies", "policy"

    def __init__(self, servers, seed, count):
        super().__init__(servers, seed, count)
        self.place = f"policies-{os.getpid()}-{seed}"

    @staticmethod
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
        return json.loads(rounds.TIME.sub("<time>", rounds.UID.sub("<uid>", text)))

    @staticmethod
    def is_refused(answer):
        """By a policy."""
        return "denied request" in str(answer.get("message"))

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

    def make(self, path, body):
        """On both; a real server still knows policies of an earlier round for a moment."""
        self.wait_until(lambda: all(answer["status"] in (201, 409) for answer in self.ask("POST", path, body)),
                        f"{body} is there")

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
        self.wait_until(lambda: all(answer["status"] == 422 for answer in self.ask(
            "POST", f"/api/v1/namespaces/{self.place}/configmaps?dryRun=All", {"metadata": {"name": name}})),
            "the policies are in force")
        self.ask("DELETE", f"{BINDINGS}/{name}")
        self.ask("DELETE", f"{POLICIES}/{name}")

    def write(self, policy, binding):
        for method, path, body, kind, headers in draw_writes(
                self.draw, self.place, policy["metadata"]["name"]):
            self.compare([policy["spec"], binding["spec"]], method, path, body, kind, headers)


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

    return rounds.run_rounds(rounds.parse_arguments("policies", __doc__, 25, "policies"), Round, prepare)


if __name__ == "__main__":
    sys.exit(main())
