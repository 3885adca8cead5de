#!/usr/bin/env python3
"""A start in a cluster of 150,000 pods, 100,000 claims and 20,000 slices, on the playground's API server in memory.

    scale.py MANAGER --playground DRA-PLAYGROUND [--before MANAGER] [--pods N] [--claims N] [--slices N] [--runs 3]

Every claim is allocated, and reserved for a pod that has it by name; the other pods have none. Prints the time until
the manager has made the claim of one more pod, its CPU, and its memory, as the middle one of the runs.
`./dev bench scale` runs it.
"""
import argparse
import http.client
import json
import multiprocessing
import os
import pathlib
import re
import signal
import statistics
import subprocess
import tempfile
import time

RESOURCE = "/apis/resource.k8s.io/v1"
NAMESPACES = 20
DEVICES = 8  # of a slice
REQUEST = {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}
SETTLED = 10  # seconds after the start


class Api:
    def __init__(self, address):
        self.connection = http.client.HTTPConnection(address)

    def request(self, method, path, body=None, kind="application/json"):
        self.connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": kind})
        answer = self.connection.getresponse()
        text = answer.read()
        assert answer.status < 300, (answer.status, path, text[:500])
        return json.loads(text)

    def status(self, path, status):
        self.request("PATCH", path + "/status", {"status": status}, "application/merge-patch+json")


def namespace(number):
    return f"team-{number % NAMESPACES}"


def pod(number, template=None):
    spec = {"containers": [{"name": "main", "image": "registry.example.com/trainer:1"}]}
    if template:
        spec["resourceClaims"] = [{"name": "gpu", "resourceClaimTemplateName": template}]
    return {"metadata": {"name": f"trainer-{number}", "labels": {"app": "trainer"}}, "spec": spec}


def make_user(api, number):
    """A pod with its claim, allocated on a device and reserved for it."""
    folder, name = namespace(number), f"trainer-{number}-gpu-{number % 99991:05d}"
    made = api.request("POST", f"/api/v1/namespaces/{folder}/pods", pod(number, "gpus"))
    claim = {"metadata": {"name": name, "annotations": {"resource.kubernetes.io/pod-claim-name": "gpu"},
                          "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "controller": True,
                                               "name": made["metadata"]["name"], "uid": made["metadata"]["uid"]}]},
             "spec": {"devices": {"requests": [REQUEST]}}}
    path = f"{RESOURCE}/namespaces/{folder}/resourceclaims"
    api.request("POST", path, claim)
    result = {"request": "gpu", "driver": "gpu.example.com", "pool": f"node-{number // DEVICES}",
              "device": f"gpu-{number % DEVICES}"}
    api.status(f"{path}/{name}", {
        "allocation": {"devices": {"results": [result]}},
        "reservedFor": [{"resource": "pods", "name": made["metadata"]["name"], "uid": made["metadata"]["uid"]}]})
    api.status(f"/api/v1/namespaces/{folder}/pods/trainer-{number}",
               {"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": name}]})


def make_slice(api, number):
    devices = [{"name": f"gpu-{device}", "attributes": {"model": {"string": "a-100"}}} for device in range(DEVICES)]
    api.request("POST", f"{RESOURCE}/resourceslices", {"metadata": {"name": f"node-{number}-gpu"}, "spec": {
        "driver": "gpu.example.com", "nodeName": f"node-{number}", "devices": devices,
        "pool": {"name": f"node-{number}", "generation": 1, "resourceSliceCount": 1}}})


def fill(address, options, part, parts):
    api = Api(address)
    for number in range(part, options.pods, parts):
        if number < options.claims:
            make_user(api, number)
        else:
            api.request("POST", f"/api/v1/namespaces/{namespace(number)}/pods", pod(number))
    for number in range(part, options.slices, parts):
        make_slice(api, number)


def status_of(process, field):
    return int(re.search(rf"{field}:\s+(\d+)", pathlib.Path(f"/proc/{process.pid}/status").read_text())[1]) / 1024


def cpu_of(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def start(manager, kubeconfig, api, log):
    """(seconds until the first useful write, CPU in seconds, peak and settled memory in MB)"""
    path = f"/api/v1/namespaces/{namespace(0)}/pods"
    made = api.request("POST", path, {"metadata": {"generateName": "one-more-"}, "spec": pod(0, "gpus")["spec"]})
    own = f"{path}/{made['metadata']['name']}"
    began = time.monotonic()
    process = subprocess.Popen([manager, f"--kubeconfig={kubeconfig}", "--leader-elect=false", "--secure-port=0"],
                               stderr=log)
    while not api.request("GET", own).get("status", {}).get("resourceClaimStatuses"):
        assert process.poll() is None and time.monotonic() - began < 300, "the manager made no claim"
        time.sleep(0.01)
    took = time.monotonic() - began
    time.sleep(SETTLED)
    figures = took, cpu_of(process), status_of(process, "VmHWM"), status_of(process, "VmRSS")
    process.terminate()
    process.wait()
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("manager")
    parser.add_argument("--playground", required=True)
    parser.add_argument("--before")
    parser.add_argument("--pods", type=int, default=150_000)
    parser.add_argument("--claims", type=int, default=100_000)
    parser.add_argument("--slices", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kubeconfig = f"{folder}/kubeconfig"
        log = open(f"{folder}/log", "w")
        playground = subprocess.Popen([options.playground, "--nodes=1", "--devices=0", "--scheduler=none",
                                       f"--kubeconfig-out={kubeconfig}"], stdout=log, stderr=log)
        try:
            while not pathlib.Path(kubeconfig).exists():
                assert playground.poll() is None, "the playground has ended"
                time.sleep(0.05)
            address = re.search(r"server: http://(\S+)", pathlib.Path(kubeconfig).read_text())[1]
            api = Api(address)
            for number in range(NAMESPACES):
                api.request("POST", "/api/v1/namespaces", {"metadata": {"name": namespace(number)}})
                api.request("POST", f"{RESOURCE}/namespaces/{namespace(number)}/resourceclaimtemplates",
                            {"metadata": {"name": "gpus"}, "spec": {"spec": {"devices": {"requests": [REQUEST]}}}})
            print(f"(making {options.pods} pods, {options.claims} claims and {options.slices} slices first)", flush=True)
            parts = 4
            fillers = [multiprocessing.Process(target=fill, args=(address, options, part, parts)) for part in range(parts)]
            for filler in fillers:
                filler.start()
            for filler in fillers:
                filler.join()
                assert filler.exitcode == 0
            managers = {"ours": options.manager, **({"before": options.before} if options.before else {})}
            figures = {name: [] for name in managers}
            for _ in range(options.runs):
                for name, manager in managers.items():
                    figures[name].append(start(manager, kubeconfig, api, log))
            for name, runs in figures.items():
                took, cpu, peak, settled = (statistics.median(values) for values in zip(*runs))
                print(f"{name}: {took:.2f} s until the first useful write, {cpu:.2f} s of CPU with {SETTLED} s more, "
                      f"peak {peak:.0f} MB, then {settled:.0f} MB")
        finally:
            playground.send_signal(signal.SIGTERM)
            playground.wait()


if __name__ == "__main__":
    main()
