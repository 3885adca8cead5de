"""Scenes of the form in which drivers' projects publish their examples: NVIDIA, Intel, dranet, SR-IOV, CPU.

The objects are our own, of the same shape: the same classes, attributes, selectors, constraints and
configurations. Each scene says which of its pods get a place.
"""
from devices import named
from scenes import Scene

GPU, DOMAIN, NET = "gpu.nvidia.com", "compute-domain.nvidia.com", "dra.net"
INTEL, QAT, GAUDI = "gpu.intel.com", "qat.intel.com", "gaudi.intel.com"
SRIOV, CNI, CPU = "sriovnetwork.k8snetworkplumbingwg.io", "k8s.cni.cncf.io", "dra.cpu"
PCIE_ROOT, BUS = "resource.kubernetes.io/pcieRoot", "resource.kubernetes.io/pciBusID"
NODE = "node-0"


def value(plain):
    """An attribute's value; versions are written as v1.2.3."""
    if isinstance(plain, bool):
        return {"bool": plain}
    if isinstance(plain, int):
        return {"int": plain}
    return {"version": plain[1:]} if plain[:1] == "v" and plain.count(".") == 2 else {"string": plain}


def device(name, attributes, capacity=None, **more):
    made = {"name": name, "attributes": {key: value(plain) for key, plain in attributes.items()}, **more}
    if capacity:
        made["capacity"] = {key: {"value": plain} for key, plain in capacity.items()}
    return made


def device_class(name, expression, **more):
    return named("DeviceClass", name, {"selectors": [{"cel": {"expression": expression}}], **more})


def opaque(owner, kind, *requests, **parameters):
    config = {"opaque": {"driver": owner, "parameters": {
        "apiVersion": f"resource.{owner.partition('.')[2]}/v1beta1", "kind": kind, **parameters}}}
    return {"requests": list(requests), **config} if requests else config


def wish(cls, *selectors, **more):
    return {"deviceClassName": cls, **more, **(
        {"selectors": [{"cel": {"expression": one}} for one in selectors]} if selectors else {})}


def request(name, cls, *selectors, **more):
    return {"name": name, "exactly": wish(cls, *selectors, **more)}


def either(name, **wishes):
    return {"name": name, "firstAvailable": [{"name": sub, **one} for sub, one in wishes.items()]}


class Published(Scene):
    """A scene in which each pod has one claim, of its own or of an earlier pod."""

    def __init__(self, name, *classes):
        super().__init__(name)
        self.classes += classes
        self.placed = set()

    def publish(self, driver, devices, counters=()):
        """All devices of one node; the counters of partitions are in a separate slice."""
        parts = [{"devices": devices}] + ([{"sharedCounters": counters}] if counters else [])
        for number, part in enumerate(parts):
            self.slices.append(named("ResourceSlice", f"{self.name}-{driver}-{number}", {
                "driver": driver, "nodeName": NODE, **part,
                "pool": {"name": NODE, "generation": 1, "resourceSliceCount": len(parts)}}))

    def pod(self, requests, waits=False, constraints=(), config=()):
        devices = {"requests": requests, "constraints": list(constraints), "config": list(config)}
        claim = named("ResourceClaim", f"claim-{len(self.pods)}", {"devices": devices}, namespace=self.name)
        return self.add(claim, [claim], waits)

    def again(self, claim):
        """One more pod with a claim that another one has, too."""
        self.add(claim, [], False)

    def add(self, claim, made, waits):
        name = f"pod-{len(self.pods)}"
        spec = {"containers": [{"name": "c", "image": "i", "resources": {"claims": [{"name": "c"}]}}],
                "resourceClaims": [{"name": "c", "resourceClaimName": claim["metadata"]["name"]}]}
        self.pods.append(({"apiVersion": "v1", "kind": "Pod", "spec": spec,
                           "metadata": {"name": name, "namespace": self.name}}, made, [claim]))
        if not waits:
            self.placed.add(name)
        return claim


def nvidia_class(name, kind):
    return device_class(name, f"device.driver == '{GPU}' && device.attributes['{GPU}'].type == '{kind}'")


