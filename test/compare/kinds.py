"""The kinds that are compared: where they are served, and what may be written to them.

For each kind: a body to create, and changes to its main path and to its /status, good ones and bad
ones. A change is a fragment of the object. It serves as JSON merge patch, as strategic merge patch,
as what a PUT alters in the object it has read, and as what an apply claims. `draw` is a
random.Random; nothing else may decide, so that a seed always gives the same bodies.
"""
import dataclasses

from draws import DRIVER, STRANGER, THEN, THEN_MICRO, chance, some
from schemas import draw_type


@dataclasses.dataclass(frozen=True)
class Kind:
    plural: str
    kind: str
    group: str
    versions: tuple
    namespaced: bool
    has_status: bool
    # (draw, version) → members of a body besides apiVersion, kind and metadata
    body: object
    # (draw, version) → fragment
    change: object
    status_change: object = None
    # Members of a marker: an object that is always accepted (see replay.py).
    plain: object = None
    selectable: tuple = ()

    def api_version(self, version):
        return f"{self.group}/{version}" if self.group else version

    def path(self, version, namespace):
        root = f"/apis/{self.group}/{version}" if self.group else f"/api/{version}"
        inside = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        return f"{root}{inside}/{self.plural}"


# ---- pods

CLAIM_NAMES = ["gpus", "nic", "fabric"]


def pod_claim(draw, name):
    entry = {"name": name}
    if chance(draw, 60):
        entry["resourceClaimTemplateName"] = draw.choice(["template-a", "template-b"])
    else:
        entry["resourceClaimName"] = draw.choice(["claim-a", "claim-b"])
    if chance(draw, 4):
        entry["resourceClaimName"] = "both"
    if chance(draw, 3):
        entry = {"name": name}
    return entry


PROBES = [{"httpGet": {"port": 80}}, {"tcpSocket": {"port": 80}, "periodSeconds": 5},
          {"exec": {"command": ["true"]}, "timeoutSeconds": 0}, {"grpc": {"port": 80}}]
VOLUMES = [
    {"configMap": {"name": "c"}}, {"secret": {"secretName": "s"}}, {"hostPath": {"path": "/x"}},
    {"emptyDir": {}}, {"configMap": {"name": "c", "defaultMode": 256}}, {},
    {"downwardAPI": {"items": [{"path": "p", "fieldRef": {"fieldPath": "metadata.name"}}]}},
    {"projected": {"sources": [{"downwardAPI": {
        "items": [{"path": "p", "fieldRef": {"fieldPath": "metadata.name"}}]}}]}}]


def container(draw, name):
    result = {"name": name, "image": draw.choice(["img:1", "img:2"])}
    if chance(draw, 20):
        result["resources"] = draw.choice([
            {"requests": {"cpu": "100m"}}, {"limits": {"cpu": "1", "memory": "1Gi"}},
            {"requests": {"memory": "64Mi"}, "limits": {"memory": "128Mi"}},
            {"requests": {"memory": "2Gi"}, "limits": {"memory": "1Gi", "cpu": "-1"}},
            {"requests": {"example.com/gpu": "1"}}, {"limits": {"example.com/gpu": "1500m"}},
            {"requests": {"example.com/gpu": "1"}, "limits": {"example.com/gpu": "2"}},
            {"limits": {"example.com/gpu": "1"}},
            {"requests": {"cpu": "1"}, "limits": {"cpu": "1", "memory": "1Gi"}},
            {"claims": [{"name": "gpus"}]}])
    if chance(draw, 10):
        result["env"] = [{"name": "A", "value": draw.choice(["1", ""])},
                         {"name": "B", "value": "2"}]
    for probe in some(draw, ["livenessProbe", "readinessProbe"], 1) if chance(draw, 15) else []:
        result[probe] = draw.choice(PROBES)
    if chance(draw, 5):
        result["lifecycle"] = {"preStop": {"httpGet": {"port": 80}}}
    if chance(draw, 8):
        result["ports"] = [{"containerPort": 80}]
    return result


def add_volumes(draw, spec):
    if chance(draw, 15):
        spec["volumes"] = [dict(volume, name=f"v{number}")
                           for number, volume in enumerate(some(draw, VOLUMES, 2))]
    if chance(draw, 5):
        spec["serviceAccountName"] = "default"


