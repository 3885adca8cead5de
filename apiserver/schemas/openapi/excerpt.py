#!/usr/bin/env python3
"""Takes the schemas that the in-memory API server publishes from a real kube-apiserver.

    apiserver/schemas/openapi/excerpt.py KUBECTL [ARGUMENT…]

runs `KUBECTL ARGUMENT… get --raw /openapi/v3/…` and writes one `.inc` file beside this script for
each document: the kinds of the in-memory server and everything they refer to, as published (Apache-2.0, The Kubernetes Authors). Descriptions of betas are dropped. The
server has to serve all versions:

    test/controlplane/controlplane up -- --runtime-config=resource.k8s.io/v1beta1=true,\\
resource.k8s.io/v1beta2=true,resource.k8s.io/v1alpha3=true,scheduling.k8s.io/v1beta1=true \\
--feature-gates=GenericWorkload=true,DRAWorkloadResourceClaims=true,DRAResourcePoolStatus=true
"""
import json
import pathlib
import re
import subprocess
import sys

DRA = ["ResourceClaim", "ResourceClaimTemplate", "ResourceSlice", "DeviceClass"]
RULE = ["DeviceTaintRule"]
DOCUMENTS = {
    "api/v1": ["Pod", "Node", "Namespace", "Event", "ConfigMap", "Binding", "Secret", "ServiceAccount", "Service",
               "Endpoints", "PersistentVolume", "PersistentVolumeClaim", "ReplicationController",
               "ResourceQuota", "LimitRange", "PodTemplate"],
    "apis/admissionregistration.k8s.io/v1": [
        "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration",
        "MutatingWebhookConfiguration"],
    "apis/networking.k8s.io/v1": ["NetworkPolicy", "Ingress", "IngressClass"],
    "apis/node.k8s.io/v1": ["RuntimeClass"],
    "apis/flowcontrol.apiserver.k8s.io/v1": ["FlowSchema", "PriorityLevelConfiguration"],
    "apis/apiregistration.k8s.io/v1": ["APIService"],
    "apis/apiextensions.k8s.io/v1": ["CustomResourceDefinition"],
    "apis/apps/v1": ["Deployment", "DaemonSet", "ReplicaSet", "StatefulSet", "ControllerRevision"],
    "apis/apps/v1 as autoscaling_v1": ["Scale"],
    "apis/batch/v1": ["Job", "CronJob"],
    "apis/discovery.k8s.io/v1": ["EndpointSlice"],
    "apis/events.k8s.io/v1": ["Event"],
    "apis/rbac.authorization.k8s.io/v1": ["Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"],
    "apis/scheduling.k8s.io/v1": ["PriorityClass"],
    "apis/storage.k8s.io/v1": ["CSIDriver", "CSINode", "CSIStorageCapacity", "StorageClass", "VolumeAttachment"],
    "apis/coordination.k8s.io/v1": ["Lease"],
    "apis/policy/v1": ["PodDisruptionBudget", "Eviction"],
    "apis/resource.k8s.io/v1": DRA + RULE,
    "apis/resource.k8s.io/v1beta2": DRA + RULE,
    "apis/resource.k8s.io/v1beta1": DRA,
    "apis/resource.k8s.io/v1alpha3": RULE + ["ResourcePoolStatusRequest"],
    "apis/scheduling.k8s.io/v1beta1": ["PodGroup"],
}
# Kinds that are stored unchanged: their fields are known, and not explained.
UNREAD = [f"apis/{group}/v1" for group in ("admissionregistration.k8s.io", "apiregistration.k8s.io", "apps", "batch",
                                            "discovery.k8s.io", "events.k8s.io", "flowcontrol.apiserver.k8s.io",
                                            "networking.k8s.io", "node.k8s.io", "rbac.authorization.k8s.io",
                                            "scheduling.k8s.io", "storage.k8s.io")]
REFERENCE = re.compile(r'"#/components/schemas/([^"]+)"')


def wanted(schemas, kinds):
    """The names of the schemas of `kinds`, and of everything they refer to."""
    todo = [name for name, schema in schemas.items()
            if not name.startswith("io.k8s.apimachinery.")
            and any(gvk["kind"] in kinds for gvk in schema.get("x-kubernetes-group-version-kind", []))]
    seen = set()
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += REFERENCE.findall(json.dumps(schemas[name]))
    return sorted(seen)


def without_descriptions(value):
    """A property may be named `description` too; then it is an object, and stays."""
    if isinstance(value, list):
        return [without_descriptions(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: without_descriptions(item) for key, item in value.items()
            if key != "description" or not isinstance(item, str)}


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def lines(schema):
    """A schema as JSON, one line for each property, so that changes can be read."""
    properties = schema.pop("properties", None)
    if properties is None:
        return compact(schema)
    shown = ",\n".join(f"{compact(name)}:{compact(value)}" for name, value in properties.items())
    return f'{compact(schema)[:-1]},"properties":{{\n{shown}}}}}'


def main():
    folder = pathlib.Path(__file__).parent
    for document, kinds in DOCUMENTS.items():
        path, _, name = document.partition(" as ")
        raw = subprocess.run([*sys.argv[1:], "get", "--raw", f"/openapi/v3/{path}"], check=True,
                             capture_output=True, text=True).stdout
        schemas = json.loads(raw)["components"]["schemas"]
        if re.search(r"v\d+(alpha|beta)\d+$", path) or path in UNREAD:
            schemas = without_descriptions(schemas)
        members = ",\n".join(f"{compact(name)}:{lines(schemas[name])}"
                             for name in wanted(schemas, kinds))
        name = name or path.removeprefix("apis/").replace("api/", "core/").replace("/", "_")
        (folder / f"{name}.inc").write_text(f'R"json({members})json"sv\n')


if __name__ == "__main__":
    main()
