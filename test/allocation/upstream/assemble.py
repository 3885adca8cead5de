"""A copy of the Go module k8s.io/dynamic-resource-allocation with the files of this folder in it.

Its tests' tables are internal to their packages, so code that uses them must be in the same module.
The copy is created from the module cache, and kept in the user's cache.
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PINS = HERE.parents[1] / "controlplane/v1.37"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "dra-controller-manager/allocator"
MODULE = "k8s.io/dynamic-resource-allocation"
# The folder here, and its place in the module.
PLACES = {"wire": "internal/wire", "reference": "structured/internal/reference", "judge": "structured/internal/judge",
          "table": "structured/internal/allocatortesting", "cel": "cel"}
TABLE = "structured/internal/allocatortesting/allocator_testing.go"
# So that the table compares like compare.go.
EDITS = (("func allocationResult(", "func matcherOfResult("),
         ("g.Expect(results).To(gomega.ConsistOf(tc.expectResults...))", "compareResults(g, results, tc.expectResults)"),
         ("g.Expect(stats.NumAllocateOneInvocations).To(gomega.Equal(expectNumAllocateOneInvocations))",
          "compareSteps(g, stats.NumAllocateOneInvocations, expectNumAllocateOneInvocations)"))
ENVIRONMENT = os.environ | {"GOFLAGS": "-mod=mod -buildvcs=false", "GOWORK": "off", "CGO_ENABLED": "0"}


def go(*words, cwd):
    done = subprocess.run(["go", *words], cwd=cwd, env=ENVIRONMENT, text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"go {' '.join(words[:2])} failed:\n{done.stderr}")
    return done.stdout.strip()


class Module:
    def __init__(self, folder, version):
        self.folder, self.version = folder, version
        self.reference = folder / "bin/reference"

    def test(self, package, test, judged, flags):
        """The events of one test with the program `judged`, as `go tool test2json` names them."""
        if package == "cel":
            known = {"conformance": f"{go('list', '-m', '-f', '{{.Dir}}', 'cel.dev/expr', cwd=self.folder)}/tests/simple/testdata",
                     "corpus": HERE / "selectors.txt"}
            chosen = {"TestConformance": ["conformance"], "TestCorpus": ["corpus"]}.get(test, [])
            flags = flags | {name: known[name] for name in chosen}
        command = ["go", "tool", "test2json", "-t", self.folder / f"bin/{package}.test", "-test.v=test2json", "-test.timeout=2h",
                   f"-test.run=^{test}$", *(f"-{name}={value}" for name, value in flags.items())]
        env = ENVIRONMENT | {"JUDGED": " ".join(map(str, judged)), "JUDGE_REFERENCE": str(self.reference)}
        process = subprocess.Popen(command, cwd=self.folder, env=env, stdout=subprocess.PIPE, text=True)
        for line in process.stdout:
            yield json.loads(line)
        process.wait()


def copy_module(target):
    """The module as it was published, and its version."""
    pinned = re.search(r"k8s\.io/kubernetes v1(\S+)", (PINS / "go.mod").read_text(), re.M).group(1)
    found = json.loads(go("mod", "download", "-json", f"{MODULE}@v0{pinned}", cwd=PINS))
    shutil.copytree(found["Dir"], target)
    subprocess.run(["chmod", "-R", "u+w", target], check=True)
    table = target / TABLE
    text = table.read_text()
    for before, after in EDITS:
        if text.count(before) != 1:
            sys.exit(f"{MODULE} has changed: {before!r} is there {text.count(before)} times")
        text = text.replace(before, after)
    table.write_text(text)
    return found["Version"]


def fingerprint():
    """Of everything that the programs are built from."""
    files = sorted([*HERE.rglob("*.go"), HERE / "assemble.py", PINS / "go.mod"])
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def assemble():
    """The module with its programs built; exits with 3 without Go."""
    if not shutil.which("go"):
        print("there is no Go to build Kubernetes' allocator with", file=sys.stderr)
        sys.exit(3)
    made, prints = CACHE / "made.json", fingerprint()
    target = CACHE / "module"
    known = json.loads(made.read_text()) if made.exists() else {}
    if known.get("fingerprint") != prints:
        shutil.rmtree(CACHE, ignore_errors=True)
        version = copy_module(target)
        for folder, place in PLACES.items():
            shutil.copytree(HERE / folder, target / place, dirs_exist_ok=True)
        print("building Kubernetes' allocator and its tables", flush=True)
        go("build", "-o", "bin/reference", f"./{PLACES['reference']}", cwd=target)
        for package in ("judge", "cel"):
            go("test", "-c", "-vet=off", "-o", f"bin/{package}.test", f"./{PLACES[package]}", cwd=target)
        known = {"fingerprint": prints, "version": version}
        made.write_text(json.dumps(known))
    return Module(target, known["version"])
