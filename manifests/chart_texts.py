#!/usr/bin/env python3
"""Writes the chart's values.yaml and README.md from its schema; with --check only says what is not up to date.

    chart/values.schema.json -> chart/values.yaml, chart/README.md

Each value has its description and its default in the schema, and nowhere else.
"""
import json
import pathlib
import sys
import textwrap

import yaml

CHART = pathlib.Path(__file__).resolve().parent / "chart"

README = """\
# dra-controller-manager

Helm chart of [dra-controller-manager](../../README.md), which serves the ResourceClaims of pods and evicts pods from
tainted devices. It renders the same objects as the [kustomizations](../README.md) beside it.

**Requires** [Kubernetes 1.34 or later](../../docs/kubernetes-versions.md), and, before you start an instance, a
kube-controller-manager [without these two controllers](../../docs/migrate.md). Until then, no instance runs
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


MADE = {CHART / "values.yaml": values, CHART / "README.md": readme}


def main():
    schema = json.loads((CHART / "values.schema.json").read_text())
    stale = [path for path, make in MADE.items() if not path.exists() or path.read_text() != make(schema)]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.relative_to(CHART.parent)}: run manifests/chart_texts.py")
        sys.exit(1 if stale else 0)
    for path in stale:
        path.write_text(MADE[path](schema))


if __name__ == "__main__":
    main()
