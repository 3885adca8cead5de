"""The node's programs, built from Go modules into the user's cache, and those of Debian's packages."""
import fcntl
import hashlib
import os
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "dra-controller-manager"
CONTROLPLANE = HERE.parent / "controlplane/controlplane"
CONTAINERD = "github.com/containerd/containerd/v2"
# Debian's programs, by where its packages put them (`./dev` installs these).
RUNC, CNI, BUSYBOX = pathlib.Path("/usr/sbin/runc"), pathlib.Path("/usr/lib/cni"), pathlib.Path("/bin/busybox")

# Program, the module of this folder that pins it, its package.
PROGRAMS = [("containerd", "containerd", f"{CONTAINERD}/cmd/containerd"),
            ("containerd-shim-runc-v2", "containerd", f"{CONTAINERD}/cmd/containerd-shim-runc-v2"),
            ("ctr", "containerd", f"{CONTAINERD}/cmd/ctr"),
            ("pause", "pause", "."),
            ("kubelet", "kubelet", "k8s.io/kubernetes/cmd/kubelet")]


def version_of(module, dependency):
    """The version of `dependency` that a module of this folder requires, such as v1.37.2."""
    return re.search(rf"^\s*(?:require )?{re.escape(dependency)} (\S+)", (HERE / module / "go.mod").read_text(),
                     re.M)[1]


KUBERNETES = version_of("kubelet", "k8s.io/kubernetes")


def fingerprint():
    """Of everything that determines what is built. A changed pin makes cached programs old."""
    pins = [file for module in ("kubelet", "containerd", "pause") for file in sorted((HERE / module).iterdir())]
    return hashlib.sha256(b"".join(file.read_bytes() for file in pins)).hexdigest()[:16]


FOLDER = CACHE / "realnode" / fingerprint()


def symbols(module):
    """Without its version, kubelet reports v0.0.0."""
    if module == "kubelet":
        major, minor, _ = KUBERNETES.removeprefix("v").split(".", 2)
        package = "k8s.io/component-base/version"
        return (f" -X {package}.gitVersion={KUBERNETES} -X {package}.gitMajor={major} -X {package}.gitMinor={minor}")
    if module == "containerd":
        return f" -X {CONTAINERD}/version.Version={version_of('containerd', CONTAINERD)}"
    return ""


def build_one(name, module, package, folder):
    print(f"realnode: building {name}", flush=True)
    done = subprocess.run(
        ["go", "build", "-mod=readonly", "-trimpath", "-tags=no_btrfs,no_zfs,no_devmapper",
         f"-ldflags=-s -w{symbols(module)}", "-o", folder / name, package],
        cwd=HERE / module, env={**os.environ, "CGO_ENABLED": "0", "GOWORK": "off"}, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{done.stderr[-3000:]}\nrealnode: building {name} failed")


def build():
    """Into a folder beside the final one, which is renamed when complete: nobody sees half a build."""
    FOLDER.parent.mkdir(parents=True, exist_ok=True)
    with open(FOLDER.parent / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if FOLDER.exists():
            return
        parts = FOLDER.with_suffix(".new")
        parts.mkdir(exist_ok=True)
        for name, module, package in PROGRAMS:
            build_one(name, module, package, parts)
        parts.rename(FOLDER)


def of_control_plane(name):
    """The path of a program of the control plane, of the kubelet's version."""
    minor = ".".join(KUBERNETES.removeprefix("v").split(".")[:2])
    found = subprocess.run([CONTROLPLANE, "path", name, "--version", minor], capture_output=True, text=True, check=True)
    return found.stdout.strip()