def pod_body(draw, _version):
    spec = {"containers": [container(draw, "main")]}
    if chance(draw, 15):
        spec["containers"].append(container(draw, draw.choice(["side", "side", "main"])))
    if chance(draw, 50):
        spec["resourceClaims"] = [pod_claim(draw, n) for n in some(draw, CLAIM_NAMES, 2)]
        if chance(draw, 3):
            spec["resourceClaims"].append(pod_claim(draw, "gpus"))
    for name, values, percent in [
            ("nodeName", ["node-a", "node-b"], 40),
            ("terminationGracePeriodSeconds", [0, 5, 60], 20),
            ("restartPolicy", ["Never", "OnFailure", "Always", "Sometimes"], 15),
            ("schedulerName", ["mine"], 10),
            ("activeDeadlineSeconds", [60, 0], 5),
            ("schedulingGates", [[{"name": "example.com/wait"}]], 8),
            ("tolerations", [[{"key": "k", "operator": "Exists", "effect": "NoExecute"}]], 8),
            ("nodeSelector", [{"disk": "ssd"}], 8)]:
        if chance(draw, percent):
            spec[name] = draw.choice(values)
    add_volumes(draw, spec)
    if chance(draw, 3):
        spec["schedulingGroup"] = {"podGroupName": "g"}
    if chance(draw, 3):
        spec["containers"] = []
    body = {"spec": spec}
    if chance(draw, 5):
        body["status"] = {"phase": "Running"}
    return body


def pod_change(draw, _version):
    return {"spec": draw.choice([
        {"containers": [{"name": "main", "image": "img:9"}]},
        {"containers": [{"name": "main", "image": "img:8"}, {"name": "extra", "image": "img:1"}]},
        {"activeDeadlineSeconds": 30},
        {"activeDeadlineSeconds": 90},
        {"tolerations": [{"key": "t", "operator": "Exists", "effect": "NoSchedule"}]},
        {"nodeName": "node-c"},
        {"resourceClaims": [{"name": "late", "resourceClaimName": "claim-a"}]},
        {"schedulingGates": []},
        {"restartPolicy": "Never"},
        {"terminationGracePeriodSeconds": 1},
        {"nodeSelector": {"disk": "hdd"}}])}


def condition(draw, types, reasons=("Because", "Other", "")):
    result = {"type": draw.choice(types), "status": draw.choice(["True", "False", "Unknown"]),
              "reason": draw.choice(reasons), "message": draw.choice(["", "words", "more words"]),
              "lastTransitionTime": THEN}
    if chance(draw, 10):
        del result[draw.choice(["status", "reason", "message", "lastTransitionTime"])]
    return result


def conditions(draw, types):
    return [condition(draw, [t]) for t in some(draw, types, 2)] or [condition(draw, types)]


def pod_status_change(draw, _version):
    statuses = [{"name": n, "resourceClaimName": f"made-{n}"} for n in some(draw, CLAIM_NAMES, 2)]
    if chance(draw, 8):
        statuses.append({"name": "unknown", "resourceClaimName": "x"})
    return {"status": draw.choice([
        {"phase": draw.choice(["Running", "Succeeded", "Failed", "Pending"])},
        {"phase": "Failed", "reason": "Evicted", "message": "gone"},
        {"conditions": conditions(draw, ["Ready", "PodScheduled", "DisruptionTarget"])},
        {"conditions": conditions(draw, ["Ready", "DisruptionTarget", "Own"])},
        {"resourceClaimStatuses": statuses},
        {"resourceClaimStatuses": statuses},
        {"resourceClaimStatuses": []},
        {"phase": "Running", "podIP": "10.0.0.7", "podIPs": [{"ip": "10.0.0.7"}],
         "hostIP": "10.1.0.1", "hostIPs": [{"ip": "10.1.0.1"}], "startTime": THEN},
        {"nominatedNodeName": "node-a"},
        {"observedGeneration": 1}])}


# ---- claims and their templates

