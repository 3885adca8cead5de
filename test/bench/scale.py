#!/usr/bin/env python3
"""What a cluster of any size costs: starts, taints, rules, churn, a failover and a relist.

    scale.py MANAGER --crowd BENCH_CROWD --shim LIBRARY [--nodes N,N,…] [--before MANAGER] [SCENE…] [--picture FILE]

The cluster is generated (test/bench/crowd.hpp): each node has a slice of eight devices, and for each device a running
pod with a claim that has it. Requests go over plain HTTP. Scenes, one after the other, each with the longest step of
the event loop (in CPU time), and the CPU time and highest memory of the manager:

    start     until the first useful write: the claim of one more pod
    taint     a driver taints a device: from its request to the DELETE of the pod; the slowest of 20
    preview   a rule with effect None that selects all devices: until its condition has the counts
    rule      the same with NoExecute: until its first condition, and until 10,000 pods (or half of all) are evicted
    churn     500 pods a second for a minute: until the last claim's name is written, after the last create
    relist    the API server forgets the history and ends all watches: until one more pod has its claim
    failover  the leader is killed beside a standby: until one more pod has its claim

`./dev bench scale` runs it.
"""
import argparse
import dataclasses
import http.client
import json
import math
import mmap
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from picture import LINE, PAPER, night  # noqa: E402
from svg import BLUE, DARK, GREY, RED, text  # noqa: E402

RESOURCE = "/apis/resource.k8s.io/v1"
RULES = f"{RESOURCE}/devicetaintrules"
DRIVER = "gpu.example.com"
TEAMS = 20
DEVICES = 8  # of a node
REQUEST = {"name": "gpu", "exactly": {"deviceClassName": DRIVER}}
PATIENCE = 600
TAINTS = 20
EVICTIONS = 10_000
CHURN = 500, 60  # pods a second, seconds
MEGABYTE = 1024  # in the units of /proc
LONGEST = "longest step of the loop"
EVICTED = f"half of the pods evicted, or {EVICTIONS:,}"
SCENES = "start", "taint", "preview", "rule", "churn", "relist", "failover"


