"""Credentials and configuration files of the node's programs, all in the cluster's folder."""
import json
import subprocess

import images
import programs

CAP_SYS_RESOURCE = 24


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


def key(path):
    openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", path)


def kubelets_client(folder):
    """The API server's certificate for kubelet: self-signed, because the API server's CA is created
    with the server."""
    key(folder / "kubelet-client.key")
    openssl("req", "-x509", "-new", "-key", folder / "kubelet-client.key", "-days", 3650, "-subj",
            "/O=system:masters/CN=kube-apiserver-kubelet-client", "-addext", "extendedKeyUsage=clientAuth",
            "-out", folder / "kubelet-client.crt")


def credential(folder, certificates, name, user, group=""):
    """A kubeconfig with a client certificate, as kubeadm gives each component its own."""
    base = folder / name
    key(f"{base}.key")
    openssl("req", "-new", "-key", f"{base}.key", "-subj", f"{'/O=' + group if group else ''}/CN={user}",
            "-out", f"{base}.csr")
    (folder / "client.cnf").write_text("extendedKeyUsage=clientAuth\n")
    openssl("x509", "-req", "-in", f"{base}.csr", "-CA", certificates / "ca.crt", "-CAkey", certificates / "ca.key",
            "-CAcreateserial", "-days", 3650, "-extfile", folder / "client.cnf", "-out", f"{base}.crt")
    return kubeconfig(folder, certificates, name, {"client-certificate": f"{base}.crt", "client-key": f"{base}.key"})


def kubeconfig(folder, certificates, name, user):
    server = f"https://127.0.0.1:{(folder / 'port').read_text()}"
    path = folder / f"{name}.kubeconfig"
    path.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "real",
        "clusters": [{"name": "real", "cluster": {"server": server,
                                                  "certificate-authority": str(certificates / "ca.crt")}}],
        "users": [{"name": name, "user": user}],
        "contexts": [{"name": "real", "context": {"cluster": "real", "user": name}}]}))
    path.chmod(0o600)
    return path


def may_lower_oom_scores():
    with open("/proc/self/status") as status:
        effective = next(line.split()[1] for line in status if line.startswith("CapEff"))
    return bool(int(effective, 16) >> CAP_SYS_RESOURCE & 1)


def containerd(folder, node):
    """Without CAP_SYS_RESOURCE a pod's containers cannot get the OOM scores that kubelet requests."""
    path = folder / f"{node.own('containerd')}.toml"
    path.write_text(f"""version = 3
root = "{folder}/{node.own('containerd')}"
state = "/run/containerd"
[grpc]
address = "/run/containerd/containerd.sock"
[plugins.'io.containerd.cri.v1.images']
snapshotter = "overlayfs"
[plugins.'io.containerd.cri.v1.images'.pinned_images]
sandbox = "{images.PAUSE}"
[plugins.'io.containerd.cri.v1.runtime']
cdi_spec_dirs = ["/etc/cdi", "/var/run/cdi"]
restrict_oom_score_adj = {str(not may_lower_oom_scores()).lower()}
[plugins.'io.containerd.cri.v1.runtime'.cni]
bin_dirs = ["{programs.CNI}"]
conf_dir = "/etc/cni/net.d"
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
BinaryName = "{programs.RUNC}"
SystemdCgroup = false
[plugins.'io.containerd.nri.v1.nri']
disable = false
""")
    return path


def network(folder, node):
    """Pods on a bridge, without external network: the CNI plugins that containerd calls."""
    path = folder / f"{node.own('cni')}.conflist"
    path.write_text(json.dumps({"cniVersion": "1.0.0", "name": "real", "plugins": [
        {"type": "bridge", "bridge": node.bridge, "isDefaultGateway": True, "ipMasq": False, "hairpinMode": True,
         "ipam": {"type": "host-local", "dataDir": "/run/cni", "ranges": [[{"subnet": node.pods}]]}}]}))
    return path


def kubelet(folder, node, cgroup):
    path = folder / f"{node.own('kubelet')}.yaml"
    path.write_text(json.dumps({
        "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
        "address": node.address, "healthzBindAddress": node.address,
        "authentication": {"anonymous": {"enabled": False}, "webhook": {"enabled": True},
                           "x509": {"clientCAFile": str(folder / "kubelet-client.crt")}},
        "authorization": {"mode": "Webhook"},
        "cgroupDriver": "cgroupfs", "cgroupRoot": f"/{cgroup}", "failCgroupV1": False, "failSwapOn": False,
        "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
        "evictionHard": {"memory.available": "50Mi"}, "imageGCHighThresholdPercent": 100,
        "makeIPTablesUtilChains": False, "resolvConf": "", "readOnlyPort": 0}))
    return path
