#!/usr/bin/env python3
"""Makes the field tables of Kubernetes' protobuf encoding from its published Go modules.

    apiserver/protobuf/tables.py [VERSION]

reads `generated.proto` (numbers and types) and `types.go` (what the proto files do not say: which
members are embedded in JSON, which are pointers, which are written even when empty) of k8s.io/api,
k8s.io/apiextensions-apiserver and k8s.io/apimachinery at VERSION, which Go fetches into its module
cache, and writes `tables.inc` beside this script. A message is a line with its name, then a line
for each field:

    NUMBER NAME one|list|map TYPE FLAGS

FLAGS: `i` embedded in JSON, `p` a pointer (so that an empty value is told from none), `k` kept in
JSON when empty, `v` JSON has the value of this field in place of its message (schema or boolean),
`-` none of them.
"""
import json
import pathlib
import re
import subprocess
import sys

VERSION = sys.argv[1] if len(sys.argv) > 1 else "v0.37.2"
EXTENSIONS = "apiextensions/v1"  # in k8s.io/apiextensions-apiserver
# Folders of k8s.io/api and EXTENSIONS, and the group as written in apiVersion.
GROUPS = {
    EXTENSIONS: "apiextensions.k8s.io/v1",
    "core/v1": "v1",
    "admissionregistration/v1": "admissionregistration.k8s.io/v1",
    "apps/v1": "apps/v1",
    "authentication/v1": "authentication.k8s.io/v1",
    "authorization/v1": "authorization.k8s.io/v1",
    "autoscaling/v1": "autoscaling/v1",
    "batch/v1": "batch/v1",
    "coordination/v1": "coordination.k8s.io/v1",
    "discovery/v1": "discovery.k8s.io/v1",
    "events/v1": "events.k8s.io/v1",
    "flowcontrol/v1": "flowcontrol.apiserver.k8s.io/v1",
    "networking/v1": "networking.k8s.io/v1",
    "node/v1": "node.k8s.io/v1",
    "policy/v1": "policy/v1",
    "rbac/v1": "rbac.authorization.k8s.io/v1",
    "resource/v1": "resource.k8s.io/v1",
    "resource/v1alpha3": "resource.k8s.io/v1alpha3",
    "resource/v1beta1": "resource.k8s.io/v1beta1",
    "resource/v1beta2": "resource.k8s.io/v1beta2",
    "scheduling/v1": "scheduling.k8s.io/v1",
    "scheduling/v1alpha3": "scheduling.k8s.io/v1alpha3",
    "scheduling/v1beta1": "scheduling.k8s.io/v1beta1",
    "storage/v1": "storage.k8s.io/v1",
}
META = "meta.k8s.io/v1"
# Messages whose JSON is not an object of their fields.
SPECIAL = {
    "k8s.io.apimachinery.pkg.api.resource.Quantity": "quantity",
    "k8s.io.apimachinery.pkg.util.intstr.IntOrString": "int_or_string",
    "k8s.io.apimachinery.pkg.runtime.RawExtension": "raw",
    "k8s.io.apimachinery.pkg.apis.meta.v1.FieldsV1": "raw",
    "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSON": "raw",
    "k8s.io.apimachinery.pkg.apis.meta.v1.Time": "time",
    "k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime": "micro_time",
    "k8s.io.apimachinery.pkg.apis.meta.v1.Duration": "duration",
}
META_ROOTS = ["DeleteOptions", "Status", "PartialObjectMetadata", "PartialObjectMetadataList"]
FIELD = re.compile(r"^\s+(optional|repeated|map<string, ([\w.]+)>)\s+([\w.]*)\s*(\w+) = (\d+);")
GO_FIELD = re.compile(r"^\s+(?:\w+\s+)?(\S+)\s+`(.*)`")
JSON_TAG = re.compile(r'json:"([^"]*)"')
NUMBER_TAG = re.compile(r'protobuf:"\w+,(\d+)')


def module(path):
    """The folder of a Go module, fetched if it is not there."""
    out = subprocess.run(["go", "mod", "download", "-json", f"{path}@{VERSION}"], check=True,
                         capture_output=True, text=True).stdout
    return pathlib.Path(json.loads(out)["Dir"])


