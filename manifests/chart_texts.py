#!/usr/bin/env python3
"""Writes the chart's values.yaml and README.md from its schema, and what is below `config` there from the manual
page; with --check only says what is not up to date.

    docs/dra-controller-manager.8 -> the keys below `config` of chart/values.schema.json
    chart/values.schema.json      -> chart/values.yaml, chart/README.md

Each value has its description and its default in the schema, and nowhere else. The manual page is made from the table
of settings, so it has every key of the configuration file. Written by hand is only which values a key may have: LIMITS.
"""
import json
import pathlib
import re
import sys
import textwrap

import yaml

CHART = pathlib.Path(__file__).resolve().parent / "chart"
MANUAL = CHART.parent.parent / "docs/dra-controller-manager.8"

# By the placeholder of a flag: the values of its key.
TYPES = {
    "": {"type": "boolean"},
    "NUMBER": {"type": "integer", "minimum": 1, "maximum": 2147483647},
    "DURATION": {"$ref": "#/definitions/goDuration"},
    "LIST": {"type": "array", "items": {"type": "string"}},
    **dict.fromkeys(("ADDRESS", "FILE", "KIND", "MODE", "NAME", "TYPE", "URL", "VERSION"), {"type": "string"}),
}


def rate(least):
    """0 means no limit."""
    return {"type": "number", "minimum": 0, "if": {"exclusiveMinimum": 0}, "then": {"minimum": least}}


OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
IPV4 = f"({OCTET}[.]){{3}}{OCTET}"
IPV6 = "[0-9a-fA-F:]*:[0-9a-fA-F:.]*"
# Instead of these types: what the manager refuses is refused before it is deployed.
LIMITS = {
    "clientConnection.contentType": {"enum": ["application/vnd.kubernetes.protobuf", "application/json"]},
    **dict.fromkeys(("clientConnection.maxInflightRequests", "deviceTaintEvictionController.concurrentSyncs",
                     "resourceClaimController.concurrentSyncs"),
                    {"type": "integer", "minimum": 1, "maximum": 10000}),
    "clientConnection.qps": rate(0.1),
    "deviceTaintEvictionController.evictionRate": rate(0.001),
    "leaderElection.resourceLock": {"const": "leases"},
    "leaderElection.resourceName": {
        "type": "string", "maxLength": 253,
        "pattern": "^[a-z0-9]([a-z0-9-]*[a-z0-9])?([.][a-z0-9]([a-z0-9-]*[a-z0-9])?)*$"},
    "resourceClaimController.foreignClaims": {"enum": ["give-way", "go-on"]},
    # With the paths of the probes: kubelet has no token.
    "serving.authorizationAlwaysAllowPaths": {
        "type": "array", "items": {"type": "string", "pattern": "^[^*]*[*]?$"},
        "allOf": [{"contains": {"pattern": "^(/livez|/(l(i(v(ez?)?)?)?)?[*])$"}},
                  {"contains": {"pattern": "^(/readyz|/(r(e(a(d(yz?)?)?)?)?)?[*])$"}}]},
    # Kubelet could not probe a loopback address.
    "serving.bindAddress": {"type": "string", "pattern": f"^({IPV4}|{IPV6})?$", "not": {"pattern": "^(127[.]|::1$)"}},
    "serving.metricsAcceptHosts": {
        "type": "array", "items": {"type": "string", "pattern": "^([*][.])?[A-Za-z0-9_.:\\[\\]-]+$"}},
    "serving.metricsBindAddress": {
        "type": "string", "pattern": f"^(({IPV4}|\\[{IPV6}\\]|localhost)?:[0-9]{{1,5}})?$"},
    "serving.tlsMinVersion": {"enum": ["VersionTLS12", "VersionTLS13"]},
}
# Keys that have a value of their own in the chart: the templates refuse them, and name that value.
OF_THE_CHART = {
    "controllers", "deviceTaintEvictionController.evictionMode", "featureGates", "leaderElection.resourceNamespace",
    "logging.format", "logging.verbosity", "serving.securePort", "serving.tlsCertFile", "serving.tlsPrivateKeyFile"}

