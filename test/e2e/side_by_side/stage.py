"""Where a scene takes place: a namespace, drivers of its own, and a recording of all that the node does there."""
import dataclasses
import json
import os
import signal
import threading
import time

import tracks
from api import Api
from objects import COLLECTIONS, IMAGE, device_class, thing
from world import BIN, NODE, World, soon

ANNOTATION = "playground.dra-controller-manager.dev/"
REGISTRY, PLUGINS = "/var/lib/kubelet/plugins_registry", "/var/lib/kubelet/plugins"
DEVICES = 4
RETRY = 100  # seconds within which a node tries again what a driver has refused: 60 to 90


@dataclasses.dataclass(frozen=True)
class Program:
    """What containers do: as a shell's command, and as a hollow node's annotations."""
    command: str
    annotations: tuple = ()


RUNS = Program("trap 'exit 143' TERM; while :; do sleep 1 & wait $!; done")
# A busy kubelet misses states that last a second or two.
COMPLETES = Program("sleep 5", (("run-for", "5s"),))
HEEDS_SIGTERM = Program("trap 'exit 0' TERM; while :; do sleep 1 & wait $!; done")
FAILS = Program("sleep 5; exit 1", (("crash-after", "5s"),))
CRASHES = Program("sleep 4; exit 1", (("crash-after", "4s"),))
IGNORES_SIGTERM = Program("trap '' TERM; while :; do sleep 1; done", (("stop-after", "99s"),))
# Fails after 4 s, is restarted at once, fails again, waits 10 s, and completes. /count is a volume.
FAILS_TWICE = Program("sleep 4; echo >> /count/runs; test $(wc -l < /count/runs) = 3",
                      (("crash-after", "4s"), ("run-for", "21500ms")))


def container(name="main", program=RUNS, claims=("gpu",), **more):
    return {"name": name, "image": IMAGE, "imagePullPolicy": "Never", "command": ["sh", "-c", program.command],
            "resources": {"claims": [{"name": each} if isinstance(each, str) else each for each in claims]}, **more}


def pod(name="p", program=RUNS, claims=None, metadata=None, **spec):
    """By default, one container with a claim of the pod's own. `claims`: by their names in the pod, the names of
    claims, or None for one of its own."""
    claims = {"gpu": None} if claims is None else claims
    rows = [{"name": entry, "resourceClaimTemplateName": entry} if claim is None else
            {"name": entry, "resourceClaimName": claim} for entry, claim in claims.items()]
    return thing("Pod", name, {
        "terminationGracePeriodSeconds": 5, "restartPolicy": "Never" if program in (COMPLETES, FAILS) else "Always",
        "resourceClaims": rows, "containers": [container("main", program, claims)], **spec}, "v1",
        annotations={ANNOTATION + key: value for key, value in program.annotations}, **(metadata or {}))


class SharedApi(Api):
    """For scenes that play at the same time."""

    def __init__(self, kubeconfig):
        super().__init__(kubeconfig)
        self.lock = threading.Lock()

    def _once(self, method, path, body):
        with self.lock:
            return super()._once(method, path, body)

    def patch(self, path, patch):
        with self.lock:
            status, text = self._connection.request("PATCH", path, "application/merge-patch+json", json.dumps(patch))
        assert status < 300, text

    def watch(self, path):
        """A stream of what happens from now on."""
        version = self.send("GET", path)["metadata"]["resourceVersion"]
        status, stream = self._connection.server.connect().watch(f"{path}?watch=1&resourceVersion={version}")
        assert status == 200, stream
        return stream


class Driver:
    """One made with the driver kit, which fails on request."""

    def __init__(self, name):
        self.name, self.process = name, f"driver-{name}"
        self.orders = World.cluster.folder / f"{name}.orders"
        os.mkfifo(self.orders)
        self.publish()

    def publish(self):
        devices = [f"dev-{number}" for number in range(DEVICES)]
        World.cluster.run("tee", f"/etc/cdi/{self.name}.json", text=True, capture_output=True, input=json.dumps({
            "cdiVersion": "0.6.0", "kind": f"{self.name}/gpu", "devices": [
                {"name": name, "containerEdits": {"env": [f"GPU_{name[-1]}={name}"]}} for name in devices]}))

    def start(self):
        """Returns when the node knows it."""
        World.spawn_driver(self.process, self.name, DEVICES, [
            "sh", "-c", 'exec "$@" 0<>"$0"', self.orders, BIN / "kit_driver", "--name", self.name, "--node", NODE,
            "--devices", DEVICES, "--registry", REGISTRY, "--data", f"{PLUGINS}/{self.name}",
            "--checkpoint", "/var/lib/kubelet/dra_manager_state", "--kubeconfig", World.cluster.kubeconfig])

    def end(self, how=signal.SIGTERM):
        World.cluster.end(self.process, how)

    def order(self, **order):
        done = self.log().count("obeyed")
        with open(self.orders, "w") as orders:
            print(json.dumps(order), file=orders)
        soon("it obeys", lambda: self.log().count("obeyed") > done, 30)

    def log(self):
        return World.log(self.process, None)

    def calls(self, what):
        return sum(found[0] == what for found in tracks.CALL.findall(self.log()))


class Watch:
    """What happens to the objects of a kind in a namespace, from now on."""

    def __init__(self, path, note):
        self.note = note
        self.stream = World.api.watch(path)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        while seen := self.stream.next(3600):
            self.note(seen)

    def end(self):
        """Once it has read what it was sent."""
        time.sleep(1)
        self.stream.response.fp.raw._sock.shutdown(2)  # pylint: disable=protected-access
        self.thread.join()
        self.stream.close()


