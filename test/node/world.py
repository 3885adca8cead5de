"""An in-memory cluster, the manager, hollow nodes, and third-party drivers, as processes."""
import json
import pathlib
import re
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BIN = ROOT / "build/release/bin"
DRIVER = "gpu.example.com"
END_TO_END_DRIVER = ROOT / "build/node/test-driver"
EXAMPLE_DRIVER = ROOT / "build/node/dra-example-kubeletplugin"
RESOURCE = "/apis/resource.k8s.io/v1"
DEADLINE = 120
COLLECTIONS = {"Namespace": "/api/v1/namespaces", "Pod": "/api/v1/namespaces/{}/pods",
               "ResourceClaim": RESOURCE + "/namespaces/{}/resourceclaims",
               "DeviceClass": RESOURCE + "/deviceclasses",
               "ResourceClaimTemplate": RESOURCE + "/namespaces/{}/resourceclaimtemplates",
               "DeviceTaintRule": RESOURCE + "/devicetaintrules"}


def folder_of(module, user):
    """Where Go keeps the sources of a module that the module `user` of this folder uses."""
    found = subprocess.run(["go", "list", "-mod=readonly", "-m", "-f", "{{.Dir}}", module],
                           cwd=ROOT / "test/node" / user, capture_output=True, text=True, check=True)
    return pathlib.Path(found.stdout.strip())


def examples():
    """The folder of the example driver's own examples."""
    return folder_of("sigs.k8s.io/dra-example-driver", "example_driver") / "demo/examples"


def end_to_end_examples():
    """The examples of the driver in Kubernetes' end-to-end tests."""
    return folder_of("k8s.io/kubernetes", "peers") / "test/e2e/dra/test-driver/deploy/example"


def soon(what, is_so, deadline=DEADLINE):
    """Waits until `is_so()` is true, and returns it."""
    end = time.monotonic() + deadline
    while not (found := is_so()):
        assert time.monotonic() < end, f"never: {what() if callable(what) else what}"
        time.sleep(0.05)
    return found


