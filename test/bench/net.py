#!/usr/bin/env python3
"""The net saving of a cluster: kube-controller-manager with all controllers, against both processes.

    net.py MANAGER [--pods N]

kube-controller-manager keeps running with its other controllers, so ours comes in addition. On one real control
plane with N waiting pods, each run makes their claims anew; then each set of processes is started once more on
what is there. Prints peak memory and CPU of each process. `./dev bench net` runs it.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CONTROLPLANE = ROOT / "test/controlplane/controlplane"
OURS_OFF = "-resourceclaim-controller,-device-taint-eviction-controller"
CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
PODS = "/api/v1/namespaces/default/pods"
REST = 20  # seconds for which a process is watched after its work


def controlplane(*words):
    return subprocess.run([CONTROLPLANE, *words], text=True, capture_output=True, check=True).stdout


class Api:
    def __init__(self, kubeconfig):
        self.proxy = subprocess.Popen([controlplane("path", "kubectl").strip(), "--kubeconfig", kubeconfig, "proxy",
                                       "--port=0"], stdout=subprocess.PIPE, text=True)
        self.address = "http://" + re.search(r"127\.0\.0\.1:\d+", self.proxy.stdout.readline())[0]

    def request(self, method, path, body=None):
        request = urllib.request.Request(self.address + path, method=method, headers={
            "Content-Type": "application/json"}, data=json.dumps(body).encode() if body else None)
        with urllib.request.urlopen(request, timeout=300) as answer:
            return json.load(answer)

    def fill(self, pods):
        spec = {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu.example.com"}}]}}
        self.request("POST", "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates",
                     {"metadata": {"name": "t"}, "spec": {"spec": spec}})

        def create(number):
            self.request("POST", PODS, {"metadata": {"name": f"pod-{number}"}, "spec": {
                "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "t"}],
                "containers": [{"name": "main", "image": "example.com/x", "resources": {"claims": [{"name": "gpu"}]}}]}})
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            list(pool.map(create, range(pods)))

    def claims(self):
        answer = self.request("GET", CLAIMS + "?limit=1")
        return len(answer["items"]) + answer["metadata"].get("remainingItemCount", 0)


class Run:
    """Processes that are measured together."""

    def __init__(self, commands, folder):
        self.jobs = {name: subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=open(folder / name, "w"))
                     for name, command in commands.items()}

    def stop(self):
        """{name: (peak memory in MB, CPU in seconds)}"""
        figures = {}
        for name, job in self.jobs.items():
            status = pathlib.Path(f"/proc/{job.pid}/status").read_text()
            peak = int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024
            job.terminate()
            _, _, usage = os.wait4(job.pid, 0)
            job.returncode = 0
            figures[name] = (peak, usage.ru_utime + usage.ru_stime)
        return figures


def measure(what, commands, folder, until):
    run = Run(commands, folder)
    deadline = time.monotonic() + 600
    while not until():
        assert time.monotonic() < deadline, f"{what}: never done"
        time.sleep(0.5)
    time.sleep(REST)
    figures = run.stop()
    for name, (memory, cpu) in figures.items():
        print(f"{what:34} {name:44} {memory:6.0f} MB {cpu:6.1f} s")
    print(f"{what:34} {'together':44} {sum(m for m, _ in figures.values()):6.0f} MB "
          f"{sum(c for _, c in figures.values()):6.1f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("manager")
    parser.add_argument("--pods", type=int, default=5000)
    arguments = parser.parse_args()
    cluster = f"net-{os.getpid()}"
    kubeconfig = re.search(r"^kubeconfig: (.*)$", controlplane("up", "--name", cluster), re.M)[1]
    try:
        api = Api(kubeconfig)
        theirs = [controlplane("path", "kube-controller-manager").strip(), f"--kubeconfig={kubeconfig}",
                  f"--authentication-kubeconfig={kubeconfig}", f"--authorization-kubeconfig={kubeconfig}",
                  "--leader-elect=false", "--bind-address=127.0.0.1", "--secure-port=0", "--kube-api-qps=100000",
                  "--kube-api-burst=100000"]
        before = {"kube-controller-manager, all controllers": [*theirs, "--controllers=*"]}
        after = {"kube-controller-manager without the two": [*theirs, f"--controllers=*,{OURS_OFF}"],
                 "dra-controller-manager": [arguments.manager, f"--kubeconfig={kubeconfig}", "--context=manager",
                                            "--leader-elect=false", "--secure-port=0", "--kube-api-qps=0"]}
        api.fill(arguments.pods)
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for title, commands in {"before": before, "after": after}.items():
                measure(f"{title}: claims are made", commands, folder, lambda: api.claims() == arguments.pods)
                measure(f"{title}: a start with all known", commands, folder, lambda: True)
                # Later runs create their own: names in the pods' status must be removed with the
                # claims.
                if title == "before":
                    api.request("DELETE", CLAIMS)
                    api.request("DELETE", PODS + "?gracePeriodSeconds=0")
                    api.request("DELETE", "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates")
                    while api.claims():
                        for claim in api.request("GET", CLAIMS)["items"]:
                            if claim["metadata"].get("finalizers"):
                                sys.exit("a finalizer that nobody takes")
                        time.sleep(0.5)
                    api.fill(arguments.pods)
        api.proxy.terminate()
    finally:
        controlplane("down", "--name", cluster)


if __name__ == "__main__":
    main()
