"""The package under a running systemd: what packaging/README.md says of a start, an upgrade and a removal."""
import pathlib
import re
import shutil
import tempfile
import time
import unittest

import chroot
import cluster
import package_test
from booted import Booted
from package_test import CONFIGURATION, FILES
from ports import free_port
from render import MANIFESTS, documents
from tools import HERE, SCRATCH, run

UNIT = "dra-controller-manager"


class Systemd(unittest.TestCase):
    def setUp(self):
        archive = chroot.clean_debian()
        SCRATCH.mkdir(parents=True, exist_ok=True)
        self.scratch = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(dir=SCRATCH)))
        self.root = self.scratch / "root"
        self.root.mkdir()
        run("tar", "-xf", archive, "-C", self.root)
        shutil.copy(package_test.Package.build(self.scratch, HERE), self.root / "first.deb")
        shutil.copy(self.newer(), self.root / "second.deb")
        chroot.install(self.root, "systemd", "/first.deb")
        self.machine = Booted(self.root)
        self.addCleanup(self.machine.stop)
        self.port = free_port()
        file = self.root / CONFIGURATION
        file.write_text(re.sub(r"(?m)^(\s*securePort:) \d+", rf"\1 {self.port}", file.read_text()))

    def newer(self):
        """The package with the version after."""
        tree = self.scratch / "newer"
        run("dpkg-deb", "-R", next(self.scratch.glob("*.deb")), tree)
        control = tree / "DEBIAN/control"
        control.write_text(control.read_text().replace("Version: ", "Version: 1:", 1))
        package = self.scratch / "newer.deb"
        run("dpkg-deb", "--root-owner-group", "-b", tree, package)
        return package

    def ctl(self, *arguments, check=True):
        return self.machine.run("systemctl", *arguments, check=check)

    def process(self):
        return int(self.ctl("show", "--property=MainPID", "--value", UNIT))

    def allow_user(self):
        """As the page says; the bindings end with the test."""
        cluster.ctl("apply", "--server-side", "--force-conflicts", "-f", MANIFESTS / "base/rbac.yaml")
        for kind, role in (("clusterrolebinding", "clusterrole"), ("rolebinding", "role")):
            cluster.ctl("-n", "kube-system", "create", kind, f"{UNIT}-host", f"--{role}={UNIT}", f"--user={UNIT}")
            self.addCleanup(cluster.ctl, "-n", "kube-system", "delete", kind, f"{UNIT}-host")
        config = cluster.config_of_user(UNIT)
        file = self.root / "etc" / UNIT / "kubeconfig"
        file.touch(0o600)
        file.write_text(cluster.ctl("config", "view", "--flatten", "--minify", config=config))

    @staticmethod
    def holder():
        lease = cluster.ctl("get", "lease", UNIT, "-n", "kube-system", "--ignore-not-found", "-o",
                            "jsonpath={.spec.holderIdentity}")
        return lease.strip()

    def wait_until_ready(self):
        try:
            cluster.soon("it is ready", lambda: cluster.ask(self.port, "/readyz")[0] == 200)
        except AssertionError as late:
            raise AssertionError(f"{late}\n{self.ctl('status', '--lines=20', '--full', UNIT, check=False).stdout}") from None

    def times(self):
        """The metrics that are times, by name: the unit hides most of /proc."""
        operator = documents((MANIFESTS / "examples/operator.yaml").read_text())
        cluster.apply(operator)
        self.addCleanup(cluster.remove, operator)
        token = cluster.token(f"{UNIT}-operator")
        cluster.soon("metrics are served", lambda: cluster.ask(self.port, "/metrics", token)[0] == 200)
        text = cluster.ask(self.port, "/metrics", token)[1]
        return {name: float(value)
                for name, value in re.findall(r"(?m)^(\w+_(?:start_time|expiration)_seconds) (\S+)$", text)}

    def test_starts_restarts_upgrades_and_goes(self):
        began = time.time()
        self.ctl("start", UNIT)
        self.assertEqual(self.process(), 0, "it starts without a kubeconfig")
        self.allow_user()
        self.ctl("enable", "--now", UNIT)
        self.wait_until_ready()
        cluster.soon("it leads", self.holder)
        times = self.times()
        self.assertGreater(times["process_start_time_seconds"], began - 1)
        self.assertGreater(times["dra_controller_manager_client_certificate_expiration_seconds"], began)
        first, killed = self.process(), self.holder()
        self.ctl("kill", "--signal=KILL", UNIT)
        cluster.soon("systemd starts it again", lambda: self.process() not in (0, first))
        self.wait_until_ready()
        second = self.process()
        self.machine.run("dpkg", "-i", "/second.deb")
        self.assertEqual(self.process(), second, "an upgrade leaves it to the operator")
        self.ctl("restart", UNIT)
        self.wait_until_ready()
        self.assertNotEqual(self.process(), second)
        cluster.soon("it leads after the upgrade", lambda: self.holder() not in ("", killed))
        self.ctl("disable", "--now", UNIT)
        self.assertEqual(self.ctl("show", "--property=Result", "--value", UNIT).strip(), "success")
        self.assertEqual(cluster.ask(self.port, "/readyz")[0], 0)
        self.assertEqual(self.holder(), "", "the lease is released")
        self.machine.run("dpkg", "--purge", UNIT)
        self.assertEqual([name for name in FILES if (self.root / name).exists()], [])


if __name__ == "__main__":
    unittest.main()
