#!/usr/bin/env python3
"""What users wait for, from the API server's audit log: names of claims in the status of pods, and evictions.

    latency.py MANAGER [SCENE…] [--no-reference] [--before MANAGER] [--pods N] [--seconds N] [--picture FILE]

For each manager a real control plane of its own, with N pods that have their claims (10,000). A latency begins when
the API server has accepted a pod (or a slice with a taint), and ends when it has accepted the claim, has accepted the
claim's name in the pod's status, or has received the DELETE of the pod. All are times of the API server. Scenes:

    steady    10 pods a second, then 100
    backlog   5,000 pods, as fast as the API server accepts them
    webhook   10 pods a second while a webhook holds the claims of another namespace's 200 pods for 5 s each
    failover  10 pods a second; the leader of two managers is killed
    taint     10 devices a second are tainted, then 100, each with a pod

`./dev bench latency` runs it. A percentile is a latency that was measured: the lowest that this share does not exceed.
"""
import argparse
import base64
import concurrent.futures
import contextlib
import dataclasses
import datetime
import http.server
import itertools
import json
import math
import os
import pathlib
import re
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import time

from net import Api, controlplane
from picture import LINE, PAPER, WHO, night

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from svg import BLUE, DARK, GREY, text  # noqa: E402

RESOURCE = "/apis/resource.k8s.io/v1"
NAMES = {who: name for who, (name, _) in WHO.items()}
AGENTS = {"ours": "dra-controller-manager", "before": "dra-controller-manager", "reference": "kube-controller-manager"}
CONTROLLERS = "resourceclaim-controller,device-taint-eviction-controller"
CREATED, NAMED, EVICTED = "pod to claim", "pod to name in status", "taint to DELETE"
PERCENTILES = {"p50": 50, "p99": 99, "p99.9": 99.9, "max": 100}
# Claims are logged with their bodies: one of the managers leaves the choice of their names to the API server.
POLICY = """{"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"], "rules": [
  {"level": "Request", "verbs": ["create"], "resources": [{"group": "resource.k8s.io", "resources": ["resourceclaims"]}]},
  {"level": "Metadata", "verbs": ["create", "update", "patch", "delete"]}, {"level": "None"}]}"""
SPEC = {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}]}}
TIMED_OUT = 504
SLOW = 5  # seconds of the webhook
PATIENCE = 120  # seconds to wait at the end of a scene for pods that are not served yet


# ---- the audit log ------------------------------------------------------------------------------

def at(stamp):
    """Seconds of Unix time."""
    return datetime.datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()


def pod_of_claim(body):
    return next((owner["name"] for owner in body.get("metadata", {}).get("ownerReferences", [])), None)


def moments(lines, agent):
    """{what: {pod (or the slice with its name): time}}, of the first accepted request of a kind.

    A request whose client was killed is logged as timed out although it was accepted: it counts if no later one is.
    """
    found = {what: {} for what in ("accepted", "tainted", CREATED, NAMED, EVICTED)}
    cut_off = {what: {} for what in found}
    for line in lines:
        event = json.loads(line)
        code = event.get("responseStatus", {}).get("code", 0)
        if code >= 300 and code != TIMED_OUT:
            continue
        what, verb = event["objectRef"], event["verb"]
        key, about = None, (what["resource"], what.get("subresource"), verb == "create")
        is_managers = agent in event.get("userAgent", "")
        if about == ("pods", None, True):
            key = "accepted"
        elif what["resource"] == "resourceslices" and verb != "create":
            key = "tainted"
        elif is_managers and about == ("resourceclaims", None, True):
            key, what = CREATED, {**what, "name": pod_of_claim(event.get("requestObject", {}))}
        elif is_managers and about == ("pods", "status", False):
            key = NAMED
        elif is_managers and (what["resource"], verb) == ("pods", "delete"):
            key = EVICTED
        if key:
            stamp = event["requestReceivedTimestamp" if key == EVICTED else "stageTimestamp"]
            (cut_off if code == TIMED_OUT else found)[key].setdefault(
                (what.get("namespace", ""), what.get("name")), at(stamp))
    return {what: cut_off[what] | found[what] for what in found}


def latencies(found, what, prefix):
    """Sorted, in seconds, of the pods whose name has this prefix; inf: never."""
    begun = found["tainted" if what == EVICTED else "accepted"]
    ended = {name: when for (_, name), when in found[what].items()}
    return sorted(max(0.0, ended[name] - when) if name in ended else math.inf
                  for (_, name), when in begun.items() if name and name.startswith(prefix))


def percentile(values, share):
    """Of sorted values, by the nearest rank."""
    return values[max(0, math.ceil(len(values) * share / 100) - 1)]


# ---- a cluster and a manager --------------------------------------------------------------------

