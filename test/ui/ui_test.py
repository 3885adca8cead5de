"""The live page /ui/ in a headless Chromium: what its DOM says while the cluster changes, and pictures of it.

The pictures are in build/ui; a person should look at them when the page has changed.
"""
import json
import os
import re
import subprocess
import unittest
import urllib.error

from browser import Browser, chromium
from page import DEVICE, PICTURES, click, device, row, text
from playground import RESOURCE, ROOT, Playground

CONTROLPLANE = ROOT / "test/controlplane/controlplane"
STATIC = ROOT / "playground/ui/static"


class Page(unittest.TestCase):
    """On the playground's own page."""

    def setUp(self):
        chromium()
        self.cluster = Playground("--nodes", "4", "--devices", "8", "--drivers", "gpu.example.com")
        self.addCleanup(self.cluster.stop)
        self.browser = self.enterContext(Browser())
        self.browser.open(self.cluster.page)
        self.browser.until("document.querySelectorAll('#nodes .device').length === 32")
        self.addCleanup(lambda: self.assertEqual(self.browser.errors, []))

    def test_shows_changes_live_and_taints_device_on_click(self):
        self.assertEqual(self.browser.value("document.querySelectorAll('#nodes .allocated').length"), 0)
        self.cluster.apply("pods-and-taints.yaml")
        self.browser.until("document.querySelectorAll('#nodes .allocated').length === 8")
        self.browser.until(text(row("pods", "default/fragile-0")) + ".includes('Running')")
        self.browser.picture(PICTURES / "before-the-taint.png")
        self.browser.value(f"{device()}.click()")
        self.browser.until(text("document.querySelector('#details')") +
                           ".includes('NoExecute evicts default/fragile-0')")
        self.browser.picture(PICTURES / "device.png")
        click(self.browser, "Taint NoExecute")
        self.browser.until(f"{device()}.classList.contains('noexecute')")
        # It stays for a while, with its reason, although it is deleted.
        self.browser.until(text(row("pods", "default/fragile-0")) +
                           ".includes('Evicted: ') && " + row("pods", "default/fragile-0") + ".className === 'gone'")
        # The slice with the taint may arrive after the pod is gone.
        self.browser.until(text(row("pods", "default/fragile-0")) +
                           f".includes('ago: example.com/unhealthy=ui:NoExecute on {DEVICE}')")
        self.assertNotIn("fragile-0", self.cluster.names("/api/v1/namespaces/default/pods"))
        self.browser.key("Escape")
        self.browser.picture(PICTURES / "after-the-taint.png")
        self.browser.value(f"{device()}.click()")
        click(self.browser, "Remove example.com/unhealthy=ui:NoExecute")
        self.browser.until(f"{device()}.className === 'device'")

    def test_creates_shows_and_deletes_rule(self):
        self.browser.value(f"{device()}.click()")
        click(self.browser, "Create rule NoSchedule")
        self.browser.until(f"{device()}.classList.contains('noschedule')")
        name = self.browser.until("document.querySelector('#rules a')?.textContent")
        made = self.cluster.request("GET", f"{RESOURCE}/devicetaintrules/{name}")
        self.assertEqual(made["spec"]["deviceSelector"],
                         {"driver": "gpu.example.com", "pool": "node-2", "device": "dev-0"})
        self.browser.value("document.querySelector('#rules a').click()")
        click(self.browser, "Delete this rule")
        self.browser.until(f"{device()}.className === 'device'")
        self.assertEqual(self.cluster.names(f"{RESOURCE}/devicetaintrules"), set())

    def test_explains_why_a_pod_waits(self):
        self.cluster.apply("pod-before-its-template.yaml")
        self.browser.until(row("pods", "default/early-0") + " !== undefined")
        self.browser.value(row("pods", "default/early-0") + ".querySelector('a').click()")
        self.browser.until(text("document.querySelector('#details')") +
                           """.includes('There is no ResourceClaimTemplate "late"')""")
        self.browser.picture(PICTURES / "explained.png")
        # The panel follows the object.
        self.cluster.apply("late-template.yaml")
        self.browser.until("!" + text("document.querySelector('#details')") + ".includes('There is no ResourceClaimTemplate')")

    def test_works_with_keyboard_only(self):
        self.browser.value("document.querySelector('#nodes .device').focus()")
        self.browser.key("ArrowRight")
        focused = "document.activeElement.dataset.key"
        self.assertEqual(self.browser.value(focused), "gpu.example.com/node-0/dev-1")
        self.browser.key("Enter")
        self.browser.until("document.activeElement.id === 'details'")
        self.browser.key("Escape")
        self.browser.until("document.querySelector('#details').hidden")
        self.assertEqual(self.browser.value(focused), "gpu.example.com/node-0/dev-1")
        # One Tab stop per node.
        self.assertEqual(self.browser.value("document.querySelectorAll('#nodes [tabindex=\"0\"]').length"), 4)
        self.browser.key("Tab")
        self.assertEqual(self.browser.value(focused), "gpu.example.com/node-1/dev-0")

    def test_describes_devices_without_colours(self):
        self.browser.value(f"{device()}.click()")
        click(self.browser, "Taint NoSchedule")
        self.browser.until(f"{device()}.textContent === '!'")
        self.assertIn("free; tainted example.com/unhealthy=ui:NoSchedule",
                      self.browser.value(f"{device()}.getAttribute('aria-label')"))
        click(self.browser, "Taint NoExecute")
        self.browser.until(f"{device()}.textContent === 'X'")

    def test_executes_no_markup_from_objects(self):
        hostile = "<img src=x onerror=\"document.title='owned'\">"
        slices = self.cluster.request("GET", f"{RESOURCE}/resourceslices")["items"]
        slice_ = next(s for s in slices if s["spec"]["pool"]["name"] == "node-2")
        self.cluster.request("PATCH", f"{RESOURCE}/resourceslices/{slice_['metadata']['name']}", [
            {"op": "add", "path": "/spec/devices/0/attributes", "value": {"note": {"string": hostile}}}],
            "application/json-patch+json")
        self.browser.value(f"{device()}.click()")
        self.browser.until(text("document.querySelector('#details')") + f".includes({json.dumps('note: ' + hostile)})")
        self.assertEqual(self.browser.value("document.images.length"), 0)
        self.assertEqual(self.browser.value("document.title"), "DRA playground")

    def test_executes_no_markup_from_conditions(self):
        hostile = "<img src=x onerror=\"document.title='owned'\">"
        self.cluster.apply("pod-before-its-template.yaml")
        self.cluster.request("PATCH", "/api/v1/namespaces/default/pods/early-0/status", {"status": {"conditions": [
            {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": hostile}]}},
            "application/strategic-merge-patch+json")
        self.browser.until(text(row("pods", "default/early-0")) + f".includes({json.dumps(hostile)})")
        self.browser.open(self.cluster.page + "#pod/default/" + "%3Cimg%20src=x%20onerror=document.title=1%3E")
        self.browser.until(text("document.querySelector('#details')") + ".includes('<img src=x')")
        self.assertEqual(self.browser.value("document.images.length"), 0)
        self.assertEqual(self.browser.value("document.title"), "DRA playground")

    def test_marks_a_pod_that_is_stuck(self):
        self.cluster.apply("pod-before-its-template.yaml")
        self.browser.until(row("pods", "default/early-0") + "?.className === 'stuck'")
        self.assertIn("Pending: No claim yet for nic", self.browser.value(text(row("pods", "default/early-0"))))
        self.assertIn("(1 stuck)", self.browser.value("document.querySelector('#counts').textContent"))

    def test_names_the_driver_and_counts_no_taint_without_effect(self):
        self.assertIn("gpu.example.com", self.browser.value("document.querySelector('#nodes article').textContent"))
        self.browser.value(f"{device()}.click()")
        click(self.browser, "Create rule None")
        self.browser.until(f"{device()}.classList.contains('none')")
        self.assertIn(" 0 tainted", self.browser.value("document.querySelector('#counts').textContent"))

    def test_address_opens_object_with_links_to_others(self):
        self.cluster.apply("pods-and-taints.yaml")
        self.browser.until(text(row("pods", "default/fragile-0")) + ".includes('Running')")
        self.browser.open(self.cluster.page + "#pod/default/fragile-0")
        details = "document.querySelector('#details')"
        self.browser.until(f"((a) => a && (a.click(), true))({details}.querySelector('a[href^=\"#claim/\"]'))")
        self.browser.until(f"{details}.querySelector('a[href=\"#pod/default/fragile-0\"]') !== null")
        self.browser.value(f"{details}.querySelector('a[href^=\"#device/\"]').click()")
        self.browser.until(text(details) + f".includes('Device {DEVICE}')")
        # Beside the tables, not over them.
        self.assertLessEqual(self.browser.value("document.querySelector('#tables').getBoundingClientRect().right"),
                             self.browser.value(f"{details}.getBoundingClientRect().left"))
        self.browser.picture(PICTURES / "linked.png")

    def test_click_on_header_sorts(self):
        self.cluster.apply("sixty-four-pods.yaml")
        self.browser.until("document.querySelectorAll('#pods tr').length === 64")
        first = "document.querySelector('#pods tr').textContent"
        head = "[...document.querySelectorAll('.pods th button')].find((b) => b.textContent === 'Pod')"
        self.browser.value(f"{head}.click()")
        ascending = self.browser.until(f"document.querySelector('.pods [aria-sort=ascending]') && {first}")
        self.browser.value(f"{head}.click()")
        self.browser.until(f"document.querySelector('.pods [aria-sort=descending]') && {first} !== {json.dumps(ascending)}")

    def test_filter_keeps_matching_rows(self):
        self.browser.value("""(() => { const input = document.querySelector('#filter');
                               input.value = 'node-3'; input.dispatchEvent(new Event('input')); })()""")
        self.browser.until("document.querySelectorAll('#nodes article').length === 1")
        self.assertIn("node-3", self.browser.value("document.querySelector('#nodes').textContent"))

    def test_fits_narrow_window(self):
        self.cluster.apply("two-templates.yaml")
        self.browser.open(self.cluster.page, width=420, height=1200)
        self.browser.until("document.querySelectorAll('#nodes .device').length === 32")
        self.assertLessEqual(self.browser.value("document.documentElement.scrollWidth"), 420)
        self.browser.picture(PICTURES / "narrow.png")

    def test_reports_lost_server_and_continues_when_it_is_back(self):
        self.browser.until("document.querySelector('#connection').textContent === 'Live'")
        self.cluster.end_server()
        self.browser.until("document.querySelector('#connection').textContent.startsWith('Not up to date')")
        self.cluster.start("--nodes", "2")
        self.browser.until("document.querySelectorAll('#nodes article').length === 2")
        self.browser.until("document.querySelector('#connection').textContent === 'Live'")

    def test_serves_only_its_files(self):
        for method, path, status in [("GET", "/ui/../README.md", 404), ("GET", "/ui/ui.cpp", 404),
                                     ("GET", "/ui/explain/secrets/default/x", 404), ("POST", "/ui/", 405)]:
            with self.subTest(path), self.assertRaises(urllib.error.HTTPError) as refused:
                self.cluster.request(method, path)
            self.addCleanup(refused.exception.close)
            self.assertEqual(refused.exception.code, status)


class KubectlProxy(unittest.TestCase):
    """The same files in front of a real API server."""

    def controlplane(self, *words):
        done = subprocess.run([CONTROLPLANE, *words], text=True, capture_output=True, timeout=600)
        if done.returncode != 0:
            raise unittest.SkipTest(f"no real API server: {done.stderr.strip().splitlines()[-1]}")
        return done.stdout

    def setUp(self):
        chromium()
        self.controlplane("available")
        name = f"ui-{os.getpid()}"
        kubeconfig = re.search(r"^kubeconfig: (.*)$", self.controlplane("up", "--name", name), re.M)[1]
        self.addCleanup(self.controlplane, "down", "--name", name)
        self.kubectl = [self.controlplane("path", "kubectl").strip(), "--kubeconfig", kubeconfig]
        self.proxy = subprocess.Popen([*self.kubectl, "proxy", "--port=0", f"--www={STATIC}", "--www-prefix=/ui/"],
                                      stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.proxy.stdout.close)
        self.addCleanup(self.proxy.wait, 60)
        self.addCleanup(self.proxy.terminate)
        self.address = re.search(r"127\.0\.0\.1:\d+", self.proxy.stdout.readline())[0]
        self.browser = self.enterContext(Browser())

    def create(self, thing):
        subprocess.run([*self.kubectl, "apply", "-f", "-"], input=json.dumps(thing), text=True, check=True,
                       capture_output=True)

    def test_shows_and_taints_devices_of_a_real_cluster(self):
        self.create({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "one"},
                     "spec": {"driver": "gpu.example.com", "nodeName": "node-2", "pool": {
                         "name": "node-2", "generation": 1, "resourceSliceCount": 1},
                         "devices": [{"name": "dev-0"}]}})
        self.browser.open(f"http://{self.address}/ui/")
        self.browser.until(f"{device()} !== null")
        self.browser.value(f"{device()}.click()")
        click(self.browser, "Taint NoSchedule")
        self.browser.until(f"{device()}.textContent === '!'")
        stored = subprocess.run([*self.kubectl, "get", "resourceslice", "one", "-o", "json"], text=True, check=True,
                                capture_output=True).stdout
        self.assertEqual(json.loads(stored)["spec"]["devices"][0]["taints"][0]["effect"], "NoSchedule")

    def test_names_the_command_if_no_explanation_is_served(self):
        self.create({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
                     "metadata": {"name": "lonely", "namespace": "default"},
                     "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "none"}}]}}})
        self.browser.open(f"http://{self.address}/ui/")
        self.browser.until(row("claims", "default/lonely") + " !== undefined")
        self.browser.value(row("claims", "default/lonely") + ".querySelector('a').click()")
        self.browser.until(text("document.querySelector('#details pre')") +
                           " === 'dra-controller-manager explain resourceclaims default/lonely'")


if __name__ == "__main__":
    unittest.main()
