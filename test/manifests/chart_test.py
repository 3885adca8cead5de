"""The Helm chart and kustomize say the same, object by object; and the chart refuses values that make no sense."""
import json
import re
import unittest

import yaml

import cluster
import render
from server_test import establish_crds
from tools import ROOT, helm, run

KUBEADM = ["--set", r"nodeSelector.node-role\.kubernetes\.io/control-plane=",
           "--set-json", 'tolerations=[{"key": "node-role.kubernetes.io/control-plane",'
                         ' "operator": "Exists", "effect": "NoSchedule"}]',
           "--set", "networkPolicy.enabled=true"]
DRIVER = ["--set", "driverSlices.accounts={system:serviceaccount:dra-driver:dra-driver}"]


# What it is about: flags of `helm template`, and what kustomize is given: a folder, components, more.
SAME = {
    "by default it is the base": ([], "base", []),
    "the alerts": (["--set", "alerts.enabled=true"], "base", ["alerts"]),
    "drivers kept to their slices": (DRIVER, "base", ["driver-slices"]),
    "evictions by budget": (["--set", "evictionMode=evict"], "base", ["eviction-api"]),
    "the network policy": (["--set", "networkPolicy.enabled=true"], "base", ["network-policy"]),
    "pod groups": (["--set", "podGroups.enabled=true"], "base", ["pod-groups"]),
    "the pod monitor": (["--set", "podMonitor.enabled=true"], "base", ["pod-monitor"]),
    "the service monitor": (["--set", "serviceMonitor.enabled=true"], "base", ["service-monitor"]),
    "several at once": (["--set", "alerts.enabled=true,podMonitor.enabled=true,evictionMode=evict", *DRIVER],
                        "base", ["alerts", "driver-slices", "eviction-api", "pod-monitor"]),
    "kind": (["--set", "replicas=1,image.pullPolicy=Never"], "overlays/kind", []),
    "kubeadm": (KUBEADM, "overlays/kubeadm", []),
    "a namespace of its own": (["--namespace", "dra-controller-manager"], "overlays/own-namespace", []),
    "another image": (["--set", "image.repository=registry.example/dcm,image.tag=v1"], "base", [],
                      {"images": [{"name": "dra-controller-manager", "newTag": "v1",
                                   "newName": "registry.example/dcm"}]}),
}


def kustomized(folder, components, more=None):
    """Without a namespace: Helm makes those itself (--create-namespace)."""
    return [o for o in render.composed(folder, components, **(more or {})) if o["kind"] != "Namespace"]


REFUSED = {
    "an unknown key": ["--set", "replica=3"],
    "an unknown key further below": ["--set", "image.repo=x"],
    "a number of replicas that is none": ["--set", "replicas=two"],
    "an eviction mode that the manager has not": ["--set", "evictionMode=drain"],
    "a log format that the manager has not": ["--set", "logging.format=xml"],
    "a digest that is none": ["--set", "image.digest=latest"],
    "an argument that is no flag": ["--set", "extraArgs={verbose}"],
    "both monitors, which would count everything twice":
        ["--set", "podMonitor.enabled=true,serviceMonitor.enabled=true"],
    "an account that would end the string in the policy":
        ["--set", "driverSlices.accounts={system:serviceaccount:a:b'] || true || ['}"],
}


class Chart(unittest.TestCase):
    maxDiff = None

    def test_renders_the_same_objects_as_kustomize(self):
        for name, (flags, *given) in SAME.items():
            with self.subTest(name):
                charted = render.by_identity(render.chart(*flags))
                expected = render.by_identity(kustomized(*given))
                self.assertEqual(sorted(charted), sorted(expected))
                for identity, thing in expected.items():
                    self.assertEqual(charted[identity], thing)

    def test_every_component_and_overlay_is_compared(self):
        compared = {name for _, folder, names, *_ in SAME.values()
                    for name in [folder, *[f"components/{name}" for name in names]]}
        there = {f"{folder}/{path.name}" for folder in ("components", "overlays")
                 for path in (render.MANIFESTS / folder).iterdir()}
        self.assertEqual(compared, there | {"base"})

    def test_refuses_values_that_make_no_sense(self):
        for name, flags in REFUSED.items():
            with self.subTest(name), self.assertRaisesRegex(AssertionError, "values don't meet the spec"):
                render.chart(*flags)

    def test_passes_further_flags_and_verbosity_on(self):
        objects = render.chart("--set", "extraArgs={--kube-api-qps=400},logging.verbosity=2")
        self.assertEqual(render.container(objects)["args"],
                         ["--logging-format=json", "-v=2", "--kube-api-qps=400"])

    def test_mounts_what_flags_name(self):
        volume = {"name": "config", "configMap": {"name": "dcm"}}
        mount = {"name": "config", "mountPath": "/etc/dcm"}
        objects = render.chart("--set-json", f"extraVolumes={json.dumps([volume])}",
                               "--set-json", f"extraVolumeMounts={json.dumps([mount])}")
        self.assertEqual(render.container(objects)["volumeMounts"], [mount])
        deployment = next(o for o in objects if o["kind"] == "Deployment")
        self.assertEqual(deployment["spec"]["template"]["spec"]["volumes"], [volume])

    def test_a_digest_counts_more_than_a_tag(self):
        digest = "sha256:" + "0123456789abcdef" * 4
        objects = render.chart("--set", f"image.repository=registry.example/dcm,image.tag=v1,image.digest={digest}")
        self.assertEqual(render.container(objects)["image"], f"registry.example/dcm@{digest}")

    def test_what_the_prometheus_operator_looks_for_has_its_labels(self):
        for part, kind in {"podMonitor": "PodMonitor", "serviceMonitor": "ServiceMonitor",
                           "alerts": "PrometheusRule"}.items():
            with self.subTest(part):
                objects = render.chart("--set", f"{part}.enabled=true,{part}.labels.release=stack")
                labels = next(o for o in objects if o["kind"] == kind)["metadata"]["labels"]
                self.assertEqual(labels, {"app.kubernetes.io/name": "dra-controller-manager", "release": "stack"})

    def test_alerts_lead_to_the_runbooks_where_they_are(self):
        objects = render.chart("--set", "alerts.enabled=true,alerts.runbooks=https://docs.example/dcm")
        rules = next(o for o in objects if o["kind"] == "PrometheusRule")["spec"]["groups"][0]["rules"]
        for rule in rules:
            self.assertEqual(rule["annotations"]["runbook_url"], f"https://docs.example/dcm#{rule['alert'].lower()}")

    def test_helm_finds_nothing_to_mend_and_the_versions_are_that_of_the_sources(self):
        run(helm(), "lint", "--strict", render.CHART)
        version = re.search(r"VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text().split("project")[1])
        chart = yaml.safe_load((render.CHART / "Chart.yaml").read_text())
        self.assertEqual((chart["version"], chart["appVersion"]), (version.group(1), version.group(1)))

    def test_is_accepted_by_a_real_server_with_all_that_can_be_turned_on(self):
        flags = ["--set", "alerts.enabled=true,networkPolicy.enabled=true,evictionMode=evict", *DRIVER]
        establish_crds()
        for monitor in ("podMonitor", "serviceMonitor"):
            cluster.apply(render.chart(*flags, "--set", f"{monitor}.enabled=true"), "--dry-run=server")


if __name__ == "__main__":
    unittest.main()
