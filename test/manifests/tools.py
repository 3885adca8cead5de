"""The programs that the tests use, if available; a test without its program is skipped, with the
reason."""
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "test/support"))  # for those who import this
CONTROLPLANE = ROOT / "test/controlplane/controlplane"
SCRATCH = ROOT / "build/manifests"
# Long enough for a busy machine; nothing is measured by it.
DEADLINE = 60
# Options of run() for shipped files: not the last commit's time, which may change a moment later.
HERE = {"env": {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}}
# Settings that differ between machines, and that must not affect shipped files.
ELSEWHERE = {"env": {**HERE["env"], "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8"}, "umask": 0o077}
# Whose CustomResourceDefinitions validate the monitors.
PROMETHEUS_OPERATOR = "github.com/prometheus-operator/prometheus-operator@v0.85.0"
# The same for the certificate of the chart.
CERT_MANAGER = "github.com/cert-manager/cert-manager@v1.21.2"


def run(*command, stdin=None, check=True, **options):
    """A command's output; raises an AssertionError with its output if it fails."""
    done = subprocess.run([str(part) for part in command], input=stdin, text=True, timeout=600,
                          capture_output=True, **options)
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit status {done.returncode}\n"
                             f"{done.stdout}{done.stderr}")
    return done.stdout if check else done


@functools.cache
def kubectl():
    found = run(CONTROLPLANE, "path", "kubectl", check=False)
    if found.returncode != 0:
        raise unittest.SkipTest(f"no kubectl: {found.stderr.strip()}")
    return found.stdout.strip()


def manager():
    """The manager: $DCM_MANAGER, or a build of this checkout."""
    named = os.environ.get("DCM_MANAGER")
    for path in [pathlib.Path(named)] if named else [
            ROOT / f"build/{preset}/bin/dra-controller-manager" for preset in ("release", "dev")]:
        if path.exists():
            return path
    raise unittest.SkipTest("the manager is not built")


def conformance():
    """The black-box cases, built beside the manager that they start."""
    path = pathlib.Path(manager()).parent / "conformance_test"
    if not path.exists():
        raise unittest.SkipTest("the conformance cases are not built")
    return path


def of_prometheus(name):
    """A program of Prometheus, from ./dev's folder or the PATH."""
    path = shutil.which(name, path=os.environ.get("PROMETHEUS_DIR")) or shutil.which(name)
    if not path:
        raise unittest.SkipTest(f"no {name} here")
    return path


def promtool():
    return of_prometheus("promtool")


def prometheus():
    return of_prometheus("prometheus")


def helm():
    path = os.environ.get("HELM") or shutil.which("helm")
    if not path:
        raise unittest.SkipTest("no helm here")
    return path


@functools.cache
def go_module(module):
    """The folder with the sources of a Go module, where others publish their CRDs."""
    if not shutil.which("go"):
        raise unittest.SkipTest(f"no Go here to get {module} with")
    SCRATCH.mkdir(parents=True, exist_ok=True)
    done = run("go", "mod", "download", "-json", module, check=False, cwd=SCRATCH)
    if done.returncode != 0:
        raise unittest.SkipTest(f"{module} is not available")
    return pathlib.Path(json.loads(done.stdout)["Dir"])


def prometheus_operator_crds():
    return go_module(PROMETHEUS_OPERATOR) / "example/prometheus-operator-crd"


def cert_manager_crds():
    return go_module(CERT_MANAGER) / "deploy/crds"
