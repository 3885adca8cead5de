"""What drivers publish: slices with every feature of devices, drawn at random."""
NODES = ("node-0", "node-1")
API = "resource.k8s.io/v1"


def maybe(rng, chance):
    return rng.random() < chance


def named(kind, name, spec, **metadata):
    return {"apiVersion": API, "kind": kind, "metadata": {"name": name, **metadata}, "spec": spec}


def taint(rng):
    return {"key": rng.choice(("broken", "hot")), "value": rng.choice(("a", "b")),
            "effect": rng.choice(("NoSchedule", "NoExecute", "None"))}


def attributes(rng):
    made = {"model": {"string": rng.choice("aab")}, "numa": {"int": rng.randrange(2)}}
    if maybe(rng, 0.8):
        made["driverVersion"] = {"version": rng.choice(("1.2.3", "1.10.0", "2.0.0-rc.1"))}
    if maybe(rng, 0.5):
        made["healthy"] = {"bool": maybe(rng, 0.8)}
    if maybe(rng, 0.3):
        made["common.example.com/rack"] = {"string": rng.choice("xy")}
    return made


def policy(rng):
    if maybe(rng, 0.2):  # counted in whole numbers, by default
        return {"default": "1500m", "validRange": {"min": "500m", "step": "1"}}
    if maybe(rng, 0.5):
        return {"default": "1Gi", "validRange": {"min": "1Gi", "max": "4Gi", "step": "1Gi"}}
    return {"default": "2Gi", "validValues": ["1Gi", "2Gi", "4Gi"]}


def add_sharing(rng, device):
    device["allowMultipleAllocations"] = True
    device["capacity"] = {"memory": {"value": rng.choice(("4Gi", "6Gi"))}}
    if maybe(rng, 0.6):
        device["capacity"]["memory"]["requestPolicy"] = policy(rng)


def device_of(rng, number):
    device = {"name": f"dev-{number}"}
    if maybe(rng, 0.7):
        device["attributes"] = attributes(rng)
    if maybe(rng, 0.12):
        device["taints"] = [taint(rng)]
    if maybe(rng, 0.2):
        add_sharing(rng, device)
    elif maybe(rng, 0.5):
        device["capacity"] = {"memory": {"value": rng.choice(("1Gi", "2Gi", "8Gi"))}}
    if maybe(rng, 0.06):
        device["bindingConditions"] = ["example.com/ready"]
        device["bindingFailureConditions"] = ["example.com/failed"]
        device["bindsToNode"] = maybe(rng, 0.5)
    return device


class Publisher:
    """The slices of a scene; names give their order of creation."""

    def __init__(self, rng, seed):
        self.rng, self.seed, self.slices = rng, seed, []

    def add(self, driver, pool, generation, count, **spec):
        self.slices.append(named("ResourceSlice", f"s{self.seed}-{len(self.slices)}", {
            "driver": driver, **spec,
            "pool": {"name": pool, "generation": generation, "resourceSliceCount": count}}))

    def devices(self, node, reach, count, first=0):
        made = [device_of(self.rng, number) for number in range(first, first + count)]
        for device in made if "perDeviceNodeSelection" in reach else ():
            device.update(self.rng.choice(({"nodeName": node}, {"nodeName": node}, {"allNodes": True})))
        return made

    def publish(self, driver, node, pool):
        """One pool; occasionally a slice is missing, repeats a name or is of an old generation."""
        rng = self.rng
        generation, count = rng.randrange(1, 4), rng.choice((1, 1, 2))
        reach = self.reach(node)
        if maybe(rng, 0.1):  # which the driver has not removed yet
            self.add(driver, pool, generation, 1, **reach, devices=self.devices(node, reach, 2))
            generation += 1
        has_counters = maybe(rng, 0.2)
        slices = count + (1 if has_counters else 0)
        for part in range(count):
            first = 0 if maybe(rng, 0.03) else part * 8
            made = self.devices(node, reach, rng.randrange(1, 6), first)
            if has_counters:
                self.consume(made)
            if not maybe(rng, 0.03):
                self.add(driver, pool, generation, slices, **reach, devices=made)
        if has_counters:
            self.add(driver, pool, generation, slices, **reach, sharedCounters=[
                {"name": "set", "counters": {"memory": {"value": rng.choice(("2Gi", "4Gi"))}}}])

    def consume(self, devices):
        for device in devices:
            if maybe(self.rng, 0.7):
                amount = self.rng.choice(("1Gi", "2Gi"))
                device["consumesCounters"] = [{"counterSet": "set", "counters": {"memory": {"value": amount}}}]

    def reach(self, node):
        kind = self.rng.choice(("nodeName",) * 8 + ("allNodes", "nodeSelector", "perDeviceNodeSelection"))
        if kind == "nodeName":
            return {kind: node}
        if kind == "nodeSelector":
            return {kind: {"nodeSelectorTerms": [{"matchExpressions": [
                {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]},
                *([{"key": "type", "operator": "Exists"}] if maybe(self.rng, 0.3) else [])]}]}}
        return {kind: True}
