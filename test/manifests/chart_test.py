"""The Helm chart and kustomize render the same, object by object; and the chart rejects invalid
values."""
import re
import unittest

import yaml

import cluster
import render
from server_test import establish_crds
from tools import ROOT, cert_manager_crds, helm, run

KUBEADM = ["--set", r"nodeSelector.node-role\.kubernetes\.io/control-plane=",
           "--set-json", 'tolerations=[{"key": "node-role.kubernetes.io/control-plane",'
                         ' "operator": "Exists", "effect": "NoSchedule"}]',
           "--set", "networkPolicy.enabled=true"]
# Like kustomize's monitors: the manager has signed its certificate itself.
UNVERIFIED = {kind: ["--set", f"{kind}.enabled=true,{kind}.tlsConfig.insecureSkipVerify=true"]
              for kind in ("podMonitor", "serviceMonitor")}
DRIVER = ["--set", "driverSlices.accounts={system:serviceaccount:dra-driver:dra-driver}"]


# The flags of `helm template`, and kustomize's equivalent: a folder, components, more.
SAME = {
    "by default it is the base": ([], "base", []),
    "the alerts": (["--set", "alerts.enabled=true"], "base", ["alerts"]),
    "drivers kept to their slices": (DRIVER, "base", ["driver-slices"]),
    "evictions by budget": (["--set", "evictionMode=evict"], "base", ["eviction-api"]),
    "explanations that read others": (["--set", "explain.readsOthers=true"], "base", ["explain"]),
    "the network policy": (["--set", "networkPolicy.enabled=true"], "base", ["network-policy"]),
    "pod groups": (["--set", "podGroups.enabled=true"], "base", ["pod-groups"]),
    "the status of pools": (["--set", "poolStatus.enabled=true"], "base", ["pool-status"]),
    "the pod monitor": (UNVERIFIED["podMonitor"], "base", ["pod-monitor"]),
    "the service monitor": (UNVERIFIED["serviceMonitor"], "base", ["service-monitor"]),
    "a certificate": (["--set", "servingCertificate.secretName=dra-controller-manager-serving"], "base",
                      ["serving-certificate"]),
    "several at once": (["--set", "alerts.enabled=true,evictionMode=evict", *UNVERIFIED["podMonitor"], *DRIVER],
                        "base", ["alerts", "driver-slices", "eviction-api", "pod-monitor"]),
    "kind": (["--set", "replicaCount=1,image.pullPolicy=Never"], "overlays/kind", []),
    "kubeadm": (KUBEADM, "overlays/kubeadm", []),
    "a namespace of its own": (["--namespace", "dra-controller-manager"], "overlays/own-namespace", []),
    "another image": (["--set", "image.repository=registry.example/dcm,image.tag=v1"], "base", [],
                      {"images": [{"name": "dra-controller-manager", "newTag": "v1",
                                   "newName": "registry.example/dcm"}]}),
}


# The usual labels about how something was installed, which kustomize does not know.
HELMS_LABELS = {"helm.sh/chart", *(f"app.kubernetes.io/{name}" for name in (
    "component", "instance", "managed-by", "part-of", "version"))}


def without_helms_labels(value):
    if isinstance(value, dict):
        return {key: without_helms_labels(inner) for key, inner in value.items() if key not in HELMS_LABELS}
    if isinstance(value, list):
        return [without_helms_labels(inner) for inner in value]
    return value


def kustomized(folder, components, more=None):
    """Without a namespace: Helm creates those itself (--create-namespace)."""
    return [o for o in render.composed(folder, components, **(more or {})) if o["kind"] != "Namespace"]


