#!/usr/bin/env python3
"""Runs programs that others' libraries are made of on two API servers, and compares what they say.

    run.py --apiserver DCM-TEST-APISERVER --real KUBECONFIG --programs FOLDER [--tools FOLDER…] [NAME…]

A program is NAME.py beside this file, or what `go build -o FOLDER ./...` of this module makes. The
folders of --tools have programs that run beside: kube-scheduler, kube-controller-manager and
dra-example-kubeletplugin. Of the environment, $HELM is Helm, $CHART the chart that it installs,
$PYTHON a Python that has the client, $KUEUE and $JOBSET the managers, and $KUEUE_DEFINITIONS and
$JOBSET_DEFINITIONS the folders of their definitions. A case with missing tools is skipped, and says so.
"""
import argparse
import dataclasses
import difflib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

# A program that has not ended by then hangs; one that runs only if it is named takes longer.
DEADLINE = 180.0
LONG_DEADLINE = 600.0
HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass(frozen=True)
class Case:
    """A program, a tool that runs beside it with its flags, and variables that must be set.

    One that takes long to build or to run, runs only if it is named.
    """

    name: str
    beside: str = ""
    flags: tuple = ()
    needs: tuple = ()
    only_named: bool = False


# Jobs whose pods have claims, and what they own.
WORKLOADS = ("--leader-elect=false", "--secure-port=0",
             "--controllers=deployment-controller,replicaset-controller,job-controller,"
             "resourceclaim-controller,device-taint-eviction-controller,garbage-collector-controller")
CASES = (
    Case("typed"),
    Case("managed"),
    Case("scheduled", "kube-scheduler", ("--leader-elect=false", "--secure-port=0")),
    Case("controlled", "kube-controller-manager", WORKLOADS),
    Case("published", "dra-example-kubeletplugin",
         ("--node-name=published", "--num-devices=3", "--cdi-root={folder}/cdi",
          "--kubelet-registrar-directory-path={folder}/registry",
          "--kubelet-plugins-directory-path={folder}/plugins")),
    Case("charted", needs=("HELM", "CHART")),
    Case("scripted", needs=("PYTHON",)),
    Case("charts", needs=("HELM", "KUBECTL", "CHARTS"), only_named=True),
    Case("kueue", "kube-controller-manager", WORKLOADS, ("KUEUE", "KUEUE_DEFINITIONS"), True),
    Case("jobset", "kube-controller-manager", WORKLOADS, ("JOBSET", "JOBSET_DEFINITIONS"), True),
)


def tool_of(case, options):
    """Where the program is, or None."""
    return next((path for path in (pathlib.Path(folder) / case.beside for folder in options.tools)
                 if path.exists()), None)


def lacks(case, options):
    """What is missing."""
    if case.beside and not tool_of(case, options):
        return case.beside
    return next((f"${name}" for name in case.needs if not os.environ.get(name)), "")


def start_beside(case, options, kubeconfig, folder):
    flags = [flag.format(folder=folder) for flag in case.flags]
    for name in ("registry", "plugins"):
        os.mkdir(f"{folder}/{name}")
    with open(f"{folder}/log", "w") as log:
        return subprocess.Popen([tool_of(case, options), f"--kubeconfig={kubeconfig}", *flags],
                                stdout=log, stderr=log)


def command_of(case, options):
    script = HERE / f"{case.name}.py"
    if script.exists():
        return [os.environ.get("PYTHON") or sys.executable, script]
    return [options.programs / case.name]


def said(case, options, kubeconfig):
    """The program's output on that server, line by line."""
    with tempfile.TemporaryDirectory(prefix="clients-") as folder:
        # Helm and kubectl cache what a server serves: each server has its own caches.
        environment = {**os.environ, "KUBECONFIG": kubeconfig, "HELM_CACHE_HOME": folder,
                       "KUBECACHEDIR": folder, "TMPDIR": folder}
        limit = LONG_DEADLINE if case.only_named else DEADLINE
        beside = start_beside(case, options, kubeconfig, folder) if case.beside else None
        try:
            done = subprocess.run(command_of(case, options), env=environment, timeout=limit,
                                  capture_output=True, text=True)
        except subprocess.TimeoutExpired as expired:
            return [*(expired.stdout or b"").decode().splitlines(), "it has not ended"]
        finally:
            if beside:
                beside.send_signal(signal.SIGTERM)
                beside.wait()
        lines = [*done.stdout.splitlines(), f"exit status {done.returncode}"]
        if done.returncode != 0:
            lines += done.stderr.splitlines()[-5:]
            for log in sorted(pathlib.Path(folder).glob("*log")):
                lines += log.read_text().splitlines()[-5:]
        return lines


def run(case, options, memory):
    """The result: passed, failed or skipped."""
    if lacking := lacks(case, options):
        print(f"[  SKIPPED ] clients.{case.name} (0 ms): there is no {lacking}")
        return "skipped"
    print(f"[ RUN      ] clients.{case.name}", flush=True)
    began = time.monotonic()
    ours, real = said(case, options, memory), said(case, options, options.real)
    took = int(1000 * (time.monotonic() - began))
    if ours == real and ours[-2:] == ["done", "exit status 0"]:
        print(f"[       OK ] clients.{case.name} ({took} ms): {len(ours) - 2} steps", flush=True)
        return "passed"
    print("\n".join(difflib.unified_diff(real, ours, "real", "in memory", lineterm="")) or
          "\n".join(ours))
    print(f"[  FAILED  ] clients.{case.name} ({took} ms)", flush=True)
    return "failed"


def main():
    parser = argparse.ArgumentParser()
    for option in ("--apiserver", "--real", "--programs"):
        parser.add_argument(option, required=True)
    parser.add_argument("--tools", action="append", default=[])
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.programs = pathlib.Path(options.programs)
    chosen = [case for case in CASES
              if case.name in options.names or not (options.names or case.only_named)]
    if not chosen:
        parser.error(f"the cases are {' '.join(case.name for case in CASES)}")
    with tempfile.TemporaryDirectory() as folder:
        memory = f"{folder}/kubeconfig"
        server = subprocess.Popen([options.apiserver, "--kubeconfig", memory],
                                  stdout=subprocess.PIPE, text=True)
        try:
            server.stdout.readline()  # its URL and kubeconfig: it is ready
            server.stdout.readline()
            outcomes = [run(case, options, memory) for case in chosen]
        finally:
            server.terminate()
            server.wait()
    print(*(f"{outcomes.count(one)} {one}" for one in ("passed", "failed", "skipped")), sep=", ")
    return 1 if "failed" in outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
