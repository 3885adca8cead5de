"""Scenes for two schedulers: what a driver publishes on two nodes, and pods with claims for it.

A scene is a function of its seed. It has plain things that the playground's small scheduler knows,
and now and then a feature that it must refuse by the name of the field.
"""
import dataclasses
import random

NODES = ("node-0", "node-1")
API = "resource.k8s.io/v1"


@dataclasses.dataclass
class Scene:
    seed: int
    namespace: str
    classes: list = dataclasses.field(default_factory=list)
    slices: list = dataclasses.field(default_factory=list)
    rules: list = dataclasses.field(default_factory=list)
    pods: list = dataclasses.field(default_factory=list)  # (pod, its claims), in their order
    fields: set = dataclasses.field(default_factory=set)  # that may be named in a refusal


def maybe(rng, chance):
    return rng.random() < chance


def named(kind, name, spec, **metadata):
    return {"apiVersion": API, "kind": kind, "metadata": {"name": name, **metadata}, "spec": spec}


def opaque(driver, rng):
    return {"opaque": {"driver": driver, "parameters": {"apiVersion": "example.com/v1", "kind": "P",
                                                        "n": rng.randrange(100)}}}


def taint(rng):
    return {"key": rng.choice(("broken", "hot")), "value": rng.choice(("a", "b")),
            "effect": rng.choice(("NoSchedule", "NoExecute", "None"))}


def toleration(rng):
    made = {"operator": rng.choice(("Exists", "Equal"))}
    if made["operator"] == "Equal" or maybe(rng, 0.7):
        made["key"] = rng.choice(("broken", "hot"))
    if made["operator"] == "Equal":
        made["value"] = rng.choice(("a", "b"))
    if maybe(rng, 0.4):
        made["effect"] = rng.choice(("NoSchedule", "NoExecute"))
    if made.get("effect") == "NoExecute" and maybe(rng, 0.3):
        made["tolerationSeconds"] = rng.choice((0, 3600))
    return made


# Features of a device that claims can share or use in part.
def counters(device):
    device["consumesCounters"] = [{"counterSet": "set", "counters": {"memory": {"value": "1Gi"}}}]


def shared(device):
    device["allowMultipleAllocations"] = True


def bound(device):
    device["bindingConditions"] = ["example.com/ready"]
    device["bindingFailureConditions"] = ["example.com/failed"]


DEVICE_FEATURES = {"consumesCounters": counters, "allowMultipleAllocations": shared,
                   "bindingConditions": bound}


def devices(rng, count, first):
    made = []
    for number in range(first, first + count):
        device = {"name": f"dev-{number}"}
        if maybe(rng, 0.1):
            device["taints"] = [taint(rng)]
        if maybe(rng, 0.3):
            device["attributes"] = {"model": {"string": rng.choice("ab")}}
        made.append(device)
    return made


def node_slices(rng, scene, driver, node, pool):
    """The slices of one pool; now and then one is missing, repeats a name or is of an old generation."""
    generation, count = rng.randrange(1, 4), rng.choice((1, 1, 2))
    if maybe(rng, 0.15):  # what the driver has not yet removed
        scene.slices.append(slice_of(scene, driver, node, pool, generation - 1 or 1, 1, devices(rng, 2, 0)))
        generation = max(generation, 2)
    for part in range(count):
        first = 0 if maybe(rng, 0.05) else part * 8
        missing = maybe(rng, 0.05)
        if not missing:
            scene.slices.append(slice_of(scene, driver, node, pool, generation, count,
                                         devices(rng, rng.randrange(1, 6), first)))


def slice_of(scene, driver, node, pool, generation, count, items):
    name = f"s{scene.seed}-{len(scene.slices)}"
    return named("ResourceSlice", name, {
        "driver": driver, "nodeName": node, "devices": items,
        "pool": {"name": pool, "generation": generation, "resourceSliceCount": count}})


