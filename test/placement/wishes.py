"""What pods request: claims with every form of request, and how pods select their node."""
from devices import NODES, maybe, named


def opaque(driver, rng):
    return {"opaque": {"driver": driver, "parameters": {"apiVersion": "example.com/v1", "kind": "P",
                                                        "n": rng.randrange(100)}}}


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


def selector(rng, driver):
    """As users of drivers write them; some fail on devices that lack an attribute."""
    of = f"device.attributes['{driver}']"
    return rng.choice((
        f"{of}.?model.orValue('') == 'a'", f"has({of}.model) && {of}.model.startsWith('a')",
        f"{of}.?numa.orValue(0) == 0", f"'model' in {of} && {of}.model in ['a', 'c']",
        f"{of}.?driverVersion.orValue(semver('0.0.0')).compareTo(semver('1.9.0')) > 0",
        f"{of}[?'healthy'].orValue(true)", "device.attributes['common.example.com'].?rack.orValue('') == 'x'",
        f"device.capacity['{driver}'].?memory.orValue(quantity('0')).compareTo(quantity('2Gi')) >= 0",
        "device.allowMultipleAllocations == true", "device.driver.size() > 3 || 1 / 0 == 1",
        f"{of}.model == 'a'", f"{of}.nothing == 1"))


def wish(rng, driver, is_alternative=False):
    """The fields of `exactly`, or of a subrequest."""
    made = {"deviceClassName": rng.choice((f"class-{driver}", f"class-{driver}", f"wide-{driver}"))}
    if maybe(rng, 0.15):
        made["allocationMode"] = "All"
    elif maybe(rng, 0.4):
        made["count"] = rng.randrange(1, 4)
    if maybe(rng, 0.3):
        made["tolerations"] = [toleration(rng) for _ in range(rng.randrange(1, 3))]
    if maybe(rng, 0.35):
        made["selectors"] = [{"cel": {"expression": selector(rng, driver)}} for _ in range(rng.choice((1, 1, 2)))]
    if maybe(rng, 0.2):
        made["capacity"] = {"requests": {"memory": rng.choice(("1Gi", "1500Mi", "3Gi"))}}
    if not is_alternative and maybe(rng, 0.06):
        made["adminAccess"] = True
    return made


def request(rng, name, drivers):
    driver = rng.choice(drivers)
    if maybe(rng, 0.75):
        return {"name": name, "exactly": wish(rng, driver)}
    return {"name": name, "firstAvailable": [{"name": f"s{i}", **wish(rng, driver, is_alternative=True)}
                                             for i in range(rng.randrange(1, 4))]}


def constraint(rng, names, drivers):
    attribute = rng.choice((f"{drivers[0]}/model", f"{drivers[0]}/numa", "common.example.com/rack"))
    made = {rng.choice(("matchAttribute", "matchAttribute", "distinctAttribute")): attribute}
    if maybe(rng, 0.4):
        made["requests"] = sorted(rng.sample(names, rng.randrange(1, len(names) + 1)))
    return made


def claim(rng, namespace, name, drivers):
    requests = [request(rng, f"r{i}", drivers) for i in range(rng.choice((1, 1, 2, 3)))]
    names = [each["name"] for each in requests]
    names += [f"{each['name']}/{sub['name']}" for each in requests for sub in each.get("firstAvailable", ())]
    devices = {"requests": requests}
    if maybe(rng, 0.25):
        config = opaque(rng.choice(drivers), rng)
        if maybe(rng, 0.6):
            config["requests"] = sorted(rng.sample(names, rng.randrange(1, len(names) + 1)))
        devices["config"] = [config]
    if maybe(rng, 0.3):
        devices["constraints"] = [constraint(rng, names, drivers) for _ in range(rng.choice((1, 1, 2)))]
    return named("ResourceClaim", name, {"devices": devices}, namespace=namespace)


def impossible(namespace, name):
    """A claim of a missing class, and a pod with it."""
    exactly = {"deviceClassName": f"none-{name}", "allocationMode": "ExactCount", "count": 1}
    made = named("ResourceClaim", name, {"devices": {"requests": [{"name": "r0", "exactly": exactly}]}},
                 namespace=namespace)
    spec = {"containers": [{"name": "c", "image": "i"}],
            "resourceClaims": [{"name": "c0", "resourceClaimName": name}]}
    return made, {"apiVersion": "v1", "kind": "Pod", "spec": spec, "metadata": {"name": name, "namespace": namespace}}


