"""One cluster with real nodes: its folder, its machine, its programs, from `up` to `down`."""
import argparse
import fcntl
import os
import pathlib
import re
import signal
import subprocess
import time

import namespaces
import nodes
import parts
import programs

STATE = (pathlib.Path(os.environ.get("XDG_STATE_HOME") or pathlib.Path.home() / ".local/state")
         / "dra-controller-manager")
SEARCH_PATH = f"{programs.FOLDER}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Failed(Exception):
    """What went wrong, for people."""


def cluster_name(text):
    """The type of --name, which becomes part of paths."""
    if not re.fullmatch("[a-z0-9][a-z0-9_-]*", text):
        raise argparse.ArgumentTypeError(f"not a cluster name: '{text}'")
    return text


def until(what, is_so, seconds=120):
    end = time.monotonic() + seconds
    while not (found := is_so()):
        if time.monotonic() > end:
            raise Failed(f"{what}: not within {seconds} s")
        time.sleep(0.05)
    return found


class Cluster:
    """The cluster called `name`. Several can run at once: only the cgroup is the host's, and it has
    this name."""

    def __init__(self, name):
        self.name = name
        self.folder = STATE / "realnode" / name
        self.control_plane = STATE / "cluster" / name
        self.certificates = self.control_plane / "certs"
        self.kubeconfig = self.control_plane / "kubeconfig"
        self.lock_file = self.folder.parent / f"{name}.lock"
        self.cgroup = f"dra-realnode-{name}"

    def lock(self):
        """Held until this process ends: `up` and `down` exclude each other."""
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        self.held = open(self.lock_file, "w")  # pylint: disable=consider-using-with
        fcntl.flock(self.held, fcntl.LOCK_EX)

    # Processes: a file NAME.pid has the ID and the start time, so that a reused ID is not mistaken
    # for ours.

    def process(self, name):
        """The id of a running program of this cluster, or None."""
        try:
            process, started = map(int, (self.folder / f"{name}.pid").read_text().split())
        except (FileNotFoundError, ValueError):
            return None
        return process if namespaces.started_at(process) == started else None

    def processes(self):
        """Everything that runs in the cluster's machine: the ID on the host, and the program's file
        name."""
        theirs = os.stat(f"/proc/{self.machine()}/ns/pid").st_ino
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if os.stat(entry / "ns/pid").st_ino == theirs:
                    yield int(entry.name), os.path.basename(os.readlink(entry / "exe"))
            except OSError:  # it has ended
                continue

    def note(self, name, process):
        (self.folder / f"{name}.pid").write_text(f"{process} {namespaces.started_at(process) or 0}")

    def machine(self):
        if not (process := self.process("machine")):
            raise Failed(f"cluster '{self.name}' is not up")
        return process

    def each_node(self):
        return [nodes.Node(index) for index in range(int((self.folder / "nodes").read_text()))]

    def place(self, node):
        """The process that has the node's folders."""
        if node == nodes.FIRST:
            return self.machine()
        if not (process := self.process(node.name)):
            raise Failed(f"cluster '{self.name}' has no {node.name}")
        return process

    def environment(self, **more):
        return {**os.environ, "PATH": SEARCH_PATH, "HOME": os.environ.get("HOME", "/root"), **more}

    def spawn(self, name, command, node=nodes.FIRST, **environment):
        """Starts a program on a node; its log is NAME.log."""
        if self.process(name):
            raise Failed(f"{name} runs already")
        process = namespaces.spawn(self.place(node), command, self.environment(**environment),
                                   self.folder / f"{name}.log")
        self.note(name, process)

    def start(self, part):
        self.spawn(part, parts.command(part, self.folder, self.certificates), node=nodes.owner(part)[0])

    def end(self, name, how=signal.SIGTERM):
        """Ends a program, and waits until it is gone; by force after a while."""
        for attempt in (how, signal.SIGKILL):
            if not (process := self.process(name)):
                return
            os.kill(process, attempt)
            try:
                until(f"{name} ends", lambda: not self.process(name), 20)
            except Failed:
                continue
        if self.process(name):
            raise Failed(f"{name} cannot be ended")

    def on_node(self, node, *command):
        """(words, environment) that run a command on a node."""
        return (["nsenter", "--target", str(self.place(node)), "--net", "--mount", "--pid", f"--wdns={os.getcwd()}",
                 *map(str, command)],
                self.environment(KUBECONFIG=str(self.kubeconfig),
                                 KUBECACHEDIR=str(self.control_plane / "kubectl-cache"),
                                 PATH=f"{self.programs()}:{SEARCH_PATH}"))

    def run(self, *command, check=True, node=nodes.FIRST, **more):
        """A command on a node, with this process's input and output."""
        words, environment = self.on_node(node, *command)
        done = subprocess.run(words, check=False, env=environment, **more)
        if check and done.returncode:
            raise Failed(f"{' '.join(map(str, command))}: exit status {done.returncode}")
        return done

    @staticmethod
    def programs():
        return pathlib.Path(programs.of_control_plane("kubectl")).parent

    def kubectl(self, *arguments, **more):
        return subprocess.run([self.programs() / "kubectl", "--kubeconfig", self.kubeconfig, *map(str, arguments)],
                              check=False, capture_output=True, text=True, **more)
