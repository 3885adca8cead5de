"""The objects that kustomize or Helm renders from the manifests, as a list."""
import os
import tempfile

import yaml

from tools import ROOT, SCRATCH, helm, kubectl, run

MANIFESTS = ROOT / "manifests"
CHART = MANIFESTS / "chart"


def documents(text):
    return [document for document in yaml.safe_load_all(text) if document is not None]


def kustomize(folder):
    """The objects of a folder below manifests/."""
    return documents(run(kubectl(), "kustomize", MANIFESTS / folder))


def kustomize_text(base="base", components=(), **more):
    """A base with some components, as an operator's own kustomization would have them."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
        def path(name):
            return os.path.relpath(MANIFESTS / name, folder)
        kustomization = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization",
                         "resources": [path(base)],
                         "components": [path(f"components/{name}") for name in components], **more}
        with open(f"{folder}/kustomization.yaml", "w") as file:
            yaml.safe_dump(kustomization, file)
        return run(kubectl(), "kustomize", folder)


def composed(base="base", components=(), **more):
    return documents(kustomize_text(base, components, **more))


def chart(*flags):
    """The objects of the Helm chart, in kube-system unless the flags name another namespace."""
    return documents(run(helm(), "template", "any-release-name", CHART, "--namespace", "kube-system",
                         "--kube-version", "1.37.2", *flags))


def identity(thing):
    metadata = thing["metadata"]
    return thing["apiVersion"], thing["kind"], metadata.get("namespace", ""), metadata["name"]


def by_identity(objects):
    """{(version, kind, namespace, name): object}; no object may occur twice."""
    found = {identity(thing): thing for thing in objects}
    assert len(found) == len(objects), "an object is rendered twice"
    return found


def the(kind, objects, name="dra-controller-manager"):
    """The only object of that kind and name."""
    fitting = [o for o in objects if o["kind"] == kind and o["metadata"]["name"] == name]
    assert len(fitting) == 1, f"{len(fitting)} objects {kind} {name}"
    return fitting[0]


def pod_spec(objects):
    return the("Deployment", objects)["spec"]["template"]["spec"]


def container(objects):
    containers = pod_spec(objects)["containers"]
    assert len(containers) == 1
    return containers[0]
