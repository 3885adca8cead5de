"""The real cluster shared by all scenes of a run, with the manager and the drivers in it."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "test/realnode"), str(ROOT / "test/soak")]

import life  # noqa: E402
import parts  # noqa: E402
from api import Api, Refused  # noqa: E402
from cluster import Cluster, Failed, cluster_name  # noqa: E402
from nodes import FIRST  # noqa: E402
from objects import COLLECTIONS, DRIVER, RESOURCE, device_class, thing  # noqa: E402

BIN = ROOT / "build/release/bin"
EXAMPLE_DRIVER = ROOT / "build/node/dra-example-kubeletplugin"
NODE = parts.NODE
DEVICES = 8
OURS, REFERENCE, NONE = "ours", "reference", "none"
REAL, HOLLOW = "real", "hollow"


def soon(what, is_so, seconds=None):
    """Waits until `is_so()` is true, and returns it."""
    end = time.monotonic() + (seconds or World.patience)
    while not (found := is_so()):
        assert time.monotonic() < end, f"never: {what() if callable(what) else what}"
        time.sleep(0.1)
    return found


class World:
    """One per run. `manager`: which one works; none is the negative control, where all scenes fail."""
    patience = 120
    manager = OURS
    node = REAL
    cluster = Cluster("e2e")
    api = None
    flags = ()

    @classmethod
    def start(cls, manager, node, count=1):
        """The cluster alone, of `count` nodes."""
        cls.manager, cls.node = manager, node
        cls.patience = 12 if manager == NONE else cls.patience
        life.remove(cls.cluster)
        life.up(cls.cluster, "on" if manager == REFERENCE else "off",
                node=life.start_node if node == REAL else lambda cluster, _: cls.start_hollow_node(cluster), count=count)

    @classmethod
    def up(cls, manager, node=REAL, count=1):
        cls.start(manager, node, count)
        cls.api = Api(cls.cluster.kubeconfig)
        cls.create(device_class(extendedResourceName="example.com/gpu"))
        cls.start_manager()
        for each in cls.cluster.each_node():
            cls.start_driver(each.own("driver"), on=each)

    @classmethod
    def start_hollow_node(cls, cluster):
        """dra-hollow-node in kubelet's place, with kubelet's own certificate."""
        cluster.spawn("kubelet", [BIN / "dra-hollow-node", "--kubeconfig", cluster.folder / "kubelet.kubeconfig",
                                  "--node-name", NODE, "--root-dir", "/var/lib/kubelet", "--cdi-dir", "/etc/cdi",
                                  "--v=4"])

    @classmethod
    def start_part(cls, part):
        if part == "kubelet" and cls.node == HOLLOW:
            cls.start_hollow_node(cls.cluster)
        else:
            life.start(cls.cluster, part)

    @classmethod
    def down(cls):
        life.remove(cls.cluster)

    # The manager, ours or kube-controller-manager.

    @classmethod
    def start_manager(cls, *flags, name="manager"):
        if cls.manager == REFERENCE and not cls.cluster.process("kube-controller-manager"):
            cls.cluster.start("kube-controller-manager")
        if cls.manager == OURS:
            cls.cluster.spawn(name, [BIN / "dra-controller-manager", "--kubeconfig", cls.cluster.kubeconfig,
                                     "--context=manager", "--secure-port=0", "--v=2", *cls.flags, *flags])

    @classmethod
    def end_manager(cls, how=signal.SIGKILL, name="manager"):
        cls.cluster.end("kube-controller-manager" if cls.manager == REFERENCE else name, how)

    # Drivers.

    @classmethod
    def start_driver(cls, name="driver", driver=DRIVER, *flags, on=FIRST):
        cls.spawn_driver(name, driver, DEVICES, [
            EXAMPLE_DRIVER, "--kubeconfig", cls.cluster.kubeconfig, "--node-name", on.name, "--driver-name", driver,
            "--num-devices", DEVICES, "-v", "4", *flags], on)

    @classmethod
    def spawn_driver(cls, name, driver, devices, command, on=FIRST):
        """Returns when kubelet knows it: a pod that was too early would wait 60 s to 90 s."""
        before = cls.connections(driver, on)
        cls.cluster.spawn(name, command, on)
        soon(lambda: f"kubelet finds {driver}\n{cls.log(name)}", lambda: cls.connections(driver, on) > before, 60)
        soon(lambda: f"devices of {driver}\n{cls.log(name)}", lambda: cls.devices(driver, on) >= devices, 60)

    @classmethod
    def connections(cls, driver, on=FIRST):
        """How often kubelet has found the driver so far."""
        words = ('"Connection changed"', "connected=true") if cls.node == REAL else ('"Registered a driver"',)
        return sum(f'"{driver}"' in line and all(word in line for word in words)
                   for line in cls.log(on.own("kubelet"), None).splitlines())

    @classmethod
    def devices(cls, driver=DRIVER, on=FIRST):
        return sum(len(each["spec"].get("devices", ())) for each in cls.items(f"{RESOURCE}/resourceslices")
                   if each["spec"]["driver"] == driver and each["spec"].get("nodeName") == on.name)

    @classmethod
    def log(cls, name, characters=4000):
        """The end of a program's log, or all of it."""
        file = cls.cluster.folder / f"{name}.log"
        text = file.read_text() if file.exists() else ""
        return text if characters is None else text[-characters:]

    @classmethod
    def lose_power(cls):
        """Like a machine: all of the node's processes end at once, including containers, and /run
        is empty."""
        for part in ("kubelet", "containerd", "driver"):
            cls.cluster.end(part, signal.SIGKILL)
        stay = {cls.cluster.process(name) for name in ("machine", "manager", "kube-scheduler", "kube-controller-manager")}
        for process, program in cls.cluster.processes():
            if process not in stay and program not in ("etcd", "kube-apiserver"):
                os.kill(process, signal.SIGKILL)
        cls.cluster.run("sh", "-c", "grep -o ' /run/[^ ]*' /proc/mounts | sort -r | xargs -r umount -l; rm -rf /run/*",
                        check=False)

    # The API.

    @classmethod
    def create(cls, made, namespace="default"):
        return cls.api.send("POST", COLLECTIONS[made["kind"]].format(namespace), made)

    @classmethod
    def items(cls, path):
        return cls.api.send("GET", path)["items"]

    @classmethod
    def get(cls, path):
        """The object, or None."""
        try:
            return cls.api.send("GET", path)
        except Refused as refused:
            if refused.status == 404:
                return None
            raise

    @classmethod
    def entries(cls, on=FIRST):
        """The claims in kubelet's checkpoint, as (namespace, name)."""
        file = (cls.cluster.folder if on == FIRST else cls.cluster.folder / on.name) / "kubelet/dra_manager_state"
        checkpoint = json.loads(json.loads(file.read_text())["Data"]) if file.exists() else {}
        return {(each["Namespace"], each["ClaimName"]) for each in checkpoint.get("ClaimInfoStateList") or ()}