class Cluster:
    """A real control plane that is filled by many threads; with an audit log."""

    def __init__(self, who, folder, pods):
        self.audit = folder / f"{who}.audit"
        policy = folder / "policy.json"
        policy.write_text(POLICY)
        self.name = f"latency-{who}-{os.getpid()}"
        printed = controlplane("up", "--name", self.name, "--", f"--audit-policy-file={policy}",
                               f"--audit-log-path={self.audit}", "--audit-log-mode=batch",
                               "--audit-log-maxsize=100000")  # MB; the default starts a new file after 100
        self.kubeconfig = re.search(r"^kubeconfig: (.*)$", printed, re.M)[1]
        self.api = Api(self.kubeconfig)
        self.pool = concurrent.futures.ThreadPoolExecutor(16)
        for namespace in ("default", "slow"):
            if namespace != "default":
                self.api.request("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
            self.api.request("POST", f"{RESOURCE}/namespaces/{namespace}/resourceclaimtemplates",
                             {"metadata": {"name": "t"}, "spec": {"spec": SPEC}})
        self.all(self.make_pod(f"base-{number}") for number in range(pods))

    def all(self, requests):
        list(self.pool.map(lambda request: self.api.request(*request), requests))

    def at_rate(self, rate, requests):
        """So many a second, evenly. Raises if one is refused."""
        begun = time.monotonic()
        sent = []
        for number, request in enumerate(requests):
            time.sleep(max(0.0, begun + number / rate - time.monotonic()))
            sent.append(self.pool.submit(self.api.request, *request))
        for request in sent:
            request.result()

    def make_pod(self, name, namespace="default", claim=None):
        source = {"resourceClaimName": claim} if claim else {"resourceClaimTemplateName": "t"}
        return "POST", f"/api/v1/namespaces/{namespace}/pods", {"metadata": {"name": name}, "spec": {
            "containers": [{"name": "main", "image": "example.com/x"}], "resourceClaims": [{"name": "gpu", **source}],
            **({"nodeName": "node-a"} if claim else {})}}

    def without_claims(self):
        """Pods that are not served yet."""
        return [pod["metadata"]["name"] for pod in self.api.request("GET", "/api/v1/pods")["items"]
                if not pod.get("status", {}).get("resourceClaimStatuses")
                and "resourceClaimName" not in pod["spec"]["resourceClaims"][0]]

    def stop(self):
        """Its audit log's lines."""
        self.pool.shutdown()
        self.api.proxy.terminate()
        controlplane("down", "--name", self.name)
        return self.audit.read_text().splitlines()


def until(condition, what, seconds=PATIENCE):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            print(f"({what}: not within {seconds} s)", flush=True)
            return
        time.sleep(1)


@contextlib.contextmanager
def manager(who, program, cluster, log, elects=False):
    config = cluster.kubeconfig
    command = [program, f"--kubeconfig={config}", f"--leader-elect={str(elects).lower()}", "--secure-port=0",
               f"--controllers={CONTROLLERS}"]
    if who == "reference":
        command += [f"--authentication-kubeconfig={config}", f"--authorization-kubeconfig={config}",
                    "--kube-api-qps=100000", "--kube-api-burst=100000"]
    else:
        command += ["--context=manager", "--kube-api-qps=0"]
    process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


# ---- scenes -------------------------------------------------------------------------------------

@dataclasses.dataclass
class Run:
    who: str
    program: str
    cluster: Cluster
    folder: pathlib.Path
    seconds: int
    log: object

    def works(self, elects=False):
        return manager(self.who, self.program, self.cluster, self.log, elects)

    def served(self):
        until(lambda: not self.cluster.without_claims(), "some pods have no claim yet")


def fill(run):
    with run.works():
        until(lambda: not run.cluster.without_claims(), "the base has no claims", 900)


def steady(run):
    with run.works():
        time.sleep(5)
        for rate in (10, 100):
            run.cluster.at_rate(rate, (run.cluster.make_pod(f"steady-{rate}-{number}")
                                       for number in range(rate * run.seconds)))
        run.served()


def backlog(run):
    with run.works():
        time.sleep(5)
        run.cluster.all(run.cluster.make_pod(f"backlog-{number}") for number in range(5000))
        run.served()


class Slowly(http.server.BaseHTTPRequestHandler):
    """Admits everything, later."""

    def do_POST(self):
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        time.sleep(SLOW)
        answer = json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
                             "response": {"uid": review["request"]["uid"], "allowed": True}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def slow_webhook(run):
    key, certificate = run.folder / "key.pem", run.folder / "certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days=2", "-subj=/CN=127.0.0.1",
                    "-addext=subjectAltName=IP:127.0.0.1", f"-keyout={key}", f"-out={certificate}"],
                   check=True, stderr=subprocess.DEVNULL)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slowly)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    server.socket = tls.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
    run.cluster.api.request("POST", path, {"metadata": {"name": "slow"}, "webhooks": [{
        "name": "slow.example.com", "admissionReviewVersions": ["v1"], "sideEffects": "None", "timeoutSeconds": 10,
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "slow"}},
        "clientConfig": {"url": f"https://127.0.0.1:{server.server_port}/",
                         "caBundle": base64.b64encode(certificate.read_bytes()).decode()},
        "rules": [{"operations": ["CREATE"], "apiGroups": ["resource.k8s.io"], "apiVersions": ["*"],
                   "resources": ["resourceclaims"]}]}]})
    try:
        yield
    finally:
        run.cluster.api.request("DELETE", f"{path}/slow")
        server.shutdown()