def required(**term):
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [term]}}}}


def choose_node(rng, spec):
    """One node, so that both schedulers choose the same: by one of the ways to select it."""
    node, other = rng.sample(NODES, 2)
    host = "kubernetes.io/hostname"
    spec.update(rng.choice((
        {"nodeSelector": {host: node}}, {"nodeSelector": {host: node}},
        {"nodeSelector": {host: node, "type": "hollow"}}, {"nodeSelector": {host: node, "type": "other"}},
        required(matchExpressions=[{"key": host, "operator": "NotIn", "values": [other]}]),
        {**required(matchExpressions=[{"key": "type", "operator": "Exists"}]), "nodeSelector": {host: node}})))


def node_taint(rng):
    return {"key": rng.choice(("own", "hot")), "value": rng.choice(("a", "b")),
            "effect": rng.choice(("NoSchedule", "NoSchedule", "NoExecute", "PreferNoSchedule"))}


def tolerate(rng, spec):
    """Taints of nodes, which have the same fields as those of devices."""
    spec["tolerations"] = [{**one, "key": rng.choice(("own", "hot"))} if "key" in one else one
                           for one in (toleration(rng) for _ in range(rng.randrange(1, 3)))]
    for one in spec["tolerations"]:
        if maybe(rng, 0.9):
            one.pop("tolerationSeconds", None)


def resources(rng, drivers):
    """Extended resources, by the name that a class sets or implies."""
    asked = {rng.choice((f"{drivers[0]}/device", f"deviceclass.resource.kubernetes.io/class-{drivers[-1]}",
                         f"{drivers[-1]}/device")): str(rng.randrange(1, 3)) for _ in range(rng.choice((1, 1, 2)))}
    if maybe(rng, 0.5):
        asked["cpu"] = "1"
    return {"resources": {"requests": asked, "limits": asked}}


def add_resources(rng, spec, drivers):
    spec["containers"] = [{"name": f"c{i}", "image": "i", **(resources(rng, drivers) if maybe(rng, 0.7) else {})}
                          for i in range(rng.randrange(1, 3))]
    spec["initContainers"] = [{"name": f"i{i}", "image": "i", **resources(rng, drivers),
                               **({"restartPolicy": "Always"} if maybe(rng, 0.3) else {})}
                              for i in range(rng.randrange(0, 3))]


# What the playground's scheduler refuses by the name of the field.
def spread(spec):
    spec["topologySpreadConstraints"] = [{
        "maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"a": "b"}}}]


def apart(spec):
    spec["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{
        "topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"a": "b"}}}]}}


def volume(spec):
    spec["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": "none"}}]


def port(spec):
    spec["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 80}]


def huge_pages(spec):
    spec["containers"][0]["resources"] = {"limits": {"hugepages-2Mi": "2Mi", "memory": "1Gi"}}


def many_cpus(spec):
    spec["containers"][0]["resources"] = {"requests": {"cpu": "1001"}}


REFUSED = {"topologySpreadConstraints": spread, "podAntiAffinity": apart, "persistentVolumeClaim": volume,
           "hostPort": port, "hugepages-2Mi": huge_pages, "cpu": many_cpus}


def pod(rng, namespace, name, claims, drivers):
    """A pod, and the field that it is refused for; otherwise none."""
    spec = {"containers": [{"name": "c", "image": "i"}],
            "resourceClaims": [{"name": f"c{i}", "resourceClaimName": one["metadata"]["name"]}
                               for i, one in enumerate(claims)]}
    choose_node(rng, spec)
    if maybe(rng, 0.2):
        tolerate(rng, spec)
    field = ""
    if maybe(rng, 0.2):
        add_resources(rng, spec, drivers)
    elif maybe(rng, 0.04):
        field = rng.choice(sorted(REFUSED))
        REFUSED[field](spec)
    return {"apiVersion": "v1", "kind": "Pod", "spec": spec,
            "metadata": {"name": name, "namespace": namespace}}, field
