#!/usr/bin/env python3
"""Puts together what a release page carries. `./dev release` makes the parts and calls it.

    release.py VERSION OUTPUT [--key PEM] [--links URL] [--package FILE]… [--image ARCHIVE]…
    release.py VERSION --check [--key PEM]     only what can be wrong before anything is built

Into OUTPUT go the packages, one image of all architectures as an OCI layout, its digest, the SBOM beside each
image, the chart, the manifests, notes from CHANGELOG.md, SHA256SUMS, and with a key its signature. The same
parts and $SOURCE_DATE_EPOCH give the same files, byte for byte; so does the signature of an Ed25519 key. Relative
links in notes and pages lead to the files below URL; without it they stay, and lead nowhere outside of a checkout.
"""
import argparse
import gzip
import hashlib
import io
import json
import os
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAME = "dra-controller-manager"
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", 0))


def add(archive, name, data, mode=0o644):
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode, entry.mtime = len(data), mode, EPOCH
    archive.addfile(entry, io.BytesIO(data))


def linked(text, folder, address):
    """The Markdown of a page in that folder of the repository, to be read elsewhere."""
    if not address:
        return text
    return re.sub(r"\]\((?!https?:|mailto:|#)([^)\s]+)\)",
                  lambda link: f"]({address}/{posixpath.normpath(posixpath.join(folder, link[1]))})", text)


def content(path, address):
    name = path.relative_to(ROOT)
    if address and path.suffix == ".yaml" and name.as_posix() != "manifests/chart/alerts.yaml":
        # In the chart the value alerts.runbooks takes the place of the alerts' own address.
        return re.sub(r"^( *runbook(?:_url|s): )(?=docs/runbooks[.]md)", rf"\1{address}/", path.read_text(),
                      flags=re.M).encode()
    if path.suffix != ".md":
        return path.read_bytes()
    return linked(path.read_text(), name.parent.as_posix(), address).encode()


def tar_of(files, *, prefix, address):
    """A compressed tar of {name: path}, in order."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, path in sorted(files.items()):
            mode = 0o755 if os.access(path, os.X_OK) else 0o644
            add(archive, f"{prefix}/{name}", content(path, address), mode)
    return gzip.compress(plain.getvalue(), mtime=0)


def files_below(folder):
    """The folder's files that git tracks, so that no editor's copy is shipped."""
    listed = subprocess.run(["git", "ls-files", "."], cwd=folder, text=True, capture_output=True, check=True).stdout
    return {name: folder / name for name in listed.splitlines()}


def image_layout(archives):
    """One OCI layout with an index of all architectures, from archives with one image each."""
    files, manifests = {}, []
    for path in sorted(archives):
        with tarfile.open(path) as archive:
            for entry in archive:
                content = archive.extractfile(entry).read()
                if entry.name.startswith("blobs/"):
                    files[entry.name] = content
                elif entry.name == "index.json":
                    manifests += json.loads(content)["manifests"]
    kept = ("mediaType", "digest", "size", "platform")
    index = json.dumps({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json",
                        "manifests": [{key: manifest[key] for key in kept} for manifest in manifests]}).encode()
    digest = hashlib.sha256(index).hexdigest()
    files[f"blobs/sha256/{digest}"] = index
    return files, {"mediaType": "application/vnd.oci.image.index.v1+json", "digest": f"sha256:{digest}",
                   "size": len(index)}


def write_image(archives, version, path):
    files, descriptor = image_layout(archives)
    descriptor["annotations"] = {"org.opencontainers.image.ref.name": version}
    files["oci-layout"] = b'{"imageLayoutVersion":"1.0.0"}'
    files["index.json"] = json.dumps({"schemaVersion": 2, "manifests": [descriptor]}).encode()
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in sorted(files.items()):
            add(archive, name, data)
    # What `image.digest` of the chart takes, and a registry shows after the push.
    path.with_suffix("").with_suffix(".digest").write_text(descriptor["digest"] + "\n")


def notes(version):
    """The section of that version, or *Unreleased* before there is one."""
    text = (ROOT / "CHANGELOG.md").read_text()
    for title in (re.escape(version), "Unreleased"):
        section = re.search(rf"^## \[?{title}\b[^\n]*\n(.*?)(?=^## |\Z)", text, re.M | re.S)
        if section and section[1].strip():
            return f"# {NAME} {version}\n\n{section[1].strip()}\n"
    sys.exit(f"CHANGELOG.md: expected text below {version} or Unreleased")


def public_key(key):
    public = subprocess.run(["openssl", "pkey", "-in", key, "-pubout"], text=True, capture_output=True)
    if public.returncode != 0:
        sys.exit(f"--key {key}: expected a private key in PEM: {public.stderr.strip().splitlines()[0]}")
    return public.stdout


def check(version, key):
    chart = (ROOT / "manifests/chart/Chart.yaml").read_text()
    for field in ("version", "appVersion"):
        found = re.search(rf'^{field}: "?([^"\n]+)', chart, re.M)[1]
        if found != version:
            sys.exit(f"manifests/chart/Chart.yaml: {field}: expected {version} as in CMakeLists.txt, got {found}")
    notes(version)
    if not key:
        return
    public_key(key)
    below = pathlib.Path(key).resolve().is_relative_to(ROOT)
    if below and subprocess.run(["git", "check-ignore", "--quiet", key], cwd=ROOT).returncode != 0:
        sys.exit(f"--key {key}: expected a file outside of the repository: it could be committed")


def sign(key, folder):
    sums, signature = folder / "SHA256SUMS", folder / "SHA256SUMS.sig"
    (folder / "release-key.pub.pem").write_text(public_key(key))
    subprocess.run(["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", key, "-in", sums, "-out", signature],
                   check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("version")
    parser.add_argument("output", type=pathlib.Path, nargs="?")
    parser.add_argument("--key")
    parser.add_argument("--links", metavar="URL")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--package", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--image", type=pathlib.Path, action="append", default=[])
    arguments = parser.parse_args()
    check(arguments.version, arguments.key)
    if arguments.check:
        return
    os.umask(0o022)
    output = arguments.output
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    version = arguments.version
    for path in arguments.package:
        shutil.copyfile(path, output / path.name)
    for path in arguments.image:
        sbom = path.with_suffix(".spdx.json")
        shutil.copyfile(sbom, output / sbom.name)
    if arguments.image:
        write_image(arguments.image, version, output / f"{NAME}-image_{version}.oci.tar")
    licence = {"LICENSE": ROOT / "LICENSE"}
    chart = tar_of(files_below(ROOT / "manifests/chart") | licence, prefix=NAME, address=arguments.links)
    (output / f"{NAME}-{version}.tgz").write_bytes(chart)
    # The overlay for kind builds the image from the sources.
    manifests = {name: path for name, path in files_below(ROOT / "manifests").items()
                 if not name.startswith("overlays/kind/")}
    archive = tar_of(manifests | licence, prefix="manifests", address=arguments.links)
    (output / f"{NAME}-manifests_{version}.tar.gz").write_bytes(archive)
    (output / "RELEASE_NOTES.md").write_text(linked(notes(version), "", arguments.links))
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
                   for path in sorted(output.iterdir()))
    (output / "SHA256SUMS").write_text(sums)
    if arguments.key:
        sign(arguments.key, output)


if __name__ == "__main__":
    main()
