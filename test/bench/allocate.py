#!/usr/bin/env python3
"""The allocator and CEL next to Kubernetes' own in Go: the same scenes, one after the other, in one run.

    allocate.py ALLOCATION-JUDGE [NAME…]

Both sides read the scene as a request of the judge's protocol (test/allocation/upstream), and answer with the mean of as
many calls as fit into 300 ms; what takes long is done once. NAME: only scenes whose name has that part. Needs Go.
`./dev bench allocate` runs it.
"""
import json
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "allocation/upstream"))
import assemble  # noqa: E402

DRIVER = "gpu.example.com"
GATES = ["DRAAdminAccess", "DRAConsumableCapacity", "DRADeviceBindingConditions+DRAResourceClaimDeviceStatus", "DRADeviceTaints",
         "DRAPartitionableDevices", "DRAPrioritizedList"]
NODES = 5000
IS_H100 = f'device.attributes["{DRIVER}"].model == "H100"'


def device(number, model="A100", numa=0, more=()):
    attributes = {"model": {"string": model}, "index": {"int": number}, "healthy": {"bool": True},
                  "driverVersion": {"version": "570.86.15"}, "resource.kubernetes.io/numaNode": {"int": numa},
                  "uuid": {"string": f"GPU-{number:08x}-7f3a-4d3e-9a61-0d7c1e5b2f11"}, **dict(more)}
    return {"name": f"gpu-{number}", "attributes": attributes, "capacity": {"memory": {"value": "80Gi"}}}


def slice_of(node, devices):
    return {"metadata": {"name": f"{node}-gpu"}, "spec": {"driver": DRIVER, "nodeName": node, "devices": devices,
                                                         "pool": {"name": node, "generation": 1, "resourceSliceCount": 1}}}


def ask(name, count=1, selector=None):
    exactly = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": count}
    if selector:
        exactly["selectors"] = [{"cel": {"expression": selector}}]
    return {"name": name, "exactly": exactly}


def claim(*requests, name="claim", match=None):
    devices = {"requests": list(requests)}
    if match:
        devices["constraints"] = [{"matchAttribute": match}]
    return {"metadata": {"name": name, "namespace": "default"}, "spec": {"devices": devices}}


def allocate(devices, *claims, once=False, **more):
    return {"id": "bench", "kind": "allocate", "features": GATES, "node": {"metadata": {"name": "node-0"}},
            "classes": [{"metadata": {"name": "gpu"}, "spec": {"selectors": [{"cel": {"expression": f'device.driver == "{DRIVER}"'}}]}}],
            "slices": [slice_of("node-0", devices)], "claims": list(claims), "measure": {"what": "time", **({"once": True} if once else {})}, **more}


def selector(expression):
    return {"id": "bench", "kind": "selector", "features": GATES, "environment": "StoredExpressions", "expression": expression,
            "device": {"driver": DRIVER, **{key: device(1, "H100")[key] for key in ("attributes", "capacity")}}, "measure": {"what": "time"}}


def cluster():
    """Two of eight devices are free on each node, but only on every sixteenth node they are on one
    NUMA node."""
    def numa(node, number):
        return number // 4 if node % 16 == 15 else number % 2
    slices = [slice_of(f"node-{n}", [device(d, "H100", numa(n, d)) for d in range(8)]) for n in range(NODES)]
    taken = [{"driver": DRIVER, "pool": f"node-{n}", "device": f"gpu-{d}"} for n in range(NODES) for d in range(6)]
    wanted = claim(ask("gpus", 2, IS_H100), match="resource.kubernetes.io/numaNode")
    return {**allocate([], wanted), "slices": slices, "allocatedDevices": taken,
            "measure": {"what": "time", "nodes": NODES, "once": True}}


def memory():
    more = [(f"attribute-{i}", {"string": f"value-{i}"}) for i in range(14)]  # and the six that every device has
    slices = [slice_of(f"node-{n}", [device(8 * n + d, more=more) for d in range(8)]) for n in range(NODES)]
    return {"id": "bench", "kind": "allocate", "features": GATES, "slices": slices, "measure": {"what": "memory"}}