def add_device_feature(rng, scene):
    if not scene.slices:
        return
    spec = rng.choice(scene.slices)["spec"]
    name = rng.choice(sorted(DEVICE_FEATURES))
    DEVICE_FEATURES[name](rng.choice(spec["devices"]))
    scene.fields.add(name)
    if name == "consumesCounters":
        spec["pool"]["resourceSliceCount"] += 1
        for other in scene.slices:  # of the same pool and generation
            if other["spec"]["pool"]["name"] == spec["pool"]["name"] and \
                    other["spec"]["driver"] == spec["driver"]:
                other["spec"]["pool"]["resourceSliceCount"] = spec["pool"]["resourceSliceCount"]
        counter_slice = slice_of(scene, spec["driver"], spec["nodeName"], spec["pool"]["name"],
                                 spec["pool"]["generation"], spec["pool"]["resourceSliceCount"], [])
        del counter_slice["spec"]["devices"]
        counter_slice["spec"]["sharedCounters"] = [
            {"name": "set", "counters": {"memory": {"value": "2Gi"}}}]
        scene.slices.append(counter_slice)


def add_reach(rng, scene):
    """A slice of more than one node."""
    if not scene.slices:
        return
    spec = rng.choice(scene.slices)["spec"]
    if not spec.get("devices"):
        return
    node = spec.pop("nodeName")
    spec["pool"]["name"] += "-of-many"
    spec["pool"]["resourceSliceCount"] = 1
    reach = rng.choice(("allNodes", "nodeSelector", "perDeviceNodeSelection"))
    scene.fields.add(reach)
    if reach == "nodeSelector":
        spec[reach] = {"nodeSelectorTerms": [{"matchExpressions": [
            {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}]}]}
        return
    spec[reach] = True
    if reach == "perDeviceNodeSelection":
        for device in spec["devices"]:
            device["nodeName"] = node


REQUEST_FEATURES = ("selectors", "capacity", "adminAccess", "firstAvailable")


def request(rng, scene, name, driver):
    exactly = {"deviceClassName": f"class-{driver}"}
    if maybe(rng, 0.15):
        exactly["allocationMode"] = "All"
    elif maybe(rng, 0.4):
        exactly["count"] = rng.randrange(1, 4)
    if maybe(rng, 0.3):
        exactly["tolerations"] = [toleration(rng) for _ in range(rng.randrange(1, 3))]
    feature = rng.choice(REQUEST_FEATURES) if maybe(rng, 0.04) else ""
    scene.fields.add(feature)
    if feature == "selectors":
        exactly[feature] = [{"cel": {"expression": "device.attributes['%s'].model == 'a'" % driver}}]
    if feature == "capacity":
        exactly[feature] = {"requests": {"memory": "1Gi"}}
    if feature == "adminAccess":
        exactly[feature] = True
    if feature == "firstAvailable":
        return {"name": name, feature: [{"name": "sub", **exactly}]}
    return {"name": name, "exactly": exactly}


def claim(rng, scene, name, drivers):
    requests = [request(rng, scene, f"r{i}", rng.choice(drivers)) for i in range(rng.choice((1, 1, 2, 3)))]
    spec = {"devices": {"requests": requests}}
    if maybe(rng, 0.25):
        config = opaque(rng.choice(drivers), rng)
        if maybe(rng, 0.6):
            config["requests"] = sorted(rng.sample([r["name"] for r in requests], rng.randrange(1, len(requests) + 1)))
        spec["devices"]["config"] = [config]
    if maybe(rng, 0.02):
        scene.fields.add("constraints")
        spec["devices"]["constraints"] = [{"matchAttribute": f"{drivers[0]}/model"}]
    return named("ResourceClaim", name, spec, namespace=scene.namespace)


# Requests of a pod beside its claims.
def affinity(spec):
    spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchExpressions": [{"key": "type", "operator": "In", "values": ["hollow"]}]}]}}}


def spread(spec):
    spec["topologySpreadConstraints"] = [{
        "maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"a": "b"}}}]


def extended(spec):
    spec["containers"][0]["resources"] = {"limits": {"example.com/gpu": "1"}, "requests": {"example.com/gpu": "1"}}


def extended_first(spec):
    spec["initContainers"] = [{"name": "first", "image": "i", "resources": {
        "limits": {"example.com/gpu": "1"}, "requests": {"example.com/gpu": "1"}}}]


def volume(spec):
    spec["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": "none"}}]


