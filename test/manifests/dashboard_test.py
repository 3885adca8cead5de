"""The dashboard: generated from its source, uses existing metrics; and each panel shows something
for a real manager."""
import itertools
import json
import re
import subprocess
import tempfile
import unittest
import urllib.parse
import urllib.request

import yaml

import cluster
import render
from alerts_test import OF_KUBE_STATE_METRICS, undocumented
from ports import free_port
from server_test import OnTheServer, claimant
from tools import SCRATCH, prometheus, promtool, run

DASHBOARD = render.MANIFESTS / "monitoring/dashboard.json"
# Events that did not happen have no series: no pod was evicted, no request was refused.
MAY_BE_EMPTY = {"Eviction latency", "Refused requests"}
# A limit that the test machine does not set.
OF_A_LIMIT = "dra_controller_manager_memory_limit_bytes"


def panels():
    return [panel for panel in json.loads(DASHBOARD.read_text())["panels"] if panel["type"] != "row"]


def queries(interval="30s"):
    """(panel's title, expression with Grafana's variables filled in)"""
    for panel in panels():
        for target in panel["targets"]:
            yield panel["title"], target["expr"].replace("$job", "dra-controller-manager").replace(
                "$cluster", ".*").replace("$__rate_interval", interval)


class Dashboard(unittest.TestCase):
    def test_queries_are_valid_and_their_metrics_and_labels_exist(self):
        rules = [{"record": f"panel:{number}", "expr": expression}
                 for number, (_, expression) in enumerate(queries())]
        SCRATCH.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=SCRATCH, suffix=".yaml") as file:
            yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}, file)
            file.flush()
            run(promtool(), "check", "rules", file.name)
        for title, expression in queries():
            with self.subTest(title):
                self.assertEqual(list(undocumented(expression)), [])
                self.assertRegex(expression, r'\{(job|deployment)="dra-controller-manager",cluster=~|^count\(ALERTS\{')

    def test_panels_have_unique_names_and_places(self):
        everything = json.loads(DASHBOARD.read_text())["panels"]
        for name in ("id", "title"):
            self.assertEqual(len({panel[name] for panel in everything}), len(everything))
        for one, other in itertools.combinations([panel["gridPos"] for panel in everything], 2):
            apart = (one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
                     or one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"])
            self.assertTrue(apart, (one, other))
        self.assertTrue(all(panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in everything))

    def test_cluster_is_selectable_and_queries_work_without_cluster_label(self):
        variables = {v["name"]: v for v in json.loads(DASHBOARD.read_text())["templating"]["list"]}
        self.assertEqual((variables["cluster"]["allValue"], variables["cluster"]["includeAll"]), (".*", True))

    def test_legends_use_labels_that_the_query_keeps(self):
        for panel in panels():
            for target in panel["targets"]:
                for label in re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]):
                    with self.subTest(panel["title"], label=label):
                        grouped = re.findall(r"^\w+ by \(([^)]*)\)", target["expr"]) or re.findall(
                            r"sum by \(([^)]*)\)", target["expr"]) or ["instance"]
                        self.assertIn(label, re.split(r",\s*", grouped[0]))


class Prometheus:
    """A real one that scrapes managers with the scraper's token."""

    def __init__(self, managers, folder):
        self.port = free_port()
        token = f"{folder}/token"
        with open(token, "w") as file:
            file.write(cluster.token("dra-controller-manager-scraper"))
        with open(f"{folder}/prometheus.yaml", "w") as file:
            yaml.safe_dump({
                "global": {"scrape_interval": "1s"},
                "rule_files": [str(render.MANIFESTS / "monitoring/alerts.yaml")],
                "scrape_configs": [{
                    "job_name": "dra-controller-manager", "scheme": "https",
                    "authorization": {"credentials_file": token},
                    "tls_config": {"insecure_skip_verify": True},
                    "static_configs": [{"targets": [f"127.0.0.1:{manager.port}" for manager in managers]}]}]}, file)
        self.log = open(f"{folder}/prometheus.log", "wb")
        self.process = subprocess.Popen(
            [prometheus(), f"--config.file={folder}/prometheus.yaml", f"--storage.tsdb.path={folder}/data",
             f"--web.listen-address=127.0.0.1:{self.port}"], stdout=self.log, stderr=self.log)

    def ask(self, path):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(f"http://127.0.0.1:{self.port}{path}", timeout=30) as answer:
                return json.load(answer)["data"]
        except OSError:
            return None

    def query(self, expression):
        found = self.ask("/api/v1/query?" + urllib.parse.urlencode({"query": expression}))
        return [row["value"][1] for row in found["result"]] if found else []

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()


class Live(OnTheServer):
    """A working manager, scraped by a real Prometheus with the alerts loaded."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=SCRATCH)
        self.addCleanup(folder.cleanup)
        objects = render.composed(components=["pod-monitor"])
        self.manager = self.start([o for o in objects if o["kind"] != "PodMonitor"], "kube-system")
        self.prometheus = Prometheus([self.manager], folder.name)
        self.addCleanup(self.prometheus.stop)

    def publish(self):
        slice_ = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "live"}, "spec": {
            "driver": "gpu.example.com", "nodeName": "node-0", "devices": [{"name": "dev-0"}],
            "pool": {"name": "node-0", "generation": 1, "resourceSliceCount": 1}}}
        cluster.apply([slice_])
        self.addCleanup(cluster.remove, [slice_])

    def work(self, number):
        objects = claimant(f"live-{number}")
        cluster.apply(objects)
        self.addCleanup(cluster.remove, objects)

    def test_every_panel_has_data_and_no_alert_fires(self):
        cluster.soon("it is scraped", lambda: self.prometheus.query(
            'up{job="dra-controller-manager"}') == ["1"])
        self.publish()
        for number in range(4):
            self.work(number)
        for title, expression in queries():
            if title not in MAY_BE_EMPTY and OF_KUBE_STATE_METRICS not in expression and OF_A_LIMIT not in expression:
                with self.subTest(title):
                    cluster.soon(expression, lambda: [
                        value for value in self.prometheus.query(expression) if value != "NaN"])
        self.assertEqual(self.prometheus.query('ALERTS{alertstate="firing"}'), [])


if __name__ == "__main__":
    unittest.main()