def alternatives(name, impossible=False):
    model = "none" if impossible else "A100"
    subs = [{"name": f"sub-{i}", "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1,
             "selectors": [{"cel": {"expression": f'device.attributes["{DRIVER}"].model == "{model}"'}}]} for i in range(3)]
    return {"name": name, "firstAvailable": subs}


def alike(count):
    return [device(i) for i in range(count)]


SCENES = {
    "Allocate, 8 devices": lambda: allocate(alike(8), claim(ask("gpu"))),
    "Allocate, 128 devices of which the last matches": lambda: allocate(
        [device(i, "H100" if i == 127 else "A100") for i in range(128)], claim(ask("gpu", 1, IS_H100))),
    "selector: attribute": lambda: selector(IS_H100),
    "selector: version": lambda: selector(f'device.attributes["{DRIVER}"].driverVersion.isGreaterThan(semver("550.0.0"))'),
    "selector: quantity": lambda: selector(f'device.capacity["{DRIVER}"].memory.compareTo(quantity("40Gi")) >= 0'),
    "5,000 nodes": cluster,
    "16 devices, a request for 17": lambda: allocate(alike(16), claim(ask("gpus", 17)), once=True),
    "20 devices, a request for 21": lambda: allocate(alike(20), claim(ask("gpus", 21)), once=True),
    "16 devices, the second claim impossible": lambda: allocate(
        alike(16), claim(ask("gpus", 8)), claim(ask("gpu", 1, IS_H100), name="second"), once=True),
    "11 devices, four requests for 3": lambda: allocate(
        alike(11), claim(*(ask(f"gpus-{i}", 3) for i in range(4))), once=True),
    "28 devices on two NUMA nodes, 15 on one": lambda: allocate(
        [device(i, numa=i % 2) for i in range(28)], claim(ask("gpus", 15), match="resource.kubernetes.io/numaNode"), once=True),
    "16 devices all different, 8 alike": lambda: allocate(
        [device(i) for i in range(16)], claim(ask("any", 8), ask("two", 2), match=f"{DRIVER}/uuid"), once=True),
    "five lists of three, the last impossible": lambda: allocate(
        alike(7), claim(*(alternatives(f"list-{i}", i == 4) for i in range(5))), once=True),
    "memory of 5,000 slices, 8 devices, 20 attributes": memory,
}


class Side:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def figures(self, request):
        self.process.stdin.write(request + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["figures"]

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def time_text(nanoseconds):
    for limit, unit, size in ((1e3, "ns", 1), (1e6, "µs", 1e3), (1e9, "ms", 1e6)):
        if nanoseconds < limit:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds / 1e9:.3g} s"


def memory_text(size):
    return f"{size / 1e6:.1f} MB"


def rows(name, ours, theirs):
    """(what, ours, Go's, the ratio) for each figure of a scene."""
    for key, suffix, text in (("firstNanoseconds", ", until one fits", time_text), ("nanoseconds", "", time_text), ("bytes", "", memory_text)):
        if ours.get(key) and theirs.get(key) and (key != "firstNanoseconds" or "nodes" in name):
            yield name + suffix, text(ours[key]), text(theirs[key]), ours[key] / theirs[key]
    if ours.get("outcome") != theirs.get("outcome"):
        yield f"{name}: the outcome differs", ours.get("outcome"), theirs.get("outcome"), float("nan")


def main(judge, *names):
    reference = assemble.assemble().reference
    print("| scene | ours | Kubernetes' | ratio |\n| --- | --- | --- | --- |")
    differences = 0
    for name, scene in SCENES.items():
        if names and not any(part in name for part in names):
            continue
        request = json.dumps(scene())
        sides = Side(judge), Side(reference)  # new ones, so that no scene inherits a heap
        figures = [side.figures(request) for side in sides]
        for side in sides:
            side.end()
        for what, ours, theirs, ratio in rows(name, *figures):
            print(f"| {what} | {ours} | {theirs} | {ratio:.2g} |", flush=True)
            differences += "differs" in what
    return 1 if differences else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
