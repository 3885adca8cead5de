"""The cluster's machine: one process with namespaces of its own, which relays connections to the API server. It is the
first node; each other one is a process in it, with a mount namespace of its own.

Its PID namespace ends with it, and with that all of the cluster's processes; then the mounts and the network go. The
node has folders of its own where kubelet and containerd look by default. What they write beside those goes to layers
over the host's /etc, /var/lib and /var/log, in the cluster's folder. Six kernel settings that kubelet writes are files
of the cluster, so the host's never change."""
import asyncio
import os
import pathlib
import signal
import socket
import subprocess

import namespaces
import nodes

SERVICE_ADDRESS = "10.0.0.1"  # of the API server, as pods find it
LAYERED = ("/etc", "/var/lib", "/var/log")
SETTINGS = ("vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops",
            "kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes")


def run(*command):
    subprocess.run([str(word) for word in command], check=True, stdin=subprocess.DEVNULL)


def own_settings(folder):
    for name in SETTINGS:
        kernels, ours = pathlib.Path("/proc/sys") / name, folder / "sysctl" / name
        ours.parent.mkdir(parents=True, exist_ok=True)
        ours.write_text(kernels.read_text())
        run("mount", "--bind", ours, kernels)


def own_folders(folder):
    run("mount", "--make-rprivate", "/")
    run("mount", "-t", "proc", "proc", "/proc")
    own_settings(folder)
    for place in LAYERED:
        upper, work = (folder / "layers" / kind / place.strip("/").replace("/", "-") for kind in ("upper", "work"))
        upper.mkdir(parents=True)
        work.mkdir(parents=True)
        run("mount", "-t", "overlay", "overlay", "-o", f"lowerdir={place},upperdir={upper},workdir={work}", place)
    run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/run")
    # On a file system of the machine: kubelet queries its usage.
    for ours, place in (("kubelet", "/var/lib/kubelet"), ("pods-log", "/var/log/pods")):
        (folder / ours).mkdir()
        os.makedirs(place, exist_ok=True)
        run("mount", "--bind", folder / ours, place)
    for place in ("/run/cdi", "/etc/cdi", "/etc/cni/net.d", "/var/log/containers"):
        os.makedirs(place, exist_ok=True)
    run("mount", "--make-rshared", "/")  # as on a machine with systemd: volumes of pods are to be seen by others


def own_network():
    """A pair of interfaces connected only to each other: the node has an address, and no packet
    leaves."""
    for command in ("link set lo up", "link add node0 type veth peer name node1", "link set node0 up",
                    "link set node1 up", f"addr add {nodes.FIRST.address}/24 dev node0",
                    f"addr add {SERVICE_ADDRESS}/32 dev lo", f"route add default via {nodes.FIRST.address} dev node0"):
        run("ip", *command.split())


async def pump(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


async def relay(reader, writer, port):
    """A connection from the host, or from a pod to the API server's Service."""
    try:
        onward = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        writer.close()
        return
    await asyncio.gather(pump(reader, onward[1]), pump(onward[0], writer))


async def serve(listeners, port):
    for listener in listeners:
        await asyncio.start_server(lambda reader, writer: relay(reader, writer, port), sock=listener)
    await asyncio.Event().wait()


def detach(log, *kept):
    """A process of its own, which writes only to `log`. It ends by SIGKILL."""
    os.setsid()
    for number in set(range(3, 1024)) - set(kept):  # also the lock of whoever started us
        try:
            os.close(number)
        except OSError:
            pass
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for number in (0, 1, 2):
        os.dup2(out, number)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no effect on the first process of a PID namespace


def report(ready, name):
    pathlib.Path("/proc/self/comm").write_text(name)  # in the lists of ps and top
    os.write(ready, b"1")
    os.close(ready)


def live(folder, listener, port, ready):
    """The machine's process once it has its namespaces."""
    detach(folder / "machine.log", listener.fileno(), ready)
    own_folders(folder)
    own_network()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # orphans are reaped
    service = socket.create_server((SERVICE_ADDRESS, 443))
    report(ready, "realnode")
    asyncio.run(serve([listener, service], port))


def be_node(folder, node, ready):
    """The process of a further node. Its folders are layers over the host's, like those of the first node."""
    detach(folder / f"{node.name}.log", ready)
    own = folder / node.name
    own.mkdir()
    own_folders(own)
    run("ip", "addr", "add", f"{node.address}/24", "dev", "node0")
    report(ready, node.name)
    while True:
        signal.pause()


def started(what, log, enter, become):
    """The ID of a process that is made in the namespaces of `enter()` and is `become(ready)`, once that has reported."""
    reading, writing = os.pipe()

    def make():
        enter()
        child = os.fork()
        if child == 0:
            try:
                become(writing)
            except BaseException as error:  # pylint: disable=broad-except
                print(f"{what}: {error}", flush=True)
            os._exit(1)
        return child
    process = namespaces.in_a_fork(make)
    os.close(writing)
    with os.fdopen(reading) as ready:
        if ready.read() != "1":
            raise OSError(f"{what} did not start: {log.read_text().strip()}")
    return process


def start(folder, listener, port):
    """Starts the machine; returns its process ID once it is usable."""
    return started("the cluster's machine", folder / "machine.log", namespaces.unshare,
                   lambda ready: live(folder, listener, port, ready))


def start_node(folder, machine, node):
    """Starts a further node in the machine; returns its process ID."""
    def enter():
        namespaces.enter(machine, namespaces.NEW_PID | namespaces.NEW_NET)
        namespaces.unshare(namespaces.NEW_NS)
    return started(node.name, folder / f"{node.name}.log", enter, lambda ready: be_node(folder, node, ready))
