"""From `up` to `down`: the order in which a cluster's parts start, and that nothing is left
afterwards."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys

import cgroups
import configuration
import images
import machine
import nodes
import parts
import programs
from cluster import Failed, until

RBAC = programs.HERE.parent.parent / "manifests/base/rbac.yaml"


def exit_on_signals():
    """SIGINT and SIGTERM end the program by SystemExit, so that it brings its clusters down."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(1))


def say(text):
    print(f"realnode: {text}", flush=True)


def overlay_fault(folder):
    """Why layers cannot be mounted, or an empty string; checked in separate namespaces, so nothing
    is left."""
    probe = folder / "probe"
    for part in ("lower", "upper", "work", "both"):
        (probe / part).mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["unshare", "--mount", "--net", "--pid", "--fork", "mount", "-t", "overlay", "overlay", "-o",
         f"lowerdir={probe}/lower,upperdir={probe}/upper,workdir={probe}/work", probe / "both"],
        capture_output=True, text=True, check=False)
    shutil.rmtree(probe, ignore_errors=True)
    return done.stderr.strip().splitlines()[-1] if done.returncode else ""


def missing(folder):
    """What this machine lacks for a real node, in a few words, or an empty string."""
    if os.geteuid() != 0:
        return "a real node needs root"
    for program in ("unshare", "nsenter", "ip", "openssl", programs.RUNC, programs.BUSYBOX, programs.CNI / "bridge"):
        if not shutil.which(str(program)):
            return f"a real node needs {program} (Debian: runc, containernetworking-plugins, busybox-static, iproute2)"
    if not programs.FOLDER.exists() and not shutil.which("go"):
        return "kubelet and containerd are built by Go 1.26, which is not here"
    if not cgroups.hierarchies():
        return f"a real node needs cgroups, and there are none in {cgroups.MOUNTED}"
    inside = [place for place in machine.LAYERED + ("/run",) if folder.is_relative_to(place)]
    if inside:
        return f"the state folder {folder} must not be in {inside[0]}: the node has one of its own (XDG_STATE_HOME)"
    folder.mkdir(parents=True, exist_ok=True)
    fault = overlay_fault(folder)
    return f"a real node needs overlayfs and namespaces: {fault}" if fault else ""


def control_plane(cluster, command, *arguments):
    """test/controlplane in the cluster's machine; its messages are shown if it fails."""
    done = cluster.run(programs.CONTROLPLANE, command, "--name", cluster.name, *arguments, check=False,
                       capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"the control plane: {done.stderr.strip()}")


def api_server_flags(cluster):
    """As in kubeadm: a node may do only what a node needs, pods get tokens."""
    return ["--authorization-mode=Node", "--enable-admission-plugins=NodeRestriction,ServiceAccount",
            "--allow-privileged=true", "--kubelet-preferred-address-types=InternalIP",
            f"--kubelet-client-certificate={cluster.folder}/kubelet-client.crt",
            f"--requestheader-client-ca-file={cluster.folder}/kubelet-client.crt",
            "--requestheader-allowed-names=front-proxy-client", "--requestheader-username-headers=X-Remote-User",
            "--requestheader-group-headers=X-Remote-Group", "--requestheader-extra-headers-prefix=X-Remote-Extra-",
            f"--kubelet-client-key={cluster.folder}/kubelet-client.key"]


