"""The live page's panels of shared devices and partitions, and of pods that wait for devices."""
import unittest

from browser import Browser, chromium
from page import PICTURES, text
from playground import PLURALS, RESOURCE, Playground

DETAILS = "document.querySelector('#details')"
NIC = "nic.example.com/rack/1/eth0"  # a pool's name may have slashes
PART = "part.example.com/board/"


def partition(name, memory):
    return {"name": name, "attributes": {"profile": {"string": name}}, "capacity": {"memory": {"value": memory}},
            "consumesCounters": [{"counterSet": "gpu-0", "counters": {"memory": {"value": memory}}}]}


class Devices(unittest.TestCase):
    def setUp(self):
        chromium()
        self.cluster = Playground("--nodes", "2", "--devices", "0", "--drivers", "nic.example.com",
                                  "--drivers", "part.example.com")
        self.addCleanup(self.cluster.stop)
        self.publish("nics", "nic.example.com", "rack/1", devices=[{
            "name": "eth0", "allowMultipleAllocations": True, "attributes": {"model": {"string": "X5"}},
            "capacity": {"bandwidth": {"value": "10G"}}}])
        self.publish("sets", "part.example.com", "board", 2, sharedCounters=[
            {"name": "gpu-0", "counters": {"memory": {"value": "80Gi"}}}])
        self.publish("parts", "part.example.com", "board", 2,
                     devices=[partition("half", "40Gi"), partition("whole", "80Gi")])
        self.browser = self.enterContext(Browser())
        self.browser.open(self.cluster.page)
        self.browser.until("document.querySelectorAll('#nodes .device').length === 3")
        self.addCleanup(lambda: self.assertEqual(self.browser.errors, []))

    def publish(self, name, driver, pool, slices=1, **spec):
        self.cluster.request("POST", f"{RESOURCE}/resourceslices", {"metadata": {"name": name}, "spec": {
            "driver": driver, "nodeName": "node-0", **spec,
            "pool": {"name": pool, "generation": 1, "resourceSliceCount": slices}}})

    def ask(self, name, device_class, **request):
        """Creates a pod and its claim, both with that name."""
        self.cluster.request("POST", PLURALS["ResourceClaim"], {"metadata": {"name": name}, "spec": {"devices": {
            "requests": [{"name": "r", "exactly": {"deviceClassName": device_class, **request}}]}}})
        self.cluster.request("POST", PLURALS["Pod"], {"metadata": {"name": name}, "spec": {
            "containers": [{"name": "c", "image": "i"}],
            "resourceClaims": [{"name": "d", "resourceClaimName": name}]}})

    def ask_for_profile(self, name, profile):
        expression = f"device.attributes['part.example.com'].profile == '{profile}'"
        self.ask(name, "part.example.com", selectors=[{"cel": {"expression": expression}}])

    def show(self, address):
        self.browser.value(f"location.hash = '#{address}'")

    def says(self, *words):
        for each in words:
            self.browser.until(f"{text(DETAILS)}.includes({each!r})")

    def is_drawn(self, key, state):
        self.browser.until(f"document.querySelector('[data-key=\"{key}\"]').className === 'device {state}'")

    def test_shared_device_shows_remaining_capacity_and_consumers(self):
        self.show(f"device/{NIC}")
        self.says("several claims", "bandwidth10G of 10G left", "model: X5")
        self.ask("sender", "nic.example.com", capacity={"requests": {"bandwidth": "4G"}})
        self.says("default/sender: bandwidth 4G", "bandwidth6G of 10G left")
        self.is_drawn(NIC, "shared")
        self.assertAlmostEqual(self.browser.value(f"{DETAILS}.querySelector('meter').value"), 0.6)
        self.browser.picture(PICTURES / "shared.png")
        self.ask("other", "nic.example.com", capacity={"requests": {"bandwidth": "6G"}})
        self.says("bandwidth0 of 10G left")
        self.is_drawn(NIC, "allocated")

    def test_partition_shows_its_counters_and_their_remainder(self):
        self.show(f"device/{PART}whole")
        self.says("Counter set gpu-0", "80Gi of 80Gi left; it consumes 80Gi", "profile: whole", "memory: 80Gi")
        self.ask_for_profile("trainer", "half")
        self.says("Cannot be allocated now: it consumes 80Gi of counter memory, and 40Gi is left.",
                  f"Allocated from the same counter sets{PART}half")
        self.is_drawn(f"{PART}whole", "short")
        self.browser.picture(PICTURES / "partition.png")
        self.show(f"device/{PART}half")
        self.says("default/trainer", "40Gi of 80Gi left; it consumes 40Gi")
        self.assertNotIn("same counter sets", self.browser.value(text(DETAILS)))

    def test_click_on_waiting_pod_shows_reason_and_remedy(self):
        self.ask_for_profile("trainer", "half")
        self.is_drawn(f"{PART}half", "allocated")
        self.ask_for_profile("greedy", "whole")
        self.browser.until("[...document.querySelectorAll('#pods a')].some((a) => "
                           "a.textContent === 'default/greedy' && (a.click(), true))")
        self.browser.until(f"{DETAILS}.querySelector('.summary')?.textContent.startsWith("
                           "'No node has a free device for request \"r\" of claim \"greedy\"')")
        remedy = f"{DETAILS}.querySelector('.summary + .remedy')"
        self.assertIn("as soon as claim default/trainer is released", self.browser.until(f"{remedy}?.textContent"))
        # Nothing is said twice, and each node is a line that unfolds.
        self.assertEqual(self.browser.value(f"{DETAILS}.textContent.split('No node has').length"), 2)
        node = f"{DETAILS}.querySelector('details')"
        self.assertEqual(self.browser.value(f"{node}.firstChild.textContent"),
                         'node-0: request "r" wants 1, 0 of 3 devices free')
        self.browser.value(f"{node}.firstChild.click()")
        self.browser.picture(PICTURES / "waiting.png")
        # It stays unfolded when the panel is redrawn.
        self.browser.value(f"{node}.id = 'before'")
        self.ask("news", "nic.example.com")
        self.browser.until(f"{node}.id === ''")
        self.assertTrue(self.browser.value(f"{node}.open"))
        self.browser.value(f"{remedy}.querySelector('a[href=\"#claim/default/trainer\"]').click()")
        self.says("claim default/trainer", f"{PART}half")

    def test_a_long_word_does_not_leave_the_panel(self):
        self.ask_for_profile("long", "x" * 64)
        self.show("pod/default/long")
        self.says("profile == 'xxx")
        self.assertLessEqual(self.browser.value(f"{DETAILS}.scrollWidth"), self.browser.value(f"{DETAILS}.clientWidth"))

    def allocate(self, name, **result):
        """Creates a claim with a share of eth0."""
        made = self.cluster.request("POST", PLURALS["ResourceClaim"], {"metadata": {"name": name}, "spec": {"devices": {
            "requests": [{"name": "r", "exactly": {"deviceClassName": "nic.example.com"}}]}}})
        made["status"] = {"allocation": {"devices": {"results": [{
            "request": "r", "driver": "nic.example.com", "pool": "rack/1", "device": "eth0", **result}]}}}
        self.cluster.request("PUT", f"{PLURALS['ResourceClaim']}/{name}/status", made)

    def test_names_a_few_of_many_claims(self):
        for index in range(60):
            self.allocate(f"many-{index:02}", shareID=f"00000000-0000-4000-8000-{index:012}",
                          consumedCapacity={"bandwidth": "1M"})
        self.show(f"device/{NIC}")
        self.says("9940M of 10G left", "and 10 more")
        self.assertEqual(self.browser.value(f"{DETAILS}.querySelectorAll('a[href^=\"#claim/\"]').length"), 50)
        self.browser.until(f"document.querySelector('[data-key=\"{NIC}\"]').title.endsWith(' and 55 more')")

    def test_shows_that_device_was_allocated_before_it_was_shared(self):
        self.allocate("older")
        self.show(f"device/{NIC}")
        self.says("default/older", "Cannot be shared now: a claim got all of it before it was shared.")
        self.is_drawn(NIC, "allocated")

    def test_shows_that_the_pool_of_a_device_is_incomplete(self):
        self.publish("first", "part.example.com", "torn", 3, devices=[{"name": "d"}])
        self.show("device/part.example.com/torn/d")
        self.says("No device of its pool can be allocated now: 1 of 3 ResourceSlices are published.")

    def test_shows_each_name_of_a_pool_once(self):
        """No API server refuses two slices with devices of one name."""
        for name in ("first", "second"):
            self.publish(name, "part.example.com", "doubled", 2, devices=[{"name": "d"}])
        self.show("device/part.example.com/doubled/d")
        self.says("No device of its pool can be allocated now: several devices have the same name.")
        self.allocate("older")
        self.is_drawn(NIC, "allocated")
        drawn = "document.querySelectorAll('[data-key=\"part.example.com/doubled/d\"]').length"
        self.assertEqual(self.browser.value(drawn), 1)

    def test_panel_closes_when_the_pod_is_gone(self):
        self.ask_for_profile("trainer", "half")
        self.is_drawn(f"{PART}half", "allocated")
        self.ask_for_profile("greedy", "whole")
        self.show("pod/default/greedy")
        self.says("as soon as claim default/trainer is released")
        self.cluster.request("DELETE", PLURALS["Pod"] + "/trainer")
        self.says("Running on node-0")
        self.is_drawn(f"{PART}half", "short")


if __name__ == "__main__":
    unittest.main()
