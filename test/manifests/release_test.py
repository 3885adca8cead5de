"""The files of a release page: complete, reproducible, and readable by other programs."""
import hashlib
import json
import os
import pathlib
import re
import sysconfig
import tarfile
import tempfile
import unittest

import render
from tools import ELSEWHERE, HERE, ROOT, SCRATCH, helm, run

NAME = "dra-controller-manager"
ARCHITECTURES = ["amd64", "arm64"]


class Release(unittest.TestCase):
    """With small images and packages: the real ones are tested where they are built."""

    def setUp(self):
        SCRATCH.mkdir(parents=True, exist_ok=True)
        folder = tempfile.TemporaryDirectory(dir=SCRATCH)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.key = self.folder / "key.pem"
        run("openssl", "genpkey", "-algorithm", "ed25519", "-out", self.key)
        for architecture in ARCHITECTURES:
            root = self.folder / architecture
            root.mkdir()
            (root / "binary").write_text(architecture)
            image = self.folder / f"{NAME}_0.1.0_{architecture}.tar"
            run(ROOT / "packaging/image/oci.py", root, architecture, f"{NAME}:0.1.0", image, **HERE)
            image.with_suffix(".spdx.json").write_text("{}")
            (self.folder / f"{NAME}_0.1.0_{architecture}.deb").write_text(f"package of {architecture}")

    def release(self, name, where=HERE, key=None, flags=()):
        output = self.folder / name
        parts = [word for architecture in ARCHITECTURES for word in (
            "--image", self.folder / f"{NAME}_0.1.0_{architecture}.tar",
            "--package", self.folder / f"{NAME}_0.1.0_{architecture}.deb")]
        run(ROOT / "packaging/release.py", "0.1.0", output, "--key", key or self.key, *flags, *parts, **where)
        return output

    def test_has_all_files_of_a_release_page_with_checksums(self):
        output = self.release("release")
        self.assertEqual(sorted(path.name for path in output.iterdir()), sorted([
            f"{NAME}-0.1.0.tgz", f"{NAME}-image_0.1.0.oci.tar", f"{NAME}-image_0.1.0.digest",
            f"{NAME}-manifests_0.1.0.tar.gz",
            f"{NAME}_0.1.0_amd64.deb", f"{NAME}_0.1.0_arm64.deb", f"{NAME}_0.1.0_amd64.spdx.json",
            f"{NAME}_0.1.0_arm64.spdx.json", "RELEASE_NOTES.md", "SHA256SUMS", "SHA256SUMS.sig",
            "release-key.pub.pem"]))
        run("sha256sum", "--strict", "--check", "SHA256SUMS", cwd=output)
        listed = {line.split()[1] for line in (output / "SHA256SUMS").read_text().splitlines()}
        unlisted = {path.name for path in output.iterdir()} - listed
        self.assertEqual(unlisted, {"SHA256SUMS", "SHA256SUMS.sig", "release-key.pub.pem"})
        self.assertIn("### Upgrade notes", (output / "RELEASE_NOTES.md").read_text())

    def test_is_reproducible_at_any_time_and_place(self):
        def hashes(output):
            return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in output.iterdir()}
        self.assertEqual(hashes(self.release("here")), hashes(self.release("there", ELSEWHERE)))

    def test_signature_matches_the_key_and_the_sums(self):
        output = self.release("signed")

        def verified():
            return run("openssl", "pkeyutl", "-verify", "-pubin", "-inkey", output / "release-key.pub.pem", "-rawin",
                       "-in", output / "SHA256SUMS", "-sigfile", output / "SHA256SUMS.sig", check=False).returncode == 0
        self.assertTrue(verified())
        with open(output / "SHA256SUMS", "a") as sums:
            sums.write("0  more\n")
        self.assertFalse(verified())

    def test_names_invalid_key(self):
        bad = self.folder / "bad.pem"
        bad.write_text("no key")
        with self.assertRaisesRegex(AssertionError, "--key .*bad.pem: expected a private key in PEM"):
            self.release("bad", key=bad)

    def test_refuses_a_key_that_git_could_commit(self):
        with tempfile.NamedTemporaryFile(dir=ROOT, prefix="release-", suffix=".pem") as inside:
            inside.write(self.key.read_bytes())
            inside.flush()
            with self.assertRaisesRegex(AssertionError, "expected a file outside of the repository"):
                self.release("unsafe", key=inside.name)

    def test_checks_the_version_before_anything_is_built(self):
        self.assertEqual(run(ROOT / "packaging/release.py", "0.1.0", "--check", "--key", self.key, **HERE), "")
        with self.assertRaisesRegex(AssertionError, "Chart.yaml: version: expected 0.2.0"):
            run(ROOT / "packaging/release.py", "0.2.0", "--check", **HERE)

    def test_names_the_digest_by_which_a_registry_serves_the_image(self):
        output = self.release("digest")
        with tarfile.open(output / f"{NAME}-image_0.1.0.oci.tar") as archive:
            index = json.load(archive.extractfile("index.json"))
            digest = (output / f"{NAME}-image_0.1.0.digest").read_text().strip()
            self.assertEqual(index["manifests"][0]["digest"], digest)
            blob = archive.extractfile("blobs/" + digest.replace(":", "/")).read()
        self.assertEqual("sha256:" + hashlib.sha256(blob).hexdigest(), digest)

    def test_links_of_notes_and_pages_lead_to_the_files_of_the_tag(self):
        output = self.release("linked", flags=["--links", "https://forge.example/blob/v0.1.0"])
        pages = {"notes": (output / "RELEASE_NOTES.md").read_text()}
        for name, folder in ((f"{NAME}-0.1.0.tgz", NAME), (f"{NAME}-manifests_0.1.0.tar.gz", "manifests")):
            with tarfile.open(output / name) as archive:
                pages[folder] = archive.extractfile(f"{folder}/README.md").read().decode()
        linked = {name: re.findall(r"\]\(([^)]+)\)", page) for name, page in pages.items()}
        for name, links in linked.items():
            self.assertGreater(len(links), 1, name)
            for link in links:
                path = re.fullmatch(r"https://(?:forge[.]example/blob/v0[.]1[.]0/([^#]*)(?:#.*)?|[^f].*)", link)
                self.assertTrue(path, f"{name}: {link}")
                self.assertTrue((ROOT / (path[1] or "")).exists(), f"{name}: {link}")

    def test_alerts_lead_to_the_runbooks_of_the_tag(self):
        output = self.release("runbooks", flags=["--links", "https://forge.example/blob/v0.1.0"])
        runbooks = "https://forge.example/blob/v0.1.0/docs/runbooks.md"
        with tarfile.open(output / f"{NAME}-manifests_0.1.0.tar.gz") as archive:
            archive.extractall(output, filter="data")
        for file in ("monitoring/alerts.yaml", "components/alerts/prometheus-rule.yaml"):
            found = re.findall("runbook_url: ([^#]+)#", (output / "manifests" / file).read_text())
            self.assertEqual(set(found), {runbooks}, file)
        rendered = run(helm(), "template", "r", "--namespace", "kube-system", "--kube-version", "1.37.2",
                       "--set", "alerts.enabled=true", output / f"{NAME}-0.1.0.tgz")
        self.assertEqual(set(re.findall('runbook_url: "?([^#]+)#', rendered)), {runbooks})

    def test_archives_have_the_licence(self):
        output = self.release("licensed")
        for name, folder in ((f"{NAME}-0.1.0.tgz", NAME), (f"{NAME}-manifests_0.1.0.tar.gz", "manifests")):
            with tarfile.open(output / name) as archive:
                self.assertIn(f"{folder}/LICENSE", archive.getnames())

    def test_helm_renders_the_archive_as_it_renders_the_folder(self):
        archive = self.release("charted") / f"{NAME}-0.1.0.tgz"
        flags = ["template", "r", "--namespace", "kube-system", "--kube-version", "1.37.2"]
        self.assertEqual(run(helm(), *flags, archive), run(helm(), *flags, render.CHART))

    def test_image_is_readable_by_other_tools_for_each_architecture(self):
        tools = os.environ.get("IMAGE_TOOLS")
        if not tools:
            raise unittest.SkipTest("no skopeo here")
        archive = self.release("image") / f"{NAME}-image_0.1.0.oci.tar"
        libraries = {**os.environ, "LD_LIBRARY_PATH": f"{tools}/usr/lib/{sysconfig.get_config_var('MULTIARCH')}"}
        for architecture in ARCHITECTURES:
            seen = json.loads(run(f"{tools}/usr/bin/skopeo", "inspect", "--override-arch", architecture,
                                  f"oci-archive:{archive}:0.1.0", env=libraries))
            self.assertEqual(seen["Architecture"], architecture)


if __name__ == "__main__":
    unittest.main()
