#!/usr/bin/env python3
"""demo.py [--bin FOLDER]: Kubernetes' example driver, unmodified, serves a node of the playground, with its own
examples. Shows the devices of each container, breaks a device, kills the driver, rolls it over, and checks at the end
that nothing is left. Exit status 0: all checks passed; 130: interrupted."""
import argparse
import pathlib
import subprocess
import sys
import time

import world
from world import DRIVER, RESOURCE, World, examples, soon

NODE = "node-0"
EXAMPLES = ("basic-resourceclaimtemplate", "basic-multiple-requests", "basic-shared-claim-across-pods",
            "initcontainer-shared-gpu")
BROKEN = "broken-by-the-demo"


def say(text=""):
    print(text, flush=True)


def step(text):
    say(f"\n{time.monotonic() - BEGAN:5.1f} s  {text}")


def containers_of(pod):
    return [container["name"] for kind in ("initContainers", "containers") for container in pod["spec"].get(kind, ())]


def show_devices(at, pods):
    """Each container, with the CDI devices that a container runtime would add."""
    say(f"         {'POD':44} {'CONTAINER':10} CDI DEVICES")
    for namespace, name in pods:
        for container in containers_of(at.pod((namespace, name))):
            devices = [device.partition("=")[2] for device in at.shown((namespace, name), container)]
            say(f"         {namespace + '/' + name:44} {container:10} {' '.join(devices) or '-'}")


def device_of(at, pod):
    """(pool, device) allocated to the pod's first claim."""
    claim = at.pod(pod)["status"]["resourceClaimStatuses"][0]["resourceClaimName"]
    found = at.get(f"{RESOURCE}/namespaces/{pod[0]}/resourceclaims/{claim}")
    result = found["status"]["allocation"]["devices"]["results"][0]
    return result["pool"], result["device"]


def break_device(at, pods):
    pool, device = device_of(at, pods[0])
    step(f"{pool}/{device} breaks: a DeviceTaintRule with NoExecute")
    at.request("POST", f"{RESOURCE}/devicetaintrules", {
        "apiVersion": "resource.k8s.io/v1", "kind": "DeviceTaintRule", "metadata": {"name": BROKEN},
        "spec": {"deviceSelector": {"driver": DRIVER, "pool": pool, "device": device},
                 "taint": {"key": "example.com/broken", "effect": "NoExecute"}}})
    at.wait_for_phase(pods[:1], "gone")
    say(f"         {'/'.join(pods[0])} is evicted, and its device is unprepared")
    return pods[1:]


def kill_driver(at, driver, pods):
    step("the driver is killed; a pod is deleted meanwhile")
    at.end(driver, subprocess.Popen.kill)
    at.delete(pods[0])
    said = soon("an event", lambda: at.events("FailedUnprepareDynamicResources"))
    say(f"         {said[0]}")
    driver = at.start_driver(NODE, "again", "--pod-uid", "uid-1")
    at.wait_for_phase(pods[:1], "gone")
    say("         the driver is back: the device is unprepared, and the pod goes")
    return driver, pods[1:]


def roll_over(at, old):
    step("a rolling update: the new driver comes, then the old one goes")
    at.start_driver(NODE, "new", "--pod-uid", "uid-2")
    soon("the new driver is registered", lambda: "uid-2" in at.log("playground"))
    at.end(old)
    pods = at.apply(examples() / "basic-shared-claim-across-containers/basic-shared-claim-across-containers.yaml")
    at.wait_for_phase(pods, "Running")
    show_devices(at, pods)
    if at.devices(node=NODE) != 9 or at.prepared("new") == 0:
        raise SystemExit("demo: the new driver was not called, or its slices were gone")
    return pods


def check_books(at, pods):
    step("all pods are deleted")
    for pod in pods:
        at.delete(pod)
    at.wait_for_phase(pods, "gone")
    left = soon("nothing is prepared", lambda: at.entries() == []) and at.cdi()
    left = sorted(device for device in left if not device.endswith("=common"))
    say(f"         left: {len(at.entries())} entries in the checkpoint, {len(left)} devices described for a runtime")
    if left:
        raise SystemExit(f"demo: the driver still describes {left}")


def run(at):
    step("the playground runs, and its node-0 waits for drivers")
    driver = at.start_driver(NODE)
    soon(lambda: at.log("driver"), lambda: at.devices(node=NODE) == 9)
    step(f"{DRIVER}, Kubernetes' example driver, is registered and has published 9 devices")
    pods = [pod for name in EXAMPLES for pod in at.apply(examples() / name / f"{name}.yaml")]
    at.wait_for_phase(pods, "Running")
    step("its examples run; the devices of each container:")
    show_devices(at, pods)
    pods = break_device(at, pods)
    driver, pods = kill_driver(at, driver, pods)
    pods += roll_over(at, driver)
    check_books(at, pods)
    step("done")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=world.BIN, help="where the binaries are")
    world.BIN = parser.parse_args().bin
    at = World("--devices", "2", "--drivers", DRIVER, "--real-drivers")
    at.playground_flags += (str(at.root),)
    try:
        with at:
            run(at)
    except KeyboardInterrupt:
        say("stopped")
        return 130
    return 0


BEGAN = time.monotonic()
if __name__ == "__main__":
    sys.exit(main())
