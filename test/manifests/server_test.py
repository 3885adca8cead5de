"""The rendered manifests on a real API server, and the manager as they define it: its account, its
command line."""
import json
import subprocess
import unittest

import cluster
import render
from ports import free_port
from tools import CONTROLPLANE, SCRATCH, prometheus_operator_crds, run
from render_test import ALL_CONTROLLERS_BUT_OURS, COMPONENTS

PROMETHEUS_KINDS = ["servicemonitors", "podmonitors", "prometheusrules"]


def establish_crds():
    for kind in PROMETHEUS_KINDS:
        path = prometheus_operator_crds() / f"monitoring.coreos.com_{kind}.yaml"
        cluster.ctl("apply", "--server-side", "-f", path)
    cluster.ctl("wait", "--for=condition=Established", "--timeout=60s", "crd",
                *[f"{kind}.monitoring.coreos.com" for kind in PROMETHEUS_KINDS])
    cluster.soon("the kinds of the Prometheus Operator are served", lambda: all(
        cluster.ctl("get", kind, "-A", check=False).returncode == 0 for kind in PROMETHEUS_KINDS))


def claimant(name):
    """A template, and a pod that needs a claim from it."""
    spec = {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}]}}
    metadata = {"name": name, "namespace": "default"}
    return [{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": metadata,
             "spec": {"spec": spec}},
            {"apiVersion": "v1", "kind": "Pod", "metadata": metadata,
             "spec": {"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": name}],
                      "containers": [{"name": "main", "image": "example.com/trainer",
                                      "resources": {"claims": [{"name": "gpu"}]}}]}}]


class Accepted(unittest.TestCase):
    """With strict validation; kinds of the Prometheus Operator are validated by its CRDs."""

    def test_the_base_is_created_and_a_second_time_nothing_changes(self):
        objects = render.kustomize("base")
        cluster.apply(objects)
        versions = [cluster.get(o["kind"], o["metadata"]["name"], "-n", "kube-system")["metadata"]["generation"]
                    for o in objects if o["kind"] == "Deployment"]
        cluster.apply(objects)
        self.assertEqual(cluster.get("deployment", "dra-controller-manager", "-n", "kube-system")
                         ["metadata"]["generation"], versions[0])

    def test_every_overlay(self):
        for folder in sorted((render.MANIFESTS / "overlays").iterdir()):
            with self.subTest(folder.name):
                objects = render.kustomize(f"overlays/{folder.name}")
                for namespace in [o for o in objects if o["kind"] == "Namespace"]:
                    cluster.apply([namespace])
                cluster.apply(objects, "--dry-run=server")

    def test_observer_only(self):
        cluster.apply(render.kustomize("shadow"), "--dry-run=server")

    def test_every_component(self):
        establish_crds()
        for name in COMPONENTS:
            with self.subTest(name):
                cluster.apply(render.composed(components=[name]), "--dry-run=server")

    def test_an_unknown_field_would_be_refused(self):
        objects = render.kustomize("base")
        render.pod_spec(objects)["replica"] = 2
        with self.assertRaisesRegex(AssertionError, 'field not declared in schema|unknown field'):
            cluster.apply(objects, "--dry-run=server")


class PodSecurity(unittest.TestCase):
    """The restricted standard, as enforced on pods by the API server."""

    def setUp(self):
        self.objects = render.kustomize("overlays/own-namespace")
        cluster.apply([o for o in self.objects if o["kind"] in ("Namespace", "ServiceAccount")])
        self.pod = {"apiVersion": "v1", "kind": "Pod",
                    "metadata": {"name": "as-rendered", "namespace": "dra-controller-manager"},
                    "spec": render.pod_spec(self.objects)}

    def test_admits_the_pod(self):
        cluster.apply([self.pod], "--dry-run=server")

    def test_refuses_it_with_fewer_permissions(self):
        del self.pod["spec"]["securityContext"]["seccompProfile"]
        with self.assertRaisesRegex(AssertionError, 'violates PodSecurity "restricted'):
            cluster.apply([self.pod], "--dry-run=server")


class OnTheServer(unittest.TestCase):
    """The manager with the rendered command line, and only the token of the rendered account."""

    def start(self, objects, namespace):
        cluster.apply(objects)
        config = cluster.config_of("dra-controller-manager", namespace)
        cluster.soon("the permissions are in force", lambda: cluster.ctl(
            "auth", "can-i", "list", "resourceclaims.resource.k8s.io", "-A", check=False,
            config=config).returncode == 0)
        manager = cluster.Manager(render.container(objects), config, free_port())
        self.addCleanup(manager.stop)
        manager.wait_until_ready()
        return manager