def device_request(draw, version, name):
    wanted = {"deviceClassName": draw.choice(["gpu", "nic"])}
    kind = draw.randrange(12)
    if kind == 0:
        wanted["allocationMode"] = "All"
    elif kind == 1:
        wanted.update(allocationMode="ExactCount", count=2)
    elif kind == 2:
        wanted["selectors"] = [{"cel": {"expression": f'device.driver == "{DRIVER}"'}}]
    elif kind == 3:
        wanted["tolerations"] = [{"key": "k", "effect": "NoExecute",
                                  **draw.choice([{"operator": "Exists"}, {"value": "v"}])}]
    elif kind == 4 and chance(draw, 40):
        wanted = draw.choice([{}, dict(wanted, count=-1), dict(wanted, allocationMode="Most"),
                              dict(wanted, allocationMode="All", count=3),
                              dict(wanted, adminAccess=True)])
    if chance(draw, 6) and version != "v1beta1":
        wanted.update(draw.choice(BAD_WISHES))
    if chance(draw, 12):
        return {"name": name, "firstAvailable": [
            dict(device_wish(wanted), name="first"), {"name": "second", "deviceClassName": "nic"}]}
    return dict(wanted, name=name) if version == "v1beta1" else {"name": name, "exactly": wanted}


def device_wish(wanted):
    return {k: v for k, v in wanted.items() if k != "adminAccess"}


def claim_spec(draw, version):
    names = draw.choice([["gpu"], ["gpu"], ["gpu", "nic"], []])
    if chance(draw, 4):
        names = draw.choice([["gpu", "gpu"], ["Bad_Name"], [""]])
    devices = {"requests": [device_request(draw, version, n) for n in names]} if names else {}
    if chance(draw, 8):
        devices["constraints"] = [{"requests": names, "matchAttribute": f"{DRIVER}/numa"}]
    if chance(draw, 3):
        devices["constraints"] = [draw.choice([{}, {"matchAttribute": "numa"},
                                               {"requests": ["other"], "matchAttribute": "a/b"}])]
    if chance(draw, 3):
        devices["config"] = [draw.choice([{}, {"opaque": {"driver": "-", "parameters": {}}}])]
    elif chance(draw, 8):
        devices["config"] = [{"requests": names,
                              "opaque": {"driver": DRIVER, "parameters": {"kind": "x", "n": 1}}}]
    return {"devices": devices}


def claim_body(draw, version):
    body = {"spec": claim_spec(draw, version)}
    if chance(draw, 5):
        body["status"] = {"reservedFor": [consumer(0)]}
    return body


def plain_request(version):
    wish = {"deviceClassName": "gpu"}
    request = dict(wish, name="gpu") if version == "v1beta1" else {"name": "gpu", "exactly": wish}
    return {"devices": {"requests": [request]}}


def consumer(number):
    return {"resource": "pods", "name": f"consumer-{number}", "uid": f"{STRANGER}{number}"}


def allocation(draw):
    result = {"request": "gpu", "driver": DRIVER, "pool": "pool-a", "device": "gpu-0"}
    allocated = {"devices": {"results": [result]}}
    kind = draw.randrange(12)
    if kind == 0:
        result["device"] = "gpu-1"
    elif kind == 1:
        allocated["nodeSelector"] = {"nodeSelectorTerms": [{"matchFields": [
            {"key": "metadata.name", "operator": "In", "values": ["node-a"]}]}]}
    elif kind == 2 and chance(draw, 50):
        result["request"] = "unknown"
    elif kind == 3 and chance(draw, 50):
        del result["pool"]
    elif kind == 4:
        allocated["allocationTimestamp"] = THEN
    return allocated


def drawn_claim_status(draw):
    """What a driver and a scheduler write, with any fields of the published schema."""
    status = {}
    if chance(draw, 60):
        device = draw_type(draw, "resource.v1.AllocatedDeviceStatus")
        if chance(draw, 80):
            device.pop("shareID", None)
        status["devices"] = [device]
    if chance(draw, 60):
        status["allocation"] = draw_type(draw, "resource.v1.AllocationResult")
    return status


