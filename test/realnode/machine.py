"""The cluster's machine: one process with namespaces of its own, which relays connections to the API server.

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

NODE_ADDRESS = "10.200.0.1"
SERVICE_ADDRESS = "10.0.0.1"  # of the API server, as pods find it
PODS = "10.244.0.0/16"
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
                    "link set node1 up", f"addr add {NODE_ADDRESS}/24 dev node0",
                    f"addr add {SERVICE_ADDRESS}/32 dev lo", f"route add default via {NODE_ADDRESS} dev node0"):
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


def live(folder, listener, port, ready):
    """The process once it has its namespaces; it ends by SIGKILL."""
    os.setsid()
    for number in set(range(3, 1024)) - {listener.fileno(), ready}:  # also the lock of whoever started us
        try:
            os.close(number)
        except OSError:
            pass
    out = os.open(folder / "machine.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for number in (0, 1, 2):
        os.dup2(out, number)
    own_folders(folder)
    own_network()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # orphans are reaped
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no effect on the first process of a PID namespace
    pathlib.Path("/proc/self/comm").write_text("realnode")  # in the lists of ps and top
    service = socket.create_server((SERVICE_ADDRESS, 443))
    os.write(ready, b"1")
    os.close(ready)
    asyncio.run(serve([listener, service], port))


def start(folder, listener, port):
    """Starts the machine; returns its process ID once it is usable."""
    reading, writing = os.pipe()

    def make():
        namespaces.unshare()
        child = os.fork()
        if child == 0:
            try:
                live(folder, listener, port, writing)
            except BaseException as error:  # pylint: disable=broad-except
                print(f"machine: {error}", flush=True)
            os._exit(1)
        return child
    process = namespaces.in_a_fork(make)
    os.close(writing)
    with os.fdopen(reading) as ready:
        if ready.read() != "1":
            raise OSError(f"the cluster's machine did not start: {(folder / 'machine.log').read_text().strip()}")
    return process
