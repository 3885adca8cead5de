"""The node's images, made here to the same bytes each time: no registry is asked.

pause holds a pod's namespaces. The test image has busybox, under the names that Kubernetes' own examples use."""
import hashlib
import io
import json
import platform
import subprocess
import tarfile

import programs

PAUSE = "dra-controller-manager.dev/pause:1"
TEST_IMAGE = "docker.io/library/busybox:latest"
ALSO_CALLED = ("docker.io/library/ubuntu:22.04", "docker.io/library/ubuntu:24.04")
PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def entry(archive, name, kind=tarfile.REGTYPE, content=b"", target=""):
    info = tarfile.TarInfo(name)
    info.type, info.size, info.linkname, info.mode = kind, len(content), target, 0o755
    archive.addfile(info, io.BytesIO(content))


def layer(files, links=()):
    """A layer of `files` (path and content) and symbolic links, with their folders."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for folder in ("bin", "etc", "root", "run", "tmp", "usr", "usr/bin", "var", "var/lib"):
            entry(archive, folder, tarfile.DIRTYPE)
        for path, content in files:
            entry(archive, path, content=content)
        for path, target in links:
            entry(archive, path, tarfile.SYMTYPE, target=target)
    return data.getvalue()


def image(path, names, content, config):
    """An archive as `docker save` writes it."""
    digest = hashlib.sha256(content).hexdigest()
    about = json.dumps({"architecture": ARCHITECTURES[platform.machine()], "os": "linux",
                        "config": {"Env": [PATH], **config},
                        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]}}).encode()
    name = f"{hashlib.sha256(about).hexdigest()}.json"
    manifest = [{"Config": name, "RepoTags": list(names), "Layers": [f"{digest}/layer.tar"]}]
    with tarfile.open(path, "w") as archive:
        entry(archive, name, content=about)
        entry(archive, f"{digest}/layer.tar", content=content)
        entry(archive, "manifest.json", content=json.dumps(manifest).encode())
    return path


def make_pause(folder):
    program = (programs.FOLDER / "pause").read_bytes()
    return image(folder / "pause.tar", [PAUSE], layer([("pause", program)]),
                 {"Entrypoint": ["/pause"], "User": "65535:65535"})


def busybox_layer(more=()):
    """busybox with all its applets, and further files."""
    applets = subprocess.run([programs.BUSYBOX, "--list"], capture_output=True, text=True, check=True).stdout.split()
    links = [(f"bin/{applet}", "busybox") for applet in applets if applet != "busybox"]
    links += [("bin/bash", "busybox")] if "bash" not in applets else []
    files = [("bin/busybox", programs.BUSYBOX.read_bytes()), ("etc/passwd", b"root:x:0:0:root:/root:/bin/sh\n")]
    return layer([*files, *more], links)


def make_test_image(folder):
    return image(folder / "busybox.tar", [TEST_IMAGE, *ALSO_CALLED], busybox_layer(), {"Cmd": ["/bin/sh"]})