REFUSED = {
    "an unknown key": ["--set", "replicas=3"],
    "an unknown key further below": ["--set", "image.repo=x"],
    "a number of replicas that is none": ["--set", "replicaCount=two"],
    "an eviction mode that the manager has not": ["--set", "evictionMode=drain"],
    "a log format that the manager has not": ["--set", "logging.format=xml"],
    "a digest that is none": ["--set", "image.digest=latest"],
    "an argument that is no flag": ["--set", "extraArgs={verbose}"],
    "a slip of the pen in the configuration": ["--set", "config.clientConnection.qsp=1"],
    "a duration without a unit": ["--set", "config.leaderElection.leaseDuration=15"],
    "a rate below 0": ["--set", "config.clientConnection.qps=-5"],
    "a rate that is almost none": ["--set-json", "config.clientConnection.qps=1e-9"],
    "a burst that is too large": ["--set", "config.clientConnection.burst=2147483648"],
    "an address that is none": ["--set", "config.serving.bindAddress=999.1.1.1"],
    "paths that need a token, which kubelet does not have":
        ["--set", "config.serving.authorizationAlwaysAllowPaths={/healthz,/livez}"],
    "an address that kubelet cannot probe": ["--set", "config.serving.bindAddress=127.0.0.1"],
    "a port without an address": ["--set", "config.serving.metricsBindAddress=abc"],
    "every host": ["--set", "config.serving.metricsAcceptHosts={*}"],
    "a star inside of a path": ["--set", "config.serving.authorizationAlwaysAllowPaths={/a*b}"],
    "a lease that is no name": ["--set", "config.leaderElection.resourceName=A B"],
    "a controller that the manager has not": ["--set", "controllers={foo}"],
    "a repository with a space": ["--set", "image.repository=a b"],
    "a repository with a tag": ["--set", "image.repository=registry.example/a:1"],
    "a tag with a colon": ["--set", "image.tag=a:b"],
    "a disruption of a word": ["--set", "podDisruptionBudget.maxUnavailable=foo"],
    "a disruption of more than all": ["--set", "podDisruptionBudget.maxUnavailable=150%"],
    "a disruption of none, so that no node can be drained": ["--set", "podDisruptionBudget.maxUnavailable=0"],
    "an amount of memory that is none": ["--set", "resources.limits.memory=foo"],
    "a certificate without an issuer": ["--set", "servingCertificate.certManager.enabled=true"],
    "an interval that is none": ["--set", "serviceMonitor.interval=often"],
    "an account that would end the string in the policy":
        ["--set", "driverSlices.accounts={system:serviceaccount:a:b'] || true || ['}"],
}


# What no schema can name: the flags, and what is said.
REFUSED_IN_WORDS = {
    "a flag that the chart sets itself": (
        ["--set", "extraArgs={--leader-elect-resource-name=other}"],
        "extraArgs: leave out --leader-elect-resource-name, the chart sets this flag itself: use config.leaderElection"),
    "the same flag with underscores": (["--set", "extraArgs={--secure_port=1}"], "leave out --secure-port"),
    "both monitors, which would count everything twice": (
        ["--set", "podMonitor.enabled=true,serviceMonitor.enabled=true"], "enable one of them"),
    "all controllers off": (["--set", "controllers={-resourceclaim-controller}"], "nothing is left to run"),
    "only a controller whose gate is off": (
        ["--set", "controllers={resourcepoolstatusrequest-controller}"], "nothing is left to run"),
    "a gate without its permissions": (
        ["--set", "featureGates.GenericWorkload=true"], "lacks permissions: use podGroups.enabled=true"),
    "another one": (
        ["--set", "featureGates.DRAResourcePoolStatus=true"], "lacks permissions: use poolStatus.enabled=true"),
    "an address past its own check": (
        ["--set", "extraArgs={--bind-address=127.0.0.1}"], "use config.serving.bindAddress"),
    "paths past their own check": (
        ["--set", "extraArgs={--authorization-always-allow-paths=/healthz}"],
        "use config.serving.authorizationAlwaysAllowPaths"),
    "flags of other values": (["--set", "extraArgs={-v=4}"], "leave out --v, the chart sets this flag itself"),
    "a mode without its permissions": (
        ["--set", "extraArgs={--device-taint-eviction-mode=evict}"], "use the value evictionMode"),
    "a gate that contradicts another value": (
        ["--set", "podGroups.enabled=true,featureGates.GenericWorkload=false"],
        "featureGates.GenericWorkload=false contradicts podGroups.enabled=true"),
    "several instances without a lease": (
        ["--set", "replicaCount=2,config.leaderElection.leaderElect=false"], "2 instances without leader election"),
    "the same by a flag": (
        ["--set", "replicaCount=2,extraArgs={--leader-elect=false}"], "2 instances without leader election"),
}


