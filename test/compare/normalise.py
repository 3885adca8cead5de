"""From a transcript to what two servers must agree on.

UIDs become numbers in order of appearance, versions ranks, the server's times a word, generated
names their base; messages, which hold Go's own words, go. What remains is compared as it is.
"""
import json
import re

UID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[1-9a-f][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b")
# Clients of this comparison write times in 2019 (kinds.THEN).
TIME = re.compile(r"\b20[2-9][0-9]-[0-9]{2}-[0-9]{2}T[0-9:.]+Z\b")
# The generator's bases are all "g", a number and a dash.
MADE = re.compile(r"\b(g[0-9]+-\w*?)[bcdfghjklmnpqrstvwxz2456789]{5}\b")
CLIENT_UID = "00000000-0000-4000-8000-"


def normalise(transcript, place, steps):
    """→ the same entries, comparable."""
    text = json.dumps(transcript, sort_keys=True)
    text = MADE.sub(r"\1<made>", text)
    text = TIME.sub("<time>", text.replace(place, "@c@"))
    uids = {}

    def symbol_of(match):
        uid = match.group()
        if uid.startswith(CLIENT_UID):
            return uid
        return uids.setdefault(uid, f"<uid {len(uids) + 1}>")

    entries = json.loads(UID.sub(symbol_of, text))
    kinds = {step["id"]: step["kind"] for step in steps}
    versions = Versions(entries, kinds)
    return [Entry(versions, kinds[entry["step"]]).normalised(entry) for entry in entries]


def metadata_of(value):
    metadata = value.get("metadata") if isinstance(value, dict) else None
    return metadata if isinstance(metadata, dict) else {}


# ---- versions

def objects_of(entry):
    """All objects of an entry, without the enclosing lists."""
    if isinstance(entry["body"], dict):
        items = entry["body"].get("items")
        yield from items if isinstance(items, list) else [entry["body"]]
    for event in entry.get("events", []):
        if event != "END" and event["type"] not in ("BOOKMARK", "ERROR"):
            yield event["object"]


class Versions:
    """The versions of all objects seen, and their ranks for comparison."""

    def __init__(self, entries, kinds):
        self.by_kind = {}
        for entry in entries:
            own = self.by_kind.setdefault(kinds[entry["step"]], set())
            own.update(int(version) for version in map(version_of, objects_of(entry))
                       if version.isdigit())
        every = sorted(set().union(*self.by_kind.values()))
        self.ranks = {version: rank for rank, version in enumerate(every, 1)}

    def of_object(self, version):
        known = version.isdigit() and int(version) in self.ranks
        return f"<version {self.ranks[int(version)]}>" if known else version

    def of_list(self, version, kind):
        """Others, and other kinds, may have been written since the last change that it shows: which
        of its kind's versions it follows."""
        if not version.isdigit() or version == "0":
            return version
        before = [self.ranks[own] for own in self.by_kind[kind] if own <= int(version)]
        return f"<from version {max(before, default=0)}>"


def version_of(value):
    return str(metadata_of(value).get("resourceVersion", ""))


# ---- bodies

class Entry:
    """One step's answer."""

    def __init__(self, versions, kind):
        self.versions = versions
        self.kind = kind

    def normalised(self, entry):
        result = {"step": entry["step"], "status": entry["status"],
                  "body": self.body(entry["body"])}
        # Other warnings are about deprecations, or oddities of a pod.
        warnings = [warning for warning in entry.get("warnings", [])
                    if "unknown field" in warning or "duplicate field" in warning]
        if warnings:
            result["warnings"] = sorted(warnings)
        if "events" in entry:
            # Bookmarks come at the server's discretion, except the one that ends the initial
            # events.
            result["events"] = [self.event(event) for event in entry["events"]
                                if not is_periodic_bookmark(event)]
        return result

    def event(self, event):
        if event == "END":
            return event
        if event["type"] != "BOOKMARK":
            return {"type": event["type"], "object": self.body(event["object"])}
        # Its version is that of the newest change of the kind, or a later one.
        metadata = metadata_of(event["object"])
        return {"type": "BOOKMARK", "object": {
            "kind": event["object"].get("kind"), "annotations": metadata.get("annotations"),
            "resourceVersion": "<a version>" if metadata.get("resourceVersion") else ""}}

    def body(self, body):
        if not isinstance(body, dict):
            return body
        if body.get("kind") == "Status" and body.get("apiVersion") == "v1":
            return status_of(body)
        if isinstance(body.get("items"), list):
            return self.list(body)
        return self.object(body)

    def list(self, body):
        metadata = dict(body.get("metadata") or {})
        if "resourceVersion" in metadata:
            metadata["resourceVersion"] = self.versions.of_list(metadata["resourceVersion"],
                                                                self.kind)
        if "continue" in metadata:
            metadata["continue"] = "<more>"
        return {**body, "metadata": metadata, "items": [self.object(i) for i in body["items"]]}

    def object(self, body):
        metadata = dict(metadata_of(body))
        if "resourceVersion" in metadata:
            metadata["resourceVersion"] = self.versions.of_object(version_of(body))
        if "managedFields" in metadata:
            metadata["managedFields"] = managers_of(metadata["managedFields"])
        return {**body, "metadata": metadata} if metadata else body


def is_periodic_bookmark(event):
    return event != "END" and event["type"] == "BOOKMARK" and \
        not metadata_of(event["object"]).get("annotations")


def status_of(status):
    details = status.get("details") or {}
    result = {key: status[key] for key in ("kind", "status", "reason", "code") if key in status}
    result["details"] = {key: details[key] for key in ("name", "group", "kind", "uid")
                         if key in details}
    causes = sorted((c.get("field", ""), c.get("reason", ""))
                    for c in details.get("causes") or [])
    if causes:
        result["causes"] = [f"{field}: {reason}" for field, reason in causes]
    return result


def managers_of(entries):
    """By manager: what it has applied. Of others only that they own something: who posts a whole
    object owns each default, too, and nobody looks at that."""
    result = {}
    for entry in entries:
        key = " ".join(filter(None, [entry["operation"], entry["manager"],
                                     entry.get("subresource"), entry["apiVersion"]]))
        applied = entry["operation"] == "Apply"
        result[key] = dict.fromkeys(paths_of(entry.get("fieldsV1", {})), "owned") if applied else {}
    return result


def paths_of(fields, before=""):
    for key, value in fields.items():
        if key == ".":
            yield before
            continue
        name = key.removeprefix("f:")
        path = f"{before}.{name}" if before else name
        if value:
            yield from paths_of(value, path)
        else:
            yield path
