"""From a seed to a sequence of API requests, without looking at any answer.

A step is a dict that can be printed, stored and sent again:

    id, method, kind (plural), version, namespace, name, sub, query, type, body, and watch: True

`@c@` stands for what a run puts in its place: its namespace, and the beginning of its cluster-wide
names. A value `{"$ref": [step, path], "else": value}` is what that earlier step was answered (on
the same server); `{"$merge": [base, change]}` is a base with a JSON merge patch applied. So later
requests lean on the versions and UIDs of earlier answers, and any subset of the steps can be run.
"""
import random

from json_patches import json_patch
from draws import APPLY, JSON, JSON_PATCH, MERGE, STRANGER, STRATEGIC, THEN, chance, some
from kinds import BY_PLURAL, KINDS, conditions
from rule_breaks import broken
from wrong_types import VALIDATIONS, with_mistake

NAMES = ["a", "b", "c"]
BAD_NAMES = ["Bad", "under_score", "-x", "x" * 260, "dot..dot", "a/b"]
MANAGERS = ["alice", "bob"]


# Kinds whose rules match the real server's completely, at /status: any mistake may be drawn there.
WHOLE_RULES = ("resourceclaims",)


def sequence(seed, length=40, mistakes="known"):
    """The steps of a seed. `mistakes`: "known" for those of WHOLE_RULES, "all" for every kind."""
    generator = Generator(random.Random(f"compare {seed}"), mistakes)
    return [generator.step(number) for number in range(1, length + 1)]


def without_nulls(value):
    """An apply omits what it does not claim; null has another meaning there."""
    if not isinstance(value, dict):
        return value
    plain = {key: without_nulls(item) for key, item in value.items() if item is not None}
    return {key: item for key, item in plain.items() if item != {} or value[key] == {}}


