"""The slices of node/driver_kit on a real API server: what the kit publishes is accepted, and what the server would
refuse is refused by the kit. Pools with every feature are changed at random places; DCM_SEED chooses others."""
import copy
import json
import os
import pathlib
import random
import subprocess
import sys
import unittest

from world import BIN, ROOT

sys.path[:0] = [str(ROOT / "test/manifests"), str(ROOT / "test/soak")]
import cluster  # noqa: E402
from api import Api, Refused  # noqa: E402

DRY_RUN = "/apis/resource.k8s.io/v1/resourceslices?dryRun=All"
GATES = ("DRADeviceCompatibilityGroups", "DRAListTypeAttributes", "DRANodeAllocatableResources",
         "DRAOptionalNodeOperations", "DRAPartitionableDevicesType", "DRAResourcePoolStatus", "NodeDeclaredFeatures")
CHANGES = 3000
DRIVER = "gpu.example.com"
TAINT = {"key": "example.com/hot", "value": "yes", "effect": "NoExecute", "timeAdded": "2026-01-01T00:00:00Z"}
TERM = {"matchExpressions": [{"key": "example.com/rack", "operator": "In", "values": ["r1", "r2"]},
                             {"key": "gpu", "operator": "Exists"}, {"key": "n", "operator": "Gt", "values": ["1"]}],
        "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
ATTRIBUTES = {"model": {"string": "A100"}, "index": {"int": 0}, "mig": {"bool": False}, "driver": {"version": "1.2.3-a+b"},
              "resource.k8s.io/pciBusID": {"string": "0000:01:00.0"}, "links": {"strings": ["a", "b"]},
              "sizes": {"ints": [1, 2]}, "on": {"bools": [True]}, "apis": {"versions": ["1.0.0"]}}


def capacity(**policy):
    return {"value": "40Gi", **({"requestPolicy": policy} if policy else {})}


def pools():
    plain = [{"name": "gpu-0", "attributes": ATTRIBUTES, "capacity": {"memory": capacity()}}]
    shared = [{"name": "gpu-0", "allowMultipleAllocations": True, "capacity": {
        "memory": capacity(default="5Gi", validRange={"min": "5Gi", "max": "40Gi", "step": "5Gi"}),
        "slots": {"value": 8, "requestPolicy": {"default": 2, "validValues": [1, 2, 4, 8]}},
        "share": {"value": "2", "requestPolicy": {"default": "500m", "validRange": {"min": "500m", "step": "500m"}}},
        "bandwidth": capacity(default="1Gi")}}]
    parts = [{"name": f"gpu-0-part-{number}", "attributes": {"profile": {"string": "1g.5gb"}}, "taints": [TAINT],
              "consumesCounters": [{"counterSet": "gpu-0", "compatibilityGroups": ["mig"],
                                    "counters": {"memory": {"value": "5Gi"}, "engines": {"value": 1}}}]}
             for number in range(3)]
    counters = [{"name": "gpu-0", "counters": {"memory": {"value": "40Gi"}, "engines": {"value": "7"}}}]
    bound = [{"name": "fabric-0", "bindsToNode": True, "bindingConditions": ["example.com/attached"],
              "bindingFailureConditions": ["example.com/failed"],
              "nodeAllocatableResources": {"cpu": {"overhead": {"perPod": "100m"}},
                                           "memory": {"mapping": {"capacityKey": "memory", "capacityMultiplier": "1"}}},
              "capacity": {"memory": capacity()}}]
    chosen = [{"name": "a", "nodeName": "n1"}, {"name": "b", "allNodes": True},
              {"name": "c", "nodeSelector": {"nodeSelectorTerms": [TERM, {}]}}]
    on_node = {"driver": DRIVER, "node": "n0", "nodeUID": "0", "name": "n0", "more": {}}
    nowhere = {**on_node, "node": "", "name": "rack-1/fabric"}
    return {
        "plain devices": {**on_node, "devices": plain},
        "no device": {**on_node, "devices": []},
        "many devices": {**on_node, "devices": [{"name": f"d{number}"} for number in range(300)]},
        "many lists": {**on_node, "devices": [{"name": f"d{number}", "attributes": {"a": {"ints": [1]}}}
                                              for number in range(100)]},
        "shareable devices": {**on_node, "devices": shared},
        "partitionable devices": {**on_node, "devices": parts, "sharedCounters": counters,
                                  "more": {"partitionTypeAttribute": f"{DRIVER}/profile"}},
        "many counters": {**on_node, "sharedCounters": [
            {"name": f"c{number}", "counters": {"a": {"value": 1}}} for number in range(20)]},
        "binding conditions": {**on_node, "devices": bound},
        "a layout": {**on_node, "layout": [{"sharedCounters": counters}, {"devices": parts[:1]}, {"devices": parts[1:]}]},
        "on all nodes": {**nowhere, "devices": plain, "more": {"allNodes": True, "skipNodeOperations": ["*"]}},
        "on nodes of a selector": {**nowhere, "devices": plain, "more": {
            "nodeSelector": {"nodeSelectorTerms": [TERM]},
            "skipNodeOperations": ["NodePrepareResources", "NodeUnprepareResources"]}},
        "each on its node": {**nowhere, "devices": chosen, "more": {"perDeviceNodeSelection": True}}}


VALUES = [None, True, False, 0, 1, -1, 1.5, 2**63, "", "a", "A", "a.b", "a/b", "a/b/c", "/a", "a/", "-a", "a-", "a_b", "ä", "1",
          "x" * 33, "x" * 64, "x" * 65, "x" * 254, "1Gi", "1gi", "50Gi", "0", "-1Gi", "300m", "1e30", "NoSchedule", "None", "*",
          "NodePrepareResources", "NotIn", "Lt", "v1.2.3", "01.2.3", "2026-13-01T00:00:00Z", "metadata.name", [], {}, ["a", "a"],
          [1], {"a": 1}, [None], f"{DRIVER}/x", "example.com/hot", "gpu-0"]


def places(value, path=()):
    """Every place in a tree that can be changed."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in list(children):
        yield (*path, key)
        yield from places(child, (*path, key))


def changed(pool, rng):
    """One value replaced, removed, duplicated or renamed."""
    pool = copy.deepcopy(pool)
    area = rng.choice([part for part in ("devices", "sharedCounters", "more", "layout", "name") if pool.get(part)])
    path = rng.choice([place for place in places({area: pool[area]}) if len(place) > 2 or area in ("more", "name")])
    holder = pool
    for key in path[:-1]:
        holder = holder[key]
    key, way = path[-1], rng.random()
    if way < 0.55:
        holder[key] = copy.deepcopy(rng.choice(VALUES))
    elif way < 0.75 and area != "name":
        del holder[key]
    elif isinstance(holder, list):
        holder.extend(copy.deepcopy(holder) * rng.choice((1, 20)))
    elif isinstance(holder, dict) and area != "name":
        holder[str(rng.choice(VALUES))] = holder.pop(key)
    return pool


class KitSlices(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # That plugin checks whether existing nodes can have such devices.
        cluster.use(None, "--feature-gates=" + ",".join(f"{gate}=true" for gate in GATES),
                    "--disable-admission-plugins=NodeDeclaredFeatureValidator")
        cls.addClassCleanup(cluster.stop)
        cls.api = Api(pathlib.Path(cluster.kubeconfig()))
        cls.kit = subprocess.Popen([BIN / "kit_slices"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        cls.addClassCleanup(cls.kit.communicate)

    def ask_kit(self, pool):
        self.kit.stdin.write(json.dumps(pool) + "\n")
        self.kit.stdin.flush()
        return json.loads(self.kit.stdout.readline())

    def ask_server(self, slices):
        """Why it refuses one of them, or None."""
        for each in slices:
            try:
                self.api.send("POST", DRY_RUN, each)
            except Refused as refused:
                return str(refused)
        return None

    def test_what_the_kit_publishes_is_accepted(self):
        for name, pool in pools().items():
            with self.subTest(name):
                answer = self.ask_kit(pool)
                self.assertNotIn("problem", answer)
                self.assertIsNone(self.ask_server(answer["slices"]))

    def test_the_server_stores_what_the_kit_has_written(self):
        """So a restarted driver writes nothing."""
        for name, pool in pools().items():
            for each in self.ask_kit(pool)["slices"]:
                with self.subTest(name):
                    self.assertEqual(self.api.send("POST", DRY_RUN, each)["spec"], each["spec"])

    def test_what_the_server_refuses_is_refused_by_the_kit(self):
        seed = int(os.environ.get("DCM_SEED", "1"))
        rng, small = random.Random(seed), [pool for name, pool in pools().items() if "many" not in name]
        refused = {True: 0, False: 0}
        for number in range(int(os.environ.get("DCM_CHANGES", CHANGES))):
            pool = changed(rng.choice(small), rng)
            answer = self.ask_kit(pool)
            why = self.ask_server(answer["slices"])
            refused[why is not None] += 1
            if why is None and "problem" in answer and "DCM_STRICTER" in os.environ:
                print("stricter:", answer["problem"])
            if why and "problem" not in answer:
                self.fail(f"seed {seed}, change {number}: {why}\n{json.dumps(pool)}")
            self.assertNotIn("\n", answer.get("problem", ""))
        self.assertGreater(min(refused.values()), CHANGES // 10, refused)


if __name__ == "__main__":
    unittest.main()
