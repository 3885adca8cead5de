"""Sends a sequence of steps to one server, and records its answers: the transcript.

Watches stay open until the last step is done. A marker, an object that the watch selects and that
has its own annotation, then shows that everything before it has arrived. So nothing waits for
a fixed time, and a stream is compared as a whole.
"""
import copy
import itertools
import json
import urllib.parse

from draws import JSON, MERGE
from kinds import BY_PLURAL

MARK = "compare.example.com/marker"
MARKER_SECONDS = 10
_runs = itertools.count(1)


def unique_place(prefix):
    """A namespace, and a prefix of names, that no run has used before."""
    return f"{prefix}-{next(_runs)}"


def replay(connection, steps, place):
    """→ transcript: for each step {"step", "status", "body"} and, for a watch, "events"."""
    run = Run(connection, place)
    run.begin()
    for step in steps:
        run.send(step)
    run.finish_watches()
    return run.entries


class Run:
    def __init__(self, connection, place):
        self.connection = connection
        self.place = place
        self.entries = []
        self.bodies = {}
        self.watches = []
        # Kinds written since they were last read with a consistent list (see catch_up).
        self.unread = set(BY_PLURAL)

    def begin(self):
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.place}}
        status, text = self.connection.request("POST", "/api/v1/namespaces", JSON, json.dumps(body))
        if status != 201:
            raise RuntimeError(f"{self.connection.server.name}: no namespace: {status} {text}")

    def send(self, step):
        step = self.resolve(step)
        target = path_of(step) + query_of(step)
        entry = {"step": step["id"]}
        if step["method"] == "GET" and not step["name"]:
            self.catch_up(step)
        if step.get("watch"):
            entry["status"], answer = self.connection.watch(target)
            if entry["status"] == 200:
                self.watches.append((step, answer, entry))
                answer = ""
        else:
            entry["status"], answer = self.connection.request(
                step["method"], target, step["type"], encode(step["body"]))
            entry["warnings"] = self.connection.warnings
        if step["method"] != "GET":
            self.unread.add(step["kind"])
        entry["body"] = decode(answer)
        if entry["status"] < 300:
            self.bodies[step["id"]] = entry["body"]
        self.entries.append(entry)

    def catch_up(self, step):
        """A real server answers lists and watches of any age from its watch cache, which lags slightly.

        A consistent list waits until the cache has caught up, and then both are the same.
        """
        query = step["query"]
        any_age = step.get("watch") or (query.get("resourceVersion") and
                                        query.get("resourceVersionMatch") != "Exact")
        if not any_age or step["kind"] not in self.unread or step["kind"] not in BY_PLURAL:
            return
        self.connection.request(
            "GET", path_of(dict(step, name="", sub="")) + "?labelSelector=nobody%3Dhas")
        self.unread.discard(step["kind"])

    def resolve(self, value):
        """A copy with references, merges and placeholders filled in."""
        if isinstance(value, str):
            return value.replace("@c@", self.place)
        if isinstance(value, list):
            return [self.resolve(item) for item in value]
        if not isinstance(value, dict):
            return value
        if "$ref" in value:
            step, path = value["$ref"]
            found = at(self.bodies.get(step), path)
            return copy.deepcopy(found) if found is not None else self.resolve(value["else"])
        if "$merge" in value:
            base, change = (self.resolve(part) for part in value["$merge"])
            return merged(base, change)
        return {key.replace("@c@", self.place): self.resolve(item) for key, item in value.items()}

    # ---- the ends of watches

    def finish_watches(self):
        for step, stream, entry in self.watches:
            entry["events"] = self.events_until_marker(step, stream)
            stream.close()

    def events_until_marker(self, step, stream):
        mark = str(step["id"])
        marked = self.write_marker(step, mark)
        events = []
        while True:
            event = stream.next(MARKER_SECONDS if marked else 0.5)
            if event is None:
                return events + ([] if events and events[-1]["type"] == "ERROR" else ["END"])
            found = at(event, "object/metadata/annotations") or {}
            if found.get(MARK) == mark:
                return events
            if MARK not in found:
                events.append(event)
            if event["type"] == "ERROR":
                return events

    def write_marker(self, step, mark):
        """Creates what the watch selects, or updates the object with the only name that it selects."""
        kind = BY_PLURAL[step["kind"]]
        members = self.resolve(kind.plain(step["version"]))
        name = f"zz-marker-{mark}"
        metadata = {"name": name if kind.namespaced else f"{self.place}-{name}",
                    "annotations": {MARK: mark}, "labels": labels_for(step["query"])}
        field, _, value = step["query"].get("fieldSelector", "").partition("=")
        if field == "metadata.name":
            metadata["name"] = value
        elif field == "spec.nodeName" and value and kind.plural == "pods":
            members["spec"]["nodeName"] = value
        body = {"apiVersion": kind.api_version(step["version"]), "kind": kind.kind,
                "metadata": metadata, **members}
        path = kind.path(step["version"], step["namespace"])
        status, _ = self.connection.request("POST", path, JSON, json.dumps(body))
        if status == 409:
            status, _ = self.connection.request(
                "PATCH", f"{path}/{metadata['name']}", MERGE,
                json.dumps({"metadata": {key: metadata[key] for key in ("annotations", "labels")}}))
        if field == "status.phase" and value == "Running":
            self.connection.request(
                "PATCH", f"{path}/{metadata['name']}/status", MERGE,
                json.dumps({"status": {"phase": "Running"}}))
        return status < 300


def labels_for(query):
    """Labels that match the generator's label selectors."""
    labels = {}
    for term in query.get("labelSelector", "").replace("(x,y)", "x").split(","):
        term = term.replace(" in ", "=").replace("==", "=")
        key, _, value = term.partition("=")
        if value and not key.endswith("!"):
            labels[key] = value
        elif term == "tier":
            labels["tier"] = "1"
    return labels


def path_of(step):
    kind = BY_PLURAL.get(step["kind"])
    if kind is None:
        path = f"/api/v1/namespaces/{step['namespace'] or 'default'}/{step['kind']}"
    else:
        path = kind.path(step["version"], step["namespace"])
    for part in (step["name"], step["sub"]):
        path += f"/{urllib.parse.quote(part, safe='')}" if part else ""
    return path


def query_of(step):
    return "?" + urllib.parse.urlencode(step["query"]) if step["query"] else ""


def encode(body):
    if body is None:
        return None
    if isinstance(body, dict) and "$text" in body:
        return body["$text"].encode()
    # As Go writes it: free-form parameters are kept, and compared, unchanged.
    return json.dumps(body, sort_keys=True, separators=(",", ":")).encode()


def decode(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def at(value, path):
    """The member at "a/b", or None; value itself at ""."""
    for part in path.split("/") if path else []:
        if not isinstance(value, dict):
            return None
        value = value.get(part)
    return value


def merged(base, change):
    """RFC 7396."""
    if not isinstance(change, dict):
        return copy.deepcopy(change)
    result = dict(base) if isinstance(base, dict) else {}
    for key, value in change.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result
