"""examples/gpu-driver, built against the installed kit, beside the example driver built with the Go
helper."""
import json
import signal

import yaml

from objects import SHOW, WAIT, claim, device_class, pod, template
from world import NODE, ROOT, Scene, World, soon

DRIVER = "gpus.example.com"
PROGRAM = ROOT / "build/node/gpu-driver"
BROKEN = "/run/gpu-driver/broken"
FILES = "/var/run/kubernetes.io/dra-device-attributes/resourceclaimtemplates/gpu/gpu"
DATA = f"/var/lib/kubelet/plugins/{DRIVER}"
# The devices of two GPUs: four quarters and the whole of the first, and the second.
DEVICES = 6


def of_profile(profile, **more):
    selector = {"cel": {"expression": f"device.attributes['{DRIVER}'].profile == '{profile}'"}}
    return {"device_class": DRIVER, "selectors": [selector], **more}


def start_gpu_driver(name="gpu-driver", *flags):
    before = World.connections(DRIVER)
    World.cluster.spawn(name, [PROGRAM, "--kubeconfig", World.cluster.kubeconfig, "--node-name", NODE,
                               "--broken-folder", BROKEN, *flags])
    soon(lambda: f"kubelet finds {DRIVER}\n{World.log(name)}", lambda: World.connections(DRIVER) > before, 60)
    soon(lambda: f"devices of {DRIVER}\n{World.log(name)}", lambda: World.devices(DRIVER) == DEVICES, 60)


def on_node(command):
    return World.cluster.run("sh", "-c", command, check=False, capture_output=True, text=True).stdout


class GpuDriver(Scene):
    @classmethod
    def setUpClass(cls):
        World.create(device_class(DRIVER))
        start_gpu_driver()

    @classmethod
    def tearDownClass(cls):
        World.cluster.end("gpu-driver")
        World.api.remove(f"/apis/resource.k8s.io/v1/deviceclasses/{DRIVER}")

    def end(self):
        """Nothing of the driver's claims is left, not even on disk."""
        super().end()
        soon("the driver's files go", lambda: not self.files())

    @staticmethod
    def files():
        return on_node(f"ls -d /var/run/cdi/{DRIVER}* {DATA}/prepared/* {DATA}/dra-device-metadata/* 2>/dev/null").split()

    def test_parts_of_a_gpu_and_the_whole_exclude_each_other(self):
        whole = template("whole", **of_profile("whole"))
        self.create(template(**of_profile("quarter")), whole, *(pod(f"p{number}") for number in range(4)))
        self.wait_for_phases(*["Running"] * 4)
        shown = [device for number in range(4) for device in self.shown(f"p{number}")]
        self.assertEqual(sorted(shown), [f"gpu-0-part-{part}" for part in range(4)])
        self.create(pod("all", {"gpu": {"resourceClaimTemplateName": "whole"}}))
        self.wait_for_claims(5)
        for number in range(4):
            self.assertEqual(self.phase("all"), "Pending")
            self.delete("Pod", f"p{number}")
        self.assertEqual(self.shown("all"), ["gpu-0"])

    def test_the_pod_of_the_example_gets_a_quarter(self):
        """The pod of docs/write-a-driver.md; its class is there already."""
        things = yaml.safe_load_all((ROOT / "examples/gpu-driver/pod.yaml").read_text())
        self.create(*(each for each in things if each["kind"] != "DeviceClass"))
        self.wait_for("first", "Running")
        soon("its log names the device", lambda: 'GPU_DEVICE_GPU_0_PART_0="gpu-0-part-0"' in World.cluster.kubectl(
            "logs", "-n", self.namespace, "first").stdout)

    def test_claims_share_a_gpu_until_its_memory_is_gone(self):
        self.create(template(**of_profile("shared", capacity={"requests": {"memory": "20Gi"}})),
                    *(pod(f"p{number}") for number in range(3)))
        self.wait_for_phases("Pending", "Running", "Running")
        self.assertEqual(self.allocated(), ["gpu-1", "gpu-1"])
        running = next(each["metadata"]["name"] for each in self.pods() if each["status"]["phase"] == "Running")
        self.assertEqual(self.shown(running), ["gpu-1"])
        self.delete("Pod", running)
        self.wait_for_phases("Running", "Running")

    def test_a_container_reads_about_its_device_and_the_claim_says_that_it_is_ready(self):
        read = f"{SHOW} cat {FILES}/{DRIVER}-metadata.json; {WAIT}"
        self.create(template(**of_profile("quarter")), pod("p", command=read))
        device, = self.shown("p")

        def found():
            text = World.cluster.kubectl("logs", "-n", self.namespace, "p").stdout
            return [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        documents = soon("the file is shown", found)
        self.assertEqual([each["apiVersion"].partition("/")[2] for each in documents], ["v1beta1", "v1alpha1"])
        self.assertEqual(documents[0]["podClaimName"], "gpu")
        said, = documents[0]["requests"]
        self.assertEqual((said["name"], said["devices"][0]["name"]), ("gpu", device))
        self.assertEqual(said["devices"][0]["attributes"]["gpu"], {"string": "gpu-0"})
        status, = self.claims()[0]["status"]["devices"]
        self.assertEqual((status["device"], status["conditions"][0]["type"]), (device, "Ready"))

    def test_a_broken_gpu_is_in_its_pods_status_and_nobody_gets_it(self):
        self.create(template(**of_profile("quarter")), pod("p"))
        self.shown("p")
        self.addCleanup(on_node, f"rm -rf {BROKEN}")
        on_node(f"mkdir -p {BROKEN}; touch {BROKEN}/gpu-0")

        def healths():
            return [resource["health"] for status in self.get("Pod", "p")["status"].get("containerStatuses", ())
                    for each in status.get("allocatedResourcesStatus", ()) for resource in each["resources"]]
        soon(self.say, lambda: healths() == ["Unhealthy"])
        self.create(pod("later"))
        self.wait_for_claims(2)
        self.assertEqual(self.phase("later"), "Pending")
        on_node(f"rm {BROKEN}/gpu-0")
        self.wait_for("later", "Running")
        soon(self.say, lambda: healths() == ["Healthy"])

    def test_it_rolls_over(self):
        self.create(template(**of_profile("quarter")), pod("p"))
        self.wait_for("p", "Running")
        World.cluster.end("gpu-driver")
        self.addCleanup(start_gpu_driver)
        start_gpu_driver("first", "--pod-uid", "uid-1")
        start_gpu_driver("second", "--pod-uid", "uid-2")
        World.cluster.end("first")
        self.addCleanup(World.cluster.end, "second")
        self.create(pod("later"))
        self.wait_for("later", "Running")
        self.delete("Pod", "p")
        self.wait_for("p", "gone")
        self.delete("Pod", "later")
        self.wait_for("later", "gone")

    def test_a_claim_that_went_while_driver_and_kubelet_were_down_is_unprepared(self):
        self.create(claim(**of_profile("quarter")), pod("p", {"gpu": {"resourceClaimName": "gpu"}}, SHOW + "sleep 1000"))
        self.shown("p")
        World.cluster.end("gpu-driver", signal.SIGKILL)
        World.cluster.end("kubelet", signal.SIGKILL)
        self.assertTrue(self.files())
        self.delete("Pod", "p", gracePeriodSeconds=0)
        self.wait_for("p", "gone")
        self.delete("ResourceClaim", "gpu")
        self.wait_for_claims(0)
        on_node("rm /var/lib/kubelet/dra_manager_state")
        World.cluster.start("kubelet")
        start_gpu_driver()
        soon("nothing is left", lambda: not self.files())


del Scene
