"""dra-hollow-node and dra-playground --real-drivers with the example driver of Kubernetes, unmodified."""
import json
import os
import pathlib
import re
import signal
import subprocess
import unittest
import urllib.request

from world import BIN, END_TO_END_DRIVER, RESOURCE, ROOT, World, end_to_end_examples, examples, soon

# Examples that need only a GPU: folder, and pods in it.
EXAMPLES = ("basic-resourceclaimtemplate", "basic-multiple-requests", "basic-shared-claim-across-containers",
            "basic-shared-claim-across-pods", "initcontainer-shared-gpu")


class HollowNode(unittest.TestCase):
    def setUp(self):
        self.world = self.enterContext(World("--drivers", "pretended.example.com"))
        self.world.request("POST", f"{RESOURCE}/deviceclasses", {
            "apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu.example.com"},
            "spec": {"selectors": [{"cel": {"expression": "device.driver == 'gpu.example.com'"}}]}})

    def apply(self, *names):
        return [pod for name in names for pod in self.world.apply(examples() / name / f"{name}.yaml")]

    def start(self, *flags):
        node, driver = self.world.start_node("worker", *flags), self.world.start_driver()
        soon("the driver publishes its devices", lambda: self.world.devices() == 9)
        return node, driver

    def finish(self, pod):
        self.world.request("PATCH", f"/api/v1/namespaces/{pod[0]}/pods/{pod[1]}", {
            "metadata": {"annotations": {"playground.dra-controller-manager.dev/finish": "Succeeded"}}},
            "application/merge-patch+json")

    def test_pods_run_with_prepared_devices(self):  # [35] [36] [38] [54] [55]
        self.start()
        pods = self.apply(*EXAMPLES)
        self.world.wait_for_phase(pods, "Running")
        for pod in pods:
            self.assertTrue(self.world.shown(pod), pod)
            # As a container runtime would find them.
            self.assertLessEqual(set(self.world.shown(pod)), self.world.cdi(), pod)
        shared = [pod for pod in pods if pod[0] == "basic-shared-claim-across-pods"]
        self.assertEqual(self.world.shown(shared[0]), self.world.shown(shared[1]))
        containers = next(pod for pod in pods if pod[0] == "basic-shared-claim-across-containers")
        self.assertEqual(self.world.shown(containers, "ctr0"), self.world.shown(containers, "ctr1"))
        self.assertTrue(self.world.shown(("initcontainer-shared-gpu", "pod0"), "init0"))
        before = self.world.cdi()
        taken = [device for device in self.world.shown(pods[0]) if not device.endswith("=common")]
        self.finish(pods[0])
        # The final phase follows the driver's unprepare.
        soon("the pod has finished", lambda: self.world.phase(pods[0]) == "Succeeded")
        self.assertLess(self.world.cdi(), before)
        said = self.world.pod_resources()
        for word in (*pods[1], *self.world.shown(pods[1]), "gpu.example.com", "worker"):
            self.assertIn(word.encode(), said)
        self.assertNotIn(taken[0].encode(), said)
        for pod in pods:
            self.world.delete(pod)
        self.world.wait_for_phase(pods, "gone")
        self.assertEqual(self.world.entries(), [])
        self.assertEqual({device for device in self.world.cdi() if not device.endswith("=common")}, set())

    def test_killed_driver_keeps_its_pods_until_it_is_back(self):  # [23] [58]
        _, driver = self.start()
        pods = self.apply("basic-resourceclaimtemplate")
        self.world.wait_for_phase(pods, "Running")
        self.world.end(driver, subprocess.Popen.kill)
        self.world.delete(pods[0])
        said = soon("an event", lambda: self.world.events("FailedUnprepareDynamicResources"))
        self.assertIn("NodeUnprepareResources: rpc error: code = Unavailable", said[0])
        soon("its slices go", lambda: self.world.devices() == 0)
        self.assertEqual(self.world.phase(pods[0]), "Running")
        self.world.start_driver()
        self.world.wait_for_phase(pods[:1], "gone")
        soon("its slices are back", lambda: self.world.devices() == 9)

    def test_pod_waits_for_missing_driver(self):  # [41]
        node, driver = self.start("--prepare-retry=backoff")
        self.world.end(driver)
        pods = self.apply("basic-resourceclaimtemplate")
        # The first attempt may be a call to the driver's old connection: its event says something else.
        expected = ("Failed to prepare dynamic resources: prepare dynamic resources: "
                    "DRA driver gpu.example.com is not registered")
        soon("an event", lambda: expected in self.world.events("FailedPrepareDynamicResources"))
        self.world.start_driver()
        self.world.wait_for_phase(pods, "Running")
        self.assertIsNone(node.poll())

    def test_continues_after_kill_and_unprepares_orphaned_claims(self):  # [2] [3] [61] [77]
        node, _ = self.start()
        pods = self.apply("basic-resourceclaimtemplate", "basic-multiple-requests")
        self.world.wait_for_phase(pods, "Running")
        self.world.end(node, subprocess.Popen.kill)
        asked = self.world.prepared()
        self.world.delete(pods[0], grace=0)
        self.assertEqual(len(self.world.entries()), 3)
        self.world.start_node("worker", "--wipe=late", "--metrics-bind-address=127.0.0.1:0")
        soon("the orphan is unprepared", lambda: len(self.world.entries()) == 2)
        self.assertEqual(self.world.devices(), 9)
        self.assertEqual(self.world.prepared(), asked)
        metrics = re.findall(r"^metrics: (\S+)$", self.world.log("node"), re.M)[-1]
        with urllib.request.urlopen(metrics, timeout=60) as answer:
            self.assertIn('dra_resource_claims_in_use{driver_name="gpu.example.com"} 2\n', answer.read().decode())
        for pod in pods[1:]:
            self.assertEqual(self.world.phase(pod), "Running")
            self.world.delete(pod)
        self.world.wait_for_phase(pods, "gone")
        soon("nothing is left", lambda: self.world.entries() == [])

    def test_a_reboot_prepares_the_claims_again_and_restarts_the_containers(self):  # row 18 of the crash table
        node, _ = self.start()
        pods = self.apply("basic-resourceclaimtemplate")
        self.world.wait_for_phase(pods, "Running")
        self.world.end(node, subprocess.Popen.kill)
        asked = self.world.prepared()
        self.world.start_node("worker", "--wipe=late", "--booted")

        def restarts():
            return [self.world.pod(pod)["status"]["containerStatuses"][0]["restartCount"] for pod in pods]
        soon("the containers are restarted", lambda: restarts() == [1] * len(pods))
        self.assertEqual(self.world.prepared(), asked + len(pods))
        self.assertEqual([self.world.phase(pod) for pod in pods], ["Running"] * len(pods))
        for pod in pods:
            self.world.delete(pod)
        self.world.wait_for_phase(pods, "gone")

    def test_sets_aside_anything_at_checkpoint_path_on_request(self):
        for make in (pathlib.Path.mkdir, os.mkfifo, lambda path: path.write_bytes(b"")):
            state = self.world.root / "dra_manager_state"
            node = self.world.start_node()
            self.world.end(node)
            state.unlink()
            make(state)
            (self.world.root / ".dra_manager_state-0").mkdir(exist_ok=True)
            node = self.world.start_node("worker", "--on-corrupt-state=rebuild")
            soon("there is a new one", lambda: state.is_file() and state.stat().st_size > 0)
            self.world.end(node)
        self.assertEqual(len(list(self.world.root.glob("dra_manager_state.corrupt-*"))), 3)

    def test_a_driver_rolls_over_and_its_slices_stay(self):  # [30]
        _, old = self.start()
        self.world.end(old)
        first = self.world.start_driver("worker", "first", "--pod-uid", "uid-1")
        soon("the first is registered", lambda: "uid-1" in self.world.log("node"))
        self.world.start_driver("worker", "second", "--pod-uid", "uid-2")
        soon("the second is registered", lambda: "uid-2" in self.world.log("node"))
        soon("devices", lambda: self.world.devices() == 9)
        self.world.end(first)
        pods = self.apply("basic-resourceclaimtemplate")
        self.world.wait_for_phase(pods, "Running")
        self.assertEqual(self.world.prepared("first"), 0)
        self.assertEqual(self.world.prepared("second"), 2)

    def test_reports_unusable_input_in_one_line(self):  # [65]
        node, _ = self.start()

        def say(*arguments):
            done = subprocess.run([BIN / "dra-hollow-node", "--root-dir", self.world.root, "--kubeconfig",
                                   self.world.kubeconfig, *arguments], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            return done.returncode, done.stderr
        status, text = say()
        self.assertEqual(status, 1)
        self.assertIn("another dra-hollow-node or dra-playground uses this folder", text)
        self.world.end(node)
        status, text = say("forget", "lab/claim")
        self.assertEqual((status, "no entry of ResourceClaim lab/claim" in text), (1, True))
        self.assertEqual(say("forget", "claim")[0], 2)
        self.assertEqual(say("--wipe=never")[0], 2)
        self.assertEqual(say("--root-dir="), (2, "dra-hollow-node: --root-dir: must not be empty\n"))
        (self.world.root / "dra_manager_state").write_text("{}")
        status, text = say("--node-name=worker")
        self.assertEqual(status, 1)
        self.assertIn("dra_manager_state", text)

    def test_a_broken_checkpoint_is_kept_and_recreated_on_request(self):  # [65]
        node, _ = self.start()
        pods = self.apply("basic-resourceclaimtemplate", "basic-shared-claim-across-pods")
        self.world.wait_for_phase(pods, "Running")
        entries = sorted(self.world.entries())
        self.world.end(node)
        (self.world.root / "dra_manager_state").write_text("half")
        self.world.start_node("worker", "--on-corrupt-state=rebuild", "--wipe=late")
        kept = soon("it is kept", lambda: list(self.world.root.glob("dra_manager_state.corrupt-*")))
        self.assertEqual([file.read_text() for file in kept], ["half"])
        soon("there is a new one", (self.world.root / "dra_manager_state").exists)
        soon("the entries are back", lambda: sorted(self.world.entries()) == entries)
        for pod in pods:
            self.world.delete(pod)
        self.world.wait_for_phase(pods, "gone")
        self.assertEqual({device for device in self.world.cdi() if not device.endswith("=common")}, set())

    def test_recovers_claims_of_reserved_pods_without_checkpoint_on_request(self):
        node, _ = self.start()
        pods = self.apply("basic-resourceclaimtemplate")
        self.world.wait_for_phase(pods, "Running")
        self.world.end(node)
        (self.world.root / "dra_manager_state").unlink()
        self.world.start_node("worker", "--unprepare-unknown=true", "--wipe=late")
        for pod in pods:
            self.world.delete(pod)
        self.world.wait_for_phase(pods, "gone")
        self.assertEqual({device for device in self.world.cdi() if not device.endswith("=common")}, set())

    def test_pod_waits_for_device_without_cdi_spec_on_request(self):
        self.start("--prepare-retry=backoff", "--cdi-dir", self.world.folder / "elsewhere")
        pods = self.apply("basic-resourceclaimtemplate")
        said = soon("an event", lambda: self.world.events("FailedPrepareDynamicResources"))
        self.assertRegex(said[0], "container ctr0: no CDI spec in .*/elsewhere describes the device")
        (self.world.folder / "elsewhere").symlink_to(self.world.folder / "cdi")
        self.world.wait_for_phase(pods, "Running")

    def test_an_entry_is_forgotten_on_request(self):
        node, driver = self.start()
        pods = self.apply("basic-resourceclaimtemplate")
        self.world.wait_for_phase(pods, "Running")
        self.world.end(driver)
        self.world.end(node)
        claim = self.world.pod(pods[0])["status"]["resourceClaimStatuses"][0]["resourceClaimName"]
        subprocess.run([BIN / "dra-hollow-node", "forget", f"{pods[0][0]}/{claim}", "--root-dir", self.world.root],
                       check=True)
        self.world.start_node()
        self.world.delete(pods[0])
        self.world.wait_for_phase(pods[:1], "gone")

    def test_the_health_of_devices_is_in_the_status_of_their_pods(self):  # [69] [72]
        driver = "health.example.com"
        self.world.start_node("worker", "--prepare-retry=backoff", "--v=2")
        soon("the first wipe", lambda: "spec.nodeName=worker" in self.world.log("node"))
        process = self.world.start(
            "health", BIN / "kit_driver", "--name", driver, "--registry", self.world.root / "plugins_registry",
            "--data", self.world.root / "plugins" / driver, "--kubeconfig", self.world.kubeconfig,
            "--node", "worker", "--devices", "1", stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stdin.close)
        while not process.stdout.readline().startswith("status true"):
            self.assertIsNone(process.poll(), self.world.log("health"))
        self.world.request("POST", f"{RESOURCE}/deviceclasses", {
            "metadata": {"name": driver},
            "spec": {"selectors": [{"cel": {"expression": f"device.driver == '{driver}'"}}]}})
        claims = f"{RESOURCE}/namespaces/default/resourceclaims"
        self.world.request("POST", claims, {"metadata": {"name": "c"}, "spec": {"devices": {"requests": [
            {"name": "gpu", "exactly": {"deviceClassName": driver}}]}}})
        self.world.request("POST", "/api/v1/namespaces/default/pods", {"metadata": {"name": "p"}, "spec": {
            "resourceClaims": [{"name": "gpu", "resourceClaimName": "c"}],
            "containers": [{"name": "main", "image": "none", "resources": {"claims": [{"name": "gpu"}]}}]}})
        self.world.wait_for_phase([("default", "p")], "Running")

        def row():
            return self.world.pod(("default", "p"))["status"]["containerStatuses"][0]["allocatedResourcesStatus"]

        def says(health):
            return [{"name": "claim:gpu", "resources": [{"resourceID": f"{driver}/gpu=dev-0", **health}]}]
        self.assertEqual(row(), says({"health": "Unknown"}))
        process.stdin.write(json.dumps({"health": [
            {"pool": "worker", "device": "dev-0", "health": "Unhealthy", "message": "ECC"}]}) + "\n")
        process.stdin.flush()
        soon("the status says so", lambda: row() == says({"health": "Unhealthy", "message": "ECC"}))
        self.world.end(process, subprocess.Popen.kill)
        soon("nobody knows any more", lambda: row() == says({"health": "Unknown"}))

    def test_metrics_are_named_as_kubelets(self):
        node, _ = self.start("--metrics-bind-address=127.0.0.1:0")
        self.world.wait_for_phase(self.apply("basic-resourceclaimtemplate"), "Running")
        address = soon("the address is said", lambda: [
            line.split()[-1] for line in self.world.log("node").splitlines() if line.startswith("metrics:")])[0]
        with urllib.request.urlopen(address, timeout=60) as answer:
            text = answer.read().decode()
        for line in ('dra_resource_claims_in_use{driver_name="<any>"} 2',
                     'dra_resource_claims_in_use{driver_name="gpu.example.com"} 2',
                     'dra_hollow_node_driver_connected{driver_name="gpu.example.com"} 1',
                     'dra_operations_duration_seconds_count{is_error="false",operation_name="PrepareResources"} 2',
                     'dra_hollow_node_slice_wipes_total{driver_name="",result="success"} 1'):
            self.assertIn(line, text)
        self.assertIn('method_name="/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodePrepareResources"', text)
        self.assertNotIn("dra_playground_", text)
        self.assertIsNone(node.poll())


class EndToEndDriver(unittest.TestCase):
    """The driver of Kubernetes' own end-to-end tests, unmodified, with its own examples."""

    def test_serves_its_examples(self):
        with World("--drivers", "pretended.example.com") as world:
            world.start_node("worker", "--prepare-retry=backoff", "--cdi-dir", world.folder / "cdi")
            (world.root / "plugins/test-driver.cdi.k8s.io").mkdir()  # as its DaemonSet has it made
            driver = world.start(
                "driver", END_TO_END_DRIVER, "--kubeconfig", world.kubeconfig, "kubelet-plugin", "--node-name",
                "worker", "--cdi-dir", world.folder / "cdi", "--datadir", world.root / "plugins",
                "--plugin-registration-path", world.root / "plugins_registry")
            soon(lambda: world.log("driver"), lambda: world.devices("test-driver.cdi.k8s.io") == 4)
            world.apply(end_to_end_examples() / "deviceclass.yaml")
            pods = [pod for name in ("inline", "external", "shared")
                    for pod in world.apply(end_to_end_examples() / f"pod-{name}.yaml")]
            world.wait_for_phase(pods, "Running")
            for pod in pods:
                self.assertEqual(len(world.shown(pod, "with-resource")), 1, pod)
                self.assertEqual(world.shown(pod, "without-resource"), [], pod)
            # The parameters of the claim have reached the driver.
            specs = [file.read_text() for file in (world.folder / "cdi").iterdir()]
            self.assertTrue(all("user_a=b" in spec for spec in specs), specs)
            for pod in pods:
                world.delete(pod)
            world.wait_for_phase(pods, "gone")
            self.assertEqual(world.entries(), [])
            self.assertEqual(world.cdi(), set())
            self.assertIsNone(driver.poll())


class RealDrivers(unittest.TestCase):
    """dra-playground --real-drivers."""

    def test_node_0_is_the_drivers(self):
        world = World("--devices", "2", "--drivers", "gpu.example.com", "--real-drivers")
        world.playground_flags += (str(world.root),)
        with world:
            self.assertEqual(world.devices(node="node-0"), 0)
            world.start_driver("node-0")
            soon("the driver publishes its devices", lambda: world.devices(node="node-0") == 9)
            pods = world.apply(examples() / "basic-multiple-requests/basic-multiple-requests.yaml")
            world.wait_for_phase(pods, "Running")
            self.assertLessEqual(set(world.shown(pods[0])), world.cdi())
            self.assertEqual(len(world.shown(pods[0])), 3)  # two GPUs, and what they have in common


class Demo(unittest.TestCase):
    def test_shows_the_stated_content(self):
        done = subprocess.run([ROOT / "test/node/demo.py", "--bin", BIN], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("left: 0 entries in the checkpoint, 0 devices described for a runtime", done.stdout)
        self.assertRegex(done.stdout, r"basic-shared-claim-across-pods/pod0 +ctr0 +common \S+-gpu-")

    def test_ends_quietly_when_interrupted(self):
        def heed_interrupts():  # a shell's background job inherits that it ignores this
            signal.signal(signal.SIGINT, signal.default_int_handler)
        with subprocess.Popen([ROOT / "test/node/demo.py", "--bin", BIN], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, preexec_fn=heed_interrupts) as demo:
            self.assertIn("\n", demo.stdout.readline())
            demo.send_signal(signal.SIGINT)
            out, errors = demo.communicate(timeout=60)
        self.assertEqual((demo.returncode, errors), (130, ""))
        self.assertTrue(out.endswith("stopped\n"), out)
