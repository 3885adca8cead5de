"""The manager as pods, from its image and its manifests: shared by the scenes that install it."""
import pathlib
import shutil
import tempfile
import unittest

import life
import pages
from objects import pod, template
from world import NODE, OURS, ROOT, Scene, World, soon

SYSTEM, NAME = "kube-system", "dra-controller-manager"
IMAGES = sorted((ROOT / "build/image").glob("dra-controller-manager_*.tar"))


class Installed(Scene):
    """Without instances of ours beside it, in a folder with the manifests, like a reader of the
    pages."""

    @classmethod
    def setUpClass(cls):
        if not IMAGES:
            raise unittest.SkipTest("there is no image: ./dev image")
        if World.manager != OURS:
            raise unittest.SkipTest("only our manager has manifests")
        life.load(World.cluster, IMAGES[-1])
        World.cluster.kubectl("label", "node", NODE, "node-role.kubernetes.io/control-plane=")

    def setUp(self):
        super().setUp()
        World.end_manager()
        self.addCleanup(World.start_manager)
        # A scene may uninstall permissions that the manager of other scenes needs.
        self.addCleanup(self.kubectl, "apply", "--server-side", "--force-conflicts", "-f", life.RBAC)
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        shutil.copytree(ROOT / "manifests", self.folder / "manifests")

    def kubectl(self, *arguments, check=True):
        done = World.cluster.kubectl(*arguments, timeout=300)
        self.assertTrue(not check or done.returncode == 0, f"{arguments}\n{done.stderr}{done.stdout}")
        return done.stdout

    def run_on_node(self, script):
        """Background processes end with it."""
        prelude = f"cd {self.folder}\ntrap 'kill $(jobs -p) 2>/dev/null || :' EXIT\n"
        done = World.cluster.run("bash", "-euo", "pipefail", "-c", prelude + script, check=False,
                                 capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, f"{script}\n{done.stdout}{done.stderr}")
        return done.stdout

    def commands(self, page, heading):
        """The commands of a page's section, one by one. The registry of the pages is the node's."""
        text = pages.section((ROOT / "docs" / page).read_text(), heading)
        return [step.replace("registry.example/", "docker.io/library/")
                for _, step in pages.steps(text, skipped=(pages.NOT_RUN,))]

    def follow(self, page, heading=None):
        return self.run_on_node("\n".join(self.commands(page, heading)))

    def rolled_out(self, namespace=SYSTEM, name=NAME):
        done = World.cluster.kubectl("-n", namespace, "rollout", "status", "deployment", name, "--timeout=120s")
        self.assertEqual(done.returncode, 0, done.stdout + self.kubectl("-n", namespace, "describe", "pods"))

    def names(self, namespace=SYSTEM):
        return self.kubectl("-n", namespace, "get", "pods", "-l", f"app.kubernetes.io/name={NAME}", "-o", "name").split()

    def holder(self, namespace=SYSTEM):
        return self.kubectl("-n", namespace, "get", "lease", NAME, "--ignore-not-found",
                            "-o", "jsonpath={.spec.holderIdentity}").partition("_")[0]

    def leader(self, namespace=SYSTEM):
        """The pod named in the lease, once it is a running one."""
        return soon("a pod leads", lambda: (
            holder if f"pod/{(holder := self.holder(namespace))}" in self.names(namespace) else None))

    def check_that_it_works(self, name="p"):
        if not self.get("ResourceClaimTemplate", "gpu"):
            self.create(template())
        self.create(pod(name))
        self.assertEqual(len(self.shown(name)), 1)


del Scene