README = """\
# dra-controller-manager

Helm chart of [dra-controller-manager](../../README.md), which serves the ResourceClaims of pods and evicts pods from
tainted devices. It renders the same objects as the [kustomizations](../README.md) beside it.

**Requires** [Kubernetes 1.34 or later](../../docs/kubernetes-versions.md), Helm 3.14 or later, and, before you start an
instance, a kube-controller-manager [without these two controllers](../../docs/migrate.md). Until then, no instance runs
(`replicaCount: 0`).

```sh
helm install dra-controller-manager manifests/chart --namespace kube-system \\
  --set image.repository=registry.example/dra-controller-manager
```

In another namespace than `kube-system`, the chart adds the permissions and FlowSchemas that it needs there.

## Upgrade and uninstall

```sh
helm upgrade dra-controller-manager manifests/chart --namespace kube-system --reset-then-reuse-values \\
  --set image.tag=NEW
```

Without `--reset-then-reuse-values`, an upgrade with `--set` takes all other values from the chart, so `replicaCount` is
0 again and no instance runs. An old instance is replaced only when a new one is ready. *Upgrade notes* in
[CHANGELOG.md](../../CHANGELOG.md) name the exceptions, such as a changed selector, for which the Deployment must be
deleted first, and list each value that is renamed or removed; the schema refuses its old name.

Set `replicaCount=0` before `helm uninstall` ([why, and what stays](../../docs/install.md#uninstall)).

## Metrics over verified TLS

Without a certificate the manager signs its own at each start, and Prometheus cannot verify it. A monitor is therefore
refused until there is a certificate, or until `tlsConfig.insecureSkipVerify` says to go without. With cert-manager:

```yaml
servingCertificate:
  certManager:
    enabled: true
    issuerRef: {kind: ClusterIssuer, name: cluster-ca}
serviceMonitor:
  enabled: true
  labels: {release: kube-prometheus-stack}
```

## Values

This table and `values.yaml` are made from `values.schema.json` by `manifests/chart_texts.py`.

| value | default | what it is |
| --- | --- | --- |
"""

VALUES = """\
# Made from values.schema.json by ../chart_texts.py: do not edit.
# The default values render manifests/base; each option matches a component or overlay there.
"""


def keys():
    """{key of the configuration file: the placeholder of its flag}"""
    found = re.findall(r"^\.TP\n\\fB(.*)\\fR\n.*\n\.br\nIn the file: \\fB(.*)\\fR$", MANUAL.read_text(), re.M)
    return {key: flag.partition(" ")[2].rpartition(" ")[2] for flag, key in found}


def sections():
    """{section: {key: its schema}}; the section "" has the keys that are in none."""
    found = {}
    for key, placeholder in keys().items():
        section, _, name = key.rpartition(".")
        found.setdefault(section, {})[name] = {} if key in OF_THE_CHART else LIMITS.get(key, TYPES.get(placeholder))
        assert found[section][name] is not None, f"{key}: the placeholder {placeholder} is missing in TYPES"
    unknown = (LIMITS.keys() | OF_THE_CHART) - keys().keys()
    assert not unknown, f"no keys of the configuration file: {sorted(unknown)}"
    return found


def schema_of_config():
    """The lines below config.properties."""
    lines = [f"{json.dumps(name)}: {json.dumps(part)}" for name, part in sections().pop("").items()]
    for section, parts in sections().items():
        if section:
            inner = ",\n".join(f"          {json.dumps(name)}: {json.dumps(part)}" for name, part in parts.items())
            lines.append(f'{json.dumps(section)}: {{\n          "type": "object",\n'
                         f'          "additionalProperties": false,\n          "properties": {{\n'
                         + re.sub("^", "  ", inner, flags=re.M) + "\n          }\n        }")
    return ",\n".join(f"        {line}" for line in lines)


def schema_text():
    old = SCHEMA.read_text()
    new, count = re.subn(r'(\n    "config": \{\n.*?\n      "properties": \{\n).*?(\n      \},\n      "default")',
                         lambda found: found[1] + schema_of_config() + found[2], old, count=1, flags=re.S)
    assert count == 1, "values.schema.json: config.properties is not found"
    return new


def leaves(schema, path=()):
    """(path, schema) of each value that has a default, in the schema's order."""
    for name, part in schema["properties"].items():
        if "default" in part:
            yield (*path, name), part
        elif "properties" in part:
            yield from leaves(part, (*path, name))


def flow(value):
    """On one line, as a person would write it."""
    return yaml.safe_dump(value, default_flow_style=True, width=10**6, sort_keys=False).removesuffix("\n...\n").strip()


def readme(schema):
    rows = []
    for path, part in leaves(schema):
        default = flow(part["default"]).replace("|", "\\|")
        rows.append(f"| `{'.'.join(path)}` | `{default}` | {part['description']} |\n")
    return README + "".join(rows)


def values(schema):
    lines, above = [], ()
    for path, part in leaves(schema):
        for depth, name in enumerate(path[:-1]):
            if above[:depth + 1] != path[:depth + 1]:
                lines.append(("" if depth else "\n") + "  " * depth + f"{name}:\n")
        if len(path) == 1:
            lines.append("\n")
        indent = "  " * (len(path) - 1)
        lines += [f"{indent}# {line}\n" for line in textwrap.wrap(part["description"], 112 - len(indent))]
        lines.append(f"{indent}{path[-1]}: {flow(part['default'])}\n")
        above = path[:-1]
    return VALUES + "".join(lines)


SCHEMA = CHART / "values.schema.json"


def main():
    text = schema_text()
    schema = json.loads(text)
    made = {SCHEMA: text, CHART / "values.yaml": values(schema), CHART / "README.md": readme(schema)}
    stale = [path for path, wanted in made.items() if not path.exists() or path.read_text() != wanted]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.relative_to(CHART.parent)}: run manifests/chart_texts.py")
        sys.exit(1 if stale else 0)
    for path in stale:
        path.write_text(made[path])


if __name__ == "__main__":
    main()
