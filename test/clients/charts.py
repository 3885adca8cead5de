#!/usr/bin/env python3
"""Helm installs charts of DRA drivers and of what queues their Jobs; each object is shown as it is stored.

$HELM is Helm, $KUBECTL is kubectl, $CHARTS the charts' folders (two of our own, in charts/, come in
addition), $KUBECONFIG the server.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

NAMESPACE = "charts"
OWN = pathlib.Path(__file__).resolve().parent / "charts"
# What differs from server to server, or from second to second.
VOLATILE = ("uid", "resourceVersion", "creationTimestamp", "time", "lastTransitionTime", "clusterIP", "clusterIPs",
            "nodePort", "caBundle", "ipFamilies")


def without_aggregator(stored):
    """Whether the service of an APIService is available, is what kube-aggregator writes."""
    if stored["kind"] == "APIService":
        stored.pop("status", None)
        stored["metadata"]["managedFields"] = [entry for entry in stored["metadata"]["managedFields"]
                                               if entry.get("subresource") != "status"]
    return stored


def run(*words, text=None):
    done = subprocess.run(words, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        print("FAILED:", *words[1:], done.stderr)
        sys.exit(1)
    return done


def helm(*words):
    return run(os.environ["HELM"], *words, "--namespace", NAMESPACE)


def kubectl(*words, text=None):
    return run(os.environ["KUBECTL"], *words, text=text)


def settled(value):
    """Without what is volatile."""
    if isinstance(value, dict):
        return {key: settled(member) for key, member in sorted(value.items()) if key not in VOLATILE}
    return [settled(item) for item in value] if isinstance(value, list) else value


def show(stored):
    """A line for each member of a member: what differs stands out."""
    name = f"{stored['kind']} {stored['metadata']['name']}"
    for member, value in settled(without_aggregator(stored)).items():
        if member == "status" and "conditions" in value:
            value["conditions"].sort(key=lambda condition: condition["type"])
        parts = value.items() if isinstance(value, dict) else [("", value)]
        for part, content in parts:
            if member == "spec" and part == "versions":
                for version in content:
                    print(f"{name} {version['name']}: {json.dumps(version)}")
            else:
                print(f"{name} {member}.{part}: {json.dumps(content)}")


def stored(manifest):
    return json.loads(kubectl("get", "-f", "-", "-o", "json", "--show-managed-fields", text=manifest).stdout)


def definitions_of(chart):
    return "\n---\n".join(path.read_text() for path in sorted(chart.glob("crds/*.yaml")))


def await_definitions():
    """Helm waits for those in crds/ alone."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        found = json.loads(kubectl("get", "customresourcedefinitions", "-o", "json").stdout)["items"]
        if all(any(one["type"] == "Established" and one["status"] == "True" for one in each["status"]["conditions"])
               for each in found):
            return
        time.sleep(0.2)
    print("not established in time")


def try_chart(chart):
    print(f"== {chart.name}")
    said = helm("install", chart.name, str(chart), "--create-namespace")
    print("said:", sorted(text for text in re.findall(r"Warning: .*", said.stderr) if "this API server" not in text))
    await_definitions()
    manifest = helm("get", "manifest", chart.name).stdout
    for one in stored(manifest)["items"]:
        show(one)
    definitions = definitions_of(chart)
    if definitions:
        found = stored(definitions)
        for one in found.get("items", [found]):
            show(one)
    print("upgraded:", re.findall(r"^(?:STATUS|REVISION): .*$", helm("upgrade", chart.name, str(chart)).stdout, re.M))
    helm("uninstall", chart.name)
    if definitions:
        kubectl("delete", "-f", "-", text=definitions)


def choose_namespace():
    """For kubectl: objects without a namespace are of the release's. A flag would refuse those of other namespaces."""
    copy = shutil.copy(os.environ["KUBECONFIG"], tempfile.mkdtemp())
    os.environ["KUBECONFIG"] = copy
    kubectl("config", "set-context", "--current", "--namespace", NAMESPACE)


def main():
    choose_namespace()
    folders = [pathlib.Path(folder) for folder in os.environ["CHARTS"].split()]
    for chart in [*folders, *sorted(path for path in OWN.iterdir() if path.is_dir())]:
        try_chart(chart)
    print("done")


if __name__ == "__main__":
    main()
