"""The image: its content and metadata, other programs can read it, and the manager starts in it."""
import hashlib
import json
import os
import pathlib
import re
import stat
import sysconfig
import tarfile
import tempfile
import unittest

import chroot
import render
from tools import ELSEWHERE, HERE, ROOT, SCRATCH, manager, run

IMAGE = ROOT / "packaging/image"
NAME = "dra-controller-manager"
BINARY = f"usr/bin/{NAME}"
COMPILED_IN = [line for line in (ROOT / "packaging/compiled-in").read_text().splitlines()
               if not line.startswith("#")]


def architecture():
    return run("dpkg", "--print-architecture").strip()


def archive_of(rootfs, archive, platform, where):
    run(IMAGE / "oci.py", rootfs, platform, f"{NAME}:0.1.0", archive, **where)


def assemble(folder, where):
    """The image and its contents, in a folder, from packages of this machine."""
    rootfs, archive = pathlib.Path(folder, "rootfs"), pathlib.Path(folder, "image.tar")
    run(IMAGE / "build", "rootfs", manager(), rootfs, **where)
    archive_of(rootfs, archive, architecture(), where)
    return rootfs, archive


def instructions(text):
    """[(word, rest)] of a Dockerfile."""
    joined = re.sub(r"^#.*\n", "", text, flags=re.M).replace("\\\n", " ")
    return [tuple(line.split(None, 1)) for line in joined.splitlines() if line.strip()]


def to_mend(text):
    """Errors of a Dockerfile, by the rules that matter to us."""
    found = instructions(text)
    words = [word for word, _ in found]
    arguments = dict(rest.split("=", 1) for word, rest in found if word == "ARG" and "=" in rest)
    stages = [re.sub(r"\$\{(\w+)\}", lambda name: arguments.get(name.group(1), ""), rest).split()
              for word, rest in found if word == "FROM"]
    names = {stage[-1] for stage in stages if "AS" in stage}
    for base, *_ in stages:
        if base not in names | {"scratch"} and not re.search(r"@sha256:|:(?!latest)\w", base):
            yield f"{base} may be anything tomorrow: name a tag or a digest"
    for word, rest in found:
        if word == "ADD":
            yield "ADD fetches and unpacks: COPY"
        if word == "COPY" and "--from=" not in rest and not all(
                (ROOT / source).exists() for source in rest.split()[:-1]):
            yield f"COPY of what is not there: {rest}"
        if re.search("amd64|x86.64|arm64|aarch64", rest):
            yield f"nothing but the platform that it is built for says what for: {rest}"
        if word == "RUN" and re.search(r"\bsudo\b|\bcurl\b|\bwget\b|apt-get", rest):
            yield f"RUN does what the build script is for: {rest}"
    last = found[len(words) - words[::-1].index("FROM"):]
    user = [rest for word, rest in last if word == "USER"]
    if not user or not re.fullmatch(r"[1-9]\d*:[1-9]\d*", user[-1]):
        yield "the user must be a number that is not root's"
    if [rest for word, rest in last if word in ("ENTRYPOINT", "CMD") and not rest.startswith("[")]:
        yield "a shell would be started, and there is none"


class Dockerfile(unittest.TestCase):
    def setUp(self):
        self.text = (IMAGE / "Dockerfile").read_text()

    def test_has_no_faults(self):
        self.assertEqual(list(to_mend(self.text)), [])

    def test_finds_a_planted_mistake(self):
        for old, new in [("bookworm-slim\n", "latest\n"), ("debian:bookworm-slim\n", "debian\n"), ("COPY . ", "ADD . "),
                         ("=debian:bookworm-slim\n", "=amd64/debian:bookworm-slim\n"),
                         ("USER 65532:65532", "USER nonroot"), ("USER 65532:65532", "USER 0:0"), ("packaging/compiled-in ", "x "),
                         ('["/usr/bin/dra-controller-manager"]', "dra-controller-manager"),
                         ("RUN /steps", "RUN apt-get update && /steps")]:
            with self.subTest(new):
                self.assertIn(old, self.text)
                self.assertEqual(len(list(to_mend(self.text.replace(old, new)))), 1)

    def test_runs_existing_steps_on_debian_of_the_clean_root(self):
        steps = re.findall(r"image/build (\w+)", " ".join(rest for word, rest in instructions(self.text) if word == "RUN"))
        self.assertEqual(steps, ["packages", "compile", "rootfs"])
        without = (IMAGE / "clean-root").read_text()
        for step in steps:
            self.assertIn(f"image/build {step}", without)
        suite = re.search(r"debootstrap .*--variant=minbase (\w+)", (ROOT / "dev.d/lib/setup.sh").read_text()).group(1)
        self.assertIn(f"debian:{suite}-slim", self.text)

    def test_copies_the_lists_of_the_first_step(self):
        lists = re.findall(r'"(\$packaging/[\w-]+)"\)', (IMAGE / "build").read_text())
        self.assertEqual(len(lists), 2)
        copied = next(rest for word, rest in instructions(self.text) if word == "COPY")
        self.assertEqual(copied.split()[:-1], [path.replace("$", "") for path in lists])