def go_fields(folder):
    """{(struct, number): (name in JSON, flags)} of the Go types in `folder`."""
    found = {}
    for path in sorted({*folder.glob("*types.go"), *folder.glob("types*.go")}):
        struct = None
        for line in path.read_text().splitlines():
            if begun := re.match(r"^type (\w+) struct", line):
                struct = begun[1]
            field = GO_FIELD.match(line)
            number = field and NUMBER_TAG.search(field[2])
            if not number:
                continue
            json_tag = JSON_TAG.search(field[2])
            if not json_tag:  # its type writes JSON by itself
                found[struct, int(number[1])] = "", "v"
                continue
            name, *options = json_tag[1].split(",")
            flags = "p" * field[1].startswith("*")
            if not name:
                flags += "i"
            elif not {"omitempty", "omitzero"} & set(options):
                flags += "k"
            found[struct, int(number[1])] = name, flags
    return found


def read_package(folder, known):
    """Adds the messages of a folder's generated.proto to `known`: full name → [field]."""
    go = go_fields(folder)
    package = message = None
    for line in (folder / "generated.proto").read_text().splitlines():
        if begun := re.match(r"^package ([\w.]+);", line):
            package = begun[1]
        elif begun := re.match(r"^message (\w+) \{", line):
            message = begun[1]
            known[f"{package}.{message}"] = []
        elif field := FIELD.match(line):
            label, of_map, kind, name, number = field.groups()
            count = "map" if of_map else "list" if label == "repeated" else "one"
            in_json, flags = go.get((message, int(number)), (name, ""))
            kind = of_map or kind
            if kind[0].isupper():
                kind = f"{package}.{kind}"
            known[f"{package}.{message}"].append(
                (int(number), in_json or name, count, kind.lstrip("."), flags or "-"))


def wrapper(fields):
    """Whether a message is a Go list: `repeated string items = 1` and nothing else."""
    return [(number, name, count) for number, name, count, *_ in fields] == [(1, "items", "list")]


def shown_name(name, groups):
    package, message = name.rsplit(".", 1)
    return f"{groups[package]}.{message}"


def main():
    api = module("k8s.io/api")
    known, groups = {}, {"k8s.io.apimachinery.pkg.apis.meta.v1": META}
    read_package(module("k8s.io/apimachinery") / "pkg/apis/meta/v1", known)
    for folder, group in GROUPS.items():
        within = "k8s.io.api."
        if folder == EXTENSIONS:
            within = "k8s.io.apiextensions_apiserver.pkg.apis."
            read_package(module("k8s.io/apiextensions-apiserver") / "pkg/apis" / folder, known)
        else:
            read_package(api / folder, known)
        groups[within + folder.replace("/", ".")] = group
    meta = "k8s.io.apimachinery.pkg.apis.meta.v1."
    todo = [name for name, fields in known.items()
            if fields and fields[0][1] == "metadata" and not name.startswith(meta)]
    todo += [meta + name for name in META_ROOTS]
    seen = set()
    while todo:
        name = todo.pop()
        if name in seen or name in SPECIAL or name not in known:
            continue
        seen.add(name)
        todo += [kind for _, _, _, kind, _ in known[name]]
    lines = []
    for name in sorted(seen, key=lambda name: shown_name(name, groups)):
        if wrapper(known[name]):
            continue
        lines.append(shown_name(name, groups))
        for number, field, count, kind, flags in sorted(known[name]):
            if kind in SPECIAL:
                kind = SPECIAL[kind]
            elif kind in known:
                kind = "strings" if wrapper(known[kind]) else shown_name(kind, groups)
            lines.append(f"{number} {field} {count} {kind} {flags}")
    text = f"// k8s.io/api, k8s.io/apiextensions-apiserver and k8s.io/apimachinery {VERSION}, by tables.py\n"
    text += 'R"table(' + "\n".join(lines) + '\n)table"sv\n'
    (pathlib.Path(__file__).parent / "tables.inc").write_text(text)


if __name__ == "__main__":
    main()
