"""Random definitions of kinds, and objects for their schemas: valid, nearly valid, invalid."""
import copy

from draws import APPLY, JSON, MERGE, chance, some
from generator import without_nulls

TEXTS = ["", "a", "aa", "abc", "b", "10.0.0.1", "5%", "2026-01-01T00:00:00Z", "1h", "ä"]
DEFAULTS = 60  # how many of a hundred are right
NAMES = ["a", "b", "c-d", "namespace", "e"]
RULES = {
    "integer": ["self > 1", "self % 2 == 0 || self < 0", "oldSelf == self", "self + 1"],
    "string": ["self.startsWith('a')", "self.size() < 3", "self == oldSelf", "self.foo"],
    "boolean": ["self"],
    "object": ["has(self.a)", "!has(self.a) || has(self.b)", "self == oldSelf", "self.nothing == 1"],
    "array": ["self.size() < 3", "self.exists(x, x == self[0])", "self == oldSelf"],
}

ROOT_RULES = ["self.kind.startsWith('Kind')", "self.apiVersion.endsWith('/v1')", "self.metadata.name != 'd'",
              "has(self.spec)", "self.spec == oldSelf.spec"]
# Members of an embedded object's metadata: right, empty, of other types, unknown.
METADATA = {
    "name": ["p", "", "P q", "a/b", 5, None], "generateName": ["p-", ""], "namespace": ["default", "", "a/b"],
    "labels": [{"a": "b"}, {}, {"a": 5}, {"a b": "c d"}, {"a": None}, None], "annotations": [{"a": "b"}, [], {}],
    "generation": [1, 0, -1, 1.5, "1"], "creationTimestamp": ["2026-01-01T00:00:00Z", None, "then", 5],
    "finalizers": [["a"], [], ["a b"], [5], None], "deletionGracePeriodSeconds": [0, 5],
    "ownerReferences": [[], [5], [{"name": "p", "x": 1}],
                        [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}]],
    "managedFields": [[], [{"manager": "m"}], [{"operation": "Apply", "fieldsType": "FieldsV1", "fieldsV1": {}}]],
    "unknown": [1, {"deep": 1}], "resourceVersion": ["1", ""], "uid": ["u"]}


def with_constraints(draw, schema):
    kind = schema.get("type")
    choices = {
        "string": [{"minLength": 2}, {"maxLength": 2}, {"pattern": "^a+$"}, {"enum": ["a", "abc"]},
                   {"format": "ipv4"}, {"format": "date-time"}, {"format": "duration"},
                   {"format": "unheard-of"}, {"not": {"enum": ["b"]}},
                   {"anyOf": [{"pattern": "^a"}, {"maxLength": 1}]},
                   {"allOf": [{"pattern": "^a"}, {"maxLength": 2}]},
                   {"oneOf": [{"pattern": "^a"}, {"maxLength": 1}]}],
        "integer": [{"minimum": 1}, {"maximum": 3}, {"minimum": 1, "exclusiveMinimum": True},
                    {"multipleOf": 2}, {"enum": [1, 2]}, {"format": "int32"}],
        "array": [{"minItems": 1}, {"maxItems": 2}],
        "object": [{"minProperties": 1}, {"maxProperties": 1}],
    }.get(kind, [])
    for one in some(draw, choices, 2):
        schema.update(one)
    if chance(draw, 12):
        schema["nullable"] = True
    if chance(draw, 15) and kind in RULES:
        rule = {"rule": draw.choice(RULES[kind])}
        rule.update(draw.choice([{}, {}, {"message": "not so"}, {"reason": "FieldValueForbidden"},
                                 {"messageExpression": "'not ' + 'so'"}]))
        schema["x-kubernetes-validations"] = [rule]
        if kind == "array":
            schema.setdefault("maxItems", 4)
    if chance(draw, 20):
        schema["default"] = draw_value(draw, schema, DEFAULTS)
    return schema


