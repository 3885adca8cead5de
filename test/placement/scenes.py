"""Scenes for two schedulers: what drivers publish on two nodes, and pods with claims for it.

A scene is a function of its seed. Each feature of devices and of claims comes up now and then; so
do fields that the playground's small scheduler refuses by their names.
"""
import dataclasses
import random

import wishes
from devices import NODES, Publisher, maybe, named, taint


@dataclasses.dataclass
class Scene:
    name: str  # and that of its namespace
    classes: list = dataclasses.field(default_factory=list)
    slices: list = dataclasses.field(default_factory=list)
    rules: list = dataclasses.field(default_factory=list)
    pods: list = dataclasses.field(default_factory=list)  # (pod, its new claims, all its claims)
    fields: set = dataclasses.field(default_factory=set)  # that a refusal may name
    # Claims, by name, that are already allocated on a node where their pod will not be placed.
    misplaced: dict = dataclasses.field(default_factory=dict)
    node_taints: dict = dataclasses.field(default_factory=dict)  # by node
    placed: set | None = None  # the pods that get a place; unknown for random scenes


def selectors(rng, driver):
    """Ways to name a driver, and ways to name another one."""
    plain = f"device.driver == '{driver}'"
    if maybe(rng, 0.8):
        return [plain]
    return rng.choice((
        [], [plain, plain], [plain.replace("'", '"')], [f"'{driver}' == device.driver"], [plain + " && false"],
        [plain + " || true"], [plain + " // always"], [f"!({plain})"], ["true"], ["false"],
        [f"device.driver == 'a' + '{driver}'"], [f"device.driver.startsWith('{driver[:2]}')"],
        [plain, "device.driver == 'other.example.com'"], [plain, wishes.selector(rng, driver)]))


def classes_of(rng, driver):
    spec = {"selectors": [{"cel": {"expression": one}} for one in selectors(rng, driver)]}
    if maybe(rng, 0.3):
        spec["config"] = [wishes.opaque(driver, rng) for _ in range(rng.randrange(1, 3))]
    if maybe(rng, 0.5):
        spec["extendedResourceName"] = f"{driver}/device"
    yield named("DeviceClass", f"class-{driver}", spec)
    if maybe(rng, 0.9):  # otherwise claims name a missing class
        wide = {"extendedResourceName": f"{driver}/device"} if maybe(rng, 0.2) else {}
        yield named("DeviceClass", f"wide-{driver}", {**wide, "selectors": [
            {"cel": {"expression": f"device.driver == '{driver}' && true"}}]})


def misplace(rng, scene, claim):
    """The claim got a device of another node earlier."""
    spec = scene.slices[0]["spec"] if scene.slices else {}
    if not spec.get("devices") or not maybe(rng, 0.08):
        return
    name = claim["metadata"]["name"]
    scene.misplaced[name] = {
        "devices": {"results": [{"request": "r0", "driver": spec["driver"], "pool": spec["pool"]["name"],
                                 "device": "gone"}]},
        "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [
            {"key": "metadata.name", "operator": "In", "values": ["node-9"]}]}]}}


def scene_of(seed):
    rng = random.Random(seed)
    scene = Scene(f"scene-{seed}")
    drivers = [f"d{i}-{seed}.example.com" for i in range(rng.choice((1, 2)))]
    publisher = Publisher(rng, seed)
    for driver in drivers:
        scene.classes += classes_of(rng, driver)
        for node in NODES:
            for pool in range(rng.choice((1, 1, 2))):
                publisher.publish(driver, node, f"{node}-{pool}")
    scene.slices = publisher.slices
    if maybe(rng, 0.15):
        scene.rules.append(named("DeviceTaintRule", f"rule-{seed}", {
            "deviceSelector": {"driver": rng.choice(drivers)}, "taint": taint(rng)}))
    if maybe(rng, 0.2):
        scene.node_taints[rng.choice(NODES)] = [wishes.node_taint(rng)]
    earlier = []
    for number in range(rng.randrange(3, 8)):
        made = [wishes.claim(rng, scene.name, f"claim-{number}-{i}", drivers)
                for i in range(rng.choice((0, 1, 1, 2)))]
        used = made + ([rng.choice(earlier)] if earlier and maybe(rng, 0.15) else [])
        pod, field = wishes.pod(rng, scene.name, f"pod-{number}", used, drivers)
        scene.fields.add(field)
        scene.pods.append((pod, made, used))
        for claim in made:
            misplace(rng, scene, claim)
        earlier += made
    return scene
