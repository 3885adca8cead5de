"""Scenes in which a pod gets no device. Each has the expected explanation, and the advised step.

A scene has nodes' slices, pods that hold devices, the pod that waits (by the requests of its claim, or
by extended resources), parts of the explanation, and the step: what is done, as the explanation says,
for the pod to be placed.
"""
DRIVER = "gpu.example.com"
API = "resource.k8s.io/v1"
EXTENDED, IMPLICIT = "example.com/gpu", "deviceclass.resource.kubernetes.io/gpu"  # of class "gpu"


def device(name, model="H100", **more):
    return {"name": name, "attributes": {"model": {"string": model}}, **more}


def slice_of(node, devices, count=1, name=None, **spec):
    return {"apiVersion": API, "kind": "ResourceSlice", "metadata": {"name": name or node}, "spec": {
        "driver": DRIVER, "nodeName": node, "devices": devices,
        "pool": {"name": node, "generation": 1, "resourceSliceCount": count}, **spec}}


def cel(expression):
    return {"cel": {"expression": expression}}


def model(wanted):
    return cel(f'device.attributes["{DRIVER}"].model == "{wanted}"')


def request(count=1, selectors=(), name="r", cls="gpu", **more):
    return {"name": name, "exactly": {"deviceClassName": cls, "count": count, "allocationMode": "ExactCount",
                                      "selectors": list(selectors), **more}}


def taint(effect="NoSchedule", key="unhealthy"):
    return {"key": key, "value": "yes", "effect": effect}


class Scene:
    def __init__(self, name, slices, waits, said, step, holders=(), constraints=(), classes=(), rules=(), group=""):
        self.name, self.slices, self.waits, self.said, self.step = name, slices, waits, said, step
        self.holders, self.constraints, self.classes, self.rules = holders, constraints, classes, rules
        self.group = group  # a pod group that also holds the holders' claims


# A step: an operation on an object, as in the server's API.
def end(pod):
    return ("end", pod)


def put(thing):
    return ("put", thing)


def remove(kind, name):
    return ("remove", kind, name)


SHARED = {"allowMultipleAllocations": True, "capacity": {"memory": {"value": "40Gi"}}}
PARTITION = [{"counterSet": "set", "counters": {"memory": {"value": "3"}}}]
COUNTERS = [{"name": "set", "counters": {"memory": {"value": "4"}}}]


def partitions():
    both = {"count": 2}
    return [slice_of("node-1", [device("a", consumesCounters=PARTITION), device("b", consumesCounters=PARTITION)],
                     **both),
            {"apiVersion": API, "kind": "ResourceSlice", "metadata": {"name": "counters"}, "spec": {
                "driver": DRIVER, "nodeName": "node-1", "sharedCounters": COUNTERS,
                "pool": {"name": "node-1", "generation": 1, "resourceSliceCount": 2}}}]


