#!/usr/bin/env python3
"""The Python client: typed and dynamic calls, patches, refusals and a watch. $KUBECONFIG is the server."""
import threading

from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client.exceptions import ApiException

NAMESPACE = "scripted"
REQUEST = {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}
CLAIM = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "claim"},
         "spec": {"devices": {"requests": [REQUEST]}}}


def refused(call, *arguments, **named):
    try:
        call(*arguments, **named)
    except ApiException as error:
        return f"{error.status} {error.reason}"
    return "not refused"


def typed(api):
    core, resource = client.CoreV1Api(api), client.ResourceV1Api(api)
    core.create_namespace({"metadata": {"name": NAMESPACE}})
    made = resource.create_namespaced_resource_claim(NAMESPACE, CLAIM)
    request = made.spec.devices.requests[0]
    print("claim:", request.name, request.exactly.allocation_mode, request.exactly.count)
    print("again:", refused(resource.create_namespaced_resource_claim, NAMESPACE, CLAIM))
    patched = resource.patch_namespaced_resource_claim("claim", NAMESPACE, {"metadata": {"labels": {"a": "b"}}})
    print("patched:", patched.metadata.labels)
    listed = resource.list_resource_claim_for_all_namespaces(label_selector="a=b")
    print("listed:", [claim.metadata.name for claim in listed.items])
    print("bad:", refused(core.create_namespaced_config_map, NAMESPACE, {"metadata": {"name": "No Name"}}))


def followed(api):
    core, seen = client.CoreV1Api(api), []
    start = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version

    def write():
        core.create_namespaced_config_map(NAMESPACE, {"metadata": {"name": "watched"}, "data": {"a": "1"}})
        core.patch_namespaced_config_map("watched", NAMESPACE, {"data": {"a": "2"}})
        core.delete_namespaced_config_map("watched", NAMESPACE)

    writer = threading.Thread(target=write)
    writer.start()
    stream = watch.Watch()
    for event in stream.stream(core.list_namespaced_config_map, NAMESPACE, resource_version=start,
                               field_selector="metadata.name=watched", timeout_seconds=60):
        seen.append((event["type"], event["object"].data["a"]))
        if event["type"] == "DELETED":
            stream.stop()
    writer.join()
    print("watched:", seen)


def by_discovery(api):
    found = dynamic.DynamicClient(api).resources.get(api_version="resource.k8s.io/v1", kind="ResourceClaim")
    print("discovered:", found.name, found.namespaced)
    applied = found.server_side_apply({**CLAIM, "metadata": {"name": "applied"}}, namespace=NAMESPACE,
                                      field_manager="scripted")
    print("applied:", applied.metadata.managedFields[0].manager)
    found.delete(name="applied", namespace=NAMESPACE)
    print("deleted:", refused(found.get, name="applied", namespace=NAMESPACE))


def main():
    config.load_kube_config()
    with client.ApiClient() as api:
        print("version:", client.VersionApi(api).get_code().git_version)
        typed(api)
        followed(api)
        by_discovery(api)
        utils.create_from_dict(api, {**CLAIM, "metadata": {"name": "of-a-file"}}, namespace=NAMESPACE)
        print("created from a file")
    print("done")


if __name__ == "__main__":
    main()