class Api:
    def __init__(self, address):
        self.connection = http.client.HTTPConnection(address)

    def request(self, method, path, body=None, kind="application/json"):
        self.connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": kind})
        answer = self.connection.getresponse()
        content = answer.read()
        assert answer.status < 300, (answer.status, path, content[:500])
        return json.loads(content)

    def count(self, what):
        """How many such requests the server has received: "delete pods"."""
        return self.request("GET", "/counts").get(what, 0)

    def make_pod(self, name, team=0):
        spec = {"containers": [{"name": "main", "image": "registry.example.com/trainer:1"}],
                "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "gpus"}]}
        self.request("POST", f"/api/v1/namespaces/team-{team:02d}/pods", {"metadata": {"name": name}, "spec": spec})

    def has_claim(self, name):
        pod = self.request("GET", f"/api/v1/namespaces/team-00/pods/{name}")
        return bool(pod.get("status", {}).get("resourceClaimStatuses"))


def wait_for(is_done, pause=0.002):
    """Seconds until then."""
    began = time.monotonic()
    while not is_done():
        assert time.monotonic() - began < PATIENCE, "this takes too long"
        time.sleep(pause)
    return time.monotonic() - began


class Manager:
    """A manager that writes the longest step of its loop to a file (test/bench/step_shim.cpp)."""

    def __init__(self, program, cluster, *flags):
        descriptor, self.file = tempfile.mkstemp(dir=cluster.folder)
        os.write(descriptor, bytes(16))
        self.steps = mmap.mmap(descriptor, 16)
        os.close(descriptor)
        self.log = open(self.file + ".log", "w")
        environment = {**os.environ, "LD_PRELOAD": os.path.abspath(cluster.shim), "DCM_STEP_FILE": self.file}
        command = [program, f"--kubeconfig={cluster.kubeconfig}", "--secure-port=0", "--kube-api-qps=0", *flags]
        self.process = subprocess.Popen(command, stderr=self.log, env=environment)

    def status(self, field):
        """In MB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{field}:\s+(\d+)", status)[1]) / MEGABYTE

    def cpu(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def wait_until_idle(self):
        used = -1.0
        while self.cpu() - used > 0.05:
            used = self.cpu()
            time.sleep(2)

    def longest_step(self):
        """In milliseconds of CPU."""
        return struct.unpack("qq", self.steps[:16])[1] / 1e6

    def forget_longest(self):
        """The longest step, and the highest memory."""
        self.steps[:16] = bytes(16)
        pathlib.Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait()


class Cluster:
    def __init__(self, options, nodes, folder):
        self.nodes, self.folder, self.shim = nodes, folder, options.shim
        self.server = subprocess.Popen([options.crowd, f"--nodes={nodes}"], stdout=subprocess.PIPE, text=True)
        address = self.server.stdout.readline().split("http://")[1].strip()
        self.api = Api(address)
        self.address = address
        self.kubeconfig = f"{folder}/kubeconfig"
        pathlib.Path(self.kubeconfig).write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "crowd", "users": [{"name": "u", "user": {}}],
            "clusters": [{"name": "crowd", "cluster": {"server": f"http://{address}"}}],
            "contexts": [{"name": "crowd", "context": {"cluster": "crowd", "user": "u"}}]}))
        for number in range(TEAMS):
            name = f"team-{number:02d}"
            self.api.request("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
            self.api.request("POST", f"{RESOURCE}/namespaces/{name}/resourceclaimtemplates",
                             {"metadata": {"name": "gpus"}, "spec": {"spec": {"devices": {"requests": [REQUEST]}}}})

    def stop(self):
        self.server.terminate()
        self.server.wait()


@dataclasses.dataclass
class Figure:
    scene: str
    what: str
    unit: str
    value: float


class Run:
    """The scenes with one manager in one cluster."""

    def __init__(self, program, cluster):
        self.program, self.cluster, self.api = program, cluster, cluster.api
        self.figures = []
        self.managers = []
        self.manager = None  # the one that is measured

    def run_manager(self, *flags):
        self.managers.append(Manager(self.program, self.cluster, *flags))
        return self.managers[-1]

    def stop(self):
        for manager in self.managers:
            manager.stop(signal.SIGKILL)

    def note(self, scene, what, unit, value):
        self.figures.append(Figure(scene, what, unit, value))

    def play(self, scene):
        before = self.manager
        used = before.cpu() if before else 0
        if before:
            before.forget_longest()
        getattr(self, scene)()
        self.note(scene, LONGEST, "ms", self.manager.longest_step())
        self.note(scene, "CPU", "s", self.manager.cpu() - (used if self.manager is before else 0))
        self.note(scene, "peak memory", "MB", self.manager.status("VmHWM"))

    def start(self):
        self.api.make_pod("first")
        self.manager = self.run_manager("--leader-elect=false")
        self.note("start", "first useful write", "s", wait_for(lambda: self.api.has_claim("first")))
        self.manager.wait_until_idle()

    def taint(self):
        slowest = 0.0
        count = min(TAINTS, self.cluster.nodes)
        for number in range(count):
            node = self.cluster.nodes * number // count
            path = f"{RESOURCE}/resourceslices/node-{node:06d}-{DRIVER}"
            spec = self.api.request("GET", path)["spec"]
            spec["devices"][0]["taints"] = [{"key": "example.com/broken", "effect": "NoExecute"}]
            before = self.api.count("delete pods")
            began = time.monotonic()
            self.api.request("PATCH", path, {"spec": {"devices": spec["devices"]}}, "application/merge-patch+json")
            wait_for(lambda: self.api.count("delete pods") > before, 0.0002)
            slowest = max(slowest, time.monotonic() - began)
        self.note("taint", "to the DELETE of the pod", "ms", slowest * 1000)

    def make_rule(self, name, effect):
        taint = {"key": "example.com/maintenance", "effect": effect}
        body = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceTaintRule", "metadata": {"name": name},
                "spec": {"deviceSelector": {"driver": DRIVER}, "taint": taint}}
        self.api.request("POST", RULES, body)

    def has_condition(self, name, words=""):
        rule = self.api.request("GET", f"{RULES}/{name}")
        return any(words in condition["message"] for condition in rule.get("status", {}).get("conditions", []))

    def preview(self):
        self.make_rule("preview", "None")
        self.note("preview", "condition with the counts", "s",
                  wait_for(lambda: self.has_condition("preview", "would be evicted")))

    def rule(self):
        before = self.api.count("delete pods")
        self.make_rule("maintenance", "NoExecute")
        began = time.monotonic()
        wait_for(lambda: self.has_condition("maintenance"))
        self.note("rule", "first condition", "s", time.monotonic() - began)
        wanted = min(EVICTIONS, self.cluster.nodes * DEVICES // 2)
        wait_for(lambda: self.api.count("delete pods") >= before + wanted)
        self.note("rule", EVICTED, "s", time.monotonic() - began)
        self.api.request("DELETE", f"{RULES}/maintenance")
        self.manager.wait_until_idle()

    def churn(self):
        rate, seconds = CHURN
        named = self.api.count("patch pods/status")
        began = time.monotonic()

        def make(part, parts):
            api = Api(self.cluster.address)
            for number in range(part, rate * seconds, parts):
                time.sleep(max(0.0, began + number / rate - time.monotonic()))
                api.make_pod(f"churn-{number}", number % TEAMS)

        makers = [threading.Thread(target=make, args=(part, 4)) for part in range(4)]
        for maker in makers:
            maker.start()
        for maker in makers:
            maker.join()
        self.note("churn", "creates", "/s", rate * seconds / (time.monotonic() - began))
        self.note("churn", "last name after the last create", "s", wait_for(
            lambda: self.api.count("patch pods/status") >= named + rate * seconds))

    def relist(self):
        self.cluster.server.send_signal(signal.SIGHUP)
        self.api.make_pod("relisted")
        self.note("relist", "first useful write", "s", wait_for(lambda: self.api.has_claim("relisted")))
        self.manager.wait_until_idle()

    def failover(self):
        self.manager.stop()
        leader = self.run_manager("--leader-elect")
        self.api.make_pod("led")
        wait_for(lambda: self.api.has_claim("led"))
        self.manager = self.run_manager("--leader-elect")
        self.manager.wait_until_idle()  # it has read everything
        leader.stop(signal.SIGKILL)
        self.api.make_pod("followed")
        self.note("failover", "first useful write", "s", wait_for(lambda: self.api.has_claim("followed")))


def measure(program, options, nodes):
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(options, nodes, folder)
        run = Run(program, cluster)
        try:
            for scene in SCENES:
                if scene == "start" or not options.scenes or scene in options.scenes:
                    run.play(scene)
        finally:
            run.stop()
            cluster.stop()
        return run.figures


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def table(results):
    """`results`: figures by (nodes, owner)."""
    heads = [f"{nodes:,}" + ("" if owner == "ours" else f" {owner}") for nodes, owner in results]
    lines = [["nodes, with 8 pods each", "", *heads]]
    for rows in zip(*results.values()):
        first = rows[0]
        lines.append([f"{first.scene}: {first.what}", first.unit, *(number(row.value) for row in rows)])
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(width) if column < 2 else cell.rjust(width)
                               for column, (cell, width) in enumerate(zip(line, widths))) for line in lines)


# ---- the picture ----------------------------------------------------------------------------------

WIDTH, TOP, BOTTOM, LEFT, RIGHT = 880, 92, 420, 70, 620
BASE = {"s": 1.0, "ms": 1e-3}
# What is drawn: figures in seconds, and memory.
DRAWN = {("start", "first useful write"): "start: to the first useful write", ("taint", "to the DELETE of the pod"):
         "taint: to the DELETE", ("preview", "condition with the counts"): "rule: to a complete preview",
         ("relist", "first useful write"): "relist: to the next useful write",
         ("rule", LONGEST): "longest step while a rule evicts", ("start", LONGEST): "longest step of a start"}


def spread(places, gap):
    """The same places from top to bottom, apart from each other."""
    shown, last = {}, -math.inf
    for name, place in sorted(places.items(), key=lambda item: item[1]):
        shown[name] = last = max(place, last + gap)
    return shown


def picture(results):
    """Seconds, and memory in GB, by nodes; both axes are logarithmic. `results`: figures by nodes."""
    sizes = sorted(results)
    lines = {}
    for nodes in sizes:
        for figure in results[nodes]:
            if words := DRAWN.get((figure.scene, figure.what)):
                lines.setdefault(words, []).append(figure.value * BASE[figure.unit])
            if (figure.scene, figure.what) == ("start", "peak memory"):
                lines.setdefault("peak memory, in GB", []).append(figure.value / 1000)
    values = [value for line in lines.values() for value in line]
    low, high = (math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))))

    def across(nodes):
        return LEFT + (RIGHT - LEFT) * math.log(nodes / sizes[0]) / math.log(sizes[-1] / sizes[0])

    def up(value):
        return BOTTOM - (BOTTOM - TOP) * (math.log10(value) - low) / (high - low)

    body = []
    for power in range(low, high + 1):
        y = up(10.0**power)
        body.append(f'<path d="M{LEFT} {y:.1f}H{RIGHT}" stroke="{LINE}"/>')
        words = f"{10**power} s" if power >= 0 else f"{10**(power + 3):g} ms"
        body.append(text(LEFT - 8, y + 4, words, 10.5, text_anchor="end"))
    for nodes in sizes:
        body.append(text(across(nodes), BOTTOM + 18, f"{nodes:,} nodes", 10.5, text_anchor="middle"))
    places = spread({words: up(line[-1]) for words, line in lines.items()}, 15)
    for words, line in lines.items():
        colour = DARK if "memory" in words else RED if "step" in words else BLUE
        points = " ".join(f"{across(nodes):.1f},{up(value):.1f}" for nodes, value in zip(sizes, line))
        body.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
        body += [f'<circle cx="{across(nodes):.1f}" cy="{up(value):.1f}" r="3" fill="{colour}"/>'
                 for nodes, value in zip(sizes, line)]
        body.append(text(RIGHT + 10, places[words] + 4, words, 11.5, colour))
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {BOTTOM + 36}" width="{WIDTH}" '
        f'height="{BOTTOM + 36}" font-family="-apple-system,Segoe UI,Helvetica,Arial,sans-serif">', night(),
        f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{BOTTOM + 35}" rx="6" fill="{PAPER}"/>',
        text(28, 31, "One manager in clusters of all sizes", 17, DARK, font_weight="bold"),
        text(28, 50, "each node with 8 devices and 8 pods that have one each; both axes are logarithmic", 11.5),
        *body, "</svg>", ""])


def sizes(words):
    numbers = [int(word) for word in words.split(",")]
    if min(numbers) < 1:
        raise ValueError
    return numbers


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("manager")
    parser.add_argument("scenes", nargs="*", metavar="SCENE")
    parser.add_argument("--crowd", required=True)
    parser.add_argument("--shim", required=True)
    parser.add_argument("--before")
    parser.add_argument("--nodes", type=sizes, default=[1_000, 10_000])
    parser.add_argument("--picture", type=pathlib.Path)
    options = parser.parse_args()
    if unknown := [scene for scene in options.scenes if scene not in SCENES]:
        parser.error(f"no scene {unknown[0]}; there are {', '.join(SCENES)}")
    if options.picture and len(set(options.nodes)) < 2:
        parser.error("--picture needs --nodes with two sizes or more")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # not without stopping what was started
    managers = {"ours": options.manager, **({"before": options.before} if options.before else {})}
    results = {}
    for nodes in options.nodes:
        for owner, program in managers.items():
            print(f"({nodes:,} nodes, {owner})", flush=True)
            results[nodes, owner] = measure(program, options, nodes)
    print(table(results))
    if options.picture:
        options.picture.write_text(picture({nodes: results[nodes, "ours"] for nodes in options.nodes}))


if __name__ == "__main__":
    main()