SCENES = [
    Scene("held", [slice_of("node-1", [device("a")])], [request()],
          ["a is held by claim {ns}/h0 of pod {ns}/h0", "claim {ns}/h0 is released, when pod {ns}/h0 ends"],
          end("h0"), holders=[[request()]]),
    Scene("two held, either is enough", [slice_of("node-1", [device("a"), device("b")])], [request()],
          ["one of these happens: claim {ns}/h0 is released", "or claim {ns}/h1 is released"],
          end("h1"), holders=[[request()], [request()]]),
    Scene("tainted by the driver", [slice_of("node-1", [device("a", taints=[taint()])])], [request()],
          ["a is tainted unhealthy=yes:NoSchedule by driver gpu.example.com",
           "taint unhealthy=yes:NoSchedule of a is removed, or tolerated by a new claim"],
          put(slice_of("node-1", [device("a")]))),
    Scene("tainted by a rule", [slice_of("node-1", [device("a")])], [request()],
          ["a is tainted unhealthy=yes:NoSchedule by DeviceTaintRule \"rule\""],
          remove("DeviceTaintRule", "rule"),
          rules=[{"apiVersion": API, "kind": "DeviceTaintRule", "metadata": {"name": "rule"}, "spec": {
              "deviceSelector": {"device": "a"}, "taint": taint()}}]),
    Scene("another model", [slice_of("node-1", [device("a", "A100")])], [request(1, [model("H100")])],
          [f'device.attributes["{DRIVER}"].model is "A100"', "NoDeviceMatches"],
          put(slice_of("node-1", [device("a", "H100")]))),
    Scene("a selector that fails", [slice_of("node-1", [{"name": "a"}])], [request(1, [model("H100")])],
          ["SelectorFails", f'device.attributes["{DRIVER}"].model is not set'],
          put(slice_of("node-1", [device("a")]))),
    Scene("an incomplete pool", [slice_of("node-1", [device("a")], 2)], [request()],
          ["in an incomplete pool (1 of 2 ResourceSlices are published)"],
          put(slice_of("node-1", [device("b")], 2, "node-1-more"))),
    Scene("no slices", [], [request()], ["NoDevices", "Check that the driver runs there"],
          put(slice_of("node-1", [device("a")]))),
    Scene("no class", [slice_of("node-1", [device("a")])], [request(cls="tpu")], ["ClassMissing"],
          put({"apiVersion": API, "kind": "DeviceClass", "metadata": {"name": "tpu"}, "spec": {}})),
    Scene("a match that does not meet", [slice_of("node-1", [device("a", "A100"), device("b", "H100"),
                                                             device("c", "A100")])],
          [request(2)], ["NotTogether", f"matchAttribute {DRIVER}/model", "claim {ns}/h0 is released"],
          end("h0"), holders=[[request(1, [model("A100")])]],
          constraints=[{"matchAttribute": f"{DRIVER}/model"}]),
    Scene("a shared capacity", [slice_of("node-1", [device("a", **SHARED)])],
          [request(capacity={"requests": {"memory": "20Gi"}})],
          ["it has 40Gi, of which 30Gi is consumed by claim {ns}/h0 of pod {ns}/h0"], end("h0"),
          holders=[[request(capacity={"requests": {"memory": "30Gi"}})]]),
    Scene("counters", partitions(), [request()],
          ['short of counter "memory" in counter set "set": 3 needed, 1 left, the rest is used by claim {ns}/h0'],
          end("h0"), holders=[[request()]]),
    Scene("held by a pod group", [slice_of("node-1", [device("a")])], [request()],
          ["a is held by claim {ns}/h0 of pod group {ns}/team",
           "claim {ns}/h0 is released, when pod group {ns}/team is deleted"],
          end("h0"), holders=[[request()]], group="team"),
    Scene("an extended resource", [slice_of("node-1", [device("a")])], {EXTENDED: "1"},
          [f'extended resource {EXTENDED} of container "c" (request "container-0-request-0", class "gpu")',
           "claim {ns}/h0 is released, when pod {ns}/h0 ends"], end("h0"), holders=[[request()]]),
    Scene("an extended resource by the name of a class", [slice_of("node-1", [device("a", taints=[taint()])])],
          {IMPLICIT: "1"}, [f"extended resource {IMPLICIT}", "taint unhealthy=yes:NoSchedule of a is removed."],
          put(slice_of("node-1", [device("a")]))),
    Scene("two of an extended resource", [slice_of("node-1", [device("a")])], {EXTENDED: "2"},
          ["No node has 2 free devices", "container-0-request-0"],
          put(slice_of("node-1", [device("a"), device("b")]))),
    Scene("an extended resource that nobody serves", [slice_of("node-1", [device("a")])], {"example.com/tpu": "1"},
          ["ResourceNotServed", "A DeviceClass has to name it as its extendedResourceName"],
          put({"apiVersion": API, "kind": "DeviceClass", "metadata": {"name": "tpu"},
               "spec": {"extendedResourceName": "example.com/tpu"}})),
]