def webhook(run):
    with slow_webhook(run), run.works():
        time.sleep(5)
        run.cluster.all(run.cluster.make_pod(f"held-{number}", "slow") for number in range(200))
        run.cluster.at_rate(10, (run.cluster.make_pod(f"webhook-{number}") for number in range(10 * run.seconds)))
        run.served()


def cpu_of(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def failover(run):
    """The one that has used more CPU leads."""
    with run.works(elects=True) as first, run.works(elects=True) as second:
        time.sleep(20)  # one of them has the lease, and has read everything
        pods = (run.cluster.make_pod(f"failover-{number}") for number in range(10 * max(run.seconds, 60)))
        run.cluster.at_rate(10, itertools.islice(pods, 200))
        max(first, second, key=cpu_of).send_signal(signal.SIGKILL)
        run.cluster.at_rate(10, pods)
        run.served()


def taint(run):
    """Each device is a slice with its pod's name."""
    api, count = run.cluster.api, 110 * run.seconds
    names = [f"taint-{10 if number < 10 * run.seconds else 100}-{number}" for number in range(count)]
    device = [{"name": "gpu"}]

    def body(name, devices, **more):
        return {"metadata": {"name": name, **more}, "spec": {"driver": "gpu.example.com", "nodeName": "node-a", "devices": devices,
                                                             "pool": {"name": name, "generation": 1, "resourceSliceCount": 1}}}

    def make(name):
        claims = f"{RESOURCE}/namespaces/default/resourceclaims"
        api.request("POST", f"{RESOURCE}/resourceslices", body(name, device))
        claim = api.request("POST", claims, {"metadata": {"name": name}, "spec": SPEC})
        pod = api.request(*run.cluster.make_pod(name, claim=name))
        claim["status"] = {
            "allocation": {"devices": {"results": [{"request": "gpu", "driver": "gpu.example.com", "pool": name, "device": "gpu"}]}},
            "reservedFor": [{"resource": "pods", "name": name, "uid": pod["metadata"]["uid"]}]}
        api.request("PUT", f"{claims}/{name}/status", claim)
        return api.request("GET", f"{RESOURCE}/resourceslices/{name}")["metadata"]["resourceVersion"]

    versions = list(run.cluster.pool.map(make, names))
    tainted = [{"name": "gpu", "taints": [{"key": "broken", "effect": "NoExecute"}]}]
    changes = [("PUT", f"{RESOURCE}/resourceslices/{name}", body(name, tainted, resourceVersion=version))
               for name, version in zip(names, versions)]

    def left():
        return [pod for pod in api.request("GET", "/api/v1/namespaces/default/pods")["items"]
                if pod["metadata"]["name"].startswith("taint-") and "deletionTimestamp" not in pod["metadata"]]

    with run.works():
        time.sleep(10)
        run.cluster.at_rate(10, changes[:10 * run.seconds])
        run.cluster.at_rate(100, changes[10 * run.seconds:])
        until(lambda: not left(), "some pods are not evicted yet")


SCENES = {"steady": steady, "backlog": backlog, "webhook": webhook, "failover": failover, "taint": taint}
# (the scene, its title, what is measured, the names of its pods)
ROWS = [(scene, title, what, prefix)
        for scene, title, prefix in (("steady", "10 pods a second", "steady-10-"), ("steady", "100 pods a second", "steady-100-"),
                                     ("backlog", "5,000 pods at once", "backlog-"),
                                     ("webhook", "10 pods a second beside a slow webhook", "webhook-"),
                                     ("failover", "10 pods a second, the leader is killed", "failover-"))
        for what in (CREATED, NAMED)] + [
    ("taint", "10 taints a second", EVICTED, "taint-10-"), ("taint", "100 taints a second", EVICTED, "taint-100-")]


# ---- what is printed and drawn ------------------------------------------------------------------

def in_words(seconds):
    if math.isinf(seconds):
        return "never"
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def table(rows):
    """Markdown; rows: (title, what, who, sorted latencies)."""
    yield "| scene | latency | manager | number | " + " | ".join(PERCENTILES) + " |"
    yield "|---|---|---|" + "--:|" * (len(PERCENTILES) + 1)
    for title, what, who, values in rows:
        shown = " | ".join(in_words(percentile(values, share)) for share in PERCENTILES.values())
        yield f"| {title} | {what} | {NAMES[who]} | {len(values):,} | {shown} |"


WIDTH, LEFT, RIGHT, TOP, PITCH = 880, 330, 40, 96, 34
COLOURS = {who: colour for who, (_, colour) in WHO.items()}
SHORTEST, LONGEST = 1e-3, 100.0  # seconds; the axis is logarithmic


def across(seconds):
    part = math.log10(min(max(seconds, SHORTEST), LONGEST) / SHORTEST) / math.log10(LONGEST / SHORTEST)
    return LEFT + part * (WIDTH - LEFT - RIGHT)


def picture(rows):
    """A line from the median to the longest latency of each row, with a dot for each percentile."""
    groups = [list(group) for _, group in itertools.groupby(rows, lambda row: row[:2])]
    height = TOP + PITCH * len(groups) + 30
    body = []
    for tick in (1e-3, 1e-2, 1e-1, 1, 10, 100):
        body.append(f'<path d="M{across(tick):.1f} {TOP - 12}V{height - 24}" stroke="{LINE}"/>')
        body.append(text(across(tick), height - 8, in_words(tick) if tick < 1 else f"{tick:g} s", 10.5, text_anchor="middle"))
    for number, group in enumerate(groups):
        y = TOP + PITCH * number
        body.append(text(LEFT - 14, y + 4, group[0][0], 11.5, DARK, text_anchor="end"))
        body.append(text(LEFT - 14, y + 17, group[0][1], 10, GREY, text_anchor="end"))
        for line, (_, _, who, values) in enumerate(group):
            shown = [across(percentile(values, share)) for share in PERCENTILES.values()]
            middle = y + 3 + 9 * line
            body.append(f'<path d="M{shown[0]:.1f} {middle}H{shown[-1]:.1f}" stroke="{COLOURS[who]}" stroke-width="1.5"/>')
            body += [f'<circle cx="{x:.1f}" cy="{middle}" r="{radius}" fill="{COLOURS[who]}"/>'
                     for x, radius in zip(shown, (4, 3, 2.5, 2))]
    legend, x = [], 28
    for who in NAMES:
        if any(row[2] == who for row in rows):
            legend += [f'<circle cx="{x + 5}" cy="66" r="4" fill="{COLOURS[who]}"/>', text(x + 16, 70, NAMES[who], 12, DARK)]
            x += 40 + 6.5 * len(NAMES[who])
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'font-family="-apple-system,Segoe UI,Helvetica,Arial,sans-serif">',
        night(),
        f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="6" fill="{PAPER}"/>',
        text(28, 31, "What users wait for", 17, DARK, font_weight="bold"),
        text(28, 50, "dots from the largest: p50, p99, p99.9 and the longest; the axis is logarithmic", 11.5),
        *legend, *body, "</svg>", ""])


