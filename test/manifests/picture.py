#!/usr/bin/env python3
"""Draws the dashboard with real data: docs/dashboard.svg.

A real control plane, hollow nodes with devices (dra-playground), the manager, and a real Prometheus that scrapes
it while pods with claims come, end, and are evicted from tainted devices for two minutes. Then each
panel's own queries are evaluated for that time, and drawn. Not a test: dashboard_test.py has those.

    picture.py DRA-PLAYGROUND     ($PROMETHEUS_DIR, and a built manager, as for the tests)
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.parse

import cluster
import render
from dashboard_test import DASHBOARD, Prometheus
from ports import free_port
from svg import text
from tools import ROOT, SCRATCH

SECONDS = 120
STEP = 2
COLUMN, LINE = 52, 25  # a cell of Grafana's grid, in pixels
COLOURS = ["#2b6cb0", "#c05621", "#2f855a", "#97266d", "#b7791f", "#4a5568", "#285e61", "#9b2c2c"]
SCALES = {"bytes": [(2**20, " MiB"), (2**10, " KiB")], "s": [(1, " s"), (1e-3, " ms"), (1e-6, " µs")],
          "reqps": [(1, "/s")], "ops": [(1, "/s")], "percentunit": [(0.01, " %")]}


def said(value, unit):
    """A number formatted for people."""
    if value == 0 or (unit == "none" and value >= 1000):
        return f"{value:.0f}"
    factor, suffix = next(((f, s) for f, s in SCALES.get(unit, []) if value >= f),
                          SCALES.get(unit, [(1, "")])[-1])
    return f"{value / factor:.3g}{suffix}"


# Work for the manager.

def pods(first, count):
    """Pods with a claim each, that end by themselves after a few seconds."""
    for number in range(first, first + count):
        yield {"apiVersion": "v1", "kind": "Pod",
               "metadata": {"name": f"job-{number}", "namespace": "default", "annotations": {
                   "playground.dra-controller-manager.dev/run-for": f"{5 + number % 7}s"}},
               "spec": {"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "picture"}],
                        "containers": [{"name": "main", "image": "example.com/trainer",
                                        "resources": {"claims": [{"name": "gpu"}]}}]}}


def template():
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate",
            "metadata": {"name": "picture", "namespace": "default"},
            "spec": {"spec": {"devices": {"requests": [{"name": "gpu", "exactly": {
                "deviceClassName": "gpu.example.com"}}]}}}}


def make_work():
    """A wave that rises and falls; in the middle the GPUs of a node are retired for a while."""
    cluster.apply([template()])
    begin, made, retired = time.monotonic(), 0, False
    while (now := time.monotonic() - begin) < SECONDS:
        count = int(4 + 16 * math.sin(math.pi * now / SECONDS) ** 2)
        cluster.apply(list(pods(made, count)))
        made += count
        if not retired and now > SECONDS / 2:
            cluster.ctl("apply", "-f", render.MANIFESTS / "examples/retire-node-1.yaml")
            retired = True
    cluster.ctl("delete", "-f", render.MANIFESTS / "examples/retire-node-1.yaml")


# The picture.

def legend_of(text, labels):
    for name, value in labels.items():
        text = text.replace("{{%s}}" % name, value)
    return text


def series_of(prometheus, panel, begin, end):
    """[(legend, [(seconds since the beginning, value)…])…]"""
    found = []
    for target in panel["targets"]:
        expression = target["expr"].replace("$job", "dra-controller-manager").replace("$cluster", ".*").replace("$__rate_interval", "10s")
        answer = prometheus.ask("/api/v1/query_range?" + urllib.parse.urlencode(
            {"query": expression, "start": begin, "end": end, "step": STEP}))
        for row in answer["result"]:
            points = [(at - begin, float(value)) for at, value in row["values"] if value != "NaN"]
            if points:
                found.append((legend_of(target["legendFormat"], row["metric"]), points))
    return found


def nice(value):
    """The next round number above."""
    if value <= 0:
        return 1.0
    power = 10 ** math.floor(math.log10(value))
    return next(power * step for step in (1, 2, 5, 10) if power * step >= value * 0.999)


def chart(series, unit, x, y, width, height, length):
    """Lines over time, with the scale on the left and the legend below."""
    rows = math.ceil(min(len(series), 8) / 2)
    left, bottom = x + 58, y + height - 14 - 14 * rows
    top, right = y + 32, x + width - 12
    highest = nice(max((value for _, points in series for _, value in points), default=0))
    for part in (0, 0.5, 1):
        level = bottom - (bottom - top) * part
        yield f'<path d="M{left} {level:.1f}H{right}" stroke="#e2e8f0"/>'
        yield text(left - 6, level + 4, said(highest * part, unit), 10, text_anchor="end")
    for index, (legend, points) in enumerate(series[:8]):
        colour = COLOURS[index % len(COLOURS)]
        path = " ".join(f"{left + (right - left) * at / length:.1f},{bottom - (bottom - top) * value / highest:.1f}"
                        for at, value in points)
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
        column, row = index % 2, index // 2
        place = x + 14 + column * (width - 20) / 2, bottom + 18 + 14 * row
        yield f'<rect x="{place[0]:.0f}" y="{place[1] - 7:.0f}" width="10" height="3" fill="{colour}"/>'
        yield text(place[0] + 15, place[1], legend[:int(width / 12)], 10)


def draw(prometheus, begin, end):
    panels = json.loads(DASHBOARD.read_text())["panels"]
    height = max(p["gridPos"]["y"] + p["gridPos"]["h"] for p in panels) * LINE + 10
    made = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{24 * COLUMN}" height="{height}" '
            'font-family="sans-serif">', '<rect width="100%" height="100%" fill="#f7fafc"/>']
    for panel in panels:
        at = panel["gridPos"]
        x, y, width, tall = at["x"] * COLUMN, at["y"] * LINE, at["w"] * COLUMN, at["h"] * LINE
        if panel["type"] == "row":
            made.append(text(x + 10, y + 19, panel["title"], 15, "#1a202c", font_weight="bold"))
            continue
        unit = panel["fieldConfig"]["defaults"]["unit"]
        series = series_of(prometheus, panel, begin, end)
        made.append(f'<rect x="{x + 4}" y="{y + 4}" width="{width - 8}" height="{tall - 8}" rx="4" fill="#fff" '
                    'stroke="#cbd5e0"/>')
        made.append(text(x + 14, y + 23, panel["title"], 12, "#1a202c", font_weight="bold"))
        if panel["type"] == "stat":
            last = series[0][1][-1][1] if series else 0
            made.append(text(x + width / 2, y + tall / 2 + 22, said(last, unit), 44, "#2f855a",
                             text_anchor="middle"))
        elif series:
            made.extend(chart(series, unit, x, y, width, tall, end - begin))
        else:
            made.append(text(x + width / 2, y + tall / 2, "nothing happened", 12, text_anchor="middle"))
    return "\n".join([*made, "</svg>", ""])


def main():
    playground_program = pathlib.Path(sys.argv[1]).resolve()
    cluster.use(None)
    started = []
    with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
        try:
            objects = render.composed(components=["pod-monitor"])
            cluster.apply([o for o in objects if o["kind"] != "PodMonitor"])
            with open(f"{folder}/playground.log", "wb") as log:
                playground = subprocess.Popen([playground_program, "--kubeconfig", cluster.kubeconfig(),
                                               "--nodes", "8"], stdout=log, stderr=log)
            started.append(playground.terminate)
            config = cluster.config_of("dra-controller-manager")
            managers = [cluster.Manager(render.container(objects), config, free_port()) for _ in range(2)]
            started.extend(manager.stop for manager in managers)
            for manager in managers:
                manager.wait_until_ready()
            prometheus = Prometheus(managers, folder)
            started.append(prometheus.stop)
            cluster.soon("it is scraped", lambda: prometheus.query("sum(leader_election_master_status)") == ["1"])
            begin = time.time()
            make_work()
            (ROOT / "docs/dashboard.svg").write_text(draw(prometheus, begin, time.time()))
        finally:
            for stop in reversed(started):
                stop()
            cluster.stop()


if __name__ == "__main__":
    main()
