#!/usr/bin/env python3
"""Makes an image of a folder without a container engine: a tar in OCI's image layout that also has what
`docker load` of older versions looks for (manifest.json), so that docker, podman, containerd and kind all load it.

    oci.py ROOTFS ARCHITECTURE NAME:TAG ARCHIVE

How it is to be run is taken from the last stage of the Dockerfile beside this file: that is the one place.
The same folder and $SOURCE_DATE_EPOCH give the same archive, byte for byte: owners are root's, times and order fixed.
"""
import datetime
import hashlib
import io
import json
import os
import pathlib
import re
import shlex
import sys
import tarfile

DOCKERFILE = pathlib.Path(__file__).with_name("Dockerfile")
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", 0))
OCI = "application/vnd.oci.image"


def last_stage():
    """[(instruction, rest)] of the Dockerfile's last stage, in order."""
    text = re.sub(r"^#.*\n", "", DOCKERFILE.read_text(), flags=re.M).replace("\\\n", " ")
    lines = [line.split(None, 1) for line in text.splitlines() if line.strip()]
    start = max(number for number, (word, _) in enumerate(lines) if word == "FROM")
    return lines[start + 1:]


def how_to_run():
    """The image's config, in the words of the OCI image specification."""
    config = {"Env": [], "Labels": {}, "ExposedPorts": {}}
    for word, rest in last_stage():
        if word == "USER":
            config["User"] = rest
        elif word == "ENTRYPOINT":
            config["Entrypoint"] = json.loads(rest)
        elif word == "ENV":
            config["Env"] += shlex.split(rest)
        elif word == "LABEL":
            known = re.sub(r"\$(\w+)", lambda name: os.environ.get(name[1], ""), rest)
            config["Labels"].update(pair.split("=", 1) for pair in shlex.split(known))
        elif word == "EXPOSE":
            config["ExposedPorts"][f"{rest.strip()}/tcp"] = {}
        elif word not in ("ARG", "COPY"):
            raise SystemExit(f"{DOCKERFILE}: {word} is not known here")
    return config


def add(archive, entry, content=None):
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mtime = EPOCH
    archive.addfile(entry, content)


def layer_of(rootfs):
    """The folder as a tar."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(rootfs.rglob("*")):
            entry = archive.gettarinfo(path, str(path.relative_to(rootfs)))
            if entry.isreg():
                with path.open("rb") as content:
                    add(archive, entry, content)
            else:
                add(archive, entry)
    return data.getvalue()


class Layout:
    """The blobs of an image, by their hashes, and the files that name them."""

    def __init__(self):
        self.files = {"oci-layout": b'{"imageLayoutVersion":"1.0.0"}'}

    def add(self, kind, content):
        data = content if isinstance(content, bytes) else json.dumps(content, sort_keys=True).encode()
        digest = hashlib.sha256(data).hexdigest()
        self.files[f"blobs/sha256/{digest}"] = data
        return {"mediaType": f"{OCI}.{kind}", "digest": f"sha256:{digest}", "size": len(data)}

    def write(self, path):
        with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as archive:
            for name, data in sorted(self.files.items()):
                entry = tarfile.TarInfo(name)
                entry.size, entry.mode = len(data), 0o644
                add(archive, entry, io.BytesIO(data))


def blob(descriptor):
    return "blobs/" + descriptor["digest"].replace(":", "/")


def image(rootfs, architecture, name):
    layout = Layout()
    tag = name.rsplit(":", 1)[1]
    layer = layout.add("layer.v1.tar", layer_of(rootfs))
    created = datetime.datetime.fromtimestamp(EPOCH, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    run = how_to_run()
    run["Labels"]["org.opencontainers.image.version"] = tag
    config = layout.add("config.v1+json", {
        "architecture": architecture, "os": "linux", "created": created, "config": run,
        "rootfs": {"type": "layers", "diff_ids": [layer["digest"]]},
        "history": [{"created": created, "created_by": "packaging/image/build rootfs"}]})
    manifest = layout.add("manifest.v1+json", {
        "schemaVersion": 2, "mediaType": f"{OCI}.manifest.v1+json", "config": config, "layers": [layer]})
    # containerd takes the full name, everybody else the tag.
    manifest["annotations"] = {"io.containerd.image.name": f"docker.io/library/{name}",
                               "org.opencontainers.image.ref.name": tag}
    manifest["platform"] = {"architecture": architecture, "os": "linux"}
    layout.files["index.json"] = json.dumps({
        "schemaVersion": 2, "mediaType": f"{OCI}.index.v1+json", "manifests": [manifest]}).encode()
    layout.files["manifest.json"] = json.dumps([
        {"Config": blob(config), "RepoTags": [name], "Layers": [blob(layer)]}]).encode()
    return layout


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__.split("\n\n")[1].strip())
    rootfs, architecture, name, archive = sys.argv[1:]
    image(pathlib.Path(rootfs), architecture, name).write(archive)


if __name__ == "__main__":
    main()
