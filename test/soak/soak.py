#!/usr/bin/env python3
"""A manager at work for a long time, and whether it takes more and more meanwhile.

    soak.py [--minutes N] [--rate PODS_PER_SECOND] [--fault-every SECONDS] [--picture FILE]
            MANAGER PLAYGROUND FOLDER

A real etcd and kube-apiserver; the manager under its own account; beside it the playground's scheduler, nodes, drivers
and garbage collector; churn.py makes the work. Now and then something is done to the API server, in turn: it is killed
and started again, its history is compacted, both. At the end all work must be gone, and the verdict
(verdict.py) decides the exit status: 0 flat, 1 not, 3 no control plane here. FOLDER gets the samples and logs.
In the first third of the time, faults come four times as often as later on.
"""
import argparse
import pathlib
import signal
import subprocess
import sys
import threading
import time

import draw
import samples
import verdict
from api import RESOURCE, Api
from churn import NODES, Churn
from ports import free_port

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONTROLPLANE = ROOT / "test/controlplane/controlplane"
SAMPLE_EVERY = 5
FAULTS = ["restart", "compact", "restart, compact"]
DRAIN_SECONDS = 180


def controlplane(*arguments):
    done = subprocess.run([CONTROLPLANE, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(done.stderr.strip() or f"controlplane {arguments}: {done.returncode}", file=sys.stderr)
        sys.exit(3 if done.returncode == 3 else 1)
    return done.stdout


def do_fault(fault, cluster):
    if "restart" in fault:
        controlplane("kill", "--name", cluster)
        controlplane("resume", "--name", cluster)
    if "compact" in fault:
        controlplane("compact", "--name", cluster)


class Program:
    """A process that must run all the time."""

    def __init__(self, folder, program, *arguments):
        self.name = pathlib.Path(program).name
        self._log = open(folder / f"{self.name}.log", "wb")
        self._process = subprocess.Popen([program, *map(str, arguments)], stdout=self._log, stderr=self._log)
        self.pid = self._process.pid

    def expect_running(self):
        if self._process.poll() is not None:
            raise RuntimeError(f"{self.name} has ended with {self._process.returncode}; see {self._log.name}")

    def stop(self):
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(30)
        self._log.close()


class Sampler(threading.Thread):
    """Samples the manager every few seconds, even while the API server makes everybody else wait."""

    def __init__(self, manager, address, churn):
        super().__init__(daemon=True)
        self._manager, self._address, self._churn = manager, address, churn
        self._begin = time.monotonic()
        self._stopping = threading.Event()
        self.fault = ""    # to be noted in the next sample
        self.taken = []
        self.error = None

    def run(self):
        try:
            while not self._stopping.wait(max(0, self._begin + SAMPLE_EVERY * len(self.taken) - time.monotonic())):
                sample = samples.take(self._manager.pid, self._address, time.monotonic() - self._begin,
                                      self._churn.made)
                sample.fault, self.fault = self.fault, ""
                self.taken.append(sample)
                if len(self.taken) % 12 == 0:
                    print(line(sample), flush=True)
        except OSError as error:
            self.error = error

    def stop(self):
        self._stopping.set()
        self.join()
        return self.taken


def work(churn, sampler, programs, options):
    begin, faults, seconds = time.monotonic(), 0, options.minutes * 60
    next_fault = options.fault_every / 4
    while (now := time.monotonic() - begin) < seconds:
        for program in programs:
            program.expect_running()
        if sampler.error:
            raise sampler.error
        churn.tick(now)
        if now >= next_fault and seconds - now > options.fault_every / 4:
            sampler.fault = fault = FAULTS[faults % len(FAULTS)]
            do_fault(fault, options.name)
            faults += 1
            # Memory needed for faults should be allocated while the process warms up.
            next_fault += options.fault_every / (4 if now < verdict.WARM_UP * seconds else 1)
        time.sleep(1)


def wait_for_devices(api):
    """Pods would wait for them."""
    while api.count(f"{RESOURCE}/resourceslices") < NODES:
        time.sleep(0.2)


def drain(churn):
    """How many objects are left in the end."""
    churn.untaint()
    end = time.monotonic() + DRAIN_SECONDS
    while (left := churn.left()) and time.monotonic() < end:
        churn.clean_up()
        time.sleep(1)
    return left


def line(sample):
    return (f"{sample.seconds / 60:5.1f} min  {sample.memory / 1e6:6.1f} MB  {sample.cpu:6.1f} s CPU  "
            f"{sample.files:3.0f} files  {sample.waiting:4.0f} waiting  {sample.objects:6.0f} objects  "
            f"{sample.pods_made:7.0f} pods made")


def run(options, started):
    kubeconfig = controlplane("up", "--name", options.name).splitlines()[0].removeprefix("kubeconfig: ")
    started.append(lambda: controlplane("down", "--name", options.name))
    api = Api(kubeconfig)
    playground = Program(options.folder, options.playground, "--kubeconfig", kubeconfig, "--nodes", NODES,
                         "--devices", 32)
    started.append(playground.stop)
    address = f"127.0.0.1:{free_port()}"
    manager = Program(options.folder, options.manager, "--kubeconfig", kubeconfig, "--context", "manager",
                      "--leader-elect=false", "--secure-port=0", f"--metrics-bind-address={address}")
    started.append(manager.stop)
    wait_for_devices(api)
    churn = Churn(api, options.rate, seed=1)
    sampler = Sampler(manager, address, churn)
    sampler.start()
    work(churn, sampler, [manager, playground], options)
    taken = sampler.stop()
    return taken, drain(churn)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--rate", type=float, default=10)
    parser.add_argument("--fault-every", type=float, default=100)
    parser.add_argument("--name", default="soak", help="of the control plane")
    parser.add_argument("--picture", type=pathlib.Path)
    parser.add_argument("manager", type=pathlib.Path)
    parser.add_argument("playground", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    controlplane("available")
    controlplane("build")
    started = []
    try:
        taken, left = run(options, started)
    finally:
        for stop in reversed(started):
            stop()
    samples.write(taken, options.folder / "samples.csv")
    (options.picture or options.folder / "soak.svg").write_text(draw.picture(taken))
    verdicts = [*verdict.judge(taken), (left == 0, f"pods and claims left at the end: {left}; none")]
    for holds, what in verdicts:
        print("ok    " if holds else "FAILED", what)
    return 0 if all(holds for holds, _ in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