class Chart(unittest.TestCase):
    maxDiff = None

    def test_renders_the_same_objects_as_kustomize(self):
        for name, (flags, *given) in SAME.items():
            with self.subTest(name):
                charted = render.by_identity(without_helms_labels(render.chart(*flags)))
                expected = render.by_identity(kustomized(*given))
                self.assertEqual(sorted(charted), sorted(expected))
                for identity, thing in expected.items():
                    self.assertEqual(charted[identity], thing)

    def test_every_component_and_overlay_is_compared(self):
        compared = {name for _, folder, names, *_ in SAME.values()
                    for name in [folder, *[f"components/{name}" for name in names]]}
        there = {f"{folder}/{path.name}" for folder in ("components", "overlays")
                 for path in (render.MANIFESTS / folder).iterdir()}
        self.assertEqual(compared, there | {"base"})

    def test_rejects_invalid_values(self):
        for name, flags in REFUSED.items():
            with self.subTest(name), self.assertRaisesRegex(AssertionError, "values don't meet the spec"):
                render.chart(*flags)

    def test_says_in_words_what_the_schema_cannot(self):
        for name, (flags, words) in REFUSED_IN_WORDS.items():
            with self.subTest(name), self.assertRaisesRegex(AssertionError, re.escape(words)):
                render.chart(*flags)

    def test_accepts_what_differs_a_little_from_a_mistake(self):
        for flags in (["--set", "replicaCount=1,config.leaderElection.leaderElect=false"],
                      ["--set", "controllers={*,-device-taint-eviction-controller}"],
                      ["--set", "controllers={resourcepoolstatusrequest-controller},poolStatus.enabled=true"],
                      ["--set", "podGroups.enabled=true,featureGates.GenericWorkload=true"],
                      ["--set", "podGroups.enabled=true,featureGates.DRADeviceTaintRules=false"],
                      ["--set", "image.repository=localhost:5000/team/dcm"],
                      ["--set", "podDisruptionBudget.maxUnavailable=2,resources.limits.cpu=1500m"]):
            with self.subTest(flags):
                render.chart(*flags)

    def test_helm_accepts_it_and_versions_match_the_sources(self):
        run(helm(), "lint", "--strict", render.CHART)
        version = re.search(r"VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text().split("project")[1])
        chart = yaml.safe_load((render.CHART / "Chart.yaml").read_text())
        self.assertEqual((chart["version"], chart["appVersion"]), (version.group(1), version.group(1)))

    def test_real_server_accepts_it_with_everything_enabled(self):
        flags = ["--set", "alerts.enabled=true,networkPolicy.enabled=true,evictionMode=evict", *DRIVER]
        establish_crds()
        for monitor in ("podMonitor", "serviceMonitor"):
            cluster.apply(render.chart(*flags, *UNVERIFIED[monitor]), "--dry-run=server")

    def test_the_certificate_is_accepted_by_cert_managers_schema(self):
        cluster.ctl("apply", "--server-side", "-f", cert_manager_crds() / "cert-manager.io_certificates.yaml")
        cluster.ctl("wait", "--for=condition=Established", "--timeout=60s", "crd", "certificates.cert-manager.io")
        cluster.soon("certificates are served", lambda: cluster.ctl(
            "get", "certificates.cert-manager.io", "-A", check=False).returncode == 0)
        settings = "servingCertificate.certManager.enabled=true,servingCertificate.certManager.issuerRef"
        issuer = {"name": "ca", "kind": "ClusterIssuer", "group": "cert-manager.io"}
        objects = render.chart("--set", ",".join(f"{settings}.{key}={value}" for key, value in issuer.items()))
        certificate = render.the("Certificate", objects, "dra-controller-manager-serving")
        self.assertEqual(certificate["spec"]["issuerRef"], issuer)
        cluster.apply(objects, "--dry-run=server")
        certificate["spec"]["privateKey"]["rotationPolicy"] = "Sometimes"
        with self.assertRaisesRegex(AssertionError, "Unsupported value"):
            cluster.apply([certificate], "--dry-run=server")


if __name__ == "__main__":
    unittest.main()
