"""The playground with Kubernetes' own kube-scheduler and kube-controller-manager: workloads with claims run and end."""
import json
import subprocess
import tempfile
import unittest
import urllib.request

from playground import BIN, RESOURCE, ROOT, Playground

CONTROLPLANE = ROOT / "test/controlplane/controlplane"
PODS = "/api/v1/namespaces/default/pods"
APPS = "/apis/apps/v1/namespaces/default"
JOBS = "/apis/batch/v1/namespaces/default/jobs"
RUN_FOR = "playground.dra-controller-manager.dev/run-for"


def has_programs():
    found = subprocess.run([CONTROLPLANE, "path", "kube-controller-manager"], capture_output=True, text=True)
    return found.returncode == 0


def template(app, annotations=None, **spec):
    return {"metadata": {"labels": {"app": app}, "annotations": annotations or {}},
            "spec": {"containers": [{"name": "c", "image": "i"}],
                     "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "gpu"}], **spec}}


def long_lived(name, **more):
    return {"metadata": {"name": name}, "spec": {"selector": {"matchLabels": {"app": name}}, **more}}


def warnings_of(cluster, path, body):
    """The warnings in the answer to a create, but for those that end when the manager has connected."""
    request = urllib.request.Request(cluster.api + path, method="POST", data=json.dumps(body).encode(),
                                     headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return [text for text in answer.headers.get_all("Warning") or [] if "claim templates" not in text]


def running(cluster, app):
    pods = cluster.request("GET", f"{PODS}?labelSelector=app%3D{app}")["items"]
    return sum(pod["status"]["phase"] == "Running" for pod in pods)


class Workloads(unittest.TestCase):
    def start(self, *flags):
        cluster = Playground("--nodes", "2", "--drivers", "gpu.example.com", *flags)
        self.addCleanup(cluster.stop)
        exactly = {"deviceClassName": "gpu.example.com"}
        cluster.request("POST", f"{RESOURCE}/namespaces/default/resourceclaimtemplates", {
            "metadata": {"name": "gpu"},
            "spec": {"spec": {"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}}}})
        return cluster

    @unittest.skipUnless(has_programs(), "there is no kube-controller-manager")
    def test_of_all_kinds_run_with_claims_beside_the_real_controllers(self):
        cluster = self.start("--real")
        cluster.request("POST", f"{APPS}/deployments", long_lived("web", replicas=2, template=template("web")))
        cluster.request("POST", f"{APPS}/daemonsets", long_lived("agent", template=template("agent")))
        cluster.request("POST", f"{APPS}/statefulsets",
                        long_lived("store", replicas=2, serviceName="s", template=template("store")))
        job = template("job", {RUN_FOR: "1s"}, restartPolicy="Never")
        said = warnings_of(cluster, JOBS, {"metadata": {"name": "job"},
                                           "spec": {"completions": 3, "parallelism": 2, "template": job}})
        self.assertEqual(said, [])
        for app in ("web", "agent", "store"):
            cluster.soon(f"two pods of {app} run", lambda app=app: running(cluster, app) == 2)
        cluster.soon("the job is complete", lambda: cluster.request("GET", f"{JOBS}/job")["status"].get(
            "succeeded") == 3)
        cluster.soon("the claims of the job go with its pods",
                     lambda: len(cluster.names(f"{RESOURCE}/namespaces/default/resourceclaims")) == 6)
        cluster.request("DELETE", f"{APPS}/deployments/web", {"propagationPolicy": "Background"})
        cluster.soon("the pods of the deployment go", lambda: not cluster.request(
            "GET", f"{PODS}?labelSelector=app%3Dweb")["items"])

    def test_creates_no_pods_without_them_and_warns(self):
        cluster = self.start()
        said = warnings_of(cluster, f"{APPS}/deployments",
                           long_lived("web", replicas=1, template=template("web")))
        self.assertEqual(len(said), 1)
        self.assertIn("no pods will be made from this Deployment", said[0])

    def test_a_program_that_cannot_run_ends_the_playground_with_its_name(self):
        for path in ("/no/such/program", "/etc", "/etc/hostname", "/bin/false"):
            with self.subTest(path):
                folder = self.enterContext(tempfile.TemporaryDirectory())
                done = subprocess.run([BIN / "dra-playground", "--kube-controller-manager", path, "--kubeconfig-out",
                                       f"{folder}/kubeconfig"], capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"dra-playground: {path}: ", done.stderr)