class World:
    """`folder` is where everything is written. Use it as a context."""

    def __init__(self, *playground_flags):
        self.kept = tempfile.TemporaryDirectory(prefix="hollow-node-")
        # Short: a socket's path has at most 107 bytes.
        self.folder = pathlib.Path(self.kept.name)
        self.kubeconfig = self.folder / "kubeconfig"
        self.root = self.folder / "kubelet"
        self.jobs = []
        self.playground_flags = playground_flags

    def __enter__(self):
        playground = self.start("playground", BIN / "dra-playground", "--kubeconfig-out", self.kubeconfig,
                                "--nodes", "1", *self.playground_flags, stdout=subprocess.PIPE, text=True)
        said = ""
        while "export" not in said:
            line = playground.stdout.readline()
            assert line, self.log("playground")
            said += line
        self.api = re.search(r"^page: (\S+)/ui/$", said, re.M)[1]
        self.start("manager", BIN / "dra-controller-manager", "--kubeconfig", self.kubeconfig,
                   "--leader-elect=false", "--secure-port=0")
        return self

    def __exit__(self, *_):
        for job in reversed(self.jobs):
            self.end(job)
        if self.jobs[0].stdout:
            self.jobs[0].stdout.close()
        self.kept.cleanup()

    def start(self, name, *command, **more):
        with open(self.folder / f"{name}.log", "a") as log:
            self.jobs.append(subprocess.Popen([str(word) for word in command], stderr=log,
                                              **{"stdout": log, **more}))
        return self.jobs[-1]

    def end(self, job, how=subprocess.Popen.terminate):
        if job.poll() is None:
            how(job)
        return job.wait(DEADLINE)

    def log(self, name):
        return (self.folder / f"{name}.log").read_text()

    def start_node(self, name="worker", *flags):
        job = self.start("node", BIN / "dra-hollow-node", "--kubeconfig", self.kubeconfig, "--root-dir", self.root,
                         "--node-name", name, *flags)
        soon(lambda: self.log("node"), lambda: job.poll() is not None or self.get(f"/api/v1/nodes/{name}"))
        return job

    def start_driver(self, node="worker", log="driver", *flags):
        """The example driver; returns when its slice exists."""
        return self.start(log, EXAMPLE_DRIVER, "--kubeconfig", self.kubeconfig, "--node-name", node,
                          "--cdi-root", self.folder / "cdi", "--num-devices", "9",
                          "--kubelet-registrar-directory-path", self.root / "plugins_registry",
                          "--kubelet-plugins-directory-path", self.root / "plugins", *flags)

    def request(self, method, path, body=None, content_type="application/json"):
        request = urllib.request.Request(self.api + path, method=method, headers={"Content-Type": content_type},
                                         data=json.dumps(body).encode() if body is not None else None)
        with urllib.request.urlopen(request, timeout=DEADLINE) as answer:
            return json.load(answer)

    def get(self, path):
        """The object; None: there is none."""
        try:
            return self.request("GET", path)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == 404:
                return None
            raise

    def items(self, path):
        return self.request("GET", path)["items"]

    def apply(self, file):
        """Creates the objects of a file, and returns its pods as (namespace, name)."""
        pods = []
        for thing in yaml.safe_load_all(pathlib.Path(file).read_text()):
            if not thing:
                continue
            namespace = thing["metadata"].get("namespace", "default")
            self.request("POST", COLLECTIONS[thing["kind"]].format(namespace), thing)
            if thing["kind"] == "Pod":
                pods.append((namespace, thing["metadata"]["name"]))
        return pods

    def pod(self, pod):
        return self.get(f"/api/v1/namespaces/{pod[0]}/pods/{pod[1]}")

    def phase(self, pod):
        found = self.pod(pod)
        return found["status"].get("phase", "Pending") if found else "gone"

    def wait_for_phase(self, pods, phase):
        for pod in pods:
            soon(lambda: f"{pod} {phase}: {json.dumps(self.pod(pod))}\n{self.log('node')}",
                 lambda: self.phase(pod) == phase)

    def delete(self, pod, grace=None):
        options = {} if grace is None else {"gracePeriodSeconds": grace}
        self.request("DELETE", f"/api/v1/namespaces/{pod[0]}/pods/{pod[1]}", options)

    def devices(self, driver=DRIVER, node="worker"):
        return sum(len(each["spec"].get("devices", ())) for each in self.items(f"{RESOURCE}/resourceslices")
                   if each["spec"]["driver"] == driver and each["spec"].get("nodeName") == node)

    def shown(self, pod, container="ctr0"):
        """The devices that a container of the pod would get, as shown by the node."""
        file = self.root / "devices" / self.pod(pod)["metadata"]["uid"] / f"{container}.json"
        return json.loads(file.read_text())["cdiDevices"] if file.exists() else []

    def cdi(self):
        """The CDI devices that the driver has described for a container runtime."""
        return {f"{spec['kind']}={device['name']}"
                for spec in map(self.read_spec, (self.folder / "cdi").glob("*"))
                for device in spec.get("devices", ())}

    @staticmethod
    def read_spec(file):
        """Nothing if the file was removed meanwhile."""
        try:
            return yaml.safe_load(file.read_text()) or {"kind": ""}
        except FileNotFoundError:
            return {"kind": ""}

    def pod_resources(self):
        """The node's answer to monitoring agents, as bytes: PodResourcesLister.List over its socket."""
        return subprocess.run(
            ["curl", "-sS", "--fail", "--http2-prior-knowledge", "--unix-socket",
             self.root / "pod-resources/kubelet.sock", "-H", "content-type: application/grpc", "-H", "te: trailers",
             "--data-binary", "@-", "http://localhost/v1.PodResourcesLister/List"],
            input=bytes(5), capture_output=True, check=True, timeout=DEADLINE).stdout

    def entries(self):
        """The claims in the node's checkpoint, by name."""
        checkpoint = json.loads((self.root / "dra_manager_state").read_text())
        return [entry["ClaimName"] for entry in json.loads(checkpoint["Data"])["ClaimInfoStateList"] or []]

    def events(self, reason):
        return [event["message"] for event in self.items("/api/v1/events") if event["reason"] == reason]

    def prepared(self, log="driver"):
        """How often the driver was asked to prepare a claim."""
        return self.log(log).count('"Preparing claim"')