def gpu(number, product="NVIDIA A100-SXM4-40GB", memory="40Gi", **more):
    return device(f"gpu-{number}", {
        "type": "gpu", "uuid": f"GPU-{number}", "productName": product, "brand": "Nvidia", "index": number,
        "architecture": "Ampere", "cudaComputeCapability": "v8.0.0", "driverVersion": "v550.54.15",
        "cudaDriverVersion": "v12.4.0", PCIE_ROOT: f"pci0000:{number}0", BUS: f"0000:{number}1:00.0",
    }, {"memory": memory}, **more)


def whole_gpus():
    scene = Published("nvidia-gpus", nvidia_class(GPU, "gpu"))
    scene.publish(GPU, [gpu(0), gpu(1, "Tesla T4", "15Gi"), gpu(2, memory="80Gi"), gpu(3, "NVIDIA L4", "24Gi")])
    of = f"device.attributes['{GPU}']"
    shared = scene.pod([request("gpu", GPU)])
    scene.again(shared)
    scene.pod([request("gpu", GPU, f"{of}.productName.lowerAscii().matches('^.*a100.*$')",
                       f"device.capacity['{GPU}'].memory.isGreaterThan(quantity('40Gi'))")])
    scene.pod([either("gpu", large=wish(GPU, f"{of}.productName == 'NONEXISTENT-GPU-XYZ'"),
                      small=wish(GPU, f"{of}.index < 2", f"{of}.driverVersion.isGreaterThan(semver('535.0.0'))"))])
    scene.pod([request("gpu", GPU, f"{of}.cudaComputeCapability.compareTo(semver('9.0.0')) >= 0")], waits=True)
    return scene


def sharing():
    scene = Published("nvidia-sharing", nvidia_class(GPU, "gpu"))
    scene.publish(GPU, [gpu(0), gpu(1)])
    claim = scene.pod([request("ts-gpu", GPU), request("mps-gpu", GPU)], config=[
        opaque(GPU, "GpuConfig", "ts-gpu", sharing={"strategy": "TimeSlicing",
                                                    "timeSlicingConfig": {"interval": "Long"}}),
        opaque(GPU, "GpuConfig", "mps-gpu", sharing={"strategy": "MPS", "mpsConfig": {
            "defaultActiveThreadPercentage": 50, "defaultPinnedDeviceMemoryLimit": "10Gi"}})])
    scene.again(claim)
    scene.pod([request("gpu", GPU)], waits=True)
    return scene


PROFILES = {"1g.5gb": (1, 14), "2g.10gb": (2, 28), "3g.20gb": (4, 42)}  # memory slices, multiprocessors


def uses(number, memory_slices, multiprocessors):
    counters = {f"memory-slice-{each}": {"value": "1"} for each in memory_slices}
    return [{"counterSet": f"gpu-{number}-counter-set", "counters": {
        **counters, "multiprocessors": {"value": str(multiprocessors)}}}]


def partitions(number):
    """A GPU as a whole, and each possible MIG device."""
    yield gpu(number, consumesCounters=uses(number, range(8), 98))
    for profile, (size, processors) in PROFILES.items():
        for start in range(0, 8 if size > 1 else 7, size):
            yield device(f"gpu-{number}-mig-{profile.replace('.', '-')}-{start}", {
                "type": "mig", "parentUUID": f"GPU-{number}", "profile": profile, "driverVersion": "v550.54.15",
                PCIE_ROOT: f"pci0000:{number}0",
            }, {"memory": f"{5 * size}Gi", "multiprocessors": str(processors)},
                consumesCounters=uses(number, range(start, start + size), processors))


def mig():
    scene = Published("nvidia-mig", nvidia_class(GPU, "gpu"), nvidia_class("mig.nvidia.com", "mig"))
    counters = {**{f"memory-slice-{each}": {"value": "1"} for each in range(8)}, "multiprocessors": {"value": "98"}}
    scene.publish(GPU, [each for number in range(2) for each in partitions(number)],
                  [{"name": f"gpu-{number}-counter-set", "counters": counters} for number in range(2)])

    def partition(name, profile):
        return request(name, "mig.nvidia.com", f"device.attributes['{GPU}'].profile == '{profile}'")

    four = [partition("mig-1g-0", "1g.5gb"), partition("mig-1g-1", "1g.5gb"),
            partition("mig-2g", "2g.10gb"), partition("mig-3g", "3g.20gb")]
    same_parent = [{"requests": [], "matchAttribute": f"{GPU}/parentUUID"}]
    scene.pod(four, constraints=same_parent)
    scene.pod([request("gpu", GPU)])
    scene.pod([request("mig", "mig.nvidia.com",
                       f"device.capacity['{GPU}'].multiprocessors.isGreaterThan(quantity('10'))")], waits=True)
    scene.pod(four, waits=True, constraints=same_parent)
    return scene