def start_machine(cluster):
    """The API server has the same port in the machine and on the host's loopback: one kubeconfig
    serves both."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    (cluster.folder / "port").write_text(str(port))
    cluster.note("machine", machine.start(cluster.folder, listener, port))
    listener.close()
    return port


def start_control_plane(cluster, flags):
    port = start_machine(cluster)
    configuration.kubelets_client(cluster.folder)
    minor = ".".join(programs.KUBERNETES.removeprefix("v").split(".")[:2])
    control_plane(cluster, "up", "--version", minor, "--port", str(port), "--", *api_server_flags(cluster), *flags)
    for name, user, group in (("scheduler", "system:kube-scheduler", ""),
                              ("controller-manager", "system:kube-controller-manager", ""),
                              *((node.own("kubelet"), f"system:node:{node.name}", "system:nodes")
                                for node in cluster.each_node())):
        configuration.credential(cluster.folder, cluster.certificates, name, user, group)


def load_on(cluster, node, archive):
    done = cluster.run(programs.FOLDER / "ctr", "-n", "k8s.io", "images", "import", "--local", archive, check=False,
                       node=node, capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"{archive}: {done.stderr.strip()}")


def load(cluster, archive):
    """Loads an image into containerd of each node. May be repeated."""
    for node in cluster.each_node():
        load_on(cluster, node, archive)


def start(cluster, part):
    """Returns when containerd answers: a kubelet that asks it too early exits, and nothing restarts
    it here."""
    cluster.start(part)
    node, program = nodes.owner(part)
    if program == "containerd":
        until(part, lambda: cluster.run(programs.FOLDER / "ctr", "version", check=False, node=node,
                                        capture_output=True).returncode == 0)


def start_node(cluster, node):
    group = f"{cluster.cgroup}/{node.name}"
    cgroups.make(group)
    configuration.containerd(cluster.folder, node)
    configuration.kubelet(cluster.folder, node, group)
    if node != nodes.FIRST:
        cluster.note(node.name, machine.start_node(cluster.folder, cluster.machine(), node))
    cluster.run("cp", configuration.network(cluster.folder, node), "/etc/cni/net.d/10-real.conflist", node=node)
    start(cluster, node.own("containerd"))
    for make in (images.make_pause, images.make_test_image):
        load_on(cluster, node, make(cluster.folder))
    cluster.start(node.own("kubelet"))


def is_ready(cluster, node):
    kubelet = node.own("kubelet")
    if not cluster.process(kubelet):
        raise Failed(f"{kubelet} has ended; its log is {cluster.folder}/{kubelet}.log")
    path = "jsonpath={.status.conditions[?(@.type=='Ready')].status}"
    return cluster.kubectl("get", "node", node.name, "-o", path).stdout == "True"


def up(cluster, controllers, flags=(), node=start_node, gates="", count=1):
    """`node` starts one of the `count` nodes, with a program called kubelet here. `gates` are for every program of
    Kubernetes, `flags` for the API server. A cluster that runs stays as it is."""
    cluster.lock()
    if cluster.process("machine"):
        if (there := len(cluster.each_node())) != count:
            raise Failed(f"cluster '{cluster.name}' runs with --nodes {there}: bring it down first")
        return
    if lacks := missing(cluster.folder.parent):
        raise Failed(lacks)
    subprocess.run([programs.CONTROLPLANE, "build"], check=True)
    programs.build()
    remove(cluster)
    os.umask(0o077)
    cluster.folder.mkdir(parents=True)
    (cluster.folder / "nodes").write_text(str(count))
    (cluster.folder / "feature-gates").write_text(gates)
    (cluster.folder / "controllers").write_text(parts.controllers(controllers, gates))
    try:
        start_control_plane(cluster, [*parts.gates(cluster.folder), *flags])
        for part in ("kube-scheduler", "kube-controller-manager"):
            cluster.start(part)
        for each in cluster.each_node():
            node(cluster, each)
        for each in cluster.each_node():
            until(f"{each.name} ready", lambda each=each: is_ready(cluster, each))
    except BaseException:
        stop(cluster)  # its folder stays, for its logs
        raise


def stop(cluster):
    """Ends every process, and with them every mount and the network, and removes the empty cgroups."""
    if process := cluster.process("machine"):
        os.kill(process, signal.SIGKILL)
        until("the cluster's machine ends", lambda: not pathlib.Path(f"/proc/{process}").exists(), 60)
    cgroups.remove(cluster.cgroup)


def remove(cluster):
    """`down`, even after the machine lost its power."""
    stop(cluster)
    for folder in (cluster.folder, cluster.control_plane):
        shutil.rmtree(folder, ignore_errors=True)
        if folder.exists():
            raise Failed(f"{folder} cannot be removed")
    cluster.control_plane.with_name(f"{cluster.name}.lock").unlink(missing_ok=True)


def set_controllers(cluster, ours):
    """kube-controller-manager with or without the two controllers of this project, in place of the
    running one."""
    cluster.end("kube-controller-manager")
    named = (cluster.folder / "feature-gates").read_text()
    (cluster.folder / "controllers").write_text(parts.controllers(ours, named))
    cluster.start("kube-controller-manager")