class Running(OnTheServer):
    def serve(self, name):
        """A pod gets its claim, is evicted from its device, and leaves nothing."""
        objects = claimant(name)
        self.addCleanup(cluster.remove, objects)
        cluster.apply(objects)
        claim = cluster.soon("the pod has its claim's name", lambda: cluster.ctl(
            "get", "pod", name, "-o", "jsonpath={.status.resourceClaimStatuses[0].resourceClaimName}"))
        owner = cluster.get("resourceclaim", claim)["metadata"]["ownerReferences"][0]
        self.assertEqual(owner["name"], name)
        cluster.ctl("patch", "pod", name, "--subresource=status", "--type=merge", "-p",
                    json.dumps({"status": {"phase": "Succeeded"}}))
        cluster.soon("the claim of the finished pod is gone", lambda: cluster.ctl(
            "get", "resourceclaim", claim, check=False).returncode != 0)

    def check(self, namespace, objects, name):
        manager = self.start(objects, namespace)
        self.serve(name)
        lease = cluster.get("lease", "dra-controller-manager", "-n", namespace)
        self.assertTrue(lease["spec"]["holderIdentity"])
        for probe in ("livenessProbe", "readinessProbe"):
            self.assertEqual(manager.ask(render.container(objects)[probe]["httpGet"]["path"]), (200, "ok"))
        self.assertNotRegex(manager.log().lower(), r"forbidden|status\W+403\b|\(403\)")
        return manager

    def test_serves_in_kube_system_and_gives_the_lease_back(self):
        manager = self.check("kube-system", render.kustomize("base"), "in-kube-system")
        self.assertEqual(manager.stop(), 0, manager.log())
        lease = cluster.get("lease", "dra-controller-manager", "-n", "kube-system")
        self.assertFalse(lease["spec"].get("holderIdentity"))
        for line in manager.log().splitlines():
            json.loads(line)

    def test_serves_in_a_namespace_of_its_own(self):
        objects = render.kustomize("overlays/own-namespace")
        self.addCleanup(cluster.remove, [o for o in objects if o["kind"] in
                                         ("FlowSchema", "ClusterRoleBinding")])
        self.check("dra-controller-manager", objects, "in-its-own")

    def test_shows_its_metrics_only_to_the_scraper(self):
        objects = render.composed(components=["pod-monitor"])
        manager = self.start([o for o in objects if o["kind"] != "PodMonitor"], "kube-system")
        cluster.soon("the scraper may read", lambda: manager.ask(
            "/metrics", cluster.token("dra-controller-manager-scraper"))[0] == 200)
        self.assertEqual(manager.ask("/metrics")[0], 401)
        self.assertEqual(manager.ask("/metrics", cluster.token("dra-controller-manager"))[0], 403)


class Permissions(unittest.TestCase):
    def may(self, *question):
        return cluster.ctl("auth", "can-i", *question, "--as",
                           "system:serviceaccount:kube-system:dra-controller-manager",
                           check=False).returncode == 0

    def may_watch_groups(self):
        """By a review: kubectl only asks about served resources."""
        review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
                  "spec": {"user": "system:serviceaccount:kube-system:dra-controller-manager",
                           "resourceAttributes": {"verb": "watch", "group": "scheduling.k8s.io",
                                                  "resource": "podgroups"}}}
        return json.loads(cluster.ctl("create", "--raw", "/apis/authorization.k8s.io/v1/subjectaccessreviews",
                                      "-f", "-", stdin=json.dumps(review)))["status"]["allowed"]

    def expect_with_component(self, component, may):
        objects = render.composed(components=[component])
        added = [o for o in objects if o["metadata"]["name"].endswith(f"-{component}")]
        cluster.remove(added)
        cluster.soon("without the component it may not", lambda: not may())
        cluster.apply(objects)
        self.addCleanup(cluster.remove, added)
        self.addCleanup(cluster.apply, [o for o in render.kustomize("base") if o["kind"] == "ClusterRole"])
        cluster.soon("with it, it may", may)

    def test_component_grants_evicting(self):
        self.expect_with_component(
            "eviction-api", lambda: self.may("create", "pods", "--subresource=eviction", "-A"))

    def test_component_grants_reading_pod_groups(self):
        self.expect_with_component("pod-groups", self.may_watch_groups)

    def test_of_the_api_servers_priority_follow_the_namespace(self):
        objects = render.kustomize("overlays/own-namespace")
        schemas = [o for o in objects if o["kind"] == "FlowSchema"]
        cluster.apply(objects)
        self.addCleanup(cluster.remove, schemas + [o for o in objects if o["kind"] == "ClusterRoleBinding"])
        config = cluster.config_of("dra-controller-manager", "dra-controller-manager")
        uids = {o["metadata"]["name"]: cluster.get("flowschema", o["metadata"]["name"])["metadata"]["uid"]
                for o in schemas}

        def schema_of(path):
            said = cluster.ctl("get", "--raw", path, "-v=8", check=False, config=config).stderr
            return next((name for name, uid in uids.items() if uid in said), None)
        lease = "/apis/coordination.k8s.io/v1/namespaces/dra-controller-manager/leases/x"
        cluster.soon("leases go first", lambda: schema_of(lease) == "dra-controller-manager-lease")
        cluster.soon("the rest has its own", lambda: schema_of("/api/v1/pods?limit=1") ==
                     "dra-controller-manager")


class Reference(unittest.TestCase):
    def test_starts_neither_controller_with_flag_of_kubeadm_and_kind(self):
        found = run(CONTROLPLANE, "path", "kube-controller-manager", check=False)
        if found.returncode != 0:
            self.skipTest("no kube-controller-manager here")
        log = SCRATCH / "kube-controller-manager.log"
        config = cluster.kubeconfig()
        with open(log, "wb") as file:
            process = subprocess.Popen(
                [found.stdout.strip(), f"--kubeconfig={config}", f"--authentication-kubeconfig={config}",
                 f"--authorization-kubeconfig={config}", "--leader-elect=false", "--secure-port=0", "-v=1",
                 f"--controllers={ALL_CONTROLLERS_BUT_OURS}"], stdout=file, stderr=file)
        self.addCleanup(lambda: (process.kill(), process.wait()))
        cluster.soon("it has started its controllers", lambda: process.poll() is not None or
                     'starting..." controller="garbage-collector-controller"' in log.read_text())
        self.assertIsNone(process.poll(), log.read_text()[-2000:])
        for name in ("resourceclaim-controller", "device-taint-eviction-controller"):
            self.assertRegex(log.read_text(), f'disabled" controller="{name}"')
            self.assertNotIn(f'starting..." controller="{name}"', log.read_text())


if __name__ == "__main__":
    unittest.main()