def compute_domain():
    def kind(name, text):
        return device_class(name, f"device.driver == '{DOMAIN}' && device.attributes['{DOMAIN}'].type == '{text}'")

    channel = "compute-domain-default-channel.nvidia.com"
    scene = Published("nvidia-compute-domain", kind("compute-domain-daemon.nvidia.com", "daemon"), device_class(
        channel, f"device.driver == '{DOMAIN}' && device.attributes['{DOMAIN}'].type == 'channel'"
        f" && device.attributes['{DOMAIN}'].id == 0"))
    scene.publish(DOMAIN, [device("channel-0", {"type": "channel", "id": 0}), device("daemon-0", {"type": "daemon", "id": 0}),
                           device("channel-1", {"type": "channel", "id": 1})])
    scene.pod([request("daemon", "compute-domain-daemon.nvidia.com")],
              config=[opaque(DOMAIN, "ComputeDomainDaemonConfig", domainID="d-1")])
    scene.pod([request("channel", channel)], config=[
        opaque(DOMAIN, "ComputeDomainChannelConfig", "channel", domainID="d-1", allocationMode="Single")])
    scene.pod([request("channel", channel)], waits=True)
    return scene


def intel():
    scene = Published("intel", *(device_class(driver, f'device.driver == "{driver}"') for driver in (INTEL, QAT, GAUDI)))
    scene.publish(INTEL, [
        device("0000-03-00-0-0x56a0", {"driver": "i915", "family": "Arc A-Series", "model": "A770", "sriov": False},
               {"memory": "14Gi", "millicores": "1000"}),
        device("0000-0f-00-0-0x0bd5", {"driver": "xe", "family": "Max", "model": "1550", "sriov": True},
               {"memory": "128Gi", "millicores": "1000"}, taints=[{"key": f"{INTEL}/hot", "effect": "NoExecute"}]),
        device("0000-1f-00-0-0x0bd5", {"driver": "i915", "family": "Max", "model": "1550", "sriov": True},
               {"memory": "128Gi", "millicores": "1000"})])
    scene.publish(QAT, [device("qatvf-0", {"services": "dc"}), device("qatvf-1", {"services": "sym;asym"}, {"vfs": "16"})])
    scene.publish(GAUDI, [device(f"accel-{n}", {"model": "Gaudi3", "healthy": n > 0, "serial": f"s{n}"}) for n in range(3)])
    enough = f'device.capacity["{INTEL}"].memory.compareTo(quantity("16Gi")) >= 0'
    of = f'device.attributes["{INTEL}"]'
    scene.pod([request("gpu", INTEL, f'{of}.driver == "i915"', enough)])
    scene.pod([request("gpu", INTEL, f'{of}.family.startsWith("Arc")')])
    scene.pod([request("gpu", INTEL, enough)], waits=True)
    scene.pod([request("gpu", INTEL, enough, tolerations=[{"key": f"{INTEL}/hot", "operator": "Exists"}])])
    services = f'device.attributes["{QAT}"].services'
    scene.pod([request("qat", QAT, f'{services} == "asym" || {services} == "sym;asym" || {services} == "dc;asym"')])
    healthy = f'device.attributes["{GAUDI}"].healthy == true'
    scene.pod([request("accel", GAUDI, healthy, f"device.attributes[\"{GAUDI}\"].model == 'Gaudi3'", count=2)])
    scene.pod([request("monitor", GAUDI, allocationMode="All", adminAccess=True)])
    return scene


def nic(number, **more):
    return device(f"net-{number}", {
        f"{NET}/ifName": f"gpu{number}rdma0", f"{NET}/rdma": number > 0, f"{NET}/virtual": False,
        f"{NET}/numaNode": number // 2, f"{NET}/ipv4": f"10.0.{number}.2/24", f"{NET}/rdmaDevice": f"mlx5_{number}",
        f"{NET}/pciAddress": f"0000:{number}2:00.0", PCIE_ROOT: f"pci0000:{number}0", BUS: f"0000:{number}2:00.0", **more})