def claim_status_change(draw, _version):
    consumers = [consumer(n) for n in some(draw, [1, 2, 3], 2)]
    if chance(draw, 25):
        return {"status": drawn_claim_status(draw)}
    kind = draw.randrange(20)
    if kind == 0:
        return {"status": {"reservedFor": [dict(consumer(1), name=f"c-{n}", uid=f"uid-{n}")
                                           for n in range(draw.choice([256, 257]))]}}
    if kind == 1:
        return {"status": {"reservedFor": draw.choice([
            [{"resource": "pods", "name": "x"}], [consumer(1), dict(consumer(1), name="twice")],
            [{"name": "x", "uid": "u"}], [{"resource": "pods", "uid": "u"}]])}}
    if kind < 6:
        return {"status": {"allocation": allocation(draw)}}
    if kind < 11:
        return {"status": {"allocation": allocation(draw), "reservedFor": consumers}}
    if kind < 14:
        return {"status": {"allocation": None, "reservedFor": None}}
    if kind < 16:
        device = {"driver": DRIVER, "pool": "pool-a", "device": draw.choice(["gpu-0", "gpu-1"]),
                  "conditions": conditions(draw, ["Ready", "Warm"])}
        if chance(draw, 30):
            device["data"] = {"speed": 1}
        return {"status": {"devices": [device]}}
    return {"status": {"reservedFor": consumers}}


def claim_change(draw, version):
    return {"spec": claim_spec(draw, version)}


def template_body(draw, version):
    spec = {"spec": claim_spec(draw, version)}
    if chance(draw, 30):
        spec["metadata"] = {"labels": {"team": "vision"}, "annotations": {"note": "x"}}
    return {"spec": spec}


def template_change(draw, version):
    return {"spec": draw.choice([{"spec": claim_spec(draw, version)},
                                 {"metadata": {"labels": {"team": "speech"}}}])}


# ---- what drivers and administrators publish

def attribute(name="m", **types):
    return {"attributes": {name: types}}


# Mistakes of a driver's author: each is rejected, by the same fields.
BAD_DEVICES = (
    attribute(string="x", int=1), attribute(), attribute(version="1.2"), attribute(version="v1.2.3"),
    attribute(version="1.02.3"), attribute(version="1.2.3-01"), attribute(string="x" * 65),
    attribute(version="1.2.3-" + "a" * 80), attribute("bad-name", int=1), attribute("1a", int=1),
    attribute("Bad_/name", int=1), attribute("example.com/", int=1), attribute("/name", int=1),
    attribute("a" * 33, int=1), {"attributes": {f"a{i}": {"int": i} for i in range(33)}},
    {"capacity": {"bad-name": {"value": "1"}}},
    {"taints": [{"key": "-bad", "effect": "NoSchedule"}]}, {"taints": [{"effect": "NoSchedule"}]},
    {"taints": [{"key": "k", "effect": "Never"}]}, {"taints": [{"key": "k"}]},
    {"taints": [{"key": "k", "value": "bad value", "effect": "NoExecute"}]},
    {"taints": [{"key": f"k{i}", "effect": "NoExecute"} for i in range(17)]},
    {"nodeName": "node-a"},
    {"attributes": {"m": {"string": "x"}}, "nodeSelector": {"nodeSelectorTerms": []}},
    # Counters.
    *({"consumesCounters": taken} for taken in (
        [{}], [{"counterSet": "s"}], [{"counterSet": "Bad_", "counters": {"c": {"value": "1"}}}],
        [{"counterSet": "s", "counters": {"Bad_": {"value": "1"}}}],
        [{"counterSet": "s", "counters": {f"c-{i}": {"value": "1"} for i in range(33)}}],
        [{"counterSet": name, "counters": {"c": {"value": "1"}}} for name in ("s", "s")],
        [{"counterSet": name, "counters": {"c": {"value": "1"}}} for name in ("s", "t", "u")])),
    # Binding conditions.
    {"bindingConditions": ["example.com/ready"]}, {"bindingFailureConditions": ["example.com/broken"]},
    {"bindingConditions": ["a", "a"], "bindingFailureConditions": ["b", "b"]},
    {"bindingConditions": ["a"], "bindingFailureConditions": ["a"]},
    {"bindingConditions": ["-bad"], "bindingFailureConditions": [""]},
    {"bindingConditions": ["a", "b", "c", "d", "e"], "bindingFailureConditions": ["e"]},
    # Parts of a capacity.
    {"capacity": {"m": {"value": "4Gi", "requestPolicy": {"default": "1Gi"}}}})