class Image(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        SCRATCH.mkdir(parents=True, exist_ok=True)
        scratch = tempfile.TemporaryDirectory(dir=SCRATCH)
        cls.addClassCleanup(scratch.cleanup)
        cls.rootfs, cls.archive = assemble(scratch.name, HERE)
        cls.files = {str(path.relative_to(cls.rootfs)): path for path in cls.rootfs.rglob("*")}

    def test_contains_one_program_and_its_libraries_without_shell(self):
        programs = [name for name, path in self.files.items()
                    if path.is_file() and not path.is_symlink() and os.access(path, os.X_OK)
                    and not re.search(r"\.so(\.|$)", name)]
        self.assertEqual(programs, [BINARY])
        # Version 0.1.0 had 25 MB.
        self.assertLess(sum(path.stat().st_size for path in self.files.values() if not path.is_symlink()), 40 << 20)

    def test_every_needed_library_is_included(self):
        for name, path in self.files.items():
            if name == BINARY or ".so" in name:
                needed = re.findall(r"NEEDED +(\S+)", run("objdump", "-p", path))
                for library in needed:
                    self.assertTrue([there for there in self.files if there.endswith(f"/{library}")], library)

    def test_only_root_may_write_and_everybody_may_read(self):
        for name, path in self.files.items():
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode):
                target = os.path.normpath(os.path.join("/", os.path.dirname(name), os.readlink(path)))
                self.assertTrue((self.rootfs / target.lstrip("/")).exists(), name)
                continue
            self.assertEqual(stat.S_IMODE(mode) & 0o7022, 0, name)
            self.assertEqual(stat.S_IMODE(mode) & 0o444, 0o444, name)

    def test_is_reproducible_at_any_time_and_place(self):
        with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
            _, again = assemble(folder, ELSEWHERE)
            self.assertEqual(hashlib.sha256(again.read_bytes()).hexdigest(),
                             hashlib.sha256(self.archive.read_bytes()).hexdigest())

    def test_trusts_only_the_cas_of_debian(self):
        bundle = (self.rootfs / "etc/ssl/certs/ca-certificates.crt").read_text()
        self.assertEqual(bundle.count("BEGIN CERTIFICATE"),
                         len(list(pathlib.Path("/usr/share/ca-certificates/mozilla").glob("*.crt"))))

    def runtime(self):
        return {path.name for path in (self.rootfs / "var/lib/dpkg/status.d").iterdir()}

    def test_has_notices_of_everything_linked_or_compiled_in(self):
        self.assertTrue({"libc6", "libssl3", "libstdc++6", "libboost-json1.81.0", "ca-certificates"} <= self.runtime())
        for package in self.runtime():
            self.assertTrue((self.rootfs / f"usr/share/doc/{package}/copyright").stat().st_size, package)
        there = {path.name for path in (self.rootfs / f"usr/share/doc/{NAME}/licences").iterdir()}
        self.assertEqual(there, set(COMPILED_IN))
        # The files that a notice refers to exist as well.
        for path in (self.rootfs / "usr/share/doc").rglob("*"):
            if path.is_file():
                for licence in re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", path.read_text(errors="replace")):
                    self.assertTrue((self.rootfs / "usr/share/common-licenses" / licence).exists(), (path, licence))

    def test_bill_of_materials_names_each_package_and_version(self):
        listed = json.loads((self.rootfs / f"usr/share/sbom/{NAME}.spdx.json").read_text())
        packages = {package["SPDXID"]: package for package in listed["packages"]}
        self.assertEqual(len(packages), len(listed["packages"]))
        self.assertEqual({package["name"] for package in packages.values()},
                         self.runtime() | set(COMPILED_IN) | {NAME})
        for package in self.runtime():
            record = (self.rootfs / "var/lib/dpkg/status.d" / package).read_text()
            version = re.search(r"^Version: (.*)$", record, re.M).group(1)
            found = next(entry for entry in packages.values() if entry["name"] == package)
            self.assertEqual(found["versionInfo"], version)
            self.assertRegex(found["externalRefs"][0]["referenceLocator"], r"^pkg:deb/debian/[\w.%-]+@[\w.%~-]+\?arch=")
        for relation in listed["relationships"]:
            for end in ("spdxElementId", "relatedSpdxElement"):
                self.assertIn(relation[end], packages.keys() | {"SPDXRef-DOCUMENT"})
        ours = packages[f"SPDXRef-{NAME}"]
        self.assertEqual(ours["checksums"][0]["checksumValue"],
                         hashlib.sha256((self.rootfs / BINARY).read_bytes()).hexdigest())

    @staticmethod
    def files_in(archive):
        with tarfile.open(archive) as opened:
            return {entry.name: opened.extractfile(entry).read() for entry in opened}

    def test_names_its_architecture(self):
        for platform in ("amd64", "arm64"):
            archive = self.archive.with_name(f"{platform}.tar")
            archive_of(self.rootfs, archive, platform, HERE)
            files = self.files_in(archive)
            config = json.loads(files[json.loads(files["manifest.json"])[0]["Config"]])
            listed = json.loads(files["index.json"])["manifests"][0]["platform"]
            self.assertEqual([config["architecture"], listed["architecture"]], [platform, platform])

    def config(self):
        """The image's config; each blob of the archive must match its name."""
        files = self.files_in(self.archive)
        for name, data in files.items():
            if name.startswith("blobs/sha256/"):
                self.assertEqual(hashlib.sha256(data).hexdigest(), pathlib.Path(name).name)
        listed = json.loads(files["manifest.json"])[0]
        self.assertEqual(listed["RepoTags"], [f"{NAME}:0.1.0"])
        return json.loads(files[listed["Config"]])["config"]

    def test_runs_as_in_the_manifests(self):
        config, objects = self.config(), render.kustomize("base")
        security = render.pod_spec(objects)["securityContext"]
        self.assertEqual(config["User"], f"{security['runAsUser']}:{security['runAsGroup']}")
        container = render.container(objects)
        self.assertEqual(list(config["ExposedPorts"]), [f"{container['ports'][0]['containerPort']}/tcp"])
        self.assertEqual(config["Env"], ["PATH=/usr/bin"])
        self.assertTrue((self.rootfs / "usr/bin" / container["command"][0]).exists())
        self.assertEqual(config["Entrypoint"], [f"/{BINARY}"])

    def tool(self, name, *arguments):
        folder = os.environ.get("IMAGE_TOOLS")
        if not folder:
            self.skipTest(f"no {name} here ($IMAGE_TOOLS)")
        return run(f"{folder}/usr/bin/{name}", *arguments,
                   env={**os.environ, "LD_LIBRARY_PATH": f"{folder}/usr/lib/{sysconfig.get_config_var('MULTIARCH')}"})

    def test_skopeo_reads_it_in_both_formats(self):
        for transport in ("oci-archive", "docker-archive"):
            with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
                self.tool("skopeo", "--insecure-policy", "copy", f"{transport}:{self.archive}", f"dir:{folder}/copy")
                self.assertTrue(pathlib.Path(folder, "copy/manifest.json").exists())

    def test_umoci_unpacks_the_same_files(self):
        with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
            layout = pathlib.Path(folder, "layout")
            layout.mkdir()
            run("tar", "-C", layout, "-xf", self.archive)
            rootless = ["--rootless"] if os.geteuid() else []
            self.tool("umoci", "unpack", *rootless, "--image", f"{layout}:0.1.0", f"{folder}/bundle")
            run("diff", "-r", "--no-dereference", self.rootfs, f"{folder}/bundle/rootfs")
            process = json.loads(pathlib.Path(folder, "bundle/config.json").read_text())["process"]
            self.assertEqual((process["args"], process["user"]["uid"]), ([f"/{BINARY}"], 65532))

    def test_builds_in_clean_debian_and_serves_a_real_cluster(self):
        archive = chroot.clean_debian()
        with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
            root = pathlib.Path(folder, "rootfs")
            run(IMAGE / "clean-root", archive, root, manager(), **HERE)
            there = {str(path.relative_to(root)) for path in root.rglob("*")}
            self.assertEqual(there, set(self.files))
            self.assertEqual((root / BINARY).read_bytes(), (self.rootfs / BINARY).read_bytes())
            self.assertEqual(run("chroot", "--userspec=65532:65532", root, f"/{BINARY}", "--version").split()[0], NAME)
            chroot.serve(self, root, "65532:65532")


if __name__ == "__main__":
    unittest.main()
