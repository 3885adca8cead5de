"""The alerts: their own tests by promtool, proof that those can fail, and that all named metrics
exist."""
import pathlib
import re
import subprocess
import tempfile
import unittest

import yaml

import render
from tools import ROOT, SCRATCH, promtool, run

MONITORING = render.MANIFESTS / "monitoring"
TESTS = MONITORING / "tests/alerts_test.yaml"
SEVERITIES = {"critical", "warning", "info"}
# A name followed by a selector or a bracket is a metric; Prometheus' own metrics are not ours.
METRIC = re.compile(r"\b([a-z][a-z0-9_]*_[a-z0-9_]+)(?=\{)")
OF_KUBE_STATE_METRICS = "kube_deployment_"
SUFFIX = re.compile(r"_(bucket|sum|count)$")


def alerts():
    groups = yaml.safe_load((MONITORING / "alerts.yaml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def documented_metrics():
    """{name: (type, labels text)} as docs/metrics.md has them; lint holds that page to the sources."""
    rows = re.findall(r"^\| `([a-z_]+)` \| (\w+)(.*?) \|", (ROOT / "docs/metrics.md").read_text(), re.M)
    return {name: (kind, labels) for name, kind, labels in rows}


def undocumented(expression):
    """Errors in the metrics of an expression, according to the documentation."""
    known = documented_metrics()
    for metric, selector in re.findall(r"\b([a-z][a-z0-9_]*_[a-z0-9_]+)\{([^}]*)\}", expression):
        if metric.startswith(OF_KUBE_STATE_METRICS):
            continue
        name = metric if metric in known else SUFFIX.sub("", metric)
        if name not in known or (name != metric and known[name][0] != "histogram"):
            yield f"{metric} is not in docs/metrics.md"
            continue
        for label in re.findall(r"(\w+)\s*(?:=|!=|=~|!~)\"", selector):
            if label not in ("job", "instance", "cluster", "le") and f"`{label}`" not in known[name][1]:
                yield f"{metric} has no label {label}"


def about(test, alert):
    return f"'{alert}'" in repr(test) or f'"{alert}"' in repr(test)


def only(test, alert):
    """The test without its statements about other alerts."""
    kept = [check for check in test.get("alert_rule_test", []) if check["alertname"] == alert]
    return {**test, "alert_rule_test": kept}


def verdicts(changes):
    """promtool's verdict on an alert's own tests with another expression, {(alert, expression):
    verdict}."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    rules = yaml.safe_load((MONITORING / "alerts.yaml").read_text())
    tests = yaml.safe_load(TESTS.read_text())
    with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
        files = []
        for number, (alert, expression) in enumerate(changes):
            changed = [{**rule, "expr": expression} for rule in rules["groups"][0]["rules"]
                       if rule["alert"] == alert]
            pathlib.Path(folder, f"rules-{number}.yaml").write_text(
                yaml.safe_dump({"groups": [{"name": "changed", "rules": changed}]}))
            files.append(pathlib.Path(folder, f"tests-{number}.yaml"))
            files[-1].write_text(yaml.safe_dump({
                **tests, "rule_files": [f"rules-{number}.yaml"],
                "tests": [only(test, alert) for test in tests["tests"] if about(test, alert)]}))
        # Success is printed to one stream and failure to the other.
        said = subprocess.run([promtool(), "test", "rules", *files], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=600).stdout
        return dict(zip(changes, re.findall(r"^  (SUCCESS|FAILED)", said, re.M), strict=True))


class Alerts(unittest.TestCase):
    def test_promtool_accepts_them_and_their_tests_pass(self):
        run(promtool(), "check", "rules", MONITORING / "alerts.yaml")
        run(promtool(), "test", "rules", TESTS)

    def test_an_alert_of_kubernetes_mixin_beside_them_is_silent(self):
        run(promtool(), "test", "rules", TESTS.with_name("mixin_test.yaml"))

    def test_no_metric_reuses_a_kubernetes_name_with_another_meaning(self):
        """Metrics that begin with kubernetes_ are compared between components, also by users'
        alerts."""
        ours = {name: labels for name, (_, labels) in documented_metrics().items() if name.startswith("kubernetes_")}
        self.assertEqual(list(ours), ["kubernetes_feature_enabled"])
        self.assertEqual(re.findall(r"`(\w+)`", ours["kubernetes_feature_enabled"]), ["name", "stage"])

    def test_detects_alert_that_never_or_always_fires(self):
        expected = {}
        for alert in alerts():
            expected[alert["alert"], alert["expr"]] = "SUCCESS"
            expected[alert["alert"], "vector(1) < 0"] = "FAILED"
            expected[alert["alert"], f"{alert['expr']} or vector(1)"] = "FAILED"
        for change, verdict in verdicts(list(expected)).items():
            with self.subTest(change=change):
                self.assertEqual(verdict, expected[change])

    def test_every_metric_and_label_exists(self):
        for alert in alerts():
            with self.subTest(alert["alert"]):
                self.assertEqual(list(undocumented(alert["expr"])), [])
                self.assertTrue(METRIC.search(alert["expr"]))

    def test_finds_unknown_metric_or_label(self):
        for expression in ['dra_controller_manager_no_such{job="x"}', 'workqueue_depth{color="red"}',
                           'workqueue_depth_bucket{name="x"}']:
            self.assertEqual(len(list(undocumented(expression))), 1, expression)

    def test_each_selects_its_job_and_states_its_severity(self):
        for alert in alerts():
            with self.subTest(alert["alert"]):
                self.assertIn(alert["labels"]["severity"], SEVERITIES)
                for metric, selector in re.findall(r"(\w+)\{([^}]*)\}", alert["expr"]):
                    # Only a dry run has the former, and its job has its own name; the others are
                    # Kubernetes'.
                    if not metric.startswith(("dra_controller_manager_dry_run_", OF_KUBE_STATE_METRICS)):
                        self.assertIn('job="dra-controller-manager"', selector)

    def test_each_has_a_runbook_and_each_runbook_an_alert(self):
        sections = re.findall(r"^## (DRA\w+)$", (ROOT / "docs/runbooks.md").read_text(), re.M)
        self.assertEqual(sections, [alert["alert"] for alert in alerts()])
        for alert in alerts():
            self.assertEqual(alert["annotations"]["runbook_url"], f"docs/runbooks.md#{alert['alert'].lower()}")

    def test_the_prometheus_rule_is_the_rule_file(self):
        rule = render.the("PrometheusRule", render.composed(components=["alerts"]))
        self.assertEqual(rule["spec"], yaml.safe_load((MONITORING / "alerts.yaml").read_text()))


if __name__ == "__main__":
    unittest.main()
