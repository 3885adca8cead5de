"""The cluster's programs besides etcd and kube-apiserver, with their flags."""
import machine
import programs

NODE = "node-0"
OUR_CONTROLLERS = ("resourceclaim-controller", "device-taint-eviction-controller")
POOL_STATUS_GATE, POOL_STATUS_CONTROLLER = "DRAResourcePoolStatus=true", "resourcepoolstatusrequest-controller"
PARTS = ("kube-scheduler", "kube-controller-manager", "containerd", "kubelet")


def gates(folder):
    """The flag of every program of Kubernetes, from the file that `up` writes."""
    named = (folder / "feature-gates").read_text()
    return ["--feature-gates", named] if named else []


def kube_scheduler(folder, _):
    return [programs.of_control_plane("kube-scheduler"), "--kubeconfig", folder / "scheduler.kubeconfig",
            "--leader-elect=false", "--bind-address=127.0.0.1", *gates(folder)]


def kube_controller_manager(folder, certificates):
    """With --controllers from the file that `controllers on` and `off` write."""
    config = folder / "controller-manager.kubeconfig"
    return [programs.of_control_plane("kube-controller-manager"), "--kubeconfig", config,
            "--authentication-kubeconfig", config, "--authorization-kubeconfig", config, "--leader-elect=false",
            "--bind-address=127.0.0.1", "--use-service-account-credentials", "--node-monitor-grace-period=20s",
            "--root-ca-file", certificates / "ca.crt",
            "--service-account-private-key-file", certificates / "service-account.key",
            "--controllers", (folder / "controllers").read_text(), *gates(folder)]


def containerd(folder, _):
    return [programs.FOLDER / "containerd", "--config", folder / "containerd.toml"]


def kubelet(folder, _):
    return [programs.FOLDER / "kubelet", "--config", folder / "kubelet.yaml", "--kubeconfig",
            folder / "kubelet.kubeconfig", "--hostname-override", NODE, "--node-ip", machine.NODE_ADDRESS, "--v=2",
            *gates(folder)]


COMMANDS = {"kube-scheduler": kube_scheduler, "kube-controller-manager": kube_controller_manager,
            "containerd": containerd, "kubelet": kubelet}


def controllers(ours, named=""):
    """kube-controller-manager's --controllers: all, or all but those that this project replaces with the gates `named`."""
    replaced = [*OUR_CONTROLLERS, *([POOL_STATUS_CONTROLLER] if POOL_STATUS_GATE in named.split(",") else [])]
    return "*" if ours == "on" else ",".join(["*", *(f"-{name}" for name in replaced)])