def draw_list(draw, depth):
    kind = draw.choice(["atomic", "set", "map", ""])
    if kind == "set":
        return {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}
    if kind == "map":
        key = {"type": "string"}
        item = {"type": "object", "required": ["a"],
                "properties": {"a": key, "e": draw_schema(draw, depth - 1)}}
        if chance(draw, 30):
            item.pop("required")
            key["default"] = "a"
        return {"type": "array", "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["a"], "items": item}
    return {"type": "array", "items": draw_schema(draw, depth - 1),
            **({"x-kubernetes-list-type": kind} if kind else {})}


def draw_schema(draw, depth=3):
    scalars = [{"type": "string"}, {"type": "integer"}, {"type": "boolean"}, {"type": "number"},
               {"x-kubernetes-int-or-string": True}]
    if depth == 0 or chance(draw, 45):
        return with_constraints(draw, dict(draw.choice(scalars)))
    shape = draw.choice(["object", "object", "list", "map", "any", "embedded"])
    if shape == "list":
        return with_constraints(draw, draw_list(draw, depth))
    if shape == "map":
        return with_constraints(draw, {"type": "object",
                                       "additionalProperties": draw_schema(draw, depth - 1)})
    if shape == "any":
        return {"x-kubernetes-preserve-unknown-fields": True}
    if shape == "embedded":
        return draw_embedded(draw, depth)
    properties = {name: draw_schema(draw, depth - 1) for name in some(draw, NAMES, 3)}
    schema = {"type": "object"}
    if properties:
        schema["properties"] = properties
        if chance(draw, 40):
            schema["required"] = some(draw, list(properties), 1)
    return with_constraints(draw, schema)


def draw_metadata(draw):
    return {name: draw.choice(METADATA[name]) for name in some(draw, list(METADATA), 3)}


def draw_embedded(draw, depth):
    schema = {"type": "object", "x-kubernetes-embedded-resource": True}
    if chance(draw, 50):
        return {**schema, "x-kubernetes-preserve-unknown-fields": True}
    text, default = {"type": "string"}, {"default": draw.choice(["v1", "Pod", "a/b/c", "", "P q"])}
    schema["properties"] = {
        "apiVersion": {**text, **(default if chance(draw, 20) else {})},
        "kind": {**text, **(default if chance(draw, 20) else {})}, "b": draw_schema(draw, depth - 1)}
    if chance(draw, 40):
        metadata = schema["properties"]["metadata"] = {"type": "object"}
        if chance(draw, 30):
            metadata["default"] = draw_metadata(draw)
        if chance(draw, 50):
            defaults = [{}, {}, {}, {"default": "p"}, {"default": ""}, {"default": "P q"}]
            metadata["properties"] = {name: {**text, **draw.choice(defaults)}
                                      for name in some(draw, ["name", "namespace", "unknown"], 2)}
    return schema


def spoil(draw, schema):
    """A mistake somewhere in a schema."""
    while schema.get("properties") and chance(draw, 70):
        schema = schema["properties"][draw.choice(list(schema["properties"]))]
    schema.update(draw.choice([
        {"type": "int"}, {"pattern": "("}, {"uniqueItems": True}, {"$ref": "#/x"}, {"type": "null"},
        {"x-kubernetes-list-type": "map"}, {"x-kubernetes-map-type": "other"},
        {"x-kubernetes-preserve-unknown-fields": False}, {"anyOf": [{"type": "string"}]},
        {"x-kubernetes-validations": [{"rule": ""}]}, {"unheardOf": 1},
        {"additionalProperties": {"type": "string"}, "properties": {"a": {"type": "string"}}}]))


def describe_resource(draw, root):
    """What a schema may say about what all resources have."""
    def text(*constraints):
        return {"type": "string", **draw.choice(constraints)}

    if chance(draw, 20):
        root["x-kubernetes-validations"] = [{"rule": draw.choice(ROOT_RULES)}]
    if chance(draw, 15):
        root["properties"]["kind"] = text({"maxLength": 4}, {"pattern": "^K"}, {"enum": ["x"]})
    if chance(draw, 15):
        root["properties"]["apiVersion"] = text({"maxLength": 4}, {"pattern": "/v1$"})
        root["required"] = ["apiVersion"]
    if chance(draw, 15):
        name = text({"pattern": "^[a-c]"}, {"maxLength": 1})
        root["properties"]["metadata"] = {"type": "object", "properties": {"name": name}}


def draw_definition(draw, group, number):
    plural, kind = f"kind{number}s", f"Kind{number}"
    root = {"type": "object", "properties": {
        "spec": {"type": "object", "properties": {
            name: draw_schema(draw) for name in some(draw, NAMES, 4) or ["a"]}},
        "status": {"type": "object", "properties": {"a": draw_schema(draw, 1)}}}}
    describe_resource(draw, root)
    if chance(draw, 15):
        spoil(draw, root)
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": root}}
    if chance(draw, 60):
        version["subresources"] = {"status": {}}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}"},
            "spec": {"group": group, "scope": "Namespaced",
                     "names": {"plural": plural, "kind": kind}, "versions": [version]}}


