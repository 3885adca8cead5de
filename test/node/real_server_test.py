"""dra-hollow-node and the example driver on a real API server, each with only its own account's
permissions."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from world import BIN, DRIVER, EXAMPLE_DRIVER, ROOT, soon

sys.path.append(str(ROOT / "test/manifests"))
import cluster  # noqa: E402
import render  # noqa: E402

NODE, NAMESPACE, ACCOUNT = "worker", "dra-driver", "dra-driver"
RBAC = "rbac.authorization.k8s.io"


def account(name, role):
    """A service account in the driver's namespace, and its cluster role."""
    return [{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": NAMESPACE}},
            {"apiVersion": f"{RBAC}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": f"test-{name}"},
             "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": role},
             "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": NAMESPACE}]}]


# As in a kubeadm cluster: a node has its own certificate, sees what its pods need, and can only
# change itself.
AS_KUBEADM = ("--authorization-mode=Node", "--enable-admission-plugins=NodeRestriction")

# The driver's permissions in the example driver's chart.
ACCOUNTS = [
    {"apiVersion": f"{RBAC}/v1", "kind": "ClusterRole", "metadata": {"name": "test-driver"}, "rules": [
        {"apiGroups": ["resource.k8s.io"], "resources": ["resourceclaims"], "verbs": ["get"]},
        {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get"]},
        {"apiGroups": ["resource.k8s.io"], "resources": ["resourceslices"],
         "verbs": ["get", "list", "watch", "create", "update", "patch", "delete"]}]},
    *account(ACCOUNT, "test-driver")]


def pod(name, namespace, **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace},
            "spec": {"nodeName": NODE, "containers": [{"name": "main", "image": "none"}], **spec}}


def allocated_claim(name, user_uid):
    """Writes the scheduler's part."""
    device = {"request": "gpu", "driver": DRIVER, "pool": NODE, "device": "gpu-0"}
    return {"metadata": {"name": name}, "status": {
        "allocation": {"devices": {"results": [device]}},
        "reservedFor": [{"resource": "pods", "name": "p", "uid": user_uid}]}}


class OnARealServer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cluster.use(None, *AS_KUBEADM)
        cls.addClassCleanup(cluster.stop)
        cluster.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}])
        policy = [thing for thing in render.composed(components=["driver-slices"])
                  if thing["kind"].startswith("ValidatingAdmissionPolicy")]
        cluster.apply([*ACCOUNTS, *policy, pod("driver", NAMESPACE, serviceAccountName=ACCOUNT)])

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="node-")))
        self.root = self.folder / "kubelet"

    def start(self, name, *command):
        log = self.enterContext(open(self.folder / f"{name}.log", "a"))
        job = subprocess.Popen([str(word) for word in command], stdout=log, stderr=log)
        self.addCleanup(job.wait, 60)
        self.addCleanup(job.terminate)
        return job

    def log(self, name):
        return (self.folder / f"{name}.log").read_text()

    def devices(self):
        slices = cluster.get("resourceslices", f"--field-selector=spec.nodeName={NODE}")["items"]
        return sum(len(each["spec"]["devices"]) for each in slices)

    def phase(self, name="p"):
        found = cluster.ctl("get", "pod", name, "--ignore-not-found", "-o", "jsonpath={.status.phase}")
        return found or "gone"

    def start_driver(self):
        token = cluster.config_of(ACCOUNT, NAMESPACE, "--bound-object-kind=Pod", "--bound-object-name=driver")
        return self.start("driver", EXAMPLE_DRIVER, "--kubeconfig", token, "--node-name", NODE,
                          "--cdi-root", self.folder / "cdi", "--num-devices", "9",
                          "--kubelet-registrar-directory-path", self.root / "plugins_registry",
                          "--kubelet-plugins-directory-path", self.root / "plugins")

    def test_a_pod_runs_with_a_device_and_the_slices_of_a_driver_that_is_lost_go(self):
        self.start("node", BIN / "dra-hollow-node", "--node-name", NODE, "--root-dir", self.root, "--kubeconfig",
                   cluster.config_of_node(NODE), "--prepare-retry=backoff",
                   "--cdi-dir", self.folder / "cdi")
        driver = self.start_driver()
        soon(lambda: self.log("driver") + self.log("node"), lambda: self.devices() == 9)
        self.assertIn("True", cluster.ctl("get", "node", NODE, "-o",
                                          "jsonpath={.status.conditions[?(@.type=='Ready')].status}"))
        cluster.apply([
            {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": DRIVER}, "spec": {}},
            {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
             "metadata": {"name": "c", "namespace": "default"}, "spec": {"devices": {"requests": [
                 {"name": "gpu", "exactly": {"deviceClassName": DRIVER}}]}}},
            pod("p", "default", resourceClaims=[{"name": "gpu", "resourceClaimName": "c"}], containers=[
                {"name": "main", "image": "none", "resources": {"claims": [{"name": "gpu"}]}}])])
        uid = cluster.get("pod", "p")["metadata"]["uid"]
        cluster.ctl("patch", "resourceclaim", "c", "--subresource=status", "--type=merge", "-p",
                    json.dumps(allocated_claim("c", uid)))
        soon(lambda: self.log("node"), lambda: self.phase() == "Running")
        shown = json.loads((self.root / "devices" / uid / "main.json").read_text())["cdiDevices"]
        self.assertTrue(any(device.endswith("gpu-0") for device in shown), shown)
        driver.kill()
        soon(lambda: self.log("node"), lambda: self.devices() == 0)
        cluster.ctl("delete", "pod", "p", "--wait=false")
        soon(lambda: self.log("node"), lambda: "FailedUnprepareDynamicResources" in cluster.ctl("get", "events"))
        self.start_driver()
        soon(lambda: self.log("node"), lambda: self.phase() == "gone")
        refused = [line for name in ("node", "driver") for line in self.log(name).splitlines()
                   if "forbidden" in line.lower()]
        self.assertTrue(all("not-ready taint" in line for line in refused), refused)


if __name__ == "__main__":
    unittest.main()
