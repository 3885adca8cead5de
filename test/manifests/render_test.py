"""Tests of the manifests without a server: they match the binary and each other."""
import re
import unittest

import yaml

import render
from tools import ROOT, manager, run

COMPONENTS = ["alerts", "driver-slices", "explain", "eviction-api", "network-policy", "pod-groups", "pod-monitor",
              "pool-status", "service-monitor", "serving-certificate"]
CLUSTER_SCOPED = {"Namespace", "ClusterRole", "ClusterRoleBinding", "FlowSchema",
                  "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"}
ALL_CONTROLLERS_BUT_OURS = ("*,bootstrap-signer-controller,token-cleaner-controller,"
                            "-resourceclaim-controller,-device-taint-eviction-controller")


class Base(unittest.TestCase):
    def setUp(self):
        self.objects = render.kustomize("base")

    def test_has_each_kind_once_and_the_roles_of_rbac_yaml(self):
        kinds = sorted(thing["kind"] for thing in self.objects)
        self.assertEqual(kinds, sorted(["ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role",
                                        "RoleBinding", "Deployment", "PodDisruptionBudget"]))
        plain = render.documents((render.MANIFESTS / "base/rbac.yaml").read_text())
        rendered = render.by_identity(self.objects)
        for thing in plain:
            for part in ("rules", "subjects", "roleRef"):
                self.assertEqual(rendered[render.identity(thing)].get(part), thing.get(part))

    def test_no_rule_has_a_wildcard_or_reaches_a_secret(self):
        for components in [[], ["eviction-api"], ["pod-groups"], ["pool-status"]]:
            for thing in render.composed(components=components):
                for rule in thing.get("rules", []):
                    words = [word for words in rule.values() for word in words]
                    self.assertNotIn("*", words)
                    self.assertNotIn("secrets", words)

    @staticmethod
    def granted(objects):
        return {(group, resource, verb)
                for thing in objects if thing["kind"] == "ClusterRole" for rule in thing["rules"]
                for group in rule.get("apiGroups", []) for resource in rule.get("resources", [])
                for verb in rule["verbs"]}

    def test_evictions_by_budget_take_the_place_of_deletes(self):
        base = self.granted(self.objects)
        evicting = self.granted(render.composed(components=["eviction-api"]))
        self.assertEqual(base - evicting, {("", "pods", "delete")})
        self.assertEqual(evicting - base, {("", "pods/eviction", "create")})

    def test_shadow_reads_like_the_manager_and_writes_only_reviews(self):
        manager = self.granted(render.composed(components=["pod-groups", "pool-status"]))
        shadow = self.granted(render.kustomize("shadow"))
        self.assertLessEqual({right for right in manager if right[2] in ("list", "watch")}, shadow)
        self.assertEqual({resource for _, resource, verb in shadow if verb not in ("get", "list", "watch")},
                         {"tokenreviews", "subjectaccessreviews"})

    def test_selectors_match_the_pods(self):
        template = render.the("Deployment", self.objects)["spec"]["template"]["metadata"]["labels"]
        pod = render.pod_spec(self.objects)
        term = pod["affinity"]["podAntiAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"][0]
        for selector in [render.the("Deployment", self.objects)["spec"]["selector"],
                         render.the("PodDisruptionBudget", self.objects)["spec"]["selector"],
                         term["podAffinityTerm"]["labelSelector"],
                         pod["topologySpreadConstraints"][0]["labelSelector"]]:
            self.assertTrue(selector["matchLabels"].items() <= template.items(), selector)

    def test_starts_nothing_beside_kube_controller_managers_controllers_unless_requested(self):
        for objects in (self.objects, render.kustomize("overlays/kubeadm"), render.kustomize("overlays/own-namespace")):
            self.assertEqual(render.the("Deployment", objects)["spec"]["replicas"], 0)

    def test_a_rollout_and_a_drain_leave_one_instance(self):
        spec = render.the("Deployment", self.objects)["spec"]
        self.assertEqual(spec["strategy"]["rollingUpdate"]["maxUnavailable"], 0)
        self.assertEqual(render.the("PodDisruptionBudget", self.objects)["spec"]["maxUnavailable"], 1)

    def test_the_grace_period_leaves_time_for_the_work_in_flight_and_the_lease(self):
        self.assertGreater(render.pod_spec(self.objects)["terminationGracePeriodSeconds"], 35)

    def test_the_images_tag_is_the_version_of_the_sources(self):
        version = re.search(r"VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text().split("project")[1])
        shadow = render.the("Deployment", render.kustomize("shadow"), "dra-controller-manager-shadow")
        for container in [render.container(self.objects), *shadow["spec"]["template"]["spec"]["containers"]]:
            self.assertEqual(container["image"], f"dra-controller-manager:{version.group(1)}")
            self.assertEqual(container["command"], ["dra-controller-manager"])

    def test_port_and_probes_are_served_without_token(self):
        container = render.container(self.objects)
        defaults = yaml.safe_load((render.MANIFESTS / "configuration.yaml").read_text())["serving"]
        self.assertEqual([port["containerPort"] for port in container["ports"]], [defaults["securePort"]])
        for probe in ("livenessProbe", "readinessProbe"):
            get = container[probe]["httpGet"]
            self.assertIn(get["path"], defaults["authorizationAlwaysAllowPaths"])
            self.assertEqual((get["port"], get["scheme"]), (container["ports"][0]["name"], "HTTPS"))


class Renderings(unittest.TestCase):
    def all(self):
        for name in COMPONENTS:
            yield f"components/{name}", render.composed(components=[name])
        for folder in sorted((render.MANIFESTS / "overlays").iterdir()):
            yield f"overlays/{folder.name}", render.kustomize(f"overlays/{folder.name}")

    def test_list_of_components_is_complete(self):
        folders = {folder.name for folder in (render.MANIFESTS / "components").iterdir()}
        self.assertEqual(folders, set(COMPONENTS))

    def test_objects_have_the_name_label_and_a_namespace(self):
        for name, objects in self.all():
            for thing in objects:
                with self.subTest(name, object=render.identity(thing)):
                    self.assertEqual("namespace" in thing["metadata"], thing["kind"] not in CLUSTER_SCOPED)
                    self.assertEqual(thing["metadata"]["labels"]["app.kubernetes.io/name"],
                                     "dra-controller-manager")

    def test_bindings_name_existing_roles_and_our_account(self):
        for name, objects in self.all():
            accounts = {("ServiceAccount", o["metadata"]["namespace"], o["metadata"]["name"])
                        for o in objects if o["kind"] == "ServiceAccount"}
            accounts.add(("ServiceAccount", "monitoring", "prometheus-k8s"))
            for binding in [o for o in objects if o["kind"].endswith("RoleBinding")]:
                with self.subTest(name, binding=render.identity(binding)):
                    role = binding["roleRef"]
                    self.assertTrue([o for o in objects if o["kind"] == role["kind"]
                                     and o["metadata"]["name"] == role["name"]
                                     and o["metadata"].get("namespace") == binding["metadata"].get("namespace")])
                    for who in binding["subjects"]:
                        self.assertIn((who["kind"], who["namespace"], who["name"]), accounts)

    def test_every_flag_exists_in_the_manager(self):
        manual = run(manager(), "--help")
        for name, objects in self.all():
            for argument in render.container(objects)["args"]:
                with self.subTest(name, argument=argument):
                    self.assertIn(f"{argument.split('=')[0]} ", manual.replace("\n", " "))

    def test_monitors_select_what_is_rendered(self):
        for name in ("service-monitor", "pod-monitor"):
            objects = render.composed(components=[name])
            monitor = [o for o in objects if o["kind"].endswith("Monitor")][0]
            endpoint = (monitor["spec"].get("endpoints") or monitor["spec"]["podMetricsEndpoints"])[0]
            self.assertIn(endpoint["port"], [p["name"] for p in render.container(objects)["ports"]])
            wanted = monitor["spec"]["selector"]["matchLabels"].items()
            kind = "Service" if name == "service-monitor" else "Deployment"
            self.assertTrue(wanted <= render.the(kind, objects)["metadata"]["labels"].items())

    def test_an_operators_image_and_replicas_take_effect(self):
        objects = render.composed(
            images=[{"name": "dra-controller-manager", "newName": "registry.example/dcm", "newTag": "1"}],
            replicas=[{"name": "dra-controller-manager", "count": 3}])
        self.assertEqual(render.container(objects)["image"], "registry.example/dcm:1")
        self.assertEqual(render.the("Deployment", objects)["spec"]["replicas"], 3)


class Overlays(unittest.TestCase):
    def test_kubeadm_overlay_runs_on_the_control_plane(self):
        pod = render.pod_spec(render.kustomize("overlays/kubeadm"))
        self.assertEqual(pod["nodeSelector"], {"node-role.kubernetes.io/control-plane": ""})
        self.assertEqual(pod["tolerations"][0]["key"], "node-role.kubernetes.io/control-plane")

    def test_kubeadm_and_kind_leave_all_other_controllers_on(self):
        kubeadm = yaml.safe_load((render.MANIFESTS / "overlays/kubeadm/kubeadm.yaml").read_text())
        self.assertEqual(kubeadm["controllerManager"]["extraArgs"],
                         [{"name": "controllers", "value": ALL_CONTROLLERS_BUT_OURS}])
        kind = yaml.safe_load((render.MANIFESTS / "overlays/kind/cluster.yaml").read_text())
        patches = [yaml.safe_load(patch) for patch in kind["kubeadmConfigPatches"]]
        flags = {patch["apiVersion"]: patch["controllerManager"]["extraArgs"] for patch in patches}
        self.assertIn({"name": "controllers", "value": ALL_CONTROLLERS_BUT_OURS},
                      flags["kubeadm.k8s.io/v1beta4"])
        self.assertEqual(flags["kubeadm.k8s.io/v1beta3"], {"controllers": ALL_CONTROLLERS_BUT_OURS})

    def test_kind_never_pulls_the_image(self):
        objects = render.kustomize("overlays/kind")
        self.assertEqual(render.container(objects)["imagePullPolicy"], "Never")
        self.assertEqual(render.the("Deployment", objects)["spec"]["replicas"], 1)

    def test_own_namespace_only_reads_cas_in_kube_system(self):
        objects = render.kustomize("overlays/own-namespace")
        left = [o for o in objects if o["metadata"].get("namespace") == "kube-system"]
        self.assertEqual(sorted(o["kind"] for o in left), ["Role", "RoleBinding"])
        rules = [o["rules"] for o in left if o["kind"] == "Role"]
        self.assertEqual(rules, [[{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"],
                                   "resourceNames": ["extension-apiserver-authentication"]}]])


if __name__ == "__main__":
    unittest.main()