# The capacities of a device that allows several allocations.
POLICIES = (
    {}, {"default": "1Gi"}, {"default": "8Gi"}, {"validValues": ["1Gi"]}, {"validRange": {"min": "1Gi"}},
    {"default": "1Gi", "validValues": ["1Gi", "2Gi"], "validRange": {"min": "1Gi"}},
    {"default": "1Gi", "validValues": ["1Gi", "2Gi", "4Gi"]}, {"default": "1Gi", "validValues": ["2Gi", "1Gi"]},
    {"default": "3Gi", "validValues": ["1Gi", "2Gi"]}, {"default": "1Gi", "validValues": ["1Gi", "5Gi"]},
    {"default": "1Gi", "validValues": ["1Gi", "1Gi"]}, {"default": "1Gi", "validValues": ["1Gi", "1024Mi"]},
    {"default": "1", "validValues": ["1", "1000m", "1.5", "1500m"]},
    {"default": "1", "validValues": [str(value) for value in range(1, 12)]},
    {"default": "1Gi", "validRange": {}}, {"default": "1Gi", "validRange": {"min": "1Gi"}},
    {"default": "1Gi", "validRange": {"min": "512Mi", "max": "3Gi", "step": "512Mi"}},
    {"default": "1Gi", "validRange": {"min": "2Gi", "max": "1Gi"}},
    {"default": "5Gi", "validRange": {"min": "1Gi", "max": "4Gi"}},
    {"default": "1Gi", "validRange": {"min": "5Gi", "max": "6Gi"}},
    {"default": "1Gi", "validRange": {"min": "1Gi", "step": "4Gi"}},
    {"default": "1Gi", "validRange": {"min": "1Gi", "step": "0"}},
    {"default": "1Gi", "validRange": {"min": "1Gi", "step": "-1"}},
    {"default": "1Gi", "validRange": {"min": "-1", "step": "1"}},
    {"default": "1Gi", "validRange": {"min": "1Gi", "max": "2Gi", "step": "300Mi"}},
    {"default": "1.5", "validRange": {"min": "500m", "max": "3", "step": "0.5"}},
    {"default": "1.2", "validRange": {"min": "1", "max": "3", "step": "1"}},
    {"default": "1", "validRange": {"min": "1u", "max": "3", "step": "1"}},
    {"default": "1", "validRange": {"min": "0", "max": "20E", "step": "1"}},
    {"default": "1k", "validRange": {"min": "1k", "max": "1M", "step": "1e3"}})
COUNTER_SETS = (
    [{}], [{"name": "s"}], [{"name": "Bad_", "counters": {"c": {"value": "1"}}}],
    [{"name": "s", "counters": {"Bad_": {"value": "1"}, "c": {"value": "2Gi"}}}],
    [{"name": "s", "counters": {f"c-{i}": {"value": "1"} for i in range(33)}}],
    [{"name": name, "counters": {"c": {"value": "1"}}} for name in ("s", "s")],
    [{"name": f"s-{i}", "counters": {"c": {"value": "1"}}} for i in range(9)],
    [{"name": name, "counters": {"memory": {"value": "40Gi"}, "engines": {"value": "7"}}}
     for name in ("gpu-0", "gpu-1")])
