"""How the live page interprets API objects, without drawing: model.js and its imports, in a
headless Chromium."""
import json
import unittest

from browser import Browser, chromium
from playground import Playground


class Model(unittest.TestCase):
    """The results of model.js for API objects."""

    def setUp(self):
        chromium()
        self.cluster = Playground("--nodes", "1", "--devices", "1", "--drivers", "gpu.example.com")
        self.addCleanup(self.cluster.stop)
        self.browser = self.enterContext(Browser())
        self.browser.open(self.cluster.page)
        self.browser.until("document.querySelectorAll('#nodes .device').length > 0")

    def picture(self, slices=(), rules=(), read="p.nodes", gone=(), claims=(), pods=()):
        objects = json.dumps({"slices": slices, "claims": claims, "pods": pods, "rules": rules, "gone": gone})
        return self.browser.value(f"import('/ui/model.js').then((m) => {{ const p = m.picture({objects}); "
                                  f"return {read}; }})")

    def slice(self, generation=1, devices=({"name": "d"},), **spec):
        return {"metadata": {"name": f"s{generation}"}, "spec": {
            "driver": "x", "pool": {"name": "p", "generation": generation}, "devices": list(devices), **spec}}

    def test_only_the_newest_generation_of_a_pool_counts(self):
        slices = [self.slice(1, [{"name": "old"}], nodeName="n"), self.slice(2, [{"name": "new"}], nodeName="n")]
        self.assertEqual(self.picture(slices, read="[...p.devices.keys()]"), ["x/p/new"])

    def test_devices_without_node_are_shown(self):
        self.assertEqual(self.picture([self.slice(allNodes=True)])[0]["name"], "all nodes")
        self.assertEqual(self.picture([self.slice(nodeSelector={})])[0]["name"], "several nodes")

    def test_the_beta_wraps_devices(self):
        taint = {"key": "k", "effect": "NoExecute"}
        slices = [self.slice(devices=[{"name": "d", "basic": {"taints": [taint]}}], nodeName="n")]
        self.assertEqual(self.picture(slices)[0]["devices"][0]["worst"], "NoExecute")

    def pod(self, name, reason="", claim="c", deleted=False, **spec):
        """A pod with a claim, marked with that reason."""
        condition = {"type": "DisruptionTarget", "status": "True", "reason": reason}
        return {"metadata": {"name": name, "namespace": "lab", **({"deletionTimestamp": "x"} if deleted else {})},
                "spec": {"resourceClaims": [{"name": "d", "resourceClaimName": claim}], **spec},
                "status": {"phase": "Running", "conditions": [condition] if reason else []}}

    def test_marked_pod_is_evicted_once_it_is_deleted(self):
        for reason, status in [("", "Terminating"), ("PreemptionByScheduler", "Terminating"),
                               ("DeletionByDeviceTaintManager", "Evicted"), ("EvictionByEvictionAPI", "Evicted")]:
            with self.subTest(reason):
                pods = [self.pod("stays", reason), self.pod("went", reason, deleted=True)]
                self.assertEqual(self.picture(pods=pods, read="p.pods.map((pod) => pod.status)"), ["Running", status])

    def test_evicted_pod_without_known_taint_names_the_eviction_api(self):
        evicted = {"object": self.pod("p", "EvictionByEvictionAPI"), "at": 0, "had": [], "why": ""}
        self.assertTrue(self.picture(gone=[evicted], read="p.pods[0].why").endswith("ago: the Eviction API"))

    def test_reservation_for_a_group_is_for_its_pods_with_the_claim(self):
        in_group = {"schedulingGroup": {"podGroupName": "g"}}
        pods = [self.pod("a", **in_group), self.pod("b", **in_group), self.pod("other", "", "d", **in_group),
                self.pod("alone")]
        for users, named in [([("podgroups", "g")], ["lab/a", "lab/b"]), ([("pods", "alone")], ["lab/alone"]),
                             ([("podgroups", "gone")], []), ([("pods", "a"), ("podgroups", "g")], ["lab/a", "lab/b"])]:
            with self.subTest(users=users):
                claim = self.claim({"device": "d"})
                claim["status"]["reservedFor"] = [{"resource": kind, "name": name} for kind, name in users]
                self.assertEqual(self.picture([self.slice(nodeName="n")], pods=pods, claims=[claim],
                                              read="p.devices.get('x/p/d').pods"), named)

    def test_evicted_pod_names_late_and_removed_taints(self):
        pod = self.pod("fragile", reason="DeletionByDeviceTaintManager")
        evicted = {"object": pod, "at": 0, "had": ["x/p/d"], "why": ""}
        tainted = [self.slice(devices=[{"name": "d", "taints": [{"key": "k", "effect": "NoExecute"}]}], nodeName="n")]
        for slices, why, shown in (([self.slice(nodeName="n")], "", "ago: a taint with effect NoExecute"),
                                   (tainted, "", "ago: k:NoExecute on x/p/d"),
                                   ([self.slice(nodeName="n")], "known", "ago: known")):
            with self.subTest(shown=shown):
                row = self.picture(slices, read="p.pods[0]", gone=[{**evicted, "why": why}])
                self.assertTrue(row["why"].endswith(shown), row)

    def test_a_rule_selects_as_the_controller_does(self):
        slices = [self.slice(nodeName="n")]
        for selector, expected in [({}, 1), ({"driver": "x"}, 1), ({"driver": "y"}, 0), ({"pool": "p"}, 1),
                                   ({"pool": "p", "device": "e"}, 0), ({"driver": None}, 1), (None, 0),
                                   ({"pool": ""}, 0), ({"driver": "x", "deviceClassName": "gpu"}, 0)]:
            with self.subTest(selector=selector):
                rule = {"metadata": {"name": "r"}, "spec": {"taint": {"key": "k", "effect": "NoSchedule"}}}
                if selector is not None:
                    rule["spec"]["deviceSelector"] = selector
                self.assertEqual(self.picture(slices, [rule], "p.rules[0].devices"), expected)

    def claim(self, *results, name="c"):
        return {"metadata": {"name": name, "namespace": "lab"}, "status": {"allocation": {"devices": {"results": [
            {"driver": "x", "pool": "p", **result} for result in results]}}}}

    def look(self, device, claims=(), slices=(), read="state", **spec):
        """The model's statement about the device x/p/d, whose pool may have more slices."""
        all_slices = [self.slice(devices=[{"name": "d", **device}], nodeName="n", **spec), *slices]
        return self.picture(all_slices, read=f"p.devices.get('x/p/d').{read}", claims=claims)

    def test_a_quantity_is_exact_and_written_as_kubernetes_does(self):
        for total, taken, left in [("80Gi", "10Gi", "70Gi"), ("80Gi", "1536Mi", "80384Mi"), ("1", "300m", "700m"),
                                   ("1e3", "1", "999"), ("10G", "10G", "0"), ("1Gi", "2Gi", "-1Gi"), ("2k", "1k", "1k"),
                                   ("9223372036854775807", "1", "9223372036854775806"), (".5", "1n", "499999999n"),
                                   ("1Ki", "1m", "1023999m"), ("0.5Gi", "0", "512Mi")]:
            with self.subTest(total=total, taken=taken):
                claim = self.claim({"device": "d", "shareID": "1", "consumedCapacity": {"memory": taken}})
                device = {"allowMultipleAllocations": True, "capacity": {"memory": {"value": total}}}
                self.assertEqual(self.look(device, [claim], read="capacities[0].left"), left)

    def test_invalid_quantity_is_unknown(self):
        for bad in ["", "much", "1e999999999", "1" * 100, "--1", "1 Gi"]:
            with self.subTest(bad):
                claim = self.claim({"device": "d", "shareID": "1", "consumedCapacity": {"memory": bad}})
                device = {"allowMultipleAllocations": True, "capacity": {"memory": {"value": "1Gi"}}}
                self.assertEqual(self.look(device, [claim], read="capacities[0].left"), "")

    def test_shared_device_has_the_remaining_capacity(self):
        capacity = {"bandwidth": {"value": "10G"}, "queues": {"value": "8"}}
        device = {"allowMultipleAllocations": True, "capacity": capacity}
        share = {"device": "d", "shareID": "1", "consumedCapacity": {"bandwidth": "4G"}}
        last = {**share, "shareID": "2", "consumedCapacity": {"bandwidth": "1G", "queues": "8"}}
        admin = {**last, "adminAccess": True}
        for name, results, state, left in [
                ("nobody has a share", [], "free", ["10G", "8"]),
                ("one share", [share], "shared", ["6G", "8"]),
                ("two shares of one claim", [share, share], "shared", ["2G", "8"]),
                ("all of one capacity is consumed", [share, last], "allocated", ["5G", "0"]),
                ("admin access consumes nothing", [share, admin], "shared", ["6G", "8"]),
                ("allocated whole before it was shared", [{"device": "d"}], "allocated", ["10G", "8"]),
                ("another device's share", [{**share, "device": "e"}], "free", ["10G", "8"])]:
            with self.subTest(name):
                claims = [self.claim(*results)]
                self.assertEqual(self.look(device, claims), state)
                self.assertEqual(self.look(device, claims, read="capacities.map((c) => c.left)"), left)

    def test_a_capacity_may_have_any_name(self):
        device = {"allowMultipleAllocations": True, "capacity": {"constructor": {"value": "4"}}}
        share = self.claim({"device": "d", "shareID": "1", "consumedCapacity": {}})
        self.assertEqual(self.look(device, [share], read="capacities[0].left"), "4")

    def test_unshared_device_has_no_remaining_capacity(self):
        for capacity in ({"value": "1Gi"}, "1Gi"):  # v1, v1alpha3
            with self.subTest(capacity=capacity):
                self.assertEqual(self.look({"capacity": {"memory": capacity}}, read="capacities"),
                                 [{"name": "memory", "total": "1Gi"}])

    def test_a_device_that_only_admins_use_is_free(self):
        self.assertEqual(self.look({}, [self.claim({"device": "d", "adminAccess": True})]), "free")
        self.assertEqual(self.look({}, [self.claim({"device": "d"})]), "allocated")

    def part(self, memory, name="e", **more):
        uses = {"counterSet": "s", "counters": {"memory": {"value": memory}}}
        return {"name": name, **more, "consumesCounters": [uses]}

    def counters(self, memory="80Gi", **spec):
        made = self.slice(devices=[], sharedCounters=[{"name": "s", "counters": {"memory": {"value": memory}}}], **spec)
        return {**made, "metadata": {"name": "sets"}}

    def test_partition_has_the_remaining_counters(self):
        took_e = self.claim({"device": "e"})
        shares = self.claim({"device": "e", "shareID": "1"}, {"device": "e", "shareID": "2"})
        for name, other, claims, state, left in [
                ("no other is allocated", self.part("40Gi"), [], "free", "80Gi"),
                ("another leaves enough", self.part("40Gi"), [took_e], "free", "40Gi"),
                ("another leaves too little", self.part("50Gi"), [took_e], "short", "30Gi"),
                ("a shared one consumes once", self.part("40Gi", allowMultipleAllocations=True), [shares],
                 "free", "40Gi"),
                ("one in the hands of an admin consumes nothing", self.part("50Gi"),
                 [self.claim({"device": "e", "adminAccess": True})], "free", "80Gi"),
                ("it is allocated itself", self.part("40Gi"), [took_e, self.claim({"device": "d"})], "allocated", "0"),
                ("the counter is overdrawn", self.part("90Gi"), [took_e], "short", "-10Gi")]:
            with self.subTest(name):
                slices = [self.counters(), {**self.slice(devices=[other], nodeName="m"), "metadata": {"name": "more"}}]
                device = self.part("40Gi", "d")
                self.assertEqual(self.look(device, claims, slices), state)
                self.assertEqual(self.look(device, claims, slices, "counters[0].left"), left)

    def test_overdrawn_counter_blocks_only_partitions_of_its_pool(self):
        took_e = [self.claim({"device": "e"})]
        sets = [{"name": name, "counters": {"memory": {"value": total}}} for name, total in (("s", "1"), ("t", "9"))]
        slices = [self.slice(devices=[self.part("2")], sharedCounters=sets)]
        of_t = {"consumesCounters": [{"counterSet": "t", "counters": {"memory": {"value": "1"}}}]}
        self.assertEqual(self.look(of_t, took_e, slices, "short.set"), "s")
        self.assertEqual(self.look({}, took_e, slices), "free")

    def test_counters_are_those_of_the_pools_newest_generation(self):
        old = {**self.counters("10Gi"), "metadata": {"name": "old"}}
        old["spec"] = {**old["spec"], "pool": {"name": "p", "generation": 0}}
        other = self.counters("20Gi")
        other["spec"] = {**other["spec"], "pool": {"name": "q", "generation": 1}}
        for name, slices, total in [("there", [old, other, self.counters()], "80Gi"), ("not there", [old, other], "")]:
            with self.subTest(name):
                self.assertEqual(self.look(self.part("1Gi", "d"), slices=slices, read="counters[0].total"), total)

    def test_shows_why_a_pool_cannot_be_used(self):
        for slices, count, words in [(1, 1, ""), (1, 2, "1 of 2 ResourceSlices are published"),
                                     (2, 2, "several devices have the same name")]:
            with self.subTest(words):
                pool = {"name": "p", "generation": 1, "resourceSliceCount": count}
                shown = self.picture([self.slice(pool=pool, nodeName="n")] * slices, read="p.nodes[0].devices")
                self.assertEqual([device["unusable"] for device in shown], [words])

    def test_each_device_may_have_a_node_of_its_own(self):
        devices = [{"name": "a", "nodeName": "n"}, {"name": "b", "allNodes": True}, {"name": "c", "nodeSelector": {}}]
        self.assertEqual(self.picture([self.slice(devices=devices, perDeviceNodeSelection=True)],
                                      read="p.nodes.map((n) => n.name)"), ["all nodes", "n", "several nodes"])


if __name__ == "__main__":
    unittest.main()