class Stage:
    """Everything that a scene does goes through here."""

    def __init__(self, scene):
        self.namespace = scene.replace("_", "-")
        self.drivers = []
        self.recording = {"namespace": self.namespace, "pods": [], "claims": [], "checkpoints": []}
        self.create(thing("Namespace", self.namespace, version="v1"))
        soon("its account", lambda: World.get(f"/api/v1/namespaces/{self.namespace}/serviceaccounts/default"), 60)
        self.watches = [Watch(self.path(kind), note) for kind, note in (
            ("ResourceClaim", self.recording["claims"].append), ("Pod", self.note_pod))]

    def note_pod(self, seen):
        """With the calls that drivers have received by then."""
        seen["calls"] = tracks.count_calls(driver.log() for driver in self.drivers)
        self.recording["pods"].append(seen)

    def end(self):
        """→ the recording. The pods of a scene that failed go by force."""
        for watch in self.watches:
            watch.end()
        events = World.api.send("GET", f"/api/v1/namespaces/{self.namespace}/events")["items"]
        self.recording["events"] = sorted(events, key=lambda event: event["metadata"]["creationTimestamp"])
        self.recording["journals"] = {driver.name: driver.log() for driver in self.drivers}
        for each in World.api.send("GET", self.path("Pod"))["items"]:
            self.delete(each["metadata"]["name"], gracePeriodSeconds=0)
        World.api.remove(f"/api/v1/namespaces/{self.namespace}")
        for driver in self.drivers:
            driver.end()
        return self.recording

    # What a scene does.

    def driver(self, suffix=""):
        """A driver that runs, with its class and a template of the name `gpu` or `nic`."""
        driver = Driver(f"{self.namespace}{suffix}.example.com")
        self.drivers.append(driver)
        driver.start()
        self.create(device_class(driver.name, extendedResourceName=f"example.com/{self.namespace}{suffix}"))
        return driver

    def wanted(self, driver, requests=("gpu",), **more):
        return {"devices": {"requests": [
            {"name": name, "exactly": {"deviceClassName": driver.name, **more}} for name in requests]}}

    def template(self, driver, name="gpu", **wanted):
        self.create(thing("ResourceClaimTemplate", name, {"spec": self.wanted(driver, **wanted)}))

    def claim(self, driver, name="gpu", **wanted):
        self.create(thing("ResourceClaim", name, self.wanted(driver, **wanted)))

    def create(self, *things):
        for made in things:
            World.api.send("POST", COLLECTIONS[made["kind"]].format(self.namespace), made)

    def delete(self, name, kind="Pod", **options):
        World.api.send("DELETE", self.path(kind, name), options or None)

    def patch(self, kind, name, patch):
        World.api.patch(self.path(kind, name), patch)

    def path(self, kind, name=None):
        collection = COLLECTIONS[kind].format(self.namespace)
        return f"{collection}/{name}" if name else collection

    def wait(self, name, phase, seconds=None):
        def status():
            found = World.get(self.path("Pod", name))
            return found["status"].get("phase") if found else "gone"
        soon(lambda: f"{name} is {phase} and not {status()}\n{self.events()}", lambda: status() == phase, seconds)

    def wait_a_while(self, name, phase, seconds=30):
        """On a node that does not go on, the scene does."""
        try:
            self.wait(name, phase, seconds)
        except AssertionError:
            pass

    @staticmethod
    def pause(seconds):
        time.sleep(seconds)

    def wait_for_any_event(self, *reasons):
        soon(lambda: f"one of {reasons}\n{self.events()}", lambda: any(
            event["reason"] in reasons for event in self.events()))

    def wait_for_event(self, reason, count=1):
        def so_far():
            return sum(event.get("count", 1) for event in self.events() if event["reason"] == reason)
        soon(lambda: f"{count} events {reason}\n{self.events()}", lambda: so_far() >= count)

    def events(self):
        return World.api.send("GET", f"/api/v1/namespaces/{self.namespace}/events")["items"]

    def statuses(self, name):
        return World.get(self.path("Pod", name))["status"].get("containerStatuses", ())

    def wait_for_crashes(self, name, count):
        soon(lambda: f"{name} crashes: {self.statuses(name)}", lambda: any(
            each["restartCount"] == count - 1 and "running" not in each["state"] for each in self.statuses(name)))

    def wait_for_health(self, name, health):
        soon(lambda: f"{name} {health}: {self.statuses(name)}", lambda: any(
            resource["health"] == health for each in self.statuses(name)
            for row in each.get("allocatedResourcesStatus", ()) for resource in row["resources"]))

    def wait_for_calls(self, driver, what, count):
        soon(lambda: f"{count} {what}\n{driver.log()}", lambda: driver.calls(what) >= count)

    @staticmethod
    def again(driver, start):
        """`start` starts the node; returns when it knows the driver, whose devices are published again."""
        before = World.connections(driver.name)
        start()
        soon(lambda: f"the node finds {driver.name}\n{World.log('kubelet')}",
             lambda: World.connections(driver.name) > before)
        soon("its devices", lambda: World.devices(driver.name) >= DEVICES)

    def wait_for_empty_checkpoint(self):
        soon("the checkpoint is empty", lambda: not [
            entry for entry in World.entries() if entry[0] == self.namespace])

    def checkpoint(self, moment):
        file = World.cluster.folder / "kubelet/dra_manager_state"
        self.recording["checkpoints"].append([moment, file.read_text() if file.exists() else ""])


__all__ = ["COMPLETES", "CRASHES", "FAILS", "FAILS_TWICE", "HEEDS_SIGTERM", "IGNORES_SIGTERM", "NODE", "RETRY", "RUNS",
           "Stage", "container", "pod"]