def measure(who, program, options, folder):
    print(f"({NAMES[who]}: making {options.pods} pods and their claims first)", flush=True)
    cluster = Cluster(who, folder, options.pods)
    try:
        with open(folder / f"{who}.log", "w") as log:
            run = Run(who, program, cluster, folder, options.seconds, log)
            fill(run)
            for scene in options.scenes:
                print(f"({NAMES[who]}: {scene})", flush=True)
                SCENES[scene](run)
    finally:
        lines = cluster.stop()
    found = moments(lines, AGENTS[who])
    return {(title, what): latencies(found, what, prefix)
            for scene, title, what, prefix in ROWS if scene in options.scenes}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("manager")
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help=", ".join(SCENES))
    parser.add_argument("--before")
    parser.add_argument("--no-reference", action="store_true")
    parser.add_argument("--pods", type=int, default=10_000)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--picture", type=pathlib.Path)
    options = parser.parse_args()
    options.scenes = options.scenes or list(SCENES)
    if unknown := [scene for scene in options.scenes if scene not in SCENES]:
        parser.error(f"no scene {unknown[0]}; there are {', '.join(SCENES)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # not without stopping what was started
    managers = {"ours": options.manager, **({"before": options.before} if options.before else {})}
    if not options.no_reference:
        managers["reference"] = controlplane("path", "kube-controller-manager").strip()
    with tempfile.TemporaryDirectory() as folder:
        measured = {who: measure(who, program, options, pathlib.Path(folder)) for who, program in managers.items()}
    rows = [(title, what, who, measured[who][title, what])
            for scene, title, what, _ in ROWS if scene in options.scenes for who in managers]
    print(*table(rows), sep="\n")
    if options.picture:
        options.picture.write_text(picture(rows))


if __name__ == "__main__":
    main()
