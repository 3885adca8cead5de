"""JSON patches (RFC 6902): lists of operations, with good paths and bad ones.

Paths and values come from a fragment of the kind (see kinds.py), so that patches meet fields that
are there; the rest is metadata, and what no client should send.
"""
from kinds import chance

LABEL = "/metadata/labels/app"


def json_patch(draw, fragment, plain):
    """→ the body of a PATCH. `fragment` is a change of the kind, `plain` a whole object of it."""
    if chance(draw, 5):
        return draw.choice([{}, {"op": "add", "path": LABEL, "value": "x"}, "text", 7, [7], [[]],
                            [None], {"$text": "null"}, [], {"$text": "["}, {"$text": ""}])
    moves = [(of_fragment, 45), (of_metadata, 35), (of_metadata_lists, 10), (wrong, 12)]
    operations = []
    for _ in range(draw.choice([1, 1, 1, 2, 2, 3])):
        make = draw.choices([m for m, _ in moves], [w for _, w in moves])[0]
        operations += make(draw, fragment)
    if chance(draw, 7):
        operations.append(whole(draw, plain))
    return operations


def pointers(value, before=""):
    """Every path below a value, with its content."""
    members = value.items() if isinstance(value, dict) else \
        enumerate(value) if isinstance(value, list) else []
    for key, item in members:
        path = f"{before}/{str(key).replace('~', '~0').replace('/', '~1')}"
        yield path, item
        yield from pointers(item, path)


def of_fragment(draw, fragment):
    places = list(pointers(fragment))
    if not places:
        return []
    path, value = draw.choice(places)
    kind = draw.randrange(20)
    if kind < 8:
        return [{"op": "add", "path": path, "value": value}]
    if kind < 13:
        return [{"op": "replace", "path": path, "value": value}]
    if kind < 15:
        return [{"op": "remove", "path": path}]
    if kind < 17:
        return [{"op": "test", "path": path, "value": value}]
    other = draw.choice(places)[0]
    if kind == 17:
        return [{"op": "copy", "from": path, "path": other}]
    if kind == 18:
        return [{"op": "move", "from": path, "path": other}]
    return [{"op": "add", "path": path, "value": None}]


def of_metadata(draw, _fragment):
    return draw.choice([
        [{"op": "add", "path": "/metadata/labels/added", "value": "1"}],
        [{"op": "add", "path": "/metadata/labels/slash~1ed", "value": "1"}],
        [{"op": "add", "path": "/metadata/annotations", "value": {"note": "j"}}],
        [{"op": "add", "path": "/metadata/annotations/mark", "value": "j"}],
        [{"op": "replace", "path": LABEL, "value": draw.choice(["j", "x"])}],
        [{"op": "replace", "path": "/metadata/labels/none", "value": "j"}],
        [{"op": "remove", "path": LABEL}],
        [{"op": "remove", "path": "/metadata/labels"}],
        [{"op": "test", "path": LABEL, "value": draw.choice(["x", "y"])},
         {"op": "replace", "path": LABEL, "value": "z"}],
        [{"op": "test", "path": "/metadata/labels/none", "value": None}],
        [{"op": "test", "path": "/kind", "value": "Pod"}],
        [{"op": "copy", "from": LABEL, "path": "/metadata/labels/copy"}],
        [{"op": "move", "from": LABEL, "path": "/metadata/labels/moved"}],
        [{"op": "copy", "from": "/metadata/labels", "path": "/metadata/annotations"}],
        [{"op": "replace", "path": "/metadata/resourceVersion",
          "value": draw.choice(["1", "abc", ""])}],
        [{"op": "replace", "path": "/metadata/uid", "value": "other"}],
        [{"op": "remove", "path": "/metadata/uid"}]])


def of_metadata_lists(draw, _fragment):
    return draw.choice([
        [{"op": "add", "path": "/metadata/finalizers", "value": ["example.com/one"]}],
        [{"op": "add", "path": "/metadata/finalizers/-", "value": "example.com/four"}],
        [{"op": "add", "path": "/metadata/finalizers/0", "value": "example.com/five"}],
        [{"op": "add", "path": "/metadata/finalizers/7", "value": "example.com/six"}],
        [{"op": "remove", "path": "/metadata/finalizers/0"}],
        [{"op": "remove", "path": "/metadata/finalizers/-1"}],
        [{"op": "remove", "path": "/metadata/finalizers/x"}],
        [{"op": "remove", "path": "/metadata/finalizers"}],
        [{"op": "move", "from": "/metadata/finalizers/0", "path": "/metadata/finalizers/1"}]])


def wrong(draw, _fragment):
    """Patches that no client should send."""
    return [draw.choice([
        {"op": "nonsense", "path": LABEL}, {"path": LABEL}, {"op": "remove"},
        {"op": "add", "value": "x"}, {"op": "add", "path": LABEL}, {"op": "replace", "path": LABEL},
        {"op": "test", "path": LABEL}, {"op": "copy", "path": LABEL}, {"op": "move", "path": LABEL},
        {"op": 7, "path": LABEL}, {"op": "remove", "path": 7}, {"op": "copy", "from": 7,
                                                                "path": LABEL},
        {"op": "remove", "path": None}, {"op": "ADD", "path": LABEL, "value": "x"},
        {"op": "add", "path": "metadata/labels/app", "value": "x"},
        {"op": "add", "path": "/metadata/nothing/deeper", "value": "x"},
        {"op": "add", "path": LABEL + "/deeper", "value": "x"},
        {"op": "add", "path": "/", "value": "x"}, {"op": "remove", "path": "/"},
        {"op": "add", "path": LABEL, "value": 7}, {"op": "add", "path": LABEL, "value": {}},
        {"op": "add", "path": LABEL, "value": None},
        {"op": "add", "path": LABEL, "value": "x", "extra": True},
        {"op": "add", "path": "/nonsense", "value": 7},
        {"op": "replace", "path": "/metadata", "value": "text"},
        {"op": "remove", "path": "/metadata"}, {"op": "remove", "path": "/spec"},
        {"op": "remove", "path": "/status"}, {"op": "remove", "path": "/kind"},
        {"op": "remove", "path": "/apiVersion"},
        {"op": "remove", "path": "/metadata/name"},
        {"op": "replace", "path": "/metadata/name", "value": "other"},
        {"op": "replace", "path": "/metadata/namespace", "value": "elsewhere"},
        {"op": "replace", "path": "/kind", "value": "Nonsense"},
        {"op": "replace", "path": "/apiVersion", "value": "v9"},
        {"op": "move", "from": "/metadata", "path": "/metadata/labels"}])]


def whole(draw, plain):
    """An operation on the document itself."""
    return draw.choice([
        {"op": "replace", "path": "", "value": plain},
        {"op": "replace", "path": "", "value": {k: v for k, v in plain.items() if k != "kind"}},
        {"op": "replace", "path": "", "value": {k: v for k, v in plain.items()
                                                if k != "apiVersion"}},
        {"op": "replace", "path": "", "value": {}}, {"op": "replace", "path": "", "value": "text"},
        {"op": "replace", "path": "", "value": []}, {"op": "replace", "path": "", "value": None},
        {"op": "add", "path": "", "value": plain}, {"op": "remove", "path": ""},
        {"op": "test", "path": "", "value": plain}, {"op": "copy", "from": "", "path": "/spec"},
        {"op": "copy", "from": "/metadata", "path": ""},
        {"op": "move", "from": "", "path": "/spec"}])
