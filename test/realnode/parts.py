"""The cluster's programs besides etcd and kube-apiserver, with their flags."""
import nodes
import programs

NODE = nodes.FIRST.name
OUR_CONTROLLERS = ("resourceclaim-controller", "device-taint-eviction-controller")
POOL_STATUS_GATE, POOL_STATUS_CONTROLLER = "DRAResourcePoolStatus=true", "resourcepoolstatusrequest-controller"
ON_EACH_NODE = ("containerd", "kubelet")
PARTS = ("kube-scheduler", "kube-controller-manager", *ON_EACH_NODE)


def gates(folder):
    """The flag of every program of Kubernetes, from the file that `up` writes."""
    named = (folder / "feature-gates").read_text()
    return ["--feature-gates", named] if named else []


def kube_scheduler(folder, *_):
    return [programs.of_control_plane("kube-scheduler"), "--kubeconfig", folder / "scheduler.kubeconfig",
            "--leader-elect=false", "--bind-address=127.0.0.1", *gates(folder)]


def kube_controller_manager(folder, certificates, _):
    """With --controllers from the file that `controllers on` and `off` write."""
    config = folder / "controller-manager.kubeconfig"
    return [programs.of_control_plane("kube-controller-manager"), "--kubeconfig", config,
            "--authentication-kubeconfig", config, "--authorization-kubeconfig", config, "--leader-elect=false",
            "--bind-address=127.0.0.1", "--use-service-account-credentials", "--node-monitor-grace-period=20s",
            "--root-ca-file", certificates / "ca.crt",
            "--service-account-private-key-file", certificates / "service-account.key",
            "--controllers", (folder / "controllers").read_text(), *gates(folder)]


def containerd(folder, _, node):
    return [programs.FOLDER / "containerd", "--config", folder / f"{node.own('containerd')}.toml"]


def kubelet(folder, _, node):
    base = folder / node.own("kubelet")
    return [programs.FOLDER / "kubelet", "--config", f"{base}.yaml", "--kubeconfig", f"{base}.kubeconfig",
            "--hostname-override", node.name, "--node-ip", node.address, "--v=2", *gates(folder)]


COMMANDS = {"kube-scheduler": kube_scheduler, "kube-controller-manager": kube_controller_manager,
            "containerd": containerd, "kubelet": kubelet}


def command(part, folder, certificates):
    """`kubelet` and `containerd` are those of the first node; `kubelet-1` is the next one's."""
    node, program = nodes.owner(part)
    return COMMANDS[program](folder, certificates, node)


def exists(part, count):
    """Whether a cluster of `count` nodes has it, by this one name: not kubelet-0 or kubelet-01."""
    node, program = nodes.owner(part)
    return part == node.own(program) and program in PARTS and node.index < count and (node == nodes.FIRST or program in ON_EACH_NODE)


def controllers(ours, named=""):
    """kube-controller-manager's --controllers: all, or all but those that this project replaces with the gates `named`."""
    replaced = [*OUR_CONTROLLERS, *([POOL_STATUS_CONTROLLER] if POOL_STATUS_GATE in named.split(",") else [])]
    return "*" if ours == "on" else ",".join(["*", *(f"-{name}" for name in replaced)])
