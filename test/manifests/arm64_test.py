"""The package and the image for arm64, which `./dev manifests Arm64` builds first; their programs
run under qemu."""
import os
import pathlib
import tempfile
import unittest

import chroot
from package_test import FILES
from tools import HERE, ROOT, SCRATCH, run

NAME = "dra-controller-manager"
BINARY = "build/arm64/bin/dra-controller-manager"


class Arm64(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = os.environ.get("ARM64_ROOT")
        if not cls.root:
            raise unittest.SkipTest("only where it is named: ./dev manifests Arm64 (as root)")
        SCRATCH.mkdir(parents=True, exist_ok=True)
        scratch = tempfile.TemporaryDirectory(dir=SCRATCH)
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)

    def inside(self, *command):
        """A command in an arm64 Debian, with this checkout at the same path."""
        return run(ROOT / "packaging/inside", self.root, *command, **HERE).strip()

    def rootfs(self, name):
        folder = self.folder / name
        self.inside("packaging/image/build", "rootfs", BINARY, folder)
        return folder

    def assert_for_arm64(self, path):
        self.assertRegex(run("readelf", "-h", path), r"Machine: +AArch64")

    def package(self):
        return self.inside("packaging/package", BINARY, self.folder)

    def test_package_matches_architecture_and_depends_on_available_packages(self):
        package, tree = self.package(), self.folder / "tree"
        self.assertEqual(run("dpkg-deb", "-f", package, "Architecture").strip(), "arm64")
        run("dpkg-deb", "-x", package, tree)
        self.assertEqual({str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file()}, FILES)
        self.assert_for_arm64(tree / f"usr/bin/{NAME}")
        installed = self.inside("apt-get", "install", "--simulate", "--no-install-recommends", "-qy", package)
        self.assertEqual([line.split()[1] for line in installed.splitlines() if line.startswith("Inst ")], [NAME])

    def test_image_contains_only_files_of_its_architecture(self):
        root = self.rootfs("image")
        programs = [path for path in root.rglob("*") if path.is_file() and not path.is_symlink()
                    and path.read_bytes()[:4] == b"\x7fELF"]
        self.assertGreater(len(programs), 5)
        for path in programs:
            self.assert_for_arm64(path)
        self.assertFalse([path for path in root.rglob("*") if "x86" in path.name])

    def test_the_manager_serves_a_real_cluster_from_the_image(self):
        chroot.serve(self, self.rootfs("served"), "65532:65532")


if __name__ == "__main__":
    unittest.main()