TERM = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}
PLACES = (
    {"nodeName": "node-a"}, {"nodeName": ""}, {"nodeName": "Bad_"}, {"allNodes": True}, {"allNodes": False}, {},
    {"nodeSelector": {"nodeSelectorTerms": [TERM]}}, {"nodeSelector": {"nodeSelectorTerms": []}},
    {"nodeSelector": {"nodeSelectorTerms": [TERM, TERM]}}, {"nodeName": "node-a", "allNodes": True},
    {"nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "-", "operator": "In", "values": []}]}]}})
BAD_SLICES = (
    {"driver": "Bad_Driver"}, {"driver": "a" * 64}, {"nodeName": "Bad_"},
    {"pool": {"name": "Bad/..", "generation": 1, "resourceSliceCount": 1}},
    {"pool": {"name": "pool-a", "generation": -1, "resourceSliceCount": 1}},
    {"pool": {"name": "pool-a", "generation": 1, "resourceSliceCount": 0}})
BAD_CLASSES = (
    {"selectors": [{}]}, {"selectors": [{"cel": {"expression": "true"}}] * 33}, {"config": [{}]},
    {"config": [{"opaque": {"driver": "Bad_", "parameters": {}}}]},
    {"config": [{"opaque": {"parameters": {}}}]}, {"config": [{"opaque": {"driver": DRIVER}}]},
    {"extendedResourceName": "bad"})
BAD_WISHES = (
    {"deviceClassName": "Bad_"}, {"selectors": [{}]},
    {"tolerations": [{"key": "k", "operator": "Is"}]},
    {"tolerations": [{"key": "-k", "operator": "Exists"}]},
    {"tolerations": [{"key": "k", "operator": "Exists", "value": "v"}]},
    {"tolerations": [{"key": "k", "operator": "Equal", "value": "bad value"}]},
    {"tolerations": [{"key": "k", "operator": "Exists", "effect": "No"}]})


def device(draw, version, name):
    basic = {}
    if chance(draw, 40):
        basic["attributes"] = {"model": {"string": draw.choice(["a", "b"])}, "numa": {"int": 1},
                               "fast": {"bool": True}}
    if chance(draw, 20):
        basic["capacity"] = {"memory": {"value": draw.choice(["1Gi", "2Gi"])}}
    if chance(draw, 15):
        basic["taints"] = [{"key": "example.com/hot", "effect": "NoExecute", "timeAdded": THEN}]
    if chance(draw, 8) and version != "v1beta1":  # causes there name fields of either version
        basic.update(draw.choice(BAD_DEVICES))
    elif chance(draw, 8) and version != "v1beta1":
        basic["allowMultipleAllocations"] = True
        basic["capacity"] = {"memory": {"value": draw.choice(["4Gi", "4Gi", "1M"]),
                                        "requestPolicy": draw.choice(POLICIES)}}
    elif chance(draw, 10):
        basic["consumesCounters"] = [{"counterSet": f"gpu-{draw.randrange(2)}",
                                      "counters": {"memory": {"value": "5Gi"}}}]
    elif chance(draw, 5):
        basic["bindingConditions"] = ["example.com/ready"]
        basic["bindingFailureConditions"] = ["example.com/broken"]
    if version == "v1beta1":
        return {"name": name, "basic": basic}
    return dict(basic, name=name)


def slice_spec(draw, version):
    spec = {"driver": DRIVER, "nodeName": draw.choice(["node-a", "node-b"]),
            "pool": {"name": draw.choice(["pool-a", "pool-b"]), "generation": draw.choice([1, 2]),
                     "resourceSliceCount": 1},
            "devices": [device(draw, version, f"gpu-{n}") for n in range(draw.choice([1, 1, 2]))]}
    if chance(draw, 20):
        del spec["devices"]
    kind = draw.randrange(30)
    if kind == 0:
        del spec["driver"]
    elif kind == 1:
        spec["pool"] = {}
    elif kind == 2:
        spec["allNodes"] = True
    elif kind == 3:
        del spec["nodeName"]
    elif kind == 4:
        spec["devices"] = [device(draw, version, "twice"), device(draw, version, "twice")]
    elif kind < 10:
        spec["allNodes"] = True
        del spec["nodeName"]
    elif kind == 10:
        spec.update(draw.choice(BAD_SLICES))
    elif kind == 11:
        most = draw.choice([128, 129])
        spec["devices"] = [{"name": f"gpu-{n}", **({"basic": {}} if version == "v1beta1" else {})}
                           for n in range(most)]
    elif kind < 14:
        spec["sharedCounters"] = draw.choice(COUNTER_SETS)
        if chance(draw, 80):
            spec.pop("devices", None)
    elif kind < 16:
        del spec["nodeName"]
        spec.update(draw.choice(PLACES))
    elif kind < 18 and version != "v1beta1":
        del spec["nodeName"]
        spec["perDeviceNodeSelection"] = True
        spec["devices"] = [dict(device(draw, version, f"gpu-{n}"), **draw.choice(PLACES)) for n in range(2)]
    return spec


def slice_body(draw, version):
    return {"spec": slice_spec(draw, version)}


def slice_change(draw, version):
    return {"spec": draw.choice([
        {"devices": [device(draw, version, "gpu-0"), device(draw, version, "gpu-5")]},
        {"devices": [device(draw, version, "gpu-0")]},
        {"pool": {"generation": draw.choice([3, 4])}},
        {"driver": "other.example.com"},
        {"nodeName": "node-z"},
        {"pool": {"name": "pool-z"}}])}


def class_body(draw, _version):
    if chance(draw, 12):
        return {"spec": draw.choice(BAD_CLASSES)}
    return {"spec": draw.choice([
        {}, {"selectors": [{"cel": {"expression": f'device.driver == "{DRIVER}"'}}]},
        {"config": [{"opaque": {"driver": DRIVER, "parameters": {"a": 1}}}]},
        {"extendedResourceName": "example.com/gpu"}])}


def rule_body(draw, _version):
    selector = draw.choice([{"driver": DRIVER}, {"driver": DRIVER, "pool": "pool-a"},
                            {"device": "gpu-0", "driver": DRIVER, "pool": "pool-a"}])
    taint = {"key": draw.choice(["example.com/hot", "bad"]),
             "effect": draw.choice(["NoExecute", "NoSchedule", "None"])}
    if chance(draw, 30):
        taint["value"] = "very"
    if chance(draw, 20):
        taint["timeAdded"] = THEN
    if chance(draw, 5):
        taint = draw.choice([{"key": "k"}, {"effect": "NoExecute"}, {"key": "k", "effect": "Maybe"},
                             {"key": "no spaces", "effect": "NoExecute"}])
    return {"spec": {"deviceSelector": selector, "taint": taint}}


def rule_change(draw, _version):
    return {"spec": draw.choice([
        {"taint": {"effect": draw.choice(["NoExecute", "NoSchedule"])}},
        {"taint": {"value": draw.choice(["x", "y"])}},
        {"taint": {"timeAdded": THEN}},
        {"deviceSelector": {"device": "gpu-3"}},
        {"taint": {"effect": "Never"}}])}


def rule_status_change(draw, _version):
    if chance(draw, 5):
        return {"status": {"conditions": [condition(draw, [f"T{n}"], ["R"]) for n in range(9)]}}
    return {"status": {"conditions": conditions(draw, ["EvictionInProgress", "Other"])}}


# ---- the rest

def node_body(draw, _version):
    spec = draw.choice([{}, {"unschedulable": True}, {"providerID": "x://1"},
                        {"taints": [{"key": "k", "effect": "NoSchedule"}]}])
    body = {"spec": spec} if spec or chance(draw, 50) else {}
    if chance(draw, 30):
        body["status"] = {"capacity": {"cpu": "4", "pods": "110"},
                          "conditions": [{"type": "Ready", "status": "True"}]}
    return body


def node_change(draw, _version):
    return {"spec": draw.choice([{"unschedulable": True}, {"unschedulable": None},
                                 {"taints": [{"key": "t", "value": "v", "effect": "NoExecute"}]}])}


def node_status_change(draw, _version):
    return {"status": draw.choice([
        {"conditions": [{"type": "Ready", "status": draw.choice(["True", "False"]),
                         "reason": "Kubelet", "message": "m"}]},
        {"capacity": {"cpu": "8"}, "allocatable": {"cpu": "7"}},
        {"addresses": [{"type": "InternalIP", "address": "10.0.0.1"},
                       {"type": "Hostname", "address": "node"}]}])}


def namespace_body(draw, _version):
    return draw.choice([{}, {}, {"spec": {"finalizers": ["example.com/own"]}},
                        {"status": {"phase": "Terminating"}}])


def namespace_status_change(draw, _version):
    return {"status": {"conditions": [
        {"type": draw.choice(["NamespaceContentRemaining", "Own"]), "status": "True",
         "reason": "R", "message": "m"}]}}


def lease_spec(draw):
    spec = {"holderIdentity": draw.choice(["one", "two", ""]),
            "leaseDurationSeconds": draw.choice([15, 30, 1]), "renewTime": THEN_MICRO,
            "acquireTime": THEN_MICRO, "leaseTransitions": draw.choice([0, 1, 2])}
    if chance(draw, 8):
        spec.update(draw.choice([{"leaseDurationSeconds": 0}, {"leaseTransitions": -1}]))
    return spec


def lease_body(draw, _version):
    return {"spec": lease_spec(draw)}


def event_body(draw, _version):
    body = {"involvedObject": {"kind": "Pod", "apiVersion": "v1", "name": "pod-a",
                               "namespace": "@c@", "uid": STRANGER + "1"},
            "reason": draw.choice(["Failed", "Made"]), "message": "words", "type": "Normal",
            "source": {"component": "test"}, "count": 1, "firstTimestamp": THEN,
            "lastTimestamp": THEN}
    if chance(draw, 30):
        body.update(reportingComponent="test", reportingInstance="")
    if chance(draw, 5):
        body["involvedObject"] = draw.choice([{}, {"namespace": "default"}])
    return body


def event_change(draw, _version):
    return draw.choice([{"count": 2}, {"count": 3, "lastTimestamp": THEN, "message": "again"},
                        {"type": "Warning"}, {"reason": "Changed"}])


def map_body(draw, _version):
    body = {"data": {"k": draw.choice(["1", "2"])}}
    if chance(draw, 10):
        body["immutable"] = True
    if chance(draw, 5):
        body["data"] = {"bad key": "x"}
    return body


def map_change(draw, _version):
    return {"data": draw.choice([{"k": "3"}, {"l": "4"}, {"k": None}, {"m": "5", "n": "6"}])}


RESOURCE = "resource.k8s.io"
BETAS = ("v1", "v1", "v1", "v1beta2", "v1beta1")

KINDS = [
    Kind("pods", "Pod", "", ("v1",), True, True, pod_body, pod_change, pod_status_change,
         lambda _: {"spec": {"containers": [{"name": "main", "image": "img:1"}]}},
         ("spec.nodeName=node-a", "status.phase=Pending", "status.phase!=Running",
          "spec.nodeName=", "status.phase=Running")),
    Kind("resourceclaims", "ResourceClaim", RESOURCE, BETAS, True, True, claim_body, claim_change,
         claim_status_change, lambda v: {"spec": plain_request(v)}),
    Kind("resourceclaimtemplates", "ResourceClaimTemplate", RESOURCE, BETAS, True, False,
         template_body, template_change, None, lambda v: {"spec": {"spec": plain_request(v)}}),
    Kind("resourceslices", "ResourceSlice", RESOURCE, BETAS, False, False, slice_body,
         slice_change, None,
         lambda _: {"spec": {"driver": DRIVER, "nodeName": "node-a", "pool": {
             "name": "marker", "generation": 1, "resourceSliceCount": 1}}},
         (f"spec.driver={DRIVER}", "spec.nodeName=node-a", "spec.pool.name=pool-a")),
    Kind("deviceclasses", "DeviceClass", RESOURCE, BETAS, False, False, class_body, class_body,
         None, lambda _: {"spec": {}}),
    Kind("devicetaintrules", "DeviceTaintRule", RESOURCE, ("v1", "v1", "v1beta2", "v1alpha3"),
         False, True, rule_body, rule_change, rule_status_change,
         lambda _: {"spec": {"deviceSelector": {"driver": DRIVER},
                             "taint": {"key": "k", "effect": "NoSchedule"}}}),
    Kind("nodes", "Node", "", ("v1",), False, True, node_body, node_change, node_status_change,
         lambda _: {}, ("spec.unschedulable=false",)),
    Kind("namespaces", "Namespace", "", ("v1",), False, True, namespace_body, namespace_body,
         namespace_status_change, lambda _: {}, ("status.phase=Active",)),
    Kind("leases", "Lease", "coordination.k8s.io", ("v1",), True, False, lease_body, lease_body,
         None, lambda _: {"spec": {}}),
    Kind("events", "Event", "", ("v1",), True, False, event_body, event_change, None,
         lambda _: {"involvedObject": {"namespace": "@c@"}, "reason": "Made", "type": "Normal"},
         ("reason=Made", "type=Normal", "involvedObject.namespace=@c@")),
    Kind("configmaps", "ConfigMap", "", ("v1",), True, False, map_body, map_change, None,
         lambda _: {"data": {}}),
]

BY_PLURAL = {kind.plural: kind for kind in KINDS}
