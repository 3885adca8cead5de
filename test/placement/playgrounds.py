"""How the comparison uses a playground: pods, claims, drivers, and their state."""
import contextlib
import http.client
import json
import re
import signal
import subprocess
import time

from devices import API, NODES

# Each scheduler must finish within this time after the other.
PATIENCE = 90.0
RESOURCES = {"DeviceClass": "deviceclasses", "ResourceSlice": "resourceslices",
             "DeviceTaintRule": "devicetaintrules", "ResourceClaim": "resourceclaims"}
MERGE = "application/merge-patch+json"


class Server:
    """A playground, by JSON over HTTP."""

    def __init__(self, binary, folder, scheduler):
        self.kubeconfig = f"{folder}/kubeconfig"
        self.process = subprocess.Popen(
            [binary, "--nodes", str(len(NODES)), "--devices", "0", "--kubeconfig-out", self.kubeconfig,
             f"--scheduler={scheduler}"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        lines = [self.process.stdout.readline() for _ in range(3)]
        self.address = re.search(r"http://([^/]+)/ui", lines[1]).group(1)
        self.connection = http.client.HTTPConnection(self.address)

    def send(self, method, path, body=None, content="application/json"):
        self.connection.request(method, path, json.dumps(body) if body is not None else None,
                                {"Content-Type": content})
        answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read())

    def create(self, thing):
        return self.send("POST", collection(thing), thing)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


@contextlib.contextmanager
def running(kube_scheduler, server):
    """kube-scheduler, with everything already in its caches when it decides."""
    with open(f"{server.kubeconfig}.log", "w", encoding="utf-8") as log:
        process = subprocess.Popen([kube_scheduler, "--kubeconfig", server.kubeconfig, "--leader-elect=false",
                                    "--secure-port=0"], stdout=log, stderr=log)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def collection(thing):
    namespace = thing["metadata"].get("namespace")
    if thing["kind"] in ("Pod", "Namespace"):
        return f"/api/v1/namespaces/{namespace}/pods" if namespace else "/api/v1/namespaces"
    within = f"/namespaces/{namespace}" if namespace else ""
    return f"/apis/{API}{within}/{RESOURCES[thing['kind']]}"


def path(thing):
    return f"{collection(thing)}/{thing['metadata']['name']}"


def refusal(server, pod):
    """The node's name, and the condition of a pod without a node, without its times; nothing yet: ("", {})."""
    _, seen = server.send("GET", path(pod))
    node = seen.get("spec", {}).get("nodeName", "")
    conditions = [c for c in seen.get("status", {}).get("conditions", [])
                  if c["type"] == "PodScheduled" and c["status"] == "False"]
    if node or not conditions:
        return node, {}
    return "", {key: value for key, value in conditions[0].items() if key not in ("lastProbeTime", "lastTransitionTime")}


def verdict(server, pod):
    """The node's name, or why there is none; nothing yet: ("", "")."""
    node, condition = refusal(server, pod)
    return node, condition.get("message", "")


def is_decided(server, pod):
    """Whether the scheduler has finished; a scheduler that deallocates a claim tries again."""
    node, message = verdict(server, pod)
    return bool(node or message) and "of ResourceClaim completed" not in message


def until(check, patience=PATIENCE):
    """The first true result of `check`; otherwise its last."""
    deadline = time.monotonic() + patience
    while not (said := check()) and time.monotonic() < deadline:
        time.sleep(0.005)  # between polls, until the deadline
    return said


def status_of(server, claim):
    """A claim's status; empty while there is no such claim."""
    code, seen = server.send("GET", path(claim))
    return seen.get("status", {}) if code == 200 else {}


def allocations(server, claims):
    """The allocations of a pod's claims, in their order."""
    given = []
    for claim in claims:
        allocation = status_of(server, claim).get("allocation")
        if allocation:
            allocation.pop("allocationTimestamp", None)
            for result in allocation["devices"].get("results", ()):
                if "shareID" in result:
                    result["shareID"] = "random"
        given.append(allocation)
    return given


def extended_claim(server, pod):
    """The claim for the pod's extended resources, and the pod's status about it; otherwise none."""
    _, seen = server.send("GET", path(pod))
    status = seen.get("status", {}).get("extendedResourceClaimStatus")
    if not status:
        return None, None
    claim = {"kind": "ResourceClaim", "metadata": {"namespace": pod["metadata"]["namespace"],
                                                   "name": status["resourceClaimName"]}}
    _, made = server.send("GET", path(claim))
    return claim, [status["requestMappings"], made["spec"], made["metadata"]["annotations"],
                   re.sub("-[^-]*$", "", made["metadata"]["name"])]


def be_ready(server, pod, claims):
    """The actions of a driver whose devices have binding conditions."""
    extended, _ = extended_claim(server, pod)
    for claim in claims + ([extended] if extended else []):
        status = status_of(server, claim)
        waiting = [r for r in status.get("allocation", {}).get("devices", {}).get("results", ())
                   if "bindingConditions" in r]
        if waiting and "devices" not in status:
            code, body = server.send("PATCH", path(claim) + "/status", {"status": {"devices": [
                {**{key: r[key] for key in ("driver", "pool", "device", "shareID") if key in r},
                 "conditions": [{"type": r["bindingConditions"][0], "status": "True", "reason": "Ready",
                                 "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}
                for r in waiting]}}, MERGE)
            if code not in (200, 409):
                raise SystemExit(f"{claim['metadata']['name']}: {body.get('message')}")


def misplace(server, scene, claim):
    allocation = scene.misplaced.get(claim["metadata"]["name"])
    if allocation:
        server.send("PATCH", path(claim) + "/status", {"status": {"allocation": allocation}}, MERGE)


def taint_node(server, name, taints):
    server.send("PATCH", f"/api/v1/nodes/{name}", {"spec": {"taints": taints}}, MERGE)


def touch_nodes(server):
    for node in NODES:
        server.send("PATCH", f"/api/v1/nodes/{node}", {"metadata": {"labels": {"touched": str(time.time_ns())}}}, MERGE)


def remove_claim(server, claim):
    server.send("PATCH", path(claim) + "/status", {"status": {"allocation": None, "reservedFor": None}}, MERGE)
    server.send("PATCH", path(claim), {"metadata": {"finalizers": None}}, MERGE)
    server.send("DELETE", path(claim))


def has_caught_up(server, pod, claim):
    """Whether the scheduler has refused a pod created after all changes."""
    return claim["spec"]["devices"]["requests"][0]["exactly"]["deviceClassName"] in verdict(server, pod)[1]


def remove_extended(server, pod):
    claim, _ = extended_claim(server, pod)
    if claim:
        remove_claim(server, claim)


def remove_pod(server, pod):
    server.send("DELETE", path(pod), {"gracePeriodSeconds": 0})