def dranet():
    scene = Published("dranet", device_class("dranet", f'device.driver == "{NET}"'), nvidia_class(GPU, "gpu"))
    scene.publish(NET, [device("dummy0", {"ifName": "dummy0", "type": "dummy", "rdma": False, "virtual": True}),
                        *(nic(number) for number in range(4))])
    scene.publish(GPU, [gpu(number) for number in range(4)])
    of = f'device.attributes["{NET}"]'
    at_address = [request("nic", "dranet", f'{of}.pciAddress == "0000:02:00.0"')]
    scene.pod(at_address, waits=True)  # an error, as long as a device without that attribute is free
    scene.pod([request("dummy", "dranet", f'has({of}.ifName) && ({of}.ifName == "dummy0" || {of}.ifName == "dummy1")')],
              config=[opaque(NET, "NetworkConfig", interface={"name": "eth9", "addresses": ["169.254.169.13/32"]})])
    both = [request("gpu", GPU, f'device.attributes["{GPU}"].index <= 2'),
            request("nic", "dranet", f'{of}["rdma"] == true && {of}.virtual == false')]
    aligned = [{"requests": ["gpu", "nic"], "matchAttribute": PCIE_ROOT}]
    scene.pod(both, constraints=aligned)
    scene.pod(both, constraints=aligned)
    scene.pod(both, waits=True, constraints=aligned)
    scene.pod([request("nic", "dranet", 'device.attributes["resource.kubernetes.io"].?pciBusID.orValue("") == "0000:32:00.0"',
                       f'{of}["ipv4"].startsWith("10.0.3.")')])
    scene.pod(at_address)
    return scene


def sriov():
    scene = Published("sriov", device_class(SRIOV, f'device.driver == "{SRIOV}"'))
    scene.publish(SRIOV, [device(f"0000-08-0{pf}-{vf}", {
        f"{CNI}/resourceName": f"sriov_nic_{pf}", f"{CNI}/deviceID": f"0000:08:0{pf}.{vf}", "pciAddress": f"0000:08:0{pf}.{vf}",
        "resourceName": f"eth{pf}_resource", "vendor": "8086", "PFName": f"eth{pf}", "vfID": vf}) for pf in (1, 2) for vf in (0, 1)])
    of = f'device.attributes["{CNI}"].resourceName'
    scene.pod([request("vf", SRIOV, f'{of} == "sriov_nic_2"')], config=[
        opaque(SRIOV, "VfConfig", "vf", netAttachDefName="vf-test1", driver="vfio-pci", ifName="net1")])
    scene.pod([request("vf-1", SRIOV, f'{of} == "sriov_nic_1"'), request("vf-2", SRIOV, f'{of} == "sriov_nic_2"')])
    scene.pod([request("vf", SRIOV, f'{of} == "sriov_nic_2"')], waits=True)
    scene.pod([request("all", SRIOV, allocationMode="All", adminAccess=True)])
    scene.pod([request("vf", SRIOV, f'device.attributes["{SRIOV}"].resourceName == "eth1_resource"')])
    return scene


def cpus():
    """Cores as the capacity of a shared device, and as individual devices."""
    scene = Published("cpus", device_class(CPU, f'device.driver == "{CPU}"'))
    cores = device("cpudevnuma000", {"numaNodeID": 0, "coreType": "standard"}, allowMultipleAllocations=True)
    cores["capacity"] = {f"{CPU}/cpu": {"value": "8", "requestPolicy": {
        "default": "1", "validRange": {"min": "1", "max": "8", "step": "1"}}}}
    scene.publish(CPU, [cores, device("cpudev001", {"numaNodeID": 0, "coreType": "p-core"})])
    wanted = {"capacity": {"requests": {f"{CPU}/cpu": "3"}}}
    scene.pod([request("cores", CPU, **wanted)])
    scene.pod([request("cores", CPU, **wanted)])
    scene.pod([request("cores", CPU, **wanted)], waits=True)
    scene.pod([request("core", CPU, f'device.attributes["{CPU}"].coreType == "p-core"')])
    scene.pod([request("rest", CPU, "device.allowMultipleAllocations")])
    return scene


def published_scenes():
    return [whole_gpus(), sharing(), mig(), compute_domain(), intel(), dranet(), sriov(), cpus()]
