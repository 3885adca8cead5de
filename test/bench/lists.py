#!/usr/bin/env python3
"""How long others wait while somebody lists many pods: GETs beside LISTs, on dra-playground or any server over HTTP.

    lists.py --playground DRA-PLAYGROUND [--pods 20000] [--seconds 10] [--table] [--gzip]
"""
import argparse
import http.client
import json
import re
import signal
import subprocess
import tempfile
import threading
import time

POD = {"spec": {"containers": [{"name": "c", "image": "registry.example.com/trainer:1", "env": [
    {"name": f"SETTING_{i}", "value": "a value of some length"} for i in range(8)]}]}}
PODS = "/api/v1/namespaces/default/pods"


def create(address, first, last):
    connection = http.client.HTTPConnection(address)
    for number in range(first, last):
        body = {**POD, "metadata": {"name": f"pod-{number}", "labels": {"app": f"app-{number % 10}"}}}
        connection.request("POST", PODS, json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 201, answer.status


def list_until(address, ends, headers, lists):
    connection = http.client.HTTPConnection(address)
    while time.monotonic() < ends:
        began = time.monotonic()
        connection.request("GET", PODS, headers=headers)
        answer = connection.getresponse()
        size = 0
        while piece := answer.read(1 << 20):
            size += len(piece)
        lists.append((time.monotonic() - began, size))


def get_until(address, ends, path):
    connection = http.client.HTTPConnection(address)
    took = []
    while time.monotonic() < ends:
        began = time.monotonic()
        connection.request("GET", path)
        connection.getresponse().read()
        took.append(time.monotonic() - began)
        time.sleep(0.001)
    return sorted(took)


def part(took, share):
    return 1000 * took[min(len(took) - 1, int(len(took) * share))]


def measure(address, options):
    headers = {"Accept": "application/json;as=Table;g=meta.k8s.io;v=v1"} if options.table else {}
    if options.gzip:
        headers["Accept-Encoding"] = "gzip"
    lists = []
    ends = time.monotonic() + options.seconds
    lister = threading.Thread(target=list_until, args=(address, ends, headers, lists))
    lister.start()
    took = get_until(address, ends, "/api/v1/namespaces/default")
    lister.join()
    print(f"{len(lists)} LISTs of {options.pods} pods, {max(size for _, size in lists) / 1e6:.1f} MB each, "
          f"{sorted(t for t, _ in lists)[len(lists) // 2]:.2f} s; beside them {len(took)} GETs: "
          f"p50 {part(took, .5):.1f} ms, p99 {part(took, .99):.1f} ms, longest {1000 * took[-1]:.1f} ms")
    ends = time.monotonic() + 2
    took = get_until(address, ends, "/api/v1/pods?fieldSelector=metadata.name%3Dpod-77")
    print(f"LIST of all namespaces by metadata.name: p50 {part(took, .5):.2f} ms")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--playground", required=True)
    parser.add_argument("--pods", type=int, default=20000)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--gzip", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(
            [options.playground, "--nodes=1", "--devices=0", "--scheduler=none",
             f"--kubeconfig-out={folder}/kubeconfig"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            lines = [server.stdout.readline() for _ in range(3)]
            address = re.search(r"http://([^/]+)/ui", lines[1]).group(1)
            create(address, 0, options.pods)
            measure(address, options)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()


if __name__ == "__main__":
    main()
