#!/usr/bin/env python3
"""Kubernetes' own end-to-end tests of DRA on a real cluster:

run.py --programs FOLDER --binary FILE --logs FOLDER [--manager ours|reference|none] [--nodes N]
       [--procs N] [--name NAME] [--keep] [FOCUS…]

FOCUS is a regular expression; without one all tests with the label DRA run. `reference` is kube-controller-manager with
its own controllers, `none` the negative control. `upstream --e2e` builds the programs.
Exit status 3: this machine cannot have a real node."""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "test/realnode"))
sys.dont_write_bytecode = True

import images  # noqa: E402
import life  # noqa: E402
import nodes  # noqa: E402
from cluster import Cluster, Failed, cluster_name  # noqa: E402

GATES = ",".join(f"{name}=true" for name in (
    "DRADeviceCompatibilityGroups", "DRAOptionalNodeOperations", "DRAPartitionableDevicesType", "DRAResourcePoolStatus",
    "DRAWorkloadResourceClaims", "GenericWorkload"))
APIS = ("resource.k8s.io/v1alpha3", "resource.k8s.io/v1beta1", "resource.k8s.io/v1beta2", "scheduling.k8s.io/v1beta1")
# Permissions that the manager needs for the gates.
COMPONENTS = ("pod-groups", "pool-status")
# What is in an image beside busybox: its program, and how that starts.
PROGRAMS = {"busybox": (None, {"Cmd": ["/bin/sh"]}),
            "hostpathplugin": ("hostpathplugin", {"Entrypoint": ["/hostpathplugin"]}),
            "sample-device-plugin": ("sampledeviceplugin", {"Entrypoint": ["/sampledeviceplugin", "-alsologtostderr"]})}
PASSED, SKIPPED, NOT_CHOSEN = "passed", "skipped", "not chosen"


def load_images(cluster, built):
    """One image for each name that the tests ask for, so that kubelet finds it without a registry."""
    for name in (built / "images").read_text().split():
        program, config = PROGRAMS[name.rpartition("/")[2].partition(":")[0]]
        files = [(program, (built / "bin" / program).read_bytes())] if program else []
        archive = cluster.folder / "image.tar"
        life.load(cluster, images.image(archive, [name], images.busybox_layer(files), config))
        archive.unlink()


def start_manager(cluster, binary):
    for component in COMPONENTS:
        done = cluster.kubectl("apply", "-f", ROOT / f"manifests/components/{component}/rbac.yaml")
        if done.returncode:
            raise Failed(done.stderr)
    cluster.spawn("manager", [binary, "--kubeconfig", cluster.kubeconfig, "--context=manager", "--secure-port=0",
                              "--v=2", f"--feature-gates={GATES}"])


def up(cluster, arguments):
    life.remove(cluster)
    life.up(cluster, "on" if arguments.manager == "reference" else "off", gates=GATES, count=arguments.nodes,
            flags=[f"--runtime-config={','.join(f'{api}=true' for api in APIS)}"])
    load_images(cluster, arguments.programs)
    if arguments.manager == "ours":
        start_manager(cluster, arguments.binary)


def play(cluster, arguments):
    """The tests run beside each other, as most of their time is waiting; those that are Serial run last, one by one."""
    built, focus = arguments.programs, [f"--focus={each}" for each in arguments.focus]
    with open(arguments.logs / "ginkgo.log", "w") as log:
        subprocess.run(
            [built / "ginkgo", f"--procs={arguments.procs}", "--label-filter=DRA", *focus, "--no-color", "--timeout=3h",
             "--json-report=report.json", f"--output-dir={arguments.logs}", built / "dra.test", "--",
             f"--kubeconfig={cluster.kubeconfig}", "--provider=skeleton"],
            stdout=log, stderr=subprocess.STDOUT, check=False)
    report = arguments.logs / "report.json"
    if not report.exists():
        raise Failed(f"the tests did not run, see {log.name}")
    return json.loads(report.read_text())[0]["SpecReports"]


def state_of(spec):
    """A test that neither the label nor the focus chose is reported as skipped, too, but has no reason."""
    if spec["State"] == SKIPPED and not spec.get("Failure", {}).get("Message"):
        return NOT_CHOSEN
    return spec["State"]


def name_of(spec):
    return " ".join([*(spec["ContainerHierarchyTexts"] or ()), spec["LeafNodeText"]]) or spec["LeafNodeType"]


def show(specs, folder):
    """Prints what failed and was skipped, and the counts. True if all is well."""
    states = [(spec, state_of(spec)) for spec in specs if spec["LeafNodeType"] == "It"
              or spec["State"] not in (PASSED, SKIPPED)]  # a fixture of the whole run
    states = [each for each in states if each[1] != NOT_CHOSEN]
    lines = sorted(f"{state}\t{spec['RunTime'] / 1e9:.0f} s\t{name_of(spec)}" for spec, state in states)
    (folder / "results").write_text("".join(f"{line}\n" for line in lines))
    for spec, state in sorted(states, key=lambda each: each[1]):
        if state != PASSED:
            print(f"{state:8} {name_of(spec)}\n         {spec['Failure']['Message'].strip().splitlines()[0]}")
    count = {state: sum(each[1] == state for each in states) for state in (PASSED, SKIPPED)}
    failed = len(states) - sum(count.values())
    print(f"{count[PASSED]} passed, {failed} failed, {count[SKIPPED]} skipped; the logs are in {folder}")
    return count[PASSED] > 0 and failed == 0


def keep_logs(cluster, folder):
    for log in cluster.folder.glob("*.log"):
        shutil.copy(log, folder)


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--programs", "--binary", "--logs"):
        parser.add_argument(name, type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--manager", choices=("ours", "reference", "none"), default="ours")
    parser.add_argument("--nodes", type=nodes.count, default=3, help="three are enough for all tests")
    parser.add_argument("--procs", type=int, default=8, help="tests at the same time")
    parser.add_argument("--keep", action="store_true", help="leave the cluster up")
    parser.add_argument("--name", type=cluster_name, default="upstream",
                        help="of the cluster: runs at the same time need different ones")
    parser.add_argument("focus", nargs="*")
    return parser.parse_args()


def main():
    arguments = parsed()
    life.exit_on_signals()
    cluster = Cluster(arguments.name)
    if lacks := life.missing(cluster.folder.parent):
        print(f"upstream: {lacks}")
        sys.exit(3)
    arguments.logs = arguments.logs / f"e2e-{arguments.manager}"
    shutil.rmtree(arguments.logs, ignore_errors=True)
    arguments.logs.mkdir(parents=True)
    try:
        up(cluster, arguments)
        well = show(play(cluster, arguments), arguments.logs)
    except (Failed, OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"upstream: {error}")
    finally:
        if cluster.folder.exists():
            keep_logs(cluster, arguments.logs)
        if not arguments.keep:
            life.remove(cluster)
    sys.exit(0 if well else 1)


if __name__ == "__main__":
    main()
