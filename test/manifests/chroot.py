"""A manager that starts in its own root, and serves a real cluster from there."""
import json
import os
import shutil
import signal
import subprocess
import unittest

import cluster
import render
from ports import free_port
from tools import DEADLINE, run


def clean_debian():
    """An archive of a minimal Debian; only root can use it."""
    archive = os.environ.get("DEBIAN_ROOT")
    if not archive or os.geteuid() != 0:
        raise unittest.SkipTest("no clean Debian root here ($DEBIAN_ROOT, as root)")
    return archive


def inside(root, command):
    """Runs a command of a shell in the root."""
    proxies = [f"{name}={value}" for name, value in os.environ.items() if name.lower().endswith("_proxy")]
    return run("chroot", root, "/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
               "DEBIAN_FRONTEND=noninteractive", *proxies, "sh", "-ec", command)


def install(root, *packages):
    """With what they need, from Debian's mirror."""
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    retries = "-o Acquire::Retries=5"
    inside(root, f"apt-get update -q {retries} && "
                 f"apt-get install -qy {retries} --no-install-recommends {' '.join(packages)}")


def serve(test, root, user, *flags):
    """As `user`, with the account of the base; it must become ready, and end cleanly on request."""
    cluster.apply(render.kustomize("base"))
    config = json.loads(cluster.ctl("config", "view", "--flatten", "--minify", "-o", "json",
                                    config=cluster.config_of("dra-controller-manager")))
    (root / "kubeconfig").write_text(json.dumps(config))
    port = free_port()
    process = subprocess.Popen(
        ["chroot", f"--userspec={user}", root, "dra-controller-manager", "--kubeconfig=/kubeconfig", *flags,
         f"--secure-port={port}", "--bind-address=127.0.0.1"], stderr=subprocess.PIPE, text=True)
    test.addCleanup(process.kill)
    cluster.soon("it is ready", lambda: process.poll() is not None or cluster.ask(port, "/readyz")[0] == 200)
    process.send_signal(signal.SIGTERM)
    said = process.communicate(timeout=DEADLINE)[1]
    test.assertEqual(process.returncode, 0, said)
