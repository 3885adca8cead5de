"""Each value of the Helm chart has its documented effect, and a description; the labels are the
usual ones."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import yaml

import cluster
import render
from chart_values import CERTIFICATE, EFFECTS, NAME, as_json, configuration, field, names, one, pod, with_service_monitor
from server_test import establish_crds
from tools import ROOT, helm, manager, run

sys.path.append(str(render.MANIFESTS))

import chart_texts  # noqa: E402


def leaves(schema, path=()):
    for name, part in schema["properties"].items():
        if "default" in part:
            yield ".".join((*path, name)), part
        elif "properties" in part:
            yield from leaves(part, (*path, name))


def schema():
    return json.loads((render.CHART / "values.schema.json").read_text())


class ChartValues(unittest.TestCase):
    maxDiff = None

    def test_each_has_its_effect(self):
        for name, (flags, look, expected) in EFFECTS.items():
            with self.subTest(name):
                self.assertEqual(look(render.chart(*flags)), expected)

    def test_each_effect_is_the_values_own(self):
        """With the default, the test above would pass without the value."""
        default = render.chart()
        for name, (_, look, expected) in EFFECTS.items():
            with self.subTest(name):
                try:
                    shown = look(default)
                except (AssertionError, KeyError):  # The objects that the value enables are missing.
                    continue
                self.assertNotEqual(shown, expected)

    def test_each_is_tried_and_described(self):
        described = dict(leaves(schema()))
        self.assertEqual(sorted(described), sorted(EFFECTS))
        self.assertEqual([name for name, part in described.items() if not part.get("description", "").endswith(".")
                          and "]." not in part.get("description", "")], [])

    def test_null_is_the_default_or_refused(self):
        """`--set VALUE=null` takes the default away, which must not leave a hole in what is rendered."""
        everything = ["--set", "alerts.enabled=true,networkPolicy.enabled=true,serviceMonitor.enabled=true",
                      "--set", f"replicaCount=2,{CERTIFICATE}"]
        default = render.chart(*everything)
        values = dict(leaves(schema()))
        sections = {name.rpartition(".")[0] for name in values} - {""}
        given = re.findall(r"([A-Za-z.]+)=", ",".join(everything))
        for name in sorted({*values, *sections} - set(given)):
            with self.subTest(name):
                try:
                    rendered = render.chart(*everything, "--set", f"{name}=null")
                except AssertionError as refused:
                    self.assertIn("values don't meet the spec", str(refused))
                    continue
                self.assertTrue(rendered == default, "it renders something else than the default")

    def test_takes_every_name_as_text(self):
        for name in ("on", "null", "y", "e1"):
            objects = render.chart("--set-string", f"fullnameOverride={name},serviceAccount.name={name}", "--namespace", "123")
            self.assertEqual(pod("spec", "serviceAccountName")(objects), name)
            for thing in objects:
                self.assertIn(thing["metadata"].get("namespace", "123"), ("123", "kube-system"))
                self.assertIsInstance(thing["metadata"]["name"], str)

    def test_every_object_and_pod_has_the_usual_labels(self):
        expected = {"app.kubernetes.io/name": NAME, "app.kubernetes.io/instance": "any-release-name",
                    "app.kubernetes.io/version": "0.1.0", "app.kubernetes.io/component": "controller",
                    "app.kubernetes.io/part-of": NAME, "app.kubernetes.io/managed-by": "Helm"}
        flags = ["--set", "alerts.enabled=true,networkPolicy.enabled=true,evictionMode=evict,podGroups.enabled=true",
                 "--set", f"serviceMonitor.enabled=true,{CERTIFICATE},config.dryRun.timeout=40s", "--set",
                 "driverSlices.accounts={system:serviceaccount:gpu:driver}", "--namespace", "dra"]
        objects = render.chart(*flags)
        for thing in objects:
            with self.subTest(render.identity(thing)):
                self.assertEqual(thing["metadata"]["labels"],
                                 {**expected, "helm.sh/chart": f"{NAME}-0.1.0"})
        self.assertEqual(pod("metadata", "labels")(objects), expected)

    def test_uses_another_name_everywhere(self):
        objects = render.chart("--set", "nameOverride=dcm,alerts.enabled=true", *with_service_monitor("interval=30s"))
        self.assertEqual({o["metadata"]["name"].removesuffix("-metrics") for o in objects}, {"dcm"})
        labels = pod("metadata", "labels")(objects)
        for kind, path in {"Deployment": ["spec", "selector", "matchLabels"], "Service": ["spec", "selector"],
                           "PodDisruptionBudget": ["spec", "selector", "matchLabels"]}.items():
            self.assertTrue(field(one(kind), *path)(objects).items() <= labels.items(), kind)
        self.assertIn('job="dcm"', yaml.safe_dump(one("PrometheusRule")(objects)))
        self.assertNotIn('job="dra-controller-manager"', yaml.safe_dump(one("PrometheusRule")(objects)))

    def test_alerts_look_at_the_deployment_by_its_name(self):
        objects = render.chart("--set", "nameOverride=bar,fullnameOverride=foo,alerts.enabled=true")
        rules = one("PrometheusRule")(objects)["spec"]["groups"][0]["rules"]
        absent = next(rule for rule in rules if rule["alert"] == "DRAControllerManagerLeaderAbsent")
        self.assertIn('kube_deployment_spec_replicas{deployment="foo"}', absent["expr"])
        self.assertEqual(names("Deployment")(objects), ["foo"])

    def test_one_replica_has_no_budget(self):
        self.assertEqual(names("PodDisruptionBudget")(render.chart("--set", "replicaCount=1")), [])

    def test_account_may_write_renamed_lease(self):
        objects = render.chart("--set", "config.leaderElection.resourceName=other")
        rules = one("Role")(objects)["rules"]
        self.assertIn(["other"], [rule.get("resourceNames") for rule in rules])

    def test_each_revision_of_the_pod_keeps_its_configuration(self):
        """A ConfigMap with one name would give old pods, when they restart, what stops new ones."""
        objects = render.chart("--set", "config.clientConnection.qps=300")
        self.assertIn("qps: 300", configuration(objects))
        self.assertEqual(names("ConfigMap")(objects), [])
        [volume] = [v for v in pod("spec", "volumes")(objects) if v["name"] == "config"]
        self.assertEqual(volume["downwardAPI"]["items"], [{
            "path": "configuration.yaml",
            "fieldRef": {"fieldPath": "metadata.annotations['dra-controller-manager.dev/configuration']"}}])

    def configuration(self):
        """Every key with its default, but for those that the chart sets; and these."""
        whole = yaml.safe_load((render.MANIFESTS / "configuration.yaml").read_text())
        del whole["apiVersion"], whole["kind"]
        owned = {}
        for key in sorted(chart_texts.OF_THE_CHART):
            section, _, name = key.rpartition(".")
            owned[key] = (whole[section] if section else whole).pop(name)
        return {name: part for name, part in whole.items() if part}, owned

    def test_keys_that_have_a_value_of_their_own_are_refused(self):
        for key, default in self.configuration()[1].items():
            with self.subTest(key), self.assertRaisesRegex(AssertionError, f"config.{key}: leave it out"):
                render.chart("--set-json", f"config.{key}={json.dumps(default)}")

    def test_the_manager_takes_the_configuration(self):
        objects = render.chart(*as_json("config", self.configuration()[0]))
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(configuration(objects))
            file.flush()
            # The manager reads the file before it looks for a cluster, and there is none here.
            done = subprocess.run([manager(), "--config", file.name, "--kubeconfig", "/none"], text=True,
                                  capture_output=True, timeout=60)
        self.assertIn("/none", done.stderr)
        self.assertNotIn(file.name, done.stderr)

    def test_rejects_monitor_without_verification(self):
        for monitor in ("serviceMonitor", "podMonitor"):
            with self.assertRaisesRegex(AssertionError, f"{monitor}.enabled needs a certificate to verify"):
                render.chart("--set", f"{monitor}.enabled=true")

    def test_foreign_account_must_be_named(self):
        with self.assertRaisesRegex(AssertionError, "serviceAccount.name is needed"):
            render.chart("--set", "serviceAccount.create=false")

    def test_an_older_kubernetes_is_refused(self):
        with self.assertRaisesRegex(AssertionError, "incompatible with Kubernetes v1.33"):
            render.chart("--kube-version", "1.33.0")

    def test_the_upgrade_of_the_readme_keeps_the_instances(self):
        environment = {**os.environ, "KUBECONFIG": str(cluster.kubeconfig())}
        text = (render.CHART / "README.md").read_text()
        command = re.search(r"^helm upgrade .*?[^\\\\]\n", text, re.M | re.S)[0]
        command = command.replace("--namespace kube-system", "--namespace dra-upgrade")
        named = ["--set", "fullnameOverride=upgraded,image.repository=registry.example/dcm"]
        self.addCleanup(run, helm(), "uninstall", NAME, "--namespace", "dra-upgrade", env=environment)
        run(helm(), "install", NAME, render.CHART, "--namespace", "dra-upgrade", "--create-namespace", *named,
            "--set", "replicaCount=2", env=environment)
        run("bash", "-euo", "pipefail", "-c", command.replace("helm", str(helm()), 1), cwd=ROOT, env=environment)
        spec = cluster.get("deployment", "upgraded", "-n", "dra-upgrade")["spec"]
        self.assertEqual(spec["replicas"], 2)
        self.assertEqual(spec["template"]["spec"]["containers"][0]["image"], "registry.example/dcm:NEW")

    def test_the_notes_say_what_to_do_next(self):
        # The control plane has roles of that name already; the monitors need their CRDs.
        establish_crds()

        def notes(*flags):
            return run(helm(), "install", "release", render.CHART, "--dry-run=client", "--namespace", "dra",
                       "--set", "fullnameOverride=notes", *flags,
                       env={**os.environ, "KUBECONFIG": str(cluster.kubeconfig())})
        self.assertIn("kubectl -n dra rollout status deployment notes", notes())
        self.assertIn("-resourceclaim-controller,-device-taint-eviction-controller\n", notes())
        self.assertIn("-device-taint-eviction-controller,-resourcepoolstatusrequest-controller\n",
                      notes("--set", "poolStatus.enabled=true"))
        self.assertIn("NOTE: no instance runs yet (replicaCount is 0)", notes())
        self.assertNotIn("no instance runs", notes("--set", "replicaCount=2"))
        self.assertIn("explain.readsOthers=true", notes())
        self.assertNotIn("readsOthers", notes("--set", "explain.readsOthers=true"))
        self.assertIn("does not verify", notes(*with_service_monitor("interval=30s")))
        self.assertIn("helm upgrade release CHART --namespace dra --reset-then-reuse-values --set replicaCount=2", notes())
        self.assertNotIn("helm upgrade", notes("--set", "replicaCount=2"))
        self.assertRegex(notes(), r"first set replicaCount=0[^:]*:\s+helm uninstall release --namespace dra\n")
        lease = "explain pod NAMESPACE/NAME --leader-elect-resource-namespace=dra"
        self.assertIn(f"{lease}\n", notes())
        self.assertIn(f"{lease} --leader-elect-resource-name=mine\n",
                      notes("--set", "config.leaderElection.resourceName=mine"))
        self.assertIn("explain pod NAMESPACE/NAME\n", notes("--namespace", "kube-system"))


if __name__ == "__main__":
    unittest.main()
