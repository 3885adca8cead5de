"""The documentation: links resolve, and the commands of an operator's pages work."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import yaml

import cluster
import render
from pages import steps
from tools import ROOT, SCRATCH, kubectl, run

# Their commands run from top to bottom, on a cluster without nodes; blocks that cannot run are
# marked.
OPERATORS_PAGES = ["install.md", "migrate.md", "operate.md", "runbooks.md", "security.md"]


def all_pages():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
                            cwd=ROOT, text=True, capture_output=True, check=True).stdout
    return [ROOT / line for line in listed.splitlines()]


def without_code(text):
    return re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S)


def anchors(path):
    """Generated from headings like in common Markdown viewers."""
    headings = re.findall(r"^#+ (.*)$", without_code(path.read_text()), re.M)
    plain = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading).strip().replace(" ", "-") for heading in plain}


def dead_links(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text())):
        if re.match(r"https?:|mailto:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        if not path.exists():
            yield target
        elif anchor and path.suffix == ".md" and anchor not in anchors(path):
            yield target


class Docs(unittest.TestCase):
    def test_every_link_has_a_target(self):
        for page in all_pages():
            with self.subTest(page.relative_to(ROOT)):
                self.assertEqual(list(dead_links(page)), [])

    def test_sources_named_by_contributor_pages_exist(self):
        for name in ("a-pods-way.md", "add-a-controller.md"):
            named = re.findall(r"`([\w/-]+/[\w/.-]+\.[ch]pp)`", (ROOT / "docs" / name).read_text())
            self.assertGreater(len(named), 3)
            # NAME, KIND and SHORT stand for what a reader chooses.
            chosen = [path for path in named if not re.search("NAME|KIND|SHORT", path)]
            self.assertEqual([path for path in chosen if not (ROOT / path).exists()], [], name)

    def test_every_page_is_in_the_list(self):
        listed = (ROOT / "docs/README.md").read_text()
        for page in sorted((ROOT / "docs").glob("*.md")):
            if page.name != "README.md":
                self.assertIn(f"({page.name})", listed)

    def test_an_operators_kustomization_keeps_its_flags_and_its_lease(self):
        """Renders mycluster as the pages build it up; nothing is applied."""
        flags = re.search(r"```yaml\n(patches:.*?)```", (ROOT / "docs/migrate.md").read_text(), re.S)[1]
        mine = [step for name in OPERATORS_PAGES[:3] for _, step in steps((ROOT / "docs" / name).read_text())
                if "mycluster" in step]
        build = "kubectl() { :; }\n" + "".join([mine[0], f"cat >>mycluster/kustomization.yaml <<'END'\n{flags}END\n",
                                                *mine[1:]])
        SCRATCH.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
            pathlib.Path(folder, "manifests").symlink_to(ROOT / "manifests")
            run("bash", "-euo", "pipefail", "-c", build, cwd=folder)
            objects = render.documents(run(kubectl(), "kustomize", f"{folder}/mycluster"))
        flags = render.container(objects)["args"]
        self.assertEqual(sorted(flag.split("=")[0] for flag in flags), [
            "--config", "--feature-gates", "--logging-format", "--tls-cert-file", "--tls-private-key-file"])
        made = [thing["metadata"]["name"] for thing in objects if thing["kind"] == "ConfigMap"]
        volumes = {volume["name"]: volume for volume in render.pod_spec(objects)["volumes"]}
        self.assertEqual([volumes["config"]["configMap"]["name"]], made)
        self.assertEqual(sorted(volumes), ["config", "serving-certificate"])
        leases = [rule for rule in render.the("Role", objects)["rules"] if rule["resources"] == ["leases"]]
        self.assertIn(["dra-controller-manager"], [rule.get("resourceNames") for rule in leases])

    def test_the_patches_for_a_prometheus_fit_the_components(self):
        patches = re.search(r"```yaml\n(patches:.*?)```", (ROOT / "docs/metrics.md").read_text(), re.S)[1]
        for monitor in ("service-monitor", "pod-monitor"):
            objects = render.composed(components=["alerts", "network-policy", monitor], **yaml.safe_load(patches))
            labelled = {thing["kind"] for thing in objects if "release" in thing["metadata"]["labels"]}
            self.assertEqual(labelled, {"PrometheusRule", "".join(part.title() for part in monitor.split("-"))})
            if monitor == "service-monitor":
                binding = render.the("ClusterRoleBinding", objects, "dra-controller-manager-metrics")
                self.assertEqual(binding["subjects"][0]["name"], "kube-prometheus-stack-prometheus")
                endpoint = render.the("ServiceMonitor", objects)["spec"]["endpoints"][0]
                service = render.the("Service", objects)["metadata"]
                self.assertEqual(endpoint["tlsConfig"]["serverName"], f"{service['name']}.{service['namespace']}.svc")

    def test_commands_work(self):
        environment = {**os.environ, "KUBECONFIG": cluster.kubeconfig(),
                       "PATH": f"{pathlib.Path(kubectl()).parent}:{os.environ['PATH']}"}
        found = [(name, line, step) for name in OPERATORS_PAGES
                 for line, step in steps((ROOT / "docs" / name).read_text())]
        self.assertGreater(len(found), 10)
        SCRATCH.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
            pathlib.Path(folder, "manifests").symlink_to(ROOT / "manifests")
            for name, line, step in found:
                with self.subTest(f"{name}:{line}"):
                    done = subprocess.run(["bash", "-euo", "pipefail", "-c", step], cwd=folder, text=True,
                                          env=environment, capture_output=True, timeout=600)
                    self.assertEqual(done.returncode, 0, f"{step}{done.stdout}{done.stderr}")


if __name__ == "__main__":
    unittest.main()
