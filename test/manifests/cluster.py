"""One real control plane for all tests of a run, kubectl for it, and the manager as it would run
there."""
import json
import os
import pathlib
import signal
import ssl
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from tools import CONTROLPLANE, DEADLINE, SCRATCH, kubectl, manager, run

_name = None
_borrowed = False
_flags = ()
_kubeconfig = None


def use(name, *flags):
    """An existing cluster, instead of our own. `flags` are kube-apiserver's, for our own."""
    global _name, _borrowed, _flags
    _name, _borrowed, _flags = name or f"manifests-{os.getpid()}", bool(name), flags


def kubeconfig():
    """Starts the control plane on first use."""
    global _kubeconfig
    if _kubeconfig is None:
        able = run(CONTROLPLANE, "available", check=False)
        if able.returncode != 0:
            raise unittest.SkipTest(f"no control plane: {able.stderr.strip()}")
        first = run(CONTROLPLANE, "up", "--name", _name, *(("--", *_flags) if _flags else ())).splitlines()[0]
        _kubeconfig = first.removeprefix("kubeconfig: ")
    return _kubeconfig


def stop():
    global _kubeconfig
    for config in SCRATCH.glob("*.kubeconfig"):
        config.unlink()
    if _kubeconfig is not None and not _borrowed:
        run(CONTROLPLANE, "down", "--name", _name, check=False)
    _kubeconfig = None  # another class of tests may have a cluster with other flags


def ctl(*arguments, stdin=None, check=True, config=None):
    """kubectl as the admin, or with another kubeconfig."""
    environment = {**os.environ, "KUBECONFIG": str(config or kubeconfig()),
                   "KUBECACHEDIR": str(pathlib.Path(kubeconfig()).parent / "kubectl-cache")}
    return run(kubectl(), *arguments, stdin=stdin, check=check, env=environment)


def get(*arguments):
    return json.loads(ctl("get", *arguments, "-o", "json"))


def apply(objects, *flags):
    """Server-side, with strict validation: an unknown or duplicate field is an error."""
    return ctl("apply", "--server-side", "--force-conflicts", "--validate=strict", *flags, "-f", "-",
               stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))


def remove(objects):
    ctl("delete", "--ignore-not-found", "--wait=false", "-f", "-",
        stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))


def soon(what, condition):
    """Waits until `condition` returns something true, and returns that."""
    deadline = time.monotonic() + DEADLINE
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {DEADLINE} s: {what}")
        time.sleep(0.1)


def token(account, namespace="kube-system", *flags):
    return ctl("create", "token", account, "--namespace", namespace, *flags).strip()


def config_of(account, namespace="kube-system", *flags):
    """A kubeconfig with only the token of a service account."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=SCRATCH, suffix=".kubeconfig")
    os.close(descriptor)
    path = pathlib.Path(name)
    shared = json.loads(ctl("config", "view", "--raw", "-o", "json"))
    config = {"apiVersion": "v1", "kind": "Config", "current-context": "it",
              "clusters": shared["clusters"],
              "contexts": [{"name": "it", "context": {"cluster": shared["clusters"][0]["name"],
                                                      "user": "it"}}],
              "users": [{"name": "it", "user": {"token": token(account, namespace, *flags)}}]}
    path.write_text(json.dumps(config))
    return path


def config_of_user(name, *groups):
    """A kubeconfig with a client certificate. Only for our own cluster."""
    state = pathlib.Path(kubeconfig()).parent
    certs = state / "certs"
    SCRATCH.mkdir(parents=True, exist_ok=True)
    file = name.replace(":", "-")
    key, request, certificate = (SCRATCH / f"{file}.{suffix}" for suffix in ("key", "csr", "crt"))
    subject = "".join(f"/O={group}" for group in groups) + f"/CN={name}"
    run("openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key,
        "-subj", subject, "-out", request)
    run("openssl", "x509", "-req", "-in", request, "-CA", certs / "ca.crt", "-CAkey", certs / "ca.key",
        "-CAcreateserial", "-days", "1", "-out", certificate)
    shared = json.loads(ctl("config", "view", "--raw", "-o", "json"))
    path = SCRATCH / f"{file}.kubeconfig"
    path.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "it", "clusters": shared["clusters"],
        "contexts": [{"name": "it", "context": {"cluster": shared["clusters"][0]["name"], "user": "it"}}],
        "users": [{"name": "it", "user": {"client-certificate": str(certificate), "client-key": str(key)}}]}))
    return path


def config_of_node(name):
    """A kubeconfig with a kubelet's own identity."""
    return config_of_user(f"system:node:{name}", "system:nodes")


def ask(port, path, bearer=None):
    """(status, text) of a page on a manager's HTTPS port; (0, reason) while there is no answer."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    request = urllib.request.Request(f"https://127.0.0.1:{port}{path}")
    if bearer:
        request.add_header("Authorization", f"Bearer {bearer}")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}),
                                         urllib.request.HTTPSHandler(context=context))
    try:
        with opener.open(request, timeout=DEADLINE) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read().decode()
    except OSError as trouble:
        return 0, str(trouble)


class Manager:
    """The manager, started with the command line of a rendered container and its account's token."""

    def __init__(self, container, config, port):
        assert container["command"] == ["dra-controller-manager"], container["command"]
        self.port = port
        self.log_path = SCRATCH / f"manager-{port}.log"
        self.log_file = open(self.log_path, "wb")
        # Values that a cluster would provide: the address, the port of the pod.
        self.process = subprocess.Popen(
            [manager(), *container.get("args", []), f"--kubeconfig={config}", "--bind-address=127.0.0.1",
             f"--secure-port={port}"],
            stdout=self.log_file, stderr=self.log_file, env={"HOME": str(SCRATCH), "PATH": "/usr/bin:/bin"})

    def log(self):
        return self.log_path.read_text()

    def ask(self, path, bearer=None):
        return ask(self.port, path, bearer)

    def wait_until_ready(self):
        def ready():
            if self.process.poll() is not None:
                raise AssertionError(f"the manager has ended: {self.log()}")
            return self.ask("/readyz")[0] == 200
        try:
            soon("the manager is ready", ready)
        except AssertionError as late:
            raise AssertionError(f"{late}: {self.ask('/readyz?verbose')}\n{self.log()}") from None

    def stop(self):
        """Its exit status after SIGTERM."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
        finally:
            self.log_file.close()
