"""The script that brings a checkout into a kind cluster, with a fake kind that records its calls.

There are no containers here: kind's own use of the cluster file is not tested. Its
kube-controller-manager flags are (server_test.py, render_test.py), and kubectl is the real one on a
real API server.
"""
import os
import pathlib
import shutil
import tempfile
import unittest

import cluster
import render
from tools import SCRATCH, kubectl, run

NOTE = 'printf "%s\\n" "$(basename "$0") $*" >>"$CALLS"\n'
# Existing clusters: those that it was asked to create.
KIND = NOTE + '[ "$1 $2" != "get clusters" ] || sed -n "s/^kind create.*--name \\([^ ]*\\).*/\\1/p" "$CALLS"\n'
# Without nodes nothing is ever rolled out.
KUBECTL = NOTE + 'shift 2; case "$*" in *"rollout status"*) ;; *) exec "$KUBECTL" "$@" ;; esac\n'


class Kind(unittest.TestCase):
    def setUp(self):
        """A copy of the folders that it touches, so that no build is started."""
        SCRATCH.mkdir(parents=True, exist_ok=True)
        scratch = tempfile.TemporaryDirectory(dir=SCRATCH)
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        shutil.copytree(render.MANIFESTS, self.folder / "checkout/manifests")
        (self.folder / "bin").mkdir()
        self.program("checkout/dev", NOTE + "echo building; echo build/image/it.tar\n")
        self.program("bin/kind", KIND)
        self.program("bin/kubectl", KUBECTL)
        self.calls = self.folder / "calls"
        self.calls.touch()

    def program(self, path, script):
        (self.folder / path).write_text(f"#!/bin/sh\n{script}")
        (self.folder / path).chmod(0o755)

    def up(self, *arguments):
        """The recorded calls. kubectl restarts a deployment at most once a second: each run has its
        own."""
        cluster.ctl("delete", "deployment", "dra-controller-manager", "-n", "kube-system", "--ignore-not-found")
        before = len(self.calls.read_text().splitlines())
        run(self.folder / "checkout/manifests/overlays/kind/up", *arguments,
            env={**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "CALLS": str(self.calls),
                 "KUBECTL": str(kubectl()), "KUBECONFIG": str(cluster.kubeconfig())})
        return self.calls.read_text().splitlines()[before:]

    def test_builds_creates_loads_and_deploys_in_this_order(self):
        calls = self.up("lab")
        self.assertEqual([" ".join(call.split()[:3]) for call in calls], [
            "dev image", "kind get clusters", "kind create cluster", "kind load image-archive",
            "kubectl --context kind-lab", "kubectl --context kind-lab", "kubectl --context kind-lab"])
        self.assertTrue(calls[3].endswith("/build/image/it.tar --name lab"), calls[3])
        deployed = cluster.get("deployment", "dra-controller-manager", "-n", "kube-system")["spec"]
        self.assertEqual(deployed["template"]["spec"]["containers"][0]["imagePullPolicy"], "Never")

    def test_second_run_reuses_the_cluster(self):
        self.up()
        self.assertFalse([call for call in self.up() if "create cluster" in call])

    def test_cluster_file_is_valid_for_kind(self):
        config = render.documents((render.MANIFESTS / "overlays/kind/cluster.yaml").read_text())
        self.assertEqual([(one["kind"], one["apiVersion"]) for one in config], [("Cluster", "kind.x-k8s.io/v1alpha4")])
        self.assertEqual(config[0]["nodes"][0]["role"], "control-plane")


if __name__ == "__main__":
    unittest.main()
