#!/usr/bin/env python3
"""No test: draws docs/ui.png, the live page with partitions, a shared device and a pod that waits.

    test/ui/picture.py [FOLDER OF PROGRAMS]     needs chromium; the folder is build/release/bin without one
"""
import pathlib
import sys

import playground
from browser import Browser
from playground import PLURALS, RESOURCE, ROOT, Playground

GPU, NIC = "gpus.example.com", "nics.example.com"
PARTS = {"whole": ("80Gi", 1), "half": ("40Gi", 2), "quarter": ("20Gi", 4)}


def partitions(gpu):
    for profile, (memory, number) in PARTS.items():
        for index in range(number):
            yield {"name": f"{gpu}-{profile}-{index}", "attributes": {"profile": {"string": profile}},
                   "capacity": {"memory": {"value": memory}},
                   "consumesCounters": [{"counterSet": gpu, "counters": {"memory": {"value": memory}}}]}


def publish(cluster, node, driver, index, slices, **content):
    cluster.request("POST", f"{RESOURCE}/resourceslices", {
        "metadata": {"name": f"{node}-{driver}-{index}"},
        "spec": {"driver": driver, "nodeName": node, **content,
                 "pool": {"name": f"{node}-{driver.split('.')[0]}", "generation": 1, "resourceSliceCount": slices}}})


def publish_node(cluster, node):
    publish(cluster, node, NIC, 0, 1, devices=[
        {"name": "eth0", "allowMultipleAllocations": True, "capacity": {"bandwidth": {"value": "100G"}}}])
    publish(cluster, node, GPU, 0, 2, sharedCounters=[
        {"name": gpu, "counters": {"memory": {"value": "80Gi"}}} for gpu in ("gpu-0", "gpu-1")])
    publish(cluster, node, GPU, 1, 2, devices=[*partitions("gpu-0"), *partitions("gpu-1")])


def ask(cluster, name, profile, bandwidth="10G"):
    requests = [{"name": "gpu", "exactly": {"deviceClassName": GPU, "selectors": [
        {"cel": {"expression": f"device.attributes['{GPU}'].profile == '{profile}'"}}]}}]
    if bandwidth:
        requests.append({"name": "nic", "exactly": {
            "deviceClassName": NIC, "capacity": {"requests": {"bandwidth": bandwidth}}}})
    cluster.request("POST", PLURALS["ResourceClaim"], {"metadata": {"name": name}, "spec": {"devices": {"requests": requests}}})
    cluster.request("POST", PLURALS["Pod"], {"metadata": {"name": name}, "spec": {
        "containers": [{"name": "c", "image": "i"}], "resourceClaims": [{"name": "devices", "resourceClaimName": name}]}})


def wait_for(cluster, *pods):
    cluster.soon(f"{pods} run", lambda: all(
        cluster.request("GET", f"{PLURALS['Pod']}/{pod}")["status"].get("phase") == "Running" for pod in pods))


def draw(cluster):
    for node in ("node-0", "node-1"):
        publish_node(cluster, node)
    for name, profile in (("llama", "whole"), ("vision", "whole"), ("notebook", "half"), ("probe", "quarter")):
        ask(cluster, name, profile)
        wait_for(cluster, name)
    ask(cluster, "trainer", "whole", bandwidth=None)
    for name in ("embed", "rerank"):
        ask(cluster, name, "half")
        wait_for(cluster, name)
    with Browser() as browser:
        browser.open(cluster.page, 1400, 760)
        browser.until("[...document.querySelectorAll('#pods a')].some((a) => "
                      "a.textContent === 'default/trainer' && (a.click(), true))")
        browser.until("document.querySelector('#details .summary + .remedy') !== null")
        browser.value("scrollTo(0, 0)")
        browser.picture(ROOT / "docs/ui.png")


def main():
    playground.BIN = pathlib.Path(sys.argv[1]).resolve() if sys.argv[1:] else playground.BIN
    cluster = Playground("--nodes", "2", "--devices", "0", "--drivers", f"{GPU},{NIC}")
    try:
        draw(cluster)
    finally:
        cluster.stop()


if __name__ == "__main__":
    main()
