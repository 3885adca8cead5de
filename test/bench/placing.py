#!/usr/bin/env python3
"""How long the playground's scheduler takes for pods whose claims carry selectors and a matchAttribute, next to pods without.

    placing.py --playground DRA-PLAYGROUND [--pods 20000] [--nodes 400] [--rounds 2]

Each pod has a claim for two devices of one model. Elapsed seconds are from the first pod until the last one has a node;
CPU seconds are those of the whole playground, so another program on the machine changes them less.
"""
import argparse
import http.client
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time

DRIVER = "bench.example.com"
DEVICES = 128  # of a node, as many as a slice may have
CLIENTS = 4
NAMESPACE = "/namespaces/default"
CLAIMS = f"/apis/resource.k8s.io/v1{NAMESPACE}/resourceclaims"
PODS = f"/api/v1{NAMESPACE}/pods"
MODEL = f'device.attributes["{DRIVER}"].model'


def send(connection, method, path, body=None):
    connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    text = answer.read()
    assert answer.status < 300, text
    return json.loads(text)


def device(number):
    return {"name": f"dev-{number}", "attributes": {
        "model": {"string": "H100" if number % 4 else "A100"}, "numa": {"int": number % 8}, "index": {"int": number},
        "driverVersion": {"version": "550.54.15"}, "uuid": {"string": f"GPU-{number}"}},
        "capacity": {"memory": {"value": "80Gi" if number % 4 else "40Gi"}}}


def slice_of(node):
    return {"metadata": {"name": f"bench-{node}"}, "spec": {
        "driver": DRIVER, "nodeName": node, "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
        "devices": [device(number) for number in range(DEVICES)]}}


def claim(name, is_choosy):
    request = {"deviceClassName": "bench", "count": 2}
    if is_choosy:
        request["selectors"] = [{"cel": {"expression": one}} for one in (
            f'{MODEL} == "H100" || {MODEL} == "A100"',
            f'device.capacity["{DRIVER}"].memory.compareTo(quantity("20Gi")) >= 0')]
    devices = {"requests": [{"name": "gpus", "exactly": request}]}
    if is_choosy:
        devices["constraints"] = [{"requests": ["gpus"], "matchAttribute": f"{DRIVER}/model"}]
    return {"metadata": {"name": name}, "spec": {"devices": devices}}


def pod(name):
    return {"metadata": {"name": name}, "spec": {
        "containers": [{"name": "c", "image": "i", "resources": {"claims": [{"name": "c"}]}}],
        "resourceClaims": [{"name": "c", "resourceClaimName": name}]}}


def in_parallel(address, path, bodies):
    def work(share):
        connection = http.client.HTTPConnection(address)
        for body in share:
            send(connection, "POST", path, body)
    threads = [threading.Thread(target=work, args=(bodies[i::CLIENTS],)) for i in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def cpu_seconds(process):
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def unplaced(connection):
    return send(connection, "GET", f"{PODS}?fieldSelector=spec.nodeName%3D&limit=1")["items"]


def place(address, process, options, is_choosy):
    """Elapsed and CPU seconds for all pods."""
    connection = http.client.HTTPConnection(address)
    send(connection, "POST", "/apis/resource.k8s.io/v1/deviceclasses", {"metadata": {"name": "bench"}, "spec": {
        "selectors": [{"cel": {"expression": f'device.driver == "{DRIVER}"'}}]}})
    for number in range(options.nodes):
        send(connection, "POST", "/apis/resource.k8s.io/v1/resourceslices", slice_of(f"node-{number}"))
    names = [f"p-{number}" for number in range(options.pods)]
    in_parallel(address, CLAIMS, [claim(name, is_choosy) for name in names])
    began, cpu = time.monotonic(), cpu_seconds(process)
    in_parallel(address, PODS, [pod(name) for name in names])
    connection = http.client.HTTPConnection(address)  # the server has closed the idle one
    while unplaced(connection):
        time.sleep(0.05)  # between polls
    return time.monotonic() - began, cpu_seconds(process) - cpu


def measure(options, is_choosy):
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [options.playground, "--nodes", str(options.nodes), "--devices", "0", "--kubeconfig-out", f"{folder}/kubeconfig"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            lines = [process.stdout.readline() for _ in range(3)]
            return place(re.search(r"http://([^/]+)/ui", lines[1]).group(1), process, options, is_choosy)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--playground", required=True)
    parser.add_argument("--pods", type=int, default=20_000)
    parser.add_argument("--nodes", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    best = {}
    for _ in range(options.rounds):
        for kind in ("plain", "choosy"):
            elapsed, cpu = measure(options, kind == "choosy")
            best[kind] = min(best.get(kind, cpu), cpu)
            print(f"{kind}: {options.pods} pods placed in {elapsed:.1f} s, {cpu:.2f} s of CPU", flush=True)
    print(f"with selectors and a matchAttribute: {best['choosy'] / best['plain']:.2f} times the CPU")


if __name__ == "__main__":
    main()
