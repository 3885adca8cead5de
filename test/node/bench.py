#!/usr/bin/env python3
"""bench.py --programs FOLDER --subject BINARY [--pods 500]: what pods cost the node, ours and kubelet's own managers in the
same run, with a driver that answers at once: wall and CPU time, writes of the checkpoint, memory with 1,000 claims
and 50 drivers, and a round trip of GetInfo."""
import argparse
import ctypes
import json
import os
import pathlib
import struct
import subprocess
import tempfile
import threading
import time

import compare

IN_MOVED_TO = 0x80
DRIVERS = 50


class Renames:
    """Counts files that are moved into a folder."""

    def __init__(self, folder):
        libc = ctypes.CDLL(None, use_errno=True)
        self.descriptor = libc.inotify_init()
        libc.inotify_add_watch(self.descriptor, str(folder).encode(), IN_MOVED_TO)
        os.set_blocking(self.descriptor, False)
        self.count, self.ended = 0, False
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while True:
            ended = self.ended
            try:
                data = os.read(self.descriptor, 1 << 16)
            except BlockingIOError:
                if ended:
                    return
                time.sleep(0.002)
                continue
            while data:
                length = struct.unpack_from("iIII", data)[3]
                self.count += 1
                data = data[16 + length:]

    def end(self):
        self.ended = True
        self.thread.join()
        return self.count


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mib(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def driver_of(number):
    return f"n{number}.bare.example.com" if number else "bare.example.com"


def pod_and_claim(number, driver):
    name = f"c{number}"
    claim = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "spec": {},
             "metadata": {"name": name, "namespace": "lab", "uid": f"{name}-uid", "resourceVersion": "1"},
             "status": {"reservedFor": [{"resource": "pods", "name": f"p{number}", "uid": f"p{number}-uid"}],
                        "allocation": {"devices": {"results": [
                            {"request": "r", "driver": driver, "pool": "node-0", "device": f"d{number}"}]}}}}
    pod = {"apiVersion": "v1", "kind": "Pod",
           "metadata": {"name": f"p{number}", "namespace": "lab", "uid": f"p{number}-uid", "resourceVersion": "1"},
           "spec": {"nodeName": "node-0", "resourceClaims": [{"name": "c", "resourceClaimName": name}],
                    "containers": [{"name": "main", "image": "none"}]}, "status": {}}
    return pod, claim


def prepare_all(side, first, count, drivers):
    pods = []
    for number in range(first, first + count):
        pod, claim = pod_and_claim(number, driver_of(number % drivers))
        (side.folder / f"claims/lab.c{number}.json").write_text(json.dumps(claim))
        pods.append(pod)
    pid = side.node.child.pid
    renames, cpu, start = Renames(side.folder / "state"), cpu_seconds(pid), time.monotonic()
    numbers = [side.send({"do": "prepare", "pod": pod}) for pod in pods]
    for number in numbers:
        error = side.receive(number).get("error")
        assert not error, error
    return {"wall": time.monotonic() - start, "cpu": cpu_seconds(pid) - cpu, "writes": renames.end()}


def measure_round_trip(side):
    answer = side.answer({"do": "round_trips", "socket": f"{side.folder}/registry/bare.sock", "count": 500})
    assert not answer.get("error"), answer
    return answer["microseconds"]


def measure(name, options, folder, command):
    side = compare.Side(name, folder, options.programs, command)
    drivers = compare.Process([f"{options.programs}/bare", "--count", str(DRIVERS), "--socket",
                               f"{folder}/registry/bare.sock"], side.log)
    try:
        for count in range(1, DRIVERS + 1):
            while sum((line or "").startswith("status true") for line in drivers.lines) < count:
                with drivers.changed:
                    drivers.changed.wait(1)
        round_trip = min(measure_round_trip(side) for _ in range(20))  # the least disturbed one
        found = prepare_all(side, 0, options.pods, 1)
        prepare_all(side, options.pods, 1000 - options.pods, DRIVERS)
        return {**found, "GetInfo": round_trip, "memory": resident_mib(side.node.child.pid)}
    finally:
        drivers.end(subprocess.Popen.kill)
        side.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", required=True)
    parser.add_argument("--subject", required=True)
    parser.add_argument("--pods", type=int, default=500)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="node-bench-") as folder:
        at = pathlib.Path(folder)
        theirs = measure("kubelet", options, at / "theirs", lambda at: [
            f"{options.programs}/reference", "--state", f"{at}/state", "--registry", f"{at}/registry",
            "--claims", f"{at}/claims"])
        ours = measure("ours", options, at / "ours", lambda at: [
            options.subject, f"{at}/state", f"{at}/registry", f"{at}/claims"])
    print(f"{options.pods} pods with a claim each    kubelet      ours     ratio")
    for key, unit in (("wall", "s"), ("cpu", "s"), ("writes", ""), ("memory", "MiB"), ("GetInfo", "µs")):
        ratio = ours[key] / theirs[key] if theirs[key] else float("nan")
        print(f"  {key:8} {unit:4}              {theirs[key]:10.2f}{ours[key]:10.2f}{ratio:10.2f}")


if __name__ == "__main__":
    main()
