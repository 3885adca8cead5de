"""The Helm chart on a real cluster: every value of it, upgrades and rollbacks."""
import json
import subprocess
import sys

import life
import programs
from installed import NAME, SYSTEM, Installed
from world import ROOT, World, soon

sys.path.append(str(ROOT / "test/manifests"))

from chart_values import CERTIFICATE, EFFECTS, MOUNT, VOLUME, as_json  # noqa: E402
from tools import cert_manager_crds, prometheus_operator_crds  # noqa: E402

IMAGE = ["--set", f"image.repository=docker.io/library/{NAME}"]
NO_SUCH_IMAGE = ("image.repository", "image.tag", "image.digest", "image.pullPolicy")
# Where the flags of EFFECTS do for a rendering, but not for a server.
ON_A_SERVER = {
    "topologySpreadConstraints": as_json("topologySpreadConstraints", [{
        "maxSkew": 2, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": {"app.kubernetes.io/name": NAME}}}]),
    "extraVolumeMounts": [*as_json("extraVolumes", [VOLUME]), *as_json("extraVolumeMounts", [MOUNT])],
    "serviceAccount.create": ["--set", "serviceAccount.create=false,serviceAccount.name=theirs"],
    # Another name than the one that nameOverride gave before: selectors cannot change.
    "fullnameOverride": ["--set", "fullnameOverride=whole"],
}


class Chart(Installed):
    def setUp(self):
        super().setUp()
        self.helm = next(iter(sorted(programs.CACHE.glob("helm/*/helm"))), None)
        if self.helm is None:
            self.skipTest("no helm here: ./dev manifests builds it")
        self.kubectl("delete", "--ignore-not-found", "-f", life.RBAC)  # the chart has its own
        self.addCleanup(self.run_helm, "uninstall", NAME, "--ignore-not-found")

    def run_helm(self, *arguments):
        done = World.cluster.run(self.helm, "--namespace", SYSTEM, *arguments, check=False, capture_output=True,
                                 text=True, timeout=300)
        self.assertEqual(done.returncode, 0, f"{arguments}\n{done.stdout}{done.stderr}")

    def upgrade(self, chart, *flags):
        self.run_helm("upgrade", "--install", NAME, chart, *IMAGE, *flags)

    def deployment(self):
        named = self.kubectl("-n", SYSTEM, "get", "deployments", "-l", f"app.kubernetes.io/instance={NAME}", "-o", "json")
        return self.only(json.loads(named)["items"])

    def only(self, items):
        self.assertEqual(len(items), 1, items)
        return items[0]

    def runs(self):
        """The newest pods are ready, and one of them leads."""
        deployment = self.deployment()
        self.rolled_out(name=deployment["metadata"]["name"])
        labels = ",".join(f"{key}={value}" for key, value in deployment["spec"]["selector"]["matchLabels"].items())

        def leads():
            pods = self.kubectl("-n", SYSTEM, "get", "pods", "-l", labels, "-o", "jsonpath={.items[*].metadata.name}")
            return self.holder() in pods.split()
        soon(f"a pod of {labels} leads", leads)

    def prepare(self):
        """What the values name: accounts, secrets, labels, definitions."""
        for crds in (prometheus_operator_crds(), cert_manager_crds()):
            self.kubectl("apply", "--server-side", "-f", crds)
            self.addCleanup(self.kubectl, "delete", "--ignore-not-found", "-f", crds)
        self.made("serviceaccount", "theirs")
        self.made("configmap", "extra")
        secret = self.folder / "serving"
        secret.mkdir()
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", f"/CN={NAME}",
                        "-addext", f"subjectAltName=DNS:{NAME}.{SYSTEM}.svc", "-keyout", secret / "tls.key", "-out",
                        secret / "tls.crt"], check=True, capture_output=True)
        (secret / "ca.crt").write_text((secret / "tls.crt").read_text())
        for name in (CERTIFICATE.partition("=")[2], f"{NAME}-serving"):
            self.made("secret", "generic", name, f"--from-file={secret}")
        self.kubectl("label", "nodes", "--all", "--overwrite", "disk=ssd")

    def made(self, kind, *arguments):
        name = next(each for each in arguments if each != "generic")
        self.kubectl("-n", SYSTEM, "create", kind, *arguments)
        self.addCleanup(self.kubectl, "-n", SYSTEM, "delete", kind, name)

    def test_runs_with_each_value(self):
        self.prepare()
        for name, (flags, _, _) in EFFECTS.items():
            if name in NO_SUCH_IMAGE:
                continue
            with self.subTest(name):
                self.upgrade(self.folder / "manifests/chart", "--set", "replicaCount=1", *ON_A_SERVER.get(name, flags))
                self.runs()

    def test_is_upgraded_from_the_previous_commits_and_rolled_back(self):
        archive = subprocess.run(["git", "-C", ROOT, "archive", "HEAD~1", "manifests/chart"], capture_output=True, check=False)
        if archive.returncode:
            self.skipTest("there is no previous commit here")
        previous = self.folder / "previous"
        previous.mkdir()
        subprocess.run(["tar", "-x", "-C", previous], input=archive.stdout, check=True)
        self.upgrade(previous / "manifests/chart", "--set", "replicaCount=2")
        self.runs()
        self.check_that_it_works("before")
        spec = self.deployment()["spec"]
        self.upgrade(self.folder / "manifests/chart", "--set", "replicaCount=2", "--set", "logging.verbosity=1")
        self.runs()
        self.check_that_it_works("upgraded")
        self.run_helm("rollback", NAME)
        self.runs()
        self.check_that_it_works("after")
        self.assertEqual(self.deployment()["spec"], spec)


del Installed