def port(spec):
    spec["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 80}]


def huge_pages(spec):
    spec["containers"][0]["resources"] = {"limits": {"hugepages-2Mi": "2Mi", "memory": "1Gi"}}


def scratch_space(spec):
    spec["containers"][0]["resources"] = {"requests": {"ephemeral-storage": "1Gi"}}


def many_cpus(spec):
    spec["containers"][0]["resources"] = {"requests": {"cpu": "1001"}}


def much_memory(spec):
    """More than a node has, in two containers."""
    spec["containers"][0]["resources"] = {"requests": {"memory": "600Gi"}}
    spec["containers"].append({**spec["containers"][0], "name": "d"})


def label(spec):
    spec["nodeSelector"]["type"] = "hollow"


POD_FEATURES = {"affinity": affinity, "topologySpreadConstraints": spread,
                "extended resource example.com/gpu": extended,
                "the extended resource example.com/gpu": extended_first,
                "hugepages-2Mi": huge_pages, "ephemeral-storage": scratch_space, "cpu": many_cpus,
                "memory": much_memory, "persistentVolumeClaim": volume, "hostPort": port, "node selector type": label}


def pod(rng, scene, name, claims):
    spec = {"containers": [{"name": "c", "image": "i"}],
            "nodeSelector": {"kubernetes.io/hostname": rng.choice(NODES)},
            "resourceClaims": [{"name": f"c{i}", "resourceClaimName": one["metadata"]["name"]}
                               for i, one in enumerate(claims)]}
    if maybe(rng, 0.08):
        feature = rng.choice(sorted(POD_FEATURES))
        POD_FEATURES[feature](spec)
        scene.fields.add(feature)
    return {"apiVersion": "v1", "kind": "Pod", "spec": spec,
            "metadata": {"name": name, "namespace": scene.namespace}}


# Other ways to name a driver, and ways to name another one; all are CEL that compiles.
def selectors(rng, scene, driver):
    """The selectors of the driver's class: now and then in words that only CEL's evaluator knows."""
    plain = f"device.driver == '{driver}'"
    if maybe(rng, 0.75):
        return [plain]
    if maybe(rng, 0.4):  # known
        return rng.choice(([], [plain, plain], [plain.replace("'", '"')]))
    scene.fields.add("selector")
    return rng.choice((
        [plain.replace(" ", "")], [f"'{driver}' == device.driver"], [plain + " && false"], [plain + " "],
        [f"device.driver == r'{driver}'"], [plain + " || true"], [plain + " // always"], [f"!({plain})"],
        [f"device.driver == '\\x{ord(driver[0]):02x}{driver[1:]}'"], ["true"], ["false"], [plain, "true"],
        [f"device.driver == 'a' + '{driver}'"], [f"device.driver.startsWith('{driver[:2]}')"],
        [plain.replace("==", "!=")], [plain, "device.driver == 'other.example.com'"]))


def scene_of(seed):
    rng = random.Random(seed)
    scene = Scene(seed, f"scene-{seed}")
    drivers = [f"d{i}-{seed}.example.com" for i in range(rng.choice((1, 2)))]
    for driver in drivers:
        spec = {"selectors": [{"cel": {"expression": one}} for one in selectors(rng, scene, driver)]}
        if maybe(rng, 0.3):
            spec["config"] = [opaque(driver, rng) for _ in range(rng.randrange(1, 3))]
        scene.classes.append(named("DeviceClass", f"class-{driver}", spec))
        for node in NODES:
            for pool in range(rng.choice((1, 1, 2))):
                node_slices(rng, scene, driver, node, f"{node}-{pool}")
    if maybe(rng, 0.15):
        add_device_feature(rng, scene)
    if maybe(rng, 0.1):
        add_reach(rng, scene)
    if maybe(rng, 0.15):
        scene.rules.append(named("DeviceTaintRule", f"rule-{seed}", {
            "deviceSelector": {"driver": rng.choice(drivers)}, "taint": taint(rng)}))
    earlier = []
    for number in range(rng.randrange(2, 6)):
        made = [claim(rng, scene, f"claim-{number}-{i}", drivers) for i in range(rng.choice((1, 1, 2)))]
        used = made + ([rng.choice(earlier)] if earlier and maybe(rng, 0.15) else [])
        scene.pods.append((pod(rng, scene, f"pod-{number}", used), made, used))
        earlier += made
    return scene
