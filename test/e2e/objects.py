"""Kubernetes objects of the scenes, on one line each."""
DRIVER = "gpu.example.com"
RESOURCE = "/apis/resource.k8s.io/v1"
COLLECTIONS = {
    "Namespace": "/api/v1/namespaces", "DeviceClass": f"{RESOURCE}/deviceclasses",
    "DeviceTaintRule": f"{RESOURCE}/devicetaintrules", "Pod": "/api/v1/namespaces/{}/pods",
    "ResourceClaim": RESOURCE + "/namespaces/{}/resourceclaims",
    "ResourceClaimTemplate": RESOURCE + "/namespaces/{}/resourceclaimtemplates",
    "Job": "/apis/batch/v1/namespaces/{}/jobs", "Deployment": "/apis/apps/v1/namespaces/{}/deployments",
    "StatefulSet": "/apis/apps/v1/namespaces/{}/statefulsets", "DaemonSet": "/apis/apps/v1/namespaces/{}/daemonsets",
    "PodDisruptionBudget": "/apis/policy/v1/namespaces/{}/poddisruptionbudgets"}
IMAGE = "docker.io/library/busybox:latest"
SHOW = "env | grep -E '^GPU_DEVICE_([0-9]+|GPU_[0-9]+(_PART_[0-9]+)?)=' | sort; echo shown; "
WAIT = SHOW + "trap 'exit 0' TERM; while :; do sleep 1 & wait $!; done"
FROM_TEMPLATE = {"gpu": {"resourceClaimTemplateName": "gpu"}}
FROM_CLAIM = {"gpu": {"resourceClaimName": "gpu"}}


def thing(kind, name, spec=None, version="resource.k8s.io/v1", **metadata):
    made = {"apiVersion": version, "kind": kind, "metadata": {"name": name, **metadata}}
    return made if spec is None else {**made, "spec": spec}


def requests(count=1, device_class=DRIVER, **more):
    return {"devices": {"requests": [
        {"name": "gpu", "exactly": {"deviceClassName": device_class, "count": count, **more}}]}}


def device_class(name=DRIVER, **more):
    return thing("DeviceClass", name,
                 {"selectors": [{"cel": {"expression": f"device.driver == '{name}'"}}], **more})


def template(name="gpu", **wanted):
    return thing("ResourceClaimTemplate", name, {"spec": requests(**wanted)})


def claim(name="gpu", **wanted):
    return thing("ResourceClaim", name, requests(**wanted))


def container(name="main", command=WAIT, claims=("gpu",), **more):
    return {"name": name, "image": IMAGE, "imagePullPolicy": "Never", "command": ["sh", "-c", command],
            "resources": {"claims": [{"name": each} for each in claims]}, **more}


def pod_spec(claims=None, command=WAIT, **more):
    """By default, one container with all claims."""
    claims = FROM_TEMPLATE if claims is None else claims
    return {"terminationGracePeriodSeconds": 20,
            "resourceClaims": [{"name": name, **source} for name, source in claims.items()],
            "containers": [container(command=command, claims=claims)], **more}


def pod(name="p", claims=None, command=WAIT, **more):
    """The behaviour of its program; on a hollow node it comes from an annotation."""
    ends = {"annotations": {"playground.dra-controller-manager.dev/run-for": "0s"}} if command == SHOW else {}
    return thing("Pod", name, pod_spec(claims, command, **more), "v1", **ends)


def of_pods(claims=None, command=WAIT, **more):
    return {"metadata": {"labels": {"app": "it"}}, "spec": pod_spec(claims, command, **more)}


def workload(kind, name, pods, **spec):
    return thing(kind, name, {"selector": {"matchLabels": {"app": "it"}}, "template": pods, **spec}, "apps/v1")


def job(name, pods, **spec):
    pods["spec"].setdefault("restartPolicy", "Never")
    return thing("Job", name, {"template": pods, **spec}, "batch/v1")


def taint_rule(name, effect="NoExecute", **selector):
    return thing("DeviceTaintRule", name, {"deviceSelector": {"driver": DRIVER, **selector},
                                           "taint": {"key": "example.com/retired", "effect": effect}})
