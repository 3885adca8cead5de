#!/usr/bin/env python3
"""The playground's API server next to kube-apiserver with etcd, under the same clients.

    servers.py --playground DRA-PLAYGROUND [--pods 20000] [--custom] [--clients 8]

Clients in processes of their own make pods, then get them one by one, then list all of them, while one client watches.
Prints requests a second, the time that a watch shows the last pod later than its maker knew of it, and the memory.
With --custom, custom objects with a schema, defaults and rules take the place of pods. `./dev bench servers` runs it.
"""
import argparse
import base64
import http.client
import json
import multiprocessing
import os
import pathlib
import re
import signal
import ssl
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CONTROLPLANE = ROOT / "test/controlplane/controlplane"
SETTINGS = [{"name": f"SETTING_{i}", "value": "a value of some length"} for i in range(8)]
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
STRING = {"type": "string"}
SCHEMA = {"type": "object", "properties": {"spec": {
    "type": "object",
    "required": ["image"],
    "x-kubernetes-validations": [{"rule": "self.replicas <= self.replicasMax", "message": "too many replicas"}],
    "properties": {
        "image": {**STRING, "maxLength": 200, "pattern": "^[a-z0-9./:-]+$"},
        "replicas": {"type": "integer", "minimum": 0, "default": 1},
        "replicasMax": {"type": "integer", "default": 8},
        "policy": {**STRING, "enum": ["Always", "Never"], "default": "Always"},
        "env": {"type": "array", "maxItems": 64, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                "items": {"type": "object", "required": ["name"], "properties": {"name": STRING, "value": STRING}}}}}}}
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "trainings.example.com"},
    "spec": {"group": "example.com", "scope": "Namespaced",
             "names": {"plural": "trainings", "singular": "training", "kind": "Training"},
             "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": SCHEMA}}]}}
LISTS = 10


class Workload:
    """Objects of one kind: their path, and an object without its name."""

    def __init__(self, path, body):
        self.path = path
        self.body = body


PODS = Workload("/api/v1/namespaces/default/pods",
                {"spec": {"containers": [{"name": "c", "image": "registry.example.com/trainer:1", "env": SETTINGS}]}})
TRAININGS = Workload("/apis/example.com/v1/namespaces/default/trainings", {
    "apiVersion": "example.com/v1", "kind": "Training",
    "spec": {"image": "registry.example.com/trainer:1", "env": SETTINGS}})


class Server:
    """An address and the client's identity, from the kubeconfig."""

    def __init__(self, kubeconfig, kubectl):
        words = [kubectl, "--kubeconfig", kubeconfig, "config", "view", "--raw", "--flatten", "--minify", "-o", "json"]
        config = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
        cluster = config["clusters"][0]["cluster"]
        token = (config["users"][0].get("user") or {}).get("token")
        self.url = cluster["server"]
        self.ca = base64.b64decode(cluster.get("certificate-authority-data", "")).decode()
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def connect(self):
        return Connection(self)


class Connection:
    def __init__(self, server):
        address = re.sub(r"^https?://", "", server.url)
        self.headers = {**server.headers, "Content-Type": "application/json"}
        self.http = http.client.HTTPConnection(address) if server.url.startswith("http://") else \
            http.client.HTTPSConnection(address, context=ssl.create_default_context(cadata=server.ca))

    def begin(self, method, path, body=None):
        self.http.request(method, path, json.dumps(body) if body else None, self.headers)
        return self.http.getresponse()

    def request(self, method, path, body=None):
        answer = self.begin(method, path, body)
        text = answer.read()
        assert answer.status < 300, (answer.status, path, text[:300])
        return text


def make(server, workload, part, parts, count):
    connection = server.connect()
    for number in range(part, count, parts):
        connection.request("POST", workload.path, {**workload.body, "metadata": {"name": f"object-{number}"}})


def get(server, workload, part, parts, count):
    connection = server.connect()
    for number in range(part, count, parts):
        connection.request("GET", f"{workload.path}/object-{number}")


