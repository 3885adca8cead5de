"""The device health reported by a driver, in the status of the pods that have the devices."""
import json
import os

from objects import device_class, pod, template
from world import BIN, NODE, Scene, World, soon

NAME = "health.example.com"
CDI = {"cdiVersion": "0.6.0", "kind": f"{NAME}/gpu",
       "devices": [{"name": "dev-0", "containerEdits": {"env": ["GPU_DEVICE_0=dev-0"]}}]}


class Health(Scene):
    def setUp(self):
        super().setUp()
        if not (BIN / "kit_driver").exists():
            self.skipTest("the driver is not built: kit_driver")
        World.cluster.run("tee", "/etc/cdi/health.json", input=json.dumps(CDI), text=True, capture_output=True)
        self.orders = World.cluster.folder / "orders"
        if not self.orders.exists():
            os.mkfifo(self.orders)
        World.spawn_driver("health", NAME, 1, [
            "sh", "-c", 'exec "$@" 0<>"$0"', self.orders, BIN / "kit_driver", "--name", NAME, "--node", NODE,
            "--devices", 1, "--registry", "/var/lib/kubelet/plugins_registry", "--data",
            f"/var/lib/kubelet/plugins/{NAME}", "--kubeconfig", World.cluster.kubeconfig])
        self.addCleanup(World.cluster.end, "health")

    def report(self, health):
        with open(self.orders, "w") as orders:
            print(json.dumps({"health": [{"pool": NODE, "device": "dev-0", "health": health}]}), file=orders)

    def shown_health(self):
        return [resource["health"] for status in self.get("Pod", "p")["status"].get("containerStatuses", ())
                for claim in status.get("allocatedResourcesStatus", ()) for resource in claim["resources"]]

    def test_a_pods_status_shows_a_device_that_fails_and_recovers(self):
        self.create(device_class(NAME), template(device_class=NAME), pod("p"))
        self.assertEqual(self.shown("p"), ["dev-0"])
        for health in ("Healthy", "Unhealthy", "Healthy"):
            self.report(health)
            soon(lambda: f"{health}: {self.get('Pod', 'p')['status']}", lambda: self.shown_health() == [health])
        self.delete("Pod", "p")
        self.wait_for_claims(0)


del Scene
