#!/usr/bin/env python3
"""Writes what is made from the sources in this folder; with --check only says what is not up to date.

    alerts.yaml -> ../components/alerts/prometheus-rule.yaml   for the Prometheus Operator
                   ../chart/alerts.yaml                        the same in the chart, which must be whole in itself
    dashboard.py -> dashboard.json                             for Grafana
"""
import json
import pathlib
import sys

from dashboard import dashboard

HERE = pathlib.Path(__file__).resolve().parent
RULE = HERE.parent / "components/alerts/prometheus-rule.yaml"

DASHBOARD = HERE / "dashboard.json"
CHART = HERE.parent / "chart/alerts.yaml"

RULE_HEAD = """\
# Made from ../../monitoring/alerts.yaml by ../../monitoring/generate.py: do not edit.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: dra-controller-manager
  namespace: kube-system
spec:
"""


def rules():
    """The rule file from `groups:` on; comments come along."""
    text = (HERE / "alerts.yaml").read_text()
    return text[text.index("groups:"):]


def chart_rules():
    return "# Made from ../monitoring/alerts.yaml by ../monitoring/generate.py: do not edit.\n" + rules()


def prometheus_rule():
    lines = rules().splitlines()
    return RULE_HEAD + "".join(f"  {line}\n" if line else "\n" for line in lines)


def dashboard_json():
    return json.dumps(dashboard(), indent=1) + "\n"


MADE = {RULE: prometheus_rule, CHART: chart_rules, DASHBOARD: dashboard_json}


def main():
    stale = [path for path, make in MADE.items() if not path.exists() or path.read_text() != make()]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.relative_to(HERE.parent)}: run manifests/monitoring/generate.py")
        sys.exit(1 if stale else 0)
    for path in stale:
        path.write_text(MADE[path]())


if __name__ == "__main__":
    main()