def watch(server, workload, count, seen):
    answer = server.connect().begin("GET", workload.path + "?watch=true&resourceVersion=0")
    for _ in range(count):
        answer.readline()
    seen.put(time.monotonic())


def all_at_once(what, server, options):
    workers = [multiprocessing.Process(target=what, args=(server, options.workload, part, options.clients, options.pods))
               for part in range(options.clients)]
    began = time.monotonic()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    return time.monotonic() - began


def memory(pids):
    texts = [pathlib.Path(f"/proc/{pid}/status").read_text() for pid in pids]
    return sum(int(re.search(r"VmRSS:\s+(\d+)", text)[1]) for text in texts) / 1024


def cpu(pids):
    fields = [pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split() for pid in pids]
    return sum(int(field[11]) + int(field[12]) for field in fields) / os.sysconf("SC_CLK_TCK")


def define(server):
    """Creates the definition, and waits until its objects are served."""
    connection = server.connect()
    connection.request("POST", DEFINITIONS, DEFINITION)
    while True:
        answer = connection.begin("GET", TRAININGS.path)
        answer.read()
        if answer.status == 200:
            return
        time.sleep(0.05)


def measure(name, server, pids, options):
    if options.custom:
        define(server)
    seen = multiprocessing.Queue()
    watcher = multiprocessing.Process(target=watch, args=(server, options.workload, options.pods, seen))
    watcher.start()
    before = cpu(pids)
    making = all_at_once(make, server, options)
    late = seen.get(timeout=600) - time.monotonic()
    watcher.join()
    making_cpu = cpu(pids) - before
    getting = all_at_once(get, server, options)
    connection = server.connect()
    listing = []
    for _ in range(LISTS):
        began = time.monotonic()
        size = len(connection.request("GET", options.workload.path))
        listing.append(time.monotonic() - began)
    print(f"{name:28} {options.pods / making:8.0f} creates a second ({1e6 * making_cpu / options.pods:.0f} µs of CPU each), "
          f"{options.pods / getting:6.0f} GETs a second, a LIST of {size / 1e6:.0f} MB in "
          f"{sorted(listing)[LISTS // 2]:.2f} s, the watch {max(0.0, 1000 * late):.0f} ms behind, {memory(pids):.0f} MB",
          flush=True)


def controlplane(*words):
    return subprocess.run([CONTROLPLANE, *words], text=True, capture_output=True, check=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--playground", required=True)
    parser.add_argument("--pods", type=int, default=20_000)
    parser.add_argument("--custom", action="store_true", help="custom objects in place of pods")
    parser.add_argument("--clients", type=int, default=8)
    options = parser.parse_args()
    options.workload = TRAININGS if options.custom else PODS
    kubectl = controlplane("path", "kubectl").strip()
    with tempfile.TemporaryDirectory() as folder:
        kubeconfig = f"{folder}/kubeconfig"
        playground = subprocess.Popen([options.playground, "--nodes=1", "--scheduler=none", f"--kubeconfig-out={kubeconfig}"],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while not pathlib.Path(kubeconfig).exists():
                assert playground.poll() is None, "the playground has ended"
                time.sleep(0.05)
            measure("dra-playground", Server(kubeconfig, kubectl), [playground.pid], options)
        finally:
            playground.send_signal(signal.SIGTERM)
            playground.wait()
    cluster = f"servers-{os.getpid()}"
    kubeconfig = re.search(r"^kubeconfig: (.*)$", controlplane("up", "--name", cluster), re.M)[1]
    try:
        folder = pathlib.Path(kubeconfig).parent
        pids = [int((folder / f"{name}.pid").read_text().split()[0]) for name in ("kube-apiserver", "etcd")]
        measure("kube-apiserver with etcd", Server(kubeconfig, kubectl), pids, options)
    finally:
        controlplane("down", "--name", cluster)


if __name__ == "__main__":
    main()
