"""Conformance cases with what has been rendered: its account's token, its roles, and none but those.

The cases of test/conformance run against a control plane that has these rules from base/rbac.yaml. Here they come
from kustomize and from Helm, everything that was bound before is taken away first, and the token is a real one.
"""
import os
import pathlib
import unittest

import cluster
import render
import yaml
from tools import SCRATCH, conformance, run

ACCOUNT = "dra-controller-manager"
KINDS = ["clusterrolebindings", "clusterroles", "rolebindings", "roles"]
CLAIMS = ["Generate.*", "Reserve.*", "Race.*"]
EVICTIONS = ["Evict.*", "RuleCondition.is_written_once_without_matching_pods"]


class Account(unittest.TestCase):
    def setUp(self):
        self.take_all_away()
        # The control plane's original roles, for its later users.
        self.addCleanup(cluster.apply, render.documents((render.MANIFESTS / "base/rbac.yaml").read_text()))
        self.addCleanup(self.take_all_away)

    def take_all_away(self):
        for kind in KINDS:
            for thing in cluster.get(kind, "-A")["items"]:
                if thing["metadata"]["name"].startswith(ACCOUNT):
                    where = ["-n", thing["metadata"]["namespace"]] if "namespace" in thing["metadata"] else []
                    cluster.ctl("delete", kind, thing["metadata"]["name"], *where)

    def may(self, config, *question):
        return cluster.ctl("auth", "can-i", *question, "-A", check=False, config=config).returncode == 0

    def install(self, objects, namespace):
        """A kubeconfig with a context of the admin, and one of the installed account."""
        # In this order, like kubectl's apply of a whole folder.
        cluster.apply(sorted([o for o in objects if o["kind"] in ("Namespace", "ServiceAccount")],
                             key=lambda o: o["kind"]))
        config = cluster.config_of(ACCOUNT, namespace)
        cluster.soon("nothing is allowed yet", lambda: not self.may(config, "list", "pods"))
        cluster.apply([o for o in objects if o["kind"] != "Deployment"])
        cluster.soon("the roles are in force", lambda: self.may(config, "list", "pods"))
        self.assertFalse(self.may(config, "create", "pods"))
        self.assertIn(f"system:serviceaccount:{namespace}:{ACCOUNT}", cluster.ctl("auth", "whoami", config=config))
        both = yaml.safe_load(pathlib.Path(cluster.kubeconfig()).read_text())
        token = yaml.safe_load(config.read_text())["users"][0]["user"]["token"]
        both["users"].append({"name": "installed", "user": {"token": token}})
        for context in both["contexts"]:
            if context["name"] == "manager":
                context["context"]["user"] = "installed"
        path = SCRATCH / "account.kubeconfig"
        path.write_text(yaml.safe_dump(both))
        return path

    def serve(self, objects, namespace, cases, expected):
        for case in cases:
            self.assertTrue(run(conformance(), f"--gtest_filter={case}", "--gtest_list_tests"), f"{case}: no such case")
        config = self.install(objects, namespace)
        said = run(conformance(), f"--gtest_filter={':'.join(cases)}", "--server=real",
                   env={**os.environ, "DCM_API_SERVER": str(config)})
        self.assertGreaterEqual(said.count("[       OK ]"), expected, said[-2000:])

    def test_of_kustomize_is_enough_for_claims_and_evictions(self):
        self.serve(render.kustomize("base"), "kube-system", [*CLAIMS, *EVICTIONS], 65)

    def test_of_the_chart_in_a_namespace_of_its_own_is_enough(self):
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ACCOUNT}}
        objects = render.chart("--namespace", ACCOUNT)
        self.addCleanup(cluster.remove, [o for o in objects if o["kind"] == "FlowSchema"])
        self.serve([namespace, *objects], ACCOUNT, ["Generate.*", "*EvictByRule*"], 35)


if __name__ == "__main__":
    unittest.main()
