#!/usr/bin/env python3
"""Compares defined kinds of the in-memory server with a real one by random definitions and objects.

A round puts definitions on both servers, waits until they are established, and sends writes of
objects. Statuses, reasons, causes, warnings, messages without causes and whole objects must agree.
"""
import json
import os
import re
import sys

import rounds
from definition_draws import draw_definition, draw_objects, redefine
from draws import MERGE

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
# Of several faults the real server names any one; and it shows the managers of an object that a patch breaks.
EMBEDDED = re.compile(r"(cannot be handled as a Kind\d+: )(?:spec|status)\..*|(?<=<object>: )(?:spec|status)\..*")
PATCHED = re.compile(r'^Invalid value: "\{\\?"(?:apiVersion|metadata|kind).*\}": ')
# An unknown field ends the walk over its map, which has no order: what else is reported is chance.
UNDECLARED = re.compile(r"(failed to create typed patch object .*?\): )(?s:.*)field not declared in schema(?s:.*)")
# A Go value in a message, and the message of a Go parser.
GO_VALUES = re.compile(r"(expected \w+[^,]*, got ).*|selfType[^,']+|(json: ).*|errors:(?s:.*)"
                       r"|Invalid value: \{.*\}: only \[")


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
        value = EMBEDDED.sub(r"\1<embedded>", PATCHED.sub("<object>: ", value))
        value = UNDECLARED.sub(r"\1<undeclared>", rounds.TIME.sub("<time>", rounds.UID.sub("<uid>", value)))
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


class Round(rounds.Round):
    name, subject = "definitions", "schema"
    answer_of = staticmethod(answer_of)

    def __init__(self, servers, seed, count):
        super().__init__(servers, seed, count)
        self.group = f"round{seed}-{os.getpid()}.example.com"

    def run(self):
        made = []
        for number in range(self.count):
            definition = draw_definition(self.draw, self.group, number)
            if self.compare(None, "POST", DEFINITIONS, definition):
                made.append(definition)
        for definition in made:
            self.wait_until_served(definition)
        for definition in made:
            self.write_objects(definition)
        changed = [redefine(self.draw, definition) for definition in made]
        changed = [one for one in changed
                   if self.compare(None, "PATCH", self.path_of(one), {"spec": one["spec"]}, MERGE)]
        for definition in changed:
            self.wait_until_changed(definition)
        for definition in changed:
            self.write_objects(definition, 7)
        for definition in made:
            self.ask("DELETE", self.path_of(definition))

    def write_objects(self, definition, *moves):
        schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        for method, behind, body, kind in draw_objects(self.draw, definition, *moves):
            self.compare(schema, method, self.objects(definition) + behind, body, kind)

    @staticmethod
    def path_of(definition):
        return f"{DEFINITIONS}/{definition['metadata']['name']}"

    def objects(self, definition):
        plural = definition["spec"]["names"]["plural"]
        return f"/apis/{self.group}/v1/namespaces/default/{plural}"

    def wait_until_served(self, definition):
        self.wait_until(lambda: all(
            answer["status"] == 200 for answer in self.ask("GET", self.objects(definition))),
            f"{definition['metadata']['name']} is served")

    def wait_until_changed(self, definition):
        wrong = {"apiVersion": f"{self.group}/v1", "kind": definition["spec"]["names"]["kind"],
                 "metadata": {"name": "last"}, "spec": {"redefined": "text"}}
        self.wait_until(lambda: all(
            "redefined" in json.dumps(answer) and answer["status"] == 422
            for answer in self.ask("POST", self.objects(definition) + "?dryRun=All", wrong)),
            f"{definition['metadata']['name']} is changed")


def main():
    return rounds.run_rounds(rounds.parse_arguments("definitions", __doc__, 8, "definitions"), Round)


if __name__ == "__main__":
    sys.exit(main())