class Generator:
    def __init__(self, draw, mistakes="known"):
        self.draw = draw
        self.mistakes = mistakes
        # A few kinds at a time, so that steps affect each other's objects.
        pods, claims = BY_PLURAL["pods"], BY_PLURAL["resourceclaims"]
        self.kinds = draw.choice([[pods, claims], [claims], [pods]]) if chance(draw, 40) \
            else draw.sample(KINDS, draw.choice([1, 2, 3]))
        # One version for applies: see "Known differences" in apiserver/README.md.
        self.apply_versions = {kind.plural: draw.choice(kind.versions) for kind in KINDS}
        self.seen = {}   # (plural, name) → ids of steps whose answer was that object
        self.lists = []  # (id, kind) of the lists so far
        self.number = 0
        self.last_kind = self.kinds[0]

    # ---- what all steps share

    def step(self, number):
        self.number = number
        self.kind = self.draw.choice(self.kinds)
        self.version = self.draw.choice(self.kind.versions)
        made = sum(len(ids) for ids in self.seen.values())
        if made < 2 and chance(self.draw, 70):
            return self.create()
        moves = [(self.create, 14), (self.update, 10), (self.merge, 9), (self.strategic, 10),
                 (self.apply, 14), (self.json_patch, 10), (self.mistyped, 8),
                 (self.broken, 12), (self.delete, 10),
                 (self.collection, 2), (self.get, 4), (self.list, 12), (self.watch, 8),
                 (self.odd, 5)]
        if self.kind.plural == "pods":
            moves += [(self.bind, 5), (self.evict, 4)]
        return self.draw.choices([m for m, _ in moves], [w for _, w in moves])[0]()

    def request(self, method, name=None, body=None, **rest):
        namespace = "@c@" if self.kind.namespaced else ""
        step = {"id": self.number, "method": method, "kind": self.kind.plural,
                "version": self.version, "namespace": namespace, "name": name or "",
                "sub": rest.pop("sub", ""), "query": rest.pop("query", {}),
                "type": rest.pop("type", JSON if body is not None else ""), "body": body}
        step.update(rest)
        return step

    def object_name(self):
        return ("" if self.kind.namespaced else "@c@-") + self.draw.choice(NAMES)

    def note(self, name):
        self.seen.setdefault((self.kind.plural, name), []).append(self.number)

    def object_with(self, members, **metadata):
        return {"apiVersion": self.kind.api_version(self.version), "kind": self.kind.kind,
                "metadata": metadata, **members}

    def ref(self, name, path, otherwise):
        """An object as an earlier step saw it: usually the newest state, sometimes an old one."""
        ids = self.seen.get((self.kind.plural, name), [])
        if not ids:
            return otherwise
        which = ids[-1] if chance(self.draw, 75) else self.draw.choice(ids)
        return {"$ref": [which, path], "else": otherwise}

    def resource_version(self, name):
        if chance(self.draw, 4):
            return self.draw.choice(["1", "abc", "0"])
        return self.ref(name, "metadata/resourceVersion", "1")

    def write_options(self):
        query = {}
        if chance(self.draw, 30):
            query["fieldManager"] = self.draw.choice(MANAGERS)
        if chance(self.draw, 4):
            query["dryRun"] = "All"
        return query

    def metadata_change(self):
        draw = self.draw
        return draw.choice([
            {"labels": {"app": draw.choice(["x", "y", "z"])}},
            {"labels": {draw.choice(["tier", "app"]): draw.choice(["1", "2"])}},
            {"annotations": {draw.choice(["note", "mark"]): draw.choice(["1", "2"])}},
            {"labels": {"tier": "3"}, "annotations": {"note": "4"}},
            {"finalizers": some(draw, ["example.com/one", "example.com/two"], 2)},
            {"finalizers": []},
            {"ownerReferences": [self.owner(n) for n in some(draw, [1, 2], 2)]},
        ])

    def bad_metadata_change(self):
        return self.draw.choice([
            {"labels": {"bad key!": "x"}}, {"labels": {"app": "not valid!"}},
            {"annotations": {"bad key!": "x"}}, {"finalizers": ["noslash"]},
            {"finalizers": ["bad/!"]}, {"ownerReferences": [{"kind": "Pod", "name": "p"}]},
            {"ownerReferences": [self.owner(1, controller=True), self.owner(2, controller=True)]},
            {"uid": STRANGER + "9"}, {"generateName": f"g{self.number}-"},
            {"name": "other" if self.kind.namespaced else "@c@-other"},
            {"namespace": "elsewhere"}, {"deletionTimestamp": THEN}, {"generation": 77},
            {"creationTimestamp": THEN}])

    @staticmethod
    def owner(number, **more):
        return {"apiVersion": "v1", "kind": "Pod", "name": f"owner-{number}",
                "uid": f"{STRANGER}{number}", **more}

    def fragment(self):
        """A change of the main path: of the kind's fields, of the metadata, or both."""
        dice = self.draw.randrange(100)
        if dice < 6:
            return {"metadata": self.bad_metadata_change()}
        if dice < 50:
            return {"metadata": self.metadata_change()}
        change = self.kind.change(self.draw, self.version)
        if dice < 60:
            change = {**change, "metadata": self.metadata_change()}
        return change

    def target(self):
        """(sub, fragment) of a write to the main path or to /status."""
        if self.kind.status_change and chance(self.draw, 45):
            change = self.kind.status_change(self.draw, self.version)
            if chance(self.draw, 10):
                change = {**change, "metadata": self.metadata_change()}
            return "status", change
        return "", self.fragment()

    # ---- writes

    def create(self):
        draw = self.draw
        name = self.object_name()
        labels = {"run": "@c@", "app": draw.choice(["x", "y", "z"])}
        metadata = {"labels": labels}
        if chance(draw, 8):
            metadata["generateName"] = f"{'' if self.kind.namespaced else '@c@-'}g{self.number}-"
            if chance(draw, 15):
                metadata["generateName"] += "long" * 20
        elif chance(draw, 4):
            metadata["name"] = draw.choice(BAD_NAMES)
        elif not chance(draw, 2):
            metadata["name"] = name
            self.note(name)
        if chance(draw, 20):
            metadata.update(self.metadata_change())
            metadata["labels"] = {**labels, **metadata.get("labels", {})}
        if chance(draw, 4):
            metadata.update(self.bad_metadata_change())
        if chance(draw, 2):
            metadata["resourceVersion"] = "7"
        body = self.object_with(self.kind.body(draw, self.version), **metadata)
        step = self.request("POST", body=body, query=self.write_options())
        if self.kind.namespaced and chance(draw, 3):
            step["namespace"] = draw.choice(["@c@-a", "@c@-none"])
        return step

    def whole(self, name, change, resource_version):
        """An object as read before, with a change: the body of a client's PUT."""
        fresh = self.object_with(self.kind.plain(self.version), name=name)
        base = self.ref(name, "", fresh)
        metadata = {"resourceVersion": resource_version} if resource_version != "as read" else {}
        change = {**change, "metadata": {**change.get("metadata", {}), **metadata}}
        kind = {"apiVersion": self.kind.api_version(self.version), "kind": self.kind.kind}
        return {"$merge": [base, {**kind, **change}]}

    def update(self):
        name = self.object_name()
        sub, change = self.target()
        # Usually the latest: an older version is a conflict.
        version = "as read" if chance(self.draw, 60) else None
        if chance(self.draw, 4):
            version = self.draw.choice(["abc", "1"])
        body = self.whole(name, change, version)
        self.note(name)
        return self.request("PUT", name, body, sub=sub, query=self.write_options())

    def patch(self, name, sub, body, kind, query):
        self.note(name)
        return self.request("PATCH", name, body, sub=sub, type=kind, query=query)

    def preconditions(self, name):
        metadata = {}
        if chance(self.draw, 12):
            metadata["resourceVersion"] = self.resource_version(name)
        if chance(self.draw, 12):
            metadata["uid"] = self.ref(name, "metadata/uid", STRANGER + "8")
        return metadata

    def with_preconditions(self, name, change):
        metadata = {**change.get("metadata", {}), **self.preconditions(name)}
        return {**change, "metadata": metadata} if metadata else change

    def merge(self):
        name = self.object_name()
        sub, change = self.target()
        if chance(self.draw, 12):
            change = self.draw.choice([
                {"metadata": {"labels": None}}, {"metadata": {"annotations": None}},
                {"metadata": {"labels": {"app": None}}}, {"metadata": {"finalizers": None}},
                {"metadata": {"ownerReferences": None}}, {}, {"spec": None}, {"status": None}])
        return self.patch(name, sub, self.with_preconditions(name, change), MERGE,
                          self.write_options())

    def strategic(self):
        name = self.object_name()
        sub, change = self.target()
        if chance(self.draw, 50):
            sub, change = self.directive()
        return self.patch(name, sub, self.with_preconditions(name, change), STRATEGIC,
                          self.write_options())

    def directive(self):
        """Strategic merge patches that use its directives."""
        draw = self.draw
        choices = [
            ("", {"metadata": {"$deleteFromPrimitiveList/finalizers": ["example.com/one"]}}),
            ("", {"metadata": {"finalizers": [draw.choice(["example.com/three",
                                                           "example.com/one"])]}}),
            ("", {"metadata": {"$setElementOrder/finalizers": ["example.com/two",
                                                               "example.com/one"],
                               "finalizers": ["example.com/two"]}}),
            ("", {"metadata": {"ownerReferences": [{"$patch": "delete", "uid": STRANGER + "1"}]}}),
            ("", {"metadata": {"ownerReferences": [self.owner(draw.choice([1, 2, 3]))]}}),
            ("", {"metadata": {"labels": {"$patch": "replace", "app": "x", "run": "@c@"}}}),
            ("", {"metadata": {"annotations": {"$patch": "delete"}}}),
            ("", {"metadata": {"annotations": {"$patch": "nonsense"}}}),
        ]
        if self.kind.plural == "resourceclaims":
            gone = {"$patch": "delete", "uid": f"{STRANGER}{draw.choice([1, 2, 3])}"}
            choices += 3 * [
                ("status", {"status": {"reservedFor": [gone]}}),
                ("status", {"status": {"reservedFor": [gone], "allocation": None}}),
                ("status", {"status": {"reservedFor": [{"$patch": "replace"}],
                                       "allocation": None}}),
                ("status", {"status": {"reservedFor": [gone, {
                    "resource": "pods", "name": "consumer-3", "uid": STRANGER + "3"}]}}),
                ("status", {"status": {"reservedFor": [{"resource": "pods", "name": "no-uid"}]}})]
        if self.kind.status_change and self.kind.plural in ("pods", "devicetaintrules", "nodes"):
            own = {"pods": "DisruptionTarget", "nodes": "Ready"}.get(self.kind.plural, "Other")
            choices += 3 * [
                ("status", {"status": {"conditions": [{"$patch": "delete", "type": own}]}}),
                ("status", {"status": {"conditions": [{"$patch": "replace"}] + conditions(
                    draw, [own])}}),
                ("status", {"status": {"$setElementOrder/conditions": [
                    {"type": "Ready"}, {"type": own}], "conditions": conditions(draw, [own])}})]
        if self.kind.plural == "pods":
            choices += 2 * [
                ("", {"spec": {"containers": [{"name": "main", "image": "img:5"}]}}),
                ("", {"spec": {"containers": [{"name": "new", "image": "img:5"}]}}),
                ("", {"spec": {"containers": [{"$patch": "delete", "name": "side"}]}}),
                ("", {"spec": {"tolerations": [{"key": "n", "operator": "Exists"}]}}),
                ("", {"spec": {"schedulingGates": [
                    {"$patch": "delete", "name": "example.com/wait"}]}}),
                ("status", {"status": {"resourceClaimStatuses": [
                    {"$patch": "delete", "name": draw.choice(["gpus", "nic"])}]}}),
                ("status", {"status": {"resourceClaimStatuses": [
                    {"name": "gpus", "resourceClaimName": "made-2"}]}})]
        return draw.choice(choices)

    def apply(self):
        self.version = self.apply_versions[self.kind.plural]
        name = self.object_name()
        sub, change = self.target()
        if not sub and chance(self.draw, 35):
            change = self.kind.body(self.draw, self.version)
        metadata = {**change.get("metadata", {}), **self.preconditions(name)}
        if chance(self.draw, 96):
            metadata["name"] = name
        if not sub and chance(self.draw, 25):
            metadata["labels"] = {"run": "@c@", **metadata.get("labels", {})}
        members = {k: v for k, v in change.items() if k != "metadata"}
        body = self.object_with(without_nulls(members), **metadata)
        query = {"fieldManager": self.draw.choice(MANAGERS)}
        if chance(self.draw, 40):
            query["force"] = "true"
        if chance(self.draw, 3):
            del query["fieldManager"]
        if chance(self.draw, 4):
            query["dryRun"] = "All"
        return self.patch(name, sub, body, APPLY, query)

    def json_patch(self):
        name = self.object_name()
        sub, change = self.target()
        plain = self.object_with(self.kind.plain(self.version), name=name,
                                 labels={"run": "@c@"})
        return self.patch(name, sub, json_patch(self.draw, change, plain), JSON_PATCH,
                          self.checked(self.write_options(), 15))

    def mistyped(self):
        """A write with a field of the wrong type, or an unknown field."""
        draw = self.draw
        name = self.object_name()
        sub, change = self.target()
        query = self.checked(self.write_options(), 100)
        if chance(draw, 35):
            body = self.object_with(self.kind.body(draw, self.version), name=name,
                                    labels={"run": "@c@", "app": "x"}, annotations={"note": "1"},
                                    finalizers=["example.com/one"], ownerReferences=[self.owner(1)])
            self.note(name)
            return self.request("POST", body=with_mistake(draw, body), query=query)
        change = with_mistake(draw, change)
        if chance(draw, 30):
            body = self.whole(name, change, "as read")
            self.note(name)
            return self.request("PUT", name, body, sub=sub, query=query)
        kind = draw.choice([MERGE, MERGE, STRATEGIC, STRATEGIC, APPLY])
        if kind == APPLY:
            self.version = self.apply_versions[self.kind.plural]
            metadata = change.get("metadata")
            metadata = {**metadata, "name": name} if isinstance(metadata, dict) else {"name": name}
            members = {k: v for k, v in change.items() if k != "metadata"}
            change = self.object_with(members, **metadata)
            # Whether a conflict or an invalid time is reported first is "known".
            query.update(fieldManager=draw.choice(MANAGERS), force="true")
        return self.patch(name, sub, change, kind, query)

    def broken(self):
        """A write of the right types that breaks a rule, at the main path or at /status."""
        name = self.object_name()
        if self.mistakes == "known":
            if self.kind.plural not in WHOLE_RULES:
                return self.mistyped()
            change = broken(self.draw, self.kind.status_change(self.draw, self.version))
            return self.patch(name, "status", change, MERGE, {})
        if chance(self.draw, 45):
            self.note(name)
            body = self.object_with(broken(self.draw, self.kind.body(self.draw, self.version)),
                                    name=name, labels={"run": "@c@", "app": "x"})
            return self.request("POST", body=body)
        sub, change = self.target()
        change = broken(self.draw, change)
        if chance(self.draw, 40):
            body = self.whole(name, change, "as read")
            self.note(name)
            return self.request("PUT", name, body, sub=sub)
        return self.patch(name, sub, change, self.draw.choice([MERGE, STRATEGIC]), {})

    def checked(self, query, percent):
        """With options for unknown fields."""
        wish = self.draw.choice(VALIDATIONS) if chance(self.draw, percent) else None
        return {**query, "fieldValidation": wish} if wish else query

    # ---- deletes

    def delete_options(self, name):
        draw = self.draw
        options = {}
        if chance(draw, 20):
            options["preconditions"] = {"uid": self.ref(name, "metadata/uid", STRANGER + "7")}
        if chance(draw, 15):
            options.setdefault("preconditions", {})["resourceVersion"] = \
                self.resource_version(name)
        if chance(draw, 30):
            options["gracePeriodSeconds"] = draw.choice([0, 0, 5, 600, -1])
        if chance(draw, 15):
            options["propagationPolicy"] = draw.choice(["Background", "Foreground", "Orphan",
                                                        "Sideways"])
        elif chance(draw, 3):
            options["orphanDependents"] = draw.choice([True, False])
        if not options and chance(draw, 8):
            options["dryRun"] = ["All"]
        return options

    def delete(self):
        name = self.object_name()
        options = self.delete_options(name)
        query = {}
        if not options and chance(self.draw, 15):
            query = self.draw.choice([{"gracePeriodSeconds": "0"}, {"dryRun": "All"},
                                      {"propagationPolicy": "Background"}])
        body = {"apiVersion": "v1", "kind": "DeleteOptions", **options} if options else None
        return self.request("DELETE", name, body, query=query)

    def collection(self):
        query = self.selectors() if self.kind.namespaced else {"labelSelector": "run=@c@"}
        return self.request("DELETE", query=query)

    # ---- reads

    def get(self):
        name = self.object_name()
        self.note(name)
        sub = "status" if self.kind.has_status and chance(self.draw, 20) else ""
        return self.request("GET", name, sub=sub)

    def selectors(self):
        draw = self.draw
        query = {}
        own = [] if self.kind.namespaced else ["run=@c@"]
        if chance(draw, 45):
            own.append(draw.choice(["app=x", "app in (x,y)", "app!=x", "!tier", "tier",
                                    "app notin (y)", "app==y"]))
        if own:
            query["labelSelector"] = ",".join(own)
        if chance(draw, 12):
            query["fieldSelector"] = f"metadata.name={self.object_name()}"
        elif self.kind.selectable and chance(draw, 25):
            query["fieldSelector"] = draw.choice(self.kind.selectable)
        return query

    def some_version(self):
        """The version of an object or list seen before."""
        places = [(ids[-1], "metadata/resourceVersion")
                  for (plural, _), ids in self.seen.items() if plural == self.kind.plural]
        places += [(i, "metadata/resourceVersion") for i, k in self.lists
                   if k == self.kind.plural]
        if not places:
            return "0"
        step, path = self.draw.choice(places)
        return {"$ref": [step, path], "else": "0"}

    def list(self):
        draw = self.draw
        query = self.selectors()
        if chance(draw, 5):
            query.update(draw.choice([
                {"labelSelector": "a b"}, {"labelSelector": "app in x"}, {"labelSelector": "=x"},
                {"fieldSelector": "spec.nothing=x"}, {"fieldSelector": "nonsense"},
                {"labelSelector": "app=not valid!"}, {"limit": "many"},
                {"resourceVersion": "abc"}, {"resourceVersion": "-1"},
                {"resourceVersionMatch": "Exact"}, {"continue": "nonsense"},
                {"resourceVersion": "0", "resourceVersionMatch": "Exact"},
                {"resourceVersion": "0", "resourceVersionMatch": "Perhaps"},
                {"sendInitialEvents": "true"}]))
        elif chance(draw, 30):
            query["resourceVersion"] = self.some_version()
            if chance(draw, 60):
                query["resourceVersionMatch"] = draw.choice(["Exact", "NotOlderThan"])
        if self.kind.namespaced and "limit" not in query:
            pages = [i for i, k in self.lists if k == self.kind.plural]
            if pages and chance(draw, 35):
                query.pop("resourceVersionMatch", None)
                if chance(draw, 90):
                    query.pop("resourceVersion", None)
                query["continue"] = {"$ref": [draw.choice(pages), "metadata/continue"],
                                     "else": ""}
            if "continue" in query or chance(draw, 40):
                query["limit"] = str(draw.choice([1, 1, 2, 3]))
        self.lists.append((self.number, self.kind.plural))
        return self.request("GET", query=query)

    def watch(self):
        draw = self.draw
        query = {"watch": "true", **self.selectors()}
        kind = draw.randrange(10)
        if kind < 4:
            query["resourceVersion"] = self.some_version()
        elif kind < 6:
            query["resourceVersion"] = "0"
        elif kind < 9:
            query.update(sendInitialEvents="true", resourceVersionMatch="NotOlderThan",
                         allowWatchBookmarks="true")
            if chance(draw, 30):
                query["resourceVersion"] = draw.choice(["0", ""])
            if chance(draw, 10):
                del query[draw.choice(["resourceVersionMatch", "allowWatchBookmarks"])]
        if chance(draw, 4):
            query.update(draw.choice([
                {"labelSelector": "a b"}, {"fieldSelector": "spec.nothing=x"},
                {"resourceVersion": "abc"}, {"resourceVersionMatch": "Exact"},
                {"sendInitialEvents": "false"}]))
        return self.request("GET", query=query, watch=True)

    # ---- what pods have besides

    def bind(self):
        name = self.object_name()
        body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
                "target": {"apiVersion": "v1", "kind": "Node",
                           "name": self.draw.choice(["node-a", "node-b"])}}
        dice = self.draw.randrange(20)
        if dice == 0:
            body["target"] = {"kind": "Pod", "name": "x"}
        elif dice == 1:
            body["target"] = {"kind": "Node"}
        elif dice < 5:
            body["metadata"]["uid"] = self.ref(name, "metadata/uid", STRANGER + "6")
        elif dice < 7:
            body["metadata"]["annotations"] = {"bound": "yes"}
        return self.request("POST", name, body, sub="binding")

    def evict(self):
        name = self.object_name()
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}}
        options = self.delete_options(name)
        if options:
            body["deleteOptions"] = options
        if chance(self.draw, 5):
            body["metadata"]["name"] = "other"
        return self.request("POST", name, body, sub="eviction")

    # ---- what no client should send

    def odd(self):
        draw = self.draw
        name = self.object_name()
        plain = self.object_with(self.kind.plain(self.version), name=name,
                                 labels={"run": "@c@"})
        choices = [
            lambda: self.request("POST", body={"$text": '{"metadata": '}),
            lambda: self.request("POST", body={"$text": ""}),
            lambda: self.request("POST", body={"$text": "[1, 2]"}),
            lambda: self.request("POST", body=dict(plain, kind="Nonsense")),
            lambda: self.request("POST", body=dict(plain, apiVersion="v9")),
            lambda: self.request("POST", body={k: v for k, v in plain.items()
                                               if k not in ("kind", "apiVersion")}),
            lambda: self.request("POST", body=dict(plain, metadata="text")),
            lambda: self.request("POST", body=plain, type="text/plain"),
            lambda: self.request("POST", name, plain),
            lambda: self.request("PUT", body=plain),
            lambda: self.request("PUT", name, dict(plain, metadata={"name": "other"})),
            lambda: self.request("PUT", name, dict(plain, metadata={})),
            lambda: self.request("PATCH", name, {"$text": "{"}, type=MERGE),
            lambda: self.request("PATCH", name, [], type=STRATEGIC),
            lambda: self.request("PATCH", name, {}, type=JSON),
            lambda: self.request("PATCH", name, plain, type=APPLY, query={"force": "true"}),
            lambda: self.request("PATCH", name, {}, type=MERGE, query={"force": "true"}),
            lambda: self.request("PATCH", body={}, type=MERGE),
            lambda: self.request("GET", name, sub="nonsense"),
            lambda: self.request("POST", name, {}, sub="status"),
            lambda: self.request("DELETE", name, {"$text": "{"}),
            lambda: self.request("DELETE", name, sub="status"),
            lambda: dict(self.request("GET"), kind="nonsenses"),
            lambda: dict(self.request("GET"), version="v9"),
        ]
        return draw.choice(choices)()