class Scene(unittest.TestCase):
    """A namespace for each. When a scene ends, nothing of it may be left."""

    def setUp(self):
        self.namespace = f"e2e-{os.getpid()}-{int(time.monotonic() * 1000)}"
        World.create(thing("Namespace", self.namespace, version="v1"))
        soon("its account", lambda: World.get(f"/api/v1/namespaces/{self.namespace}/serviceaccounts/default"), 60)
        self.addCleanup(self.end)

    def needs_containers(self, why):
        if World.node == HOLLOW:
            self.skipTest(f"a hollow node {why}")

    def end(self):
        World.api.remove(f"/api/v1/namespaces/{self.namespace}")
        try:
            soon(self.say, lambda: World.get(f"/api/v1/namespaces/{self.namespace}") is None)
            soon("kubelet's checkpoint forgets the claims", lambda: not [
                entry for entry in World.entries() if entry[0] == self.namespace])
        finally:
            for each in self.pods():  # a failed scene does not fail the next ones
                World.api.send("DELETE", self.path("Pod", each["metadata"]["name"]), {"gracePeriodSeconds": 0})

    def path(self, kind, name=None):
        collection = COLLECTIONS[kind].format(self.namespace)
        return f"{collection}/{name}" if name else collection

    def create(self, *things):
        for made in things:
            World.create(made, self.namespace)
            if "{}" not in COLLECTIONS[made["kind"]]:
                self.addCleanup(World.api.remove, self.path(made["kind"], made["metadata"]["name"]))

    def delete(self, kind, name, **options):
        World.api.send("DELETE", self.path(kind, name), options or None)

    def get(self, kind, name):
        return World.get(self.path(kind, name))

    def patch(self, kind, name, patch, subresource=""):
        path = self.path(kind, name) + (f"/{subresource}" if subresource else "")
        status, text = World.api._connection.request(  # pylint: disable=protected-access
            "PATCH", path, "application/merge-patch+json", json.dumps(patch))
        self.assertLess(status, 300, text[:500])

    def pods(self):
        return World.items(self.path("Pod"))

    def claims(self):
        return World.items(self.path("ResourceClaim"))

    def phase(self, name):
        found = self.get("Pod", name)
        return found["status"].get("phase", "Pending") if found else "gone"

    def phases(self):
        """The pods' phases, sorted. A pod in deletion is Terminating, as in kubectl."""
        return sorted("Terminating" if "deletionTimestamp" in each["metadata"] else each["status"]["phase"]
                      for each in self.pods())

    def say(self):
        """The state of the scene, for the message of a failure."""
        rows = [(each["metadata"]["name"], each["status"].get("phase"), each["status"].get("reason"))
                for each in self.pods()]
        claims = [(each["metadata"]["name"], bool(each.get("status", {}).get("allocation"))) for each in self.claims()]
        events = [each["message"] for each in World.items(f"/api/v1/namespaces/{self.namespace}/events")][-8:]
        return json.dumps({"pods": rows, "claims": claims, "events": events}, indent=1)

    def wait_for(self, name, *phases):
        return soon(lambda: f"{name} {phases}\n{self.say()}", lambda: self.phase(name) in phases)

    def wait_for_phases(self, *phases):
        soon(lambda: f"{sorted(phases)}\n{self.say()}", lambda: self.phases() == sorted(phases))

    def wait_for_claims(self, count):
        soon(lambda: f"{count} claims\n{self.say()}", lambda: len(self.claims()) == count)

    def shown(self, name, container="main"):
        """The devices that a container has found in its environment, or would find."""
        if World.node == HOLLOW:
            return self.devices_for(name, container)

        def devices():
            said = World.cluster.kubectl("logs", "-n", self.namespace, name, "-c", container).stdout
            return (sorted(line.partition("=")[2].strip('"') for line in said.split("shown")[0].split()),
                    ) if "shown" in said else None
        return soon(lambda: f"{name}/{container} shows its devices\n{self.say()}", devices)[0]

    def devices_for(self, name, container):
        self.wait_for(name, "Running", "Succeeded")
        folder = World.cluster.folder / "kubelet/devices" / self.get("Pod", name)["metadata"]["uid"]
        shown = folder / f"{container}.json"  # of containers with claims
        devices = json.loads(shown.read_text())["cdiDevices"] if shown.exists() else []
        return sorted(found[0] for each in devices if (found := re.search(r"(gpu|dev)-\d+$", each)))

    def explained(self, name):
        """The reasons that `explain` gives for a pod."""
        done = subprocess.run([BIN / "dra-controller-manager", "explain", "pod", f"{self.namespace}/{name}",
                               "--kubeconfig", World.cluster.kubeconfig, "--output", "json"],
                              capture_output=True, text=True, check=False)
        topics = json.loads(done.stdout)["topics"] if done.stdout else ()
        return [finding["reason"] for topic in topics for finding in topic["findings"]]

    def allocated(self):
        """The names of the devices allocated to the claims of this namespace."""
        return sorted(result["device"] for each in self.claims()
                      for result in each.get("status", {}).get("allocation", {}).get("devices", {}).get("results", ()))

    def evicted(self):
        """The pods marked by the eviction controller."""
        return sorted(each["metadata"]["name"] for each in self.pods() if any(
            condition["type"] == "DisruptionTarget" for condition in each["status"].get("conditions", ())))


__all__ = ["Cluster", "Failed", "HOLLOW", "NODE", "NONE", "OURS", "REAL", "REFERENCE", "Scene", "World", "cluster_name",
           "soon"]
