"""The manager as pods, from its image: each documented way to install it, and its readers."""
import json
import re

import life
import programs
from installed import NAME, SYSTEM, Installed
from objects import pod
from world import ROOT, World, soon

INSIDE = ("dra-controller-manager", "explain", "--server", "https://localhost:10257", "--insecure-skip-tls-verify",
          "--token-file", "/var/run/secrets/kubernetes.io/serviceaccount/token")


class Install(Installed):
    def apply(self, *resources, replicas=2, name=NAME, components=()):
        """As a custom kustomization. When the scene ends, what it installed is deleted."""
        mine = self.folder / "mycluster"
        mine.mkdir(exist_ok=True)
        (mine / "kustomization.yaml").write_text(json.dumps({
            "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization",
            "resources": [f"../manifests/{each}" for each in resources],
            "components": [f"../manifests/components/{each}" for each in components],
            **({"replicas": [{"name": name, "count": replicas}]} if replicas is not None else {})}))
        self.kubectl("apply", "--server-side", "-k", mine)
        self.addCleanup(self.kubectl, "delete", "--ignore-not-found", "-k", mine, check=False)

    def test_two_instances_of_the_kubeadm_overlay_lead_one_after_the_other(self):
        self.apply("overlays/kubeadm")
        self.rolled_out()
        first = self.leader()
        self.check_that_it_works()
        self.kubectl("-n", SYSTEM, "delete", "pod", first, "--wait=false")
        soon("the other leads", lambda: self.leader() != first)
        self.check_that_it_works("q")
        self.rolled_out()

    def test_a_rollout_keeps_an_instance_ready(self):
        self.apply("base")
        self.rolled_out()
        before = set(self.names())
        self.kubectl("-n", SYSTEM, "rollout", "restart", "deployment", NAME)
        self.rolled_out()
        soon("new instances alone", lambda: not before & set(self.names()))
        self.leader()
        self.check_that_it_works()

    def test_the_restricted_namespace_admits_it(self):
        self.apply("overlays/own-namespace", replicas=1)
        namespace = re.search(r"(?m)^  name: (\S+)", (
            ROOT / "manifests/overlays/own-namespace/namespace.yaml").read_text())[1]
        self.rolled_out(namespace)
        self.leader(namespace)
        self.check_that_it_works()

    def test_explain_inside_its_pod(self):
        self.apply("base", replicas=1, components=("explain",))
        self.kubectl("create", "clusterrole", "e2e-explain", "--verb=get", "--non-resource-url=/debug/explain/*")
        self.addCleanup(self.kubectl, "delete", "clusterrole,clusterrolebinding", "e2e-explain", check=False)
        self.kubectl("create", "clusterrolebinding", "e2e-explain", "--clusterrole=e2e-explain",
                     f"--serviceaccount={SYSTEM}:{NAME}")
        self.rolled_out()
        leader = self.leader()
        self.create(pod("p"))  # without its template
        said = soon(lambda: self.explain(leader), lambda: (
            text if "no ResourceClaimTemplate" in (text := self.explain(leader)) else None))
        self.assertIn(f"Pod {self.namespace}/p", said)

    def explain(self, leader):
        done = World.cluster.kubectl("-n", SYSTEM, "exec", leader, "--", *INSIDE, "pod", f"{self.namespace}/p")
        return done.stdout + done.stderr

    def test_the_chart_starts_no_instance_and_then_two(self):
        helm = next(iter(sorted(programs.CACHE.glob("helm/*/helm"))), None)
        if helm is None:
            self.skipTest("no helm here: ./dev manifests builds it")
        self.kubectl("delete", "--ignore-not-found", "-f", life.RBAC)  # the chart's own are to be there
        command = "".join(self.commands("install.md", "Helm")).replace("helm", str(helm), 1).strip()
        self.run_on_node(command)
        self.addCleanup(World.cluster.run, helm, "uninstall", NAME, "--namespace", SYSTEM, check=False)
        self.assertEqual(self.names(), [])
        self.run_on_node(command.replace(" install ", " upgrade --install ", 1) + " --set replicaCount=2")
        self.rolled_out()
        self.leader()
        self.check_that_it_works()
        self.assertEqual(len(self.names()), 2)

    def test_prometheus_scrapes_every_instance(self):
        prometheus = programs.CACHE / "prometheus/usr/bin/prometheus"
        if not prometheus.exists():
            self.skipTest("no Prometheus here: ./dev manifests unpacks it")
        self.apply("base")
        self.rolled_out()
        self.leader()
        self.run_on_node(self.commands("operate.md", "A token, and the leader's port")[0])
        self.run_on_node("".join(self.commands("metrics.md", "Scraping")))
        self.name_targets()
        World.cluster.spawn("prometheus", [
            prometheus, f"--config.file={self.folder}/prometheus.yaml", f"--storage.tsdb.path={self.folder}/data",
            "--web.listen-address=127.0.0.1:9090"])
        self.addCleanup(World.cluster.end, "prometheus")
        soon(lambda: World.log("prometheus"), lambda: self.ask("sum(up)") == ["2"])
        self.create(pod("p"))  # without its template
        soon("the leader counts it", lambda: self.ask(
            'sum(dra_controller_manager_failing_objects{kind="pod"})') == ["1"])
        self.assertEqual(self.ask("sum(leader_election_master_status)"), ["1"])
        self.assertEqual(self.ask('ALERTS{alertstate="firing"}'), [])

    def name_targets(self):
        """Debian's Prometheus is built without Kubernetes discovery: it gets the pods' addresses
        instead."""
        addresses = self.kubectl("-n", SYSTEM, "get", "pods", "-l", f"app.kubernetes.io/name={NAME}", "-o",
                                 "jsonpath={.items[*].status.podIP}").split()
        file = self.folder / "prometheus.yaml"
        scraping = file.read_text().partition("    kubernetes_sd_configs:")[0]
        file.write_text("global: {scrape_interval: 1s, evaluation_interval: 1s}\n" + scraping
                        + f"    static_configs: [{{targets: {[f'{each}:10257' for each in addresses]}}}]\n")

    @staticmethod
    def ask(query):
        """The values of an instant query, as text."""
        done = World.cluster.run("curl", "-s", "--data-urlencode", f"query={query}",
                                 "http://127.0.0.1:9090/api/v1/query", check=False, capture_output=True, text=True)
        answer = json.loads(done.stdout) if done.stdout else {"data": {"result": ()}}
        return [series["value"][1] for series in answer["data"]["result"]]


del Installed
