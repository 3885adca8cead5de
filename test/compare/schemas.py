"""Values drawn from the published OpenAPI schemas, as the in-memory server has them in its source.

A drawn value has the right types and mostly valid contents, so that rejections are due to rules
beyond the schema: valid combinations, lengths, counts, names.
"""
import functools
import json
import pathlib
import re

from draws import DRIVER, STRANGER, THEN, chance

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "apiserver/schemas/openapi"

# Valid values by field name, where the type alone does not suffice.
GOOD = {
    "allocationMode": ["ExactCount", "All"], "allocationTimestamp": [THEN], "count": [1, 2],
    "device": ["gpu-0"], "deviceClassName": ["gpu", "nic"], "distinctAttribute": [f"{DRIVER}/a"],
    "driver": [DRIVER], "effect": ["NoExecute", "NoSchedule"], "expression": ["true"],
    "extendedResourceName": ["example.com/gpu"], "hardwareAddress": ["aa:bb:cc:dd:ee:ff"],
    "interfaceName": ["eth0"], "ips": ["10.9.8.7/24", "2001:db8::1/64"], "key": ["example.com/k"],
    "lastTransitionTime": [THEN], "matchAttribute": [f"{DRIVER}/a"], "message": ["words"],
    "name": ["gpu", "nic"], "observedGeneration": [1], "pool": ["pool-a"], "reason": ["Because"],
    "request": ["gpu"], "requests": ["gpu"], "resource": ["pods"], "shareID": [STRANGER + "5"],
    "source": ["FromClass", "FromClaim"], "status": ["True", "False", "Unknown"],
    "timeAdded": [THEN], "tolerationSeconds": [5], "type": ["Ready", "Warm"],
    "uid": [STRANGER + "1", STRANGER + "2"],
}
# Fields of the schema that are not drawn, and why.
LEFT_OUT = {
    "adminAccess": "needs a labelled namespace",
    "capacity": "consumable capacity is not looked into in memory",
    "derivedAttributes": "their expressions are not compiled in memory",
    "skipNodeOperations": "behind a gate that is off",
    "allocationTimestamp": "drawn by hand, in kinds.py",
}


@functools.cache
def schemas():
    """All published schemas by name."""
    found = {}
    for file in sorted(FOLDER.glob("*.inc")):
        text = "".join(re.findall(r'R"json\((.*?)\)json"', file.read_text(), re.S))
        found.update(json.loads("{" + text.strip().strip(",") + "}"))
    return found


def named(reference):
    return schemas()[reference.rpartition("/")[2]]


def draw_value(draw, schema, name="", optional=35):
    """A value of that schema; `optional` is the probability in percent that an optional field is
    set."""
    for part in schema.get("allOf", []):
        schema = {**schema, **named(part["$ref"])}
    if "$ref" in schema:
        schema = named(schema["$ref"])
    if schema.get("type") == "array":
        return [draw_value(draw, schema["items"], name, optional)
                for _ in range(draw.choice([1, 1, 2]))]
    if "properties" in schema:
        return {key: draw_value(draw, field, key, optional)
                for key, field in sorted(schema["properties"].items())
                if key not in LEFT_OUT and
                (key in schema.get("required", []) or chance(draw, optional))}
    if name in GOOD:
        return draw.choice(GOOD[name])
    if schema.get("type") == "object":
        return {"a": "b"}
    return {"integer": 1, "boolean": True}.get(schema.get("type"), "text")


def draw_type(draw, name):
    """A value of a published type: resource.v1.AllocationResult."""
    return draw_value(draw, schemas()[f"io.k8s.api.{name}"])