def draw_value(draw, schema, right=85):
    """A value; with that probability a valid one for its schema."""
    if not chance(draw, right):
        return draw.choice([None, 1, "a", True, [], {}, [1], {"a": 1}, 2.5, -1])
    kind = schema.get("type")
    if schema.get("x-kubernetes-int-or-string"):
        return draw.choice([1, "5%"])
    if schema.get("x-kubernetes-embedded-resource") and right == DEFAULTS:
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}
    if schema.get("x-kubernetes-embedded-resource"):
        value = {"apiVersion": draw.choice(["v1", "v1", "v1", "a/b/c", 5]),
                 "kind": draw.choice(["Pod", "Pod", "Pod", "P q", 5]), "metadata": draw_metadata(draw), "x": 1}
        return {name: one for name, one in value.items() if chance(draw, 80)}
    if kind == "array":
        return [draw_value(draw, schema.get("items", {}), right) for _ in range(draw.randrange(4))]
    if kind == "object" and "properties" in schema:
        value = {name: draw_value(draw, one, right)
                 for name, one in schema["properties"].items() if chance(draw, 70)}
        if chance(draw, 10):
            value["unknown"] = {"deep": 1}
        return value
    if kind == "object":
        inside = schema.get("additionalProperties", {})
        return {name: draw_value(draw, inside, right) for name in some(draw, ["k", "l", "m"], 2)}
    return {"string": lambda: draw.choice(TEXTS), "integer": lambda: draw.randrange(-1, 5),
            "boolean": lambda: chance(draw, 50), "number": lambda: draw.choice([1, 1.5, 3]),
            }.get(kind, lambda: draw.choice([1, "a", {"x": [1]}]))()


def redefine(draw, definition):
    """The definition with further constraints, and a field by which the change can be seen."""
    changed = copy.deepcopy(definition)
    root = changed["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    spec = root.setdefault("properties", {}).setdefault("spec", {"type": "object"})
    properties = spec.setdefault("properties", {})
    plain = [name for name, one in properties.items() if "x-kubernetes-embedded-resource" not in one]
    for name in some(draw, plain, 3):
        with_constraints(draw, properties[name])
    properties["redefined"] = {"type": "integer"}
    return changed


def reordered(value):
    """With the items of all lists in reverse."""
    if isinstance(value, dict):
        return {name: reordered(one) for name, one in value.items()}
    return [reordered(one) for one in reversed(value)] if isinstance(value, list) else value


def draw_objects(draw, definition, moves=14):
    """(method, path after that of the kind, body, type) of writes, in order."""
    spec = definition["spec"]
    kind, group = spec["names"]["kind"], spec["group"]
    properties = spec["versions"][0]["schema"]["openAPIV3Schema"].get("properties", {})

    def body(name):
        spec = {field: draw_value(draw, schema, 93) for field, schema
                in properties.get("spec", {}).get("properties", {}).items() if chance(draw, 80)}
        return {"apiVersion": f"{group}/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}

    written = {}
    for _ in range(moves):
        name = draw.choice(["a", "b", "c", "d"])
        move = draw.choice(["create", "create", "merge", "merge", "apply", "apply", "status", "reorder"])
        if move == "create":
            written[name] = body(name)
            yield "POST", "", written[name], JSON
        elif move == "reorder":
            yield "PATCH", "/" + name, {"spec": reordered(written.get(name, body(name))["spec"])}, MERGE
        elif move == "merge":
            yield "PATCH", "/" + name, {"spec": body(name)["spec"]}, MERGE
        elif move == "apply":
            manager = draw.choice(["alice", "bob"])
            force = draw.choice(["", "&force=true"])
            yield "PATCH", f"/{name}?fieldManager={manager}{force}", without_nulls(body(name)), APPLY
        else:
            status = {"status": draw_value(draw, properties.get("status", {}), 85)}
            yield "PATCH", f"/{name}/status", status, MERGE
        if chance(draw, 25):
            yield "GET", "/" + name, None, ""
