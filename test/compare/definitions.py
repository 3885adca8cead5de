#!/usr/bin/env python3
"""Compares defined kinds of the in-memory server with a real one by random definitions and objects.

A round puts definitions on both servers, waits until they are established, and sends writes of
objects. Statuses, reasons, causes, warnings, messages without causes and whole objects must agree.
"""
import argparse
import json
import os
import random
import re
import sys
import time

from definition_draws import draw_definition, draw_objects
from policies import TIME, UID
from rounds import run_rounds

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
ESTABLISHED_SECONDS = 30
# An unknown field ends the walk over its map, which has no order: what else is reported is chance.
UNDECLARED = re.compile(r"(failed to create typed patch object .*?\): )(?s:.*)field not declared in schema(?s:.*)")
# A Go value in a message, and the message of a Go parser.
GO_VALUES = re.compile(r"(expected \w+[^,]*, got ).*|selfType[^,']+|(json: ).*|errors:(?s:.*)"
                       r"|Invalid value: \{.*\}: only \[")


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev compare --definitions", description=__doc__)
    parser.add_argument("--seeds", type=int, default=10, help="rounds (10)")
    parser.add_argument("--first", type=int, default=1, help="the first one (1)")
    parser.add_argument("--count", type=int, default=8, help="definitions of a round (8)")
    parser.add_argument("--real", metavar="KUBECONFIG",
                        help="a control plane that runs already; else one is started")
    return parser.parse_args()


def in_order(value):
    """Causes and managers have no order: Go's maps have none."""
    return sorted(value, key=lambda item: json.dumps(item, sort_keys=True))


def comparable(value, key=""):
    if isinstance(value, dict):
        return {name: comparable(one, name) for name, one in value.items()
                if name not in ("resourceVersion", "storageVersionHash", "time")}
    if isinstance(value, list):
        items = [comparable(one) for one in value]
        return in_order(items) if key in ("causes", "managedFields") else items
    if isinstance(value, str):
        value = UNDECLARED.sub(r"\1<undeclared>", TIME.sub("<time>", UID.sub("<uid>", value)))
        return GO_VALUES.sub(lambda found: (found[1] or found[2] or "") + "<go>", value)
    return value


def answer_of(connection, status, text):
    try:
        body = comparable(json.loads(text))
    except ValueError:
        body = {"text": text.strip()}
    if status == 422:
        body.pop("message", None)  # the causes, in an order of their own
    return {"status": status, "warnings": sorted(connection.warnings), "body": body}


class Round:
    """One seed on both servers."""

    def __init__(self, servers, seed, count):
        self.connections = [server.connect() for server in servers]
        self.draw = random.Random(f"definitions {seed}")
        self.group = f"round{seed}-{os.getpid()}.example.com"
        self.count = count
        self.requests = 0
        self.refused = 0
        self.differences = []

    def ask(self, method, path, body=None, kind="application/json"):
        text = None if body is None else json.dumps(body, sort_keys=True)
        self.requests += 1
        return [answer_of(one, *one.request(method, path, kind if body is not None else "", text, {}))
                for one in self.connections]

    def compare(self, what, method, path, body=None, kind="application/json"):
        memory, real = self.ask(method, path, body, kind)
        self.refused += real["status"] >= 400
        if memory != real:
            self.differences.append((what, f"{method} {path} {json.dumps(body)}", memory, real))
        return memory["status"] < 400 and real["status"] < 400

    def run(self):
        made = []
        for number in range(self.count):
            definition = draw_definition(self.draw, self.group, number)
            if self.compare(None, "POST", DEFINITIONS, definition):
                made.append(definition)
        for definition in made:
            self.wait_until_served(definition)
        for definition in made:
            schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
            for method, behind, body, kind in draw_objects(self.draw, definition):
                self.compare(schema, method, self.objects(definition) + behind, body, kind)
        for definition in made:
            self.ask("DELETE", f"{DEFINITIONS}/{definition['metadata']['name']}")
        return self.differences

    def objects(self, definition):
        plural = definition["spec"]["names"]["plural"]
        return f"/apis/{self.group}/v1/namespaces/default/{plural}"

    def wait_until_served(self, definition):
        deadline = time.monotonic() + ESTABLISHED_SECONDS
        while any(answer["status"] != 200 for answer in self.ask("GET", self.objects(definition))):
            if time.monotonic() > deadline:
                raise RuntimeError(f"{definition['metadata']['name']} is not served")
            time.sleep(0.1)


def main():
    return run_rounds(parse_arguments(), Round, "definitions", "schema", "refused")


if __name__ == "__main__":
    sys.exit(main())
