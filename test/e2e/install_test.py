"""The manager as pods, from its image and its manifests, as docs/install.md and docs/migrate.md say."""
import json
import pathlib
import re
import shutil
import tempfile
import unittest

import life
from objects import pod, template
from world import NODE, OURS, ROOT, Scene, World, soon

SYSTEM, NAME = "kube-system", "dra-controller-manager"
IMAGES = sorted((ROOT / "build/image").glob("dra-controller-manager_*.tar"))
INSIDE = ("dra-controller-manager", "explain", "--server", "https://localhost:10257", "--insecure-skip-tls-verify",
          "--token-file", "/var/run/secrets/kubernetes.io/serviceaccount/token")


class Install(Scene):
    """Without instances of ours beside it."""

    @classmethod
    def setUpClass(cls):
        if not IMAGES:
            raise unittest.SkipTest("there is no image: ./dev image")
        life.load(World.cluster, IMAGES[-1])
        World.cluster.kubectl("label", "node", NODE, "node-role.kubernetes.io/control-plane=")

    def setUp(self):
        super().setUp()
        if World.manager != OURS:
            self.skipTest("only our manager has manifests")
        World.end_manager()
        self.addCleanup(World.start_manager)
        # What a scene uninstalls has the permissions of the manager that the other scenes use.
        self.addCleanup(self.kubectl, "apply", "--server-side", "--force-conflicts", "-f", life.RBAC)
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        shutil.copytree(ROOT / "manifests", self.folder / "manifests")

    def kubectl(self, *arguments, check=True):
        done = World.cluster.kubectl(*arguments, timeout=300)
        self.assertTrue(not check or done.returncode == 0, f"{arguments}\n{done.stderr}{done.stdout}")
        return done.stdout

    def apply(self, *resources, replicas=2, name=NAME, components=()):
        """As a kustomization of one's own. When the scene ends, what it installed is deleted."""
        mine = self.folder / "mycluster"
        mine.mkdir(exist_ok=True)
        (mine / "kustomization.yaml").write_text(json.dumps({
            "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization",
            "resources": [f"../manifests/{each}" for each in resources],
            "components": [f"../manifests/components/{each}" for each in components],
            **({"replicas": [{"name": name, "count": replicas}]} if replicas is not None else {})}))
        self.kubectl("apply", "--server-side", "-k", mine)
        self.addCleanup(self.kubectl, "delete", "--ignore-not-found", "-k", mine, check=False)

    def rolled_out(self, namespace=SYSTEM, name=NAME):
        done = World.cluster.kubectl("-n", namespace, "rollout", "status", "deployment", name, "--timeout=120s")
        self.assertEqual(done.returncode, 0, done.stdout + self.kubectl("-n", namespace, "describe", "pods"))

    def leader(self, namespace=SYSTEM):
        """The pod that the lease names, once it is one that runs."""
        def held():
            holder = self.kubectl("-n", namespace, "get", "lease", NAME, "--ignore-not-found",
                                  "-o", "jsonpath={.spec.holderIdentity}").partition("_")[0]
            running = self.kubectl("-n", namespace, "get", "pods", "-l", f"app.kubernetes.io/name={NAME}", "-o", "name")
            return holder if holder and f"pod/{holder}" in running.split() else None
        return soon("a pod leads", held)

    def check_that_it_works(self, name="p"):
        if not self.get("ResourceClaimTemplate", "gpu"):
            self.create(template())
        self.create(pod(name))
        self.assertEqual(len(self.shown(name)), 1)

    def test_two_instances_of_the_kubeadm_overlay_lead_one_after_the_other(self):
        self.apply("overlays/kubeadm")
        self.rolled_out()
        first = self.leader()
        self.check_that_it_works()
        self.kubectl("-n", SYSTEM, "delete", "pod", first, "--wait=false")
        soon("the other leads", lambda: self.leader() != first)
        self.check_that_it_works("q")
        self.rolled_out()

    def test_a_rollout_keeps_an_instance_ready(self):
        self.apply("base")
        self.rolled_out()
        before = set(self.names())
        self.kubectl("-n", SYSTEM, "rollout", "restart", "deployment", NAME)
        self.rolled_out()
        soon("new instances alone", lambda: not before & set(self.names()))
        self.leader()
        self.check_that_it_works()

    def names(self, namespace=SYSTEM):
        return self.kubectl("-n", namespace, "get", "pods", "-l", f"app.kubernetes.io/name={NAME}", "-o", "name").split()

    def test_the_restricted_namespace_admits_it(self):
        self.apply("overlays/own-namespace", replicas=1)
        namespace = re.search(r"(?m)^  name: (\S+)", (
            ROOT / "manifests/overlays/own-namespace/namespace.yaml").read_text())[1]
        self.rolled_out(namespace)
        self.leader(namespace)
        self.check_that_it_works()

    def test_explain_inside_its_pod(self):
        self.apply("base", replicas=1, components=("explain",))
        self.kubectl("create", "clusterrole", "e2e-explain", "--verb=get", "--non-resource-url=/debug/explain/*")
        self.addCleanup(self.kubectl, "delete", "clusterrole,clusterrolebinding", "e2e-explain", check=False)
        self.kubectl("create", "clusterrolebinding", "e2e-explain", "--clusterrole=e2e-explain",
                     f"--serviceaccount={SYSTEM}:{NAME}")
        self.rolled_out()
        leader = self.leader()
        self.create(pod("p"))  # without its template
        said = soon(lambda: self.explain(leader), lambda: (
            text if "no ResourceClaimTemplate" in (text := self.explain(leader)) else None))
        self.assertIn(f"Pod {self.namespace}/p", said)

    def explain(self, leader):
        done = World.cluster.kubectl("-n", SYSTEM, "exec", leader, "--", *INSIDE, "pod", f"{self.namespace}/p")
        return done.stdout + done.stderr

    def test_shadow_beside_kube_controller_manager_agrees(self):
        life.set_controllers(World.cluster, "on")
        self.addCleanup(life.set_controllers, World.cluster, "off")
        self.apply("shadow", replicas=None)
        self.rolled_out(name=f"{NAME}-shadow")
        self.create(template(), *(pod(f"p{number}") for number in range(3)))
        self.wait_for_phases(*["Running"] * 3)
        for number in range(3):
            self.delete("Pod", f"p{number}")
        self.wait_for_claims(0)
        soon(self.metrics, lambda: re.search(r"(?m)^dra_controller_manager_dry_run_open_disagreements.* 0$",
                                             self.metrics()) and self.written() >= 6)

    def metrics(self):
        """As a scraper: with a token, from the pod's own port."""
        self.kubectl("create", "clusterrole", "e2e-metrics", "--verb=get", "--non-resource-url=/metrics", check=False)
        self.kubectl("create", "clusterrolebinding", "e2e-metrics", "--clusterrole=e2e-metrics",
                     f"--serviceaccount={self.namespace}:default", check=False)
        token = self.kubectl("-n", self.namespace, "create", "token", "default")
        address = self.kubectl("-n", SYSTEM, "get", "pods", "-l", f"app.kubernetes.io/name={NAME}-shadow", "-o",
                               "jsonpath={.items[0].status.podIP}")
        (self.folder / "header").write_text(f"Authorization: Bearer {token}")
        return World.cluster.run("curl", "-sk", "-H", f"@{self.folder}/header", f"https://{address}:10257/metrics",
                                 capture_output=True, text=True, check=False).stdout

    def written(self):
        return sum(float(line.rpartition(" ")[2]) for line in self.metrics().splitlines()
                   if line.startswith("dra_controller_manager_dry_run_writes_total"))


del Scene
