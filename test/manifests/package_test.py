"""The Debian package: its content, its unit as systemd sees it, and an installation in a clean
Debian root."""
import pathlib
import shutil
import tempfile
import unittest

import chroot
import render
from tools import ELSEWHERE, HERE, ROOT, SCRATCH, manager, run

UNIT = "lib/systemd/system/dra-controller-manager.service"
CONFIGURATION = "etc/dra-controller-manager/configuration.yaml"
FILES = {
    CONFIGURATION, UNIT, "usr/bin/dra-controller-manager",
    "usr/share/man/man8/dra-controller-manager.8.gz",
    "usr/share/doc/dra-controller-manager/copyright",
    "usr/share/doc/dra-controller-manager/changelog.gz",
    *[f"usr/share/doc/dra-controller-manager/licences/{name}" for name in (
        "libboost1.81-dev", "libfmt-dev", "libprotozero-dev", "libsimdjson-dev", "libspdlog-dev",
        "libstdc++-12-dev", "libyaml-cpp-dev", "prometheus-cpp-dev")],
}


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for program in ("dpkg-deb", "dpkg-shlibdeps"):
            if not shutil.which(program):
                raise unittest.SkipTest(f"no {program} here")
        SCRATCH.mkdir(parents=True, exist_ok=True)
        cls.scratch = tempfile.TemporaryDirectory(dir=SCRATCH)
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.package = cls.build(cls.scratch.name, HERE)
        cls.tree = pathlib.Path(cls.scratch.name, "tree")
        run("dpkg-deb", "-x", cls.package, cls.tree)

    @staticmethod
    def build(folder, where):
        return run(ROOT / "packaging/package", manager(), folder, **where).strip()

    def test_contains_exactly_the_expected_files(self):
        there = {str(path.relative_to(self.tree)) for path in self.tree.rglob("*") if path.is_file()}
        self.assertEqual(there, FILES)
        self.assertEqual([path for path in self.tree.rglob("*") if path.is_file() and not path.stat().st_size], [])

    def test_names_version_and_libraries(self):
        fields = dict(line.split(": ", 1) for line in run("dpkg-deb", "-f", self.package).splitlines()
                      if ": " in line and not line.startswith(" "))
        self.assertEqual(fields["Version"], run(manager(), "--version").split()[1])
        for library in ("libc6", "libssl3", "libboost-json1.81.0"):
            self.assertIn(library, fields["Depends"])

    def test_is_reproducible_at_any_time_and_place(self):
        with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
            again = self.build(folder, ELSEWHERE)
            self.assertEqual(pathlib.Path(again).read_bytes(), pathlib.Path(self.package).read_bytes())

    def test_configuration_is_as_documented_except_the_port(self):
        theirs = (self.tree / CONFIGURATION).read_text().splitlines()
        ours = (render.MANIFESTS / "configuration.yaml").read_text().splitlines()
        different = [(one, other) for one, other in zip(ours, theirs, strict=True) if one != other]
        self.assertEqual([one.split(":")[0].strip() for one, _ in different], ["securePort"])
        self.assertIn("securePort: 10357 ", different[0][1])

    def systemd(self, verb, *flags, unit=None):
        """systemd-analyze's report on the unit, or on another text for it, in a root with systemd's
        own units."""
        if not shutil.which("systemd-analyze"):
            self.skipTest("no systemd-analyze here")
        with tempfile.TemporaryDirectory(dir=SCRATCH) as root:
            run("cp", "-r", "--parents", "/lib/systemd/system/", root)
            run("cp", "-r", f"{self.tree}/.", root)
            if unit:
                pathlib.Path(root, UNIT).write_text(unit)
            done = run("systemd-analyze", verb, *flags, f"--root={root}", f"/{UNIT}", check=False)
        return done.returncode, done.stdout + done.stderr

    def test_systemd_accepts_the_unit(self):
        status, said = self.systemd("verify", "--man=no")
        self.assertEqual([line for line in said.splitlines() if "dra-controller-manager" in line], [])
        self.assertEqual(status, 0, said)

    def test_systemd_finds_a_planted_mistake(self):
        text = (self.tree / UNIT).read_text()
        self.assertIn("perhaps", self.systemd("verify", "--man=no", unit=text.replace("=always", "=perhaps"))[1])

    def test_the_unit_is_locked_down(self):
        # 1.5 of 10; the remaining exposure is the network.
        status, said = self.systemd("security", "--offline=true", "--threshold=15")
        self.assertEqual(status, 0, said)

    def test_installs_in_a_clean_debian_and_serves_a_real_cluster_from_there(self):
        archive = chroot.clean_debian()
        root = pathlib.Path(self.scratch.name, "root")
        root.mkdir()
        run("tar", "-xf", archive, "-C", root)
        shutil.copy(self.package, root / "package.deb")
        chroot.install(root, "/package.deb")
        self.assertEqual(chroot.inside(root, "dra-controller-manager --version").split()[0],
                         "dra-controller-manager")
        # Like the unit, without systemd: as nobody, with its own configuration.
        chroot.serve(self, root, "65534:65534", "--config=/etc/dra-controller-manager/configuration.yaml")
        chroot.inside(root, "apt-get purge -qy dra-controller-manager")
        left = [name for name in FILES if (root / name).exists()]
        self.assertEqual(left, [])


if __name__ == "__main__":
    unittest.main()
